/* attacks.h: what a hostile server does, as data: the list of tests/provider/attacks, and playing one of them.
 *
 * An attack is a paragraph: its name, the steps that are done in turn on the connection in answer to a request, and
 * what a user reads. The file says how steps are written. */
#ifndef EE_TESTS_ATTACKS_H
#define EE_TESTS_ATTACKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/list.h"

typedef enum test_step_kind {
  TEST_STEP_SEND,  /* `text`, `count` times; 0: until the client goes away */
  TEST_STEP_DRIP,  /* `text` again and again, a byte at a time, until the client goes away */
  TEST_STEP_REPLY, /* `text` as the body of a whole reply with status 200 */
  TEST_STEP_BOMB,  /* `count` MiB of zeros, packed by gzip */
  TEST_STEP_HANG,  /* nothing, until the client goes away */
  TEST_STEP_RESET  /* the connection breaks */
} test_step_kind;

typedef struct test_step {
  test_step_kind kind;
  ee_buffer text;
  size_t count;
} test_step;

typedef struct test_attack {
  const char *name;
  struct {
    EE_LIST(test_step);
  } steps;
  const char *why[2]; /* the reason of the value without an answer, for embeddings and for chat; "": the answer is
                         used; NULL: not for this kind of model */
  bool waits;         /* it lasts until the client's time is over */
} test_attack;

typedef struct test_attacks {
  EE_LIST(test_attack);
} test_attacks;

/* Reads the list; `key` takes the place of {KEY}, `url` that of {URL}: another server's. Fails the test for a line that
 * cannot be read. */
void test_attacks_read(test_attacks *attacks, const char *file, const char *key, const char *url);
void test_attacks_free(test_attacks *attacks);

/* One end of a connection, as the steps use it. `send` returns false when the other end is gone; `wait` waits for so
 * many milliseconds (-1: for ever) and returns false when the other end is gone or the test is over. */
typedef struct test_attack_end {
  void *user;
  bool (*send)(void *user, const char *data, size_t length);
  bool (*wait)(void *user, int ms);
  void (*reset)(void *user);
} test_attack_end;

/* Does the steps in turn. */
void test_attack_play(const test_attack *attack, const test_attack_end *end);

#endif
