/* refused_host.h: what the programs share that embed the library and are refused memory: which faults are tried, what
 * must not be held afterwards, and how a failure is printed. */
#ifndef EE_TESTS_REFUSED_HOST_H
#define EE_TESTS_REFUSED_HOST_H

#include <evalengine.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The fault that is tried, and what came of all. */
typedef struct test_refused_host {
  const char *scene;
  size_t fault; /* the allocation that is refused; 0: none */
  bool goes_on; /* and all that follow */
  size_t tries, failures;
  size_t sample, only; /* faults of a scene, 0: all of them; the only one, 0: not given */
  uint64_t seed;
} test_refused_host;

extern test_refused_host test_host;

/* Reads --sample K, --seed S and --only N; returns the arguments that follow, ended by NULL. */
char **test_host_options(char **arguments);
/* Whether the scene is one of `names`; always without names. */
bool test_host_plays(const char *scene, char *const *names);

/* Prints a failure of this fault; ends the program after 20 of them. */
void test_host_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

bool test_is_no_memory(const ee_error *error);

/* The descriptors that are open, and one. */
size_t test_open_descriptors(void);
/* After a call: no blocked signal, no other locale, no child, no other number of descriptors. */
void test_host_check_process(size_t descriptors);

#endif
