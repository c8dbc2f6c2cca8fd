/* terminal.h: messages, the progress line, interrupts.
 */
#ifndef EE_CLI_TERMINAL_H
#define EE_CLI_TERMINAL_H

#include <evalengine.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "cli/options.h"

/* Warnings of one kind that are printed before the rest is only counted (without --verbose). */
#define EE_MESSAGE_LIMIT 20

/* Messages and progress of one run. */
typedef struct ee_terminal {
  bool quiet, verbose;
  bool progress; /* a progress line may be drawn */
  bool drawn;    /* one is on the screen now */
  uint64_t started_ns, drawn_ns;
  const char *counted;                                                /* what the progress line counts; NULL: "cases" */
  uint64_t data_messages, rule_messages, provider_messages, warnings; /* printed or not */
} ee_terminal;

/* How the report is printed: its sections and columns; colours and width only when it goes to a terminal. */
ee_table_style ee_terminal_style(const ee_options *options);

/* Replaces control characters of data (ee_is_harmful()) by question marks, one a byte; newlines only in a text that is
 * `one_line`. Bytes that are not UTF-8 stay. */
void ee_terminal_mask(char *text, size_t length, bool one_line);

void ee_terminal_init(ee_terminal *terminal, const ee_options *options);

/* Prints "evalengine: MESSAGE" or, with a place, "FILE:LINE: MESSAGE", also when quiet. */
void ee_terminal_fail(ee_terminal *terminal, const ee_error *error);
/* One of possibly many: the first EE_MESSAGE_LIMIT of each kind (records, rules, answers, warnings) are printed. */
void ee_terminal_message(ee_terminal *terminal, const ee_error *error);
/* Prints how many were not printed. */
void ee_terminal_rest(ee_terminal *terminal);
/* Prints "evalengine: TEXT", unless quiet: something worth knowing that is not a warning. */
void ee_terminal_note(ee_terminal *terminal, ee_str text);

/* Draws "1,234 cases  56,789/s  42 %  3 s left" after half a second, ten times a second at most. `total` 0: unknown. */
void ee_terminal_progress(ee_terminal *terminal, uint64_t cases, uint64_t taken, uint64_t total);
/* Removes the progress line from the screen. */
void ee_terminal_clear(ee_terminal *terminal);

/* The exit status of a run that the user interrupted. */
#define EE_EXIT_INTERRUPTED 130

/* From now on the first interrupt sets the returned flag, so that finished work can still be reported, and the second
 * one ends the program. Writing to a closed pipe or past the limit of a file's size fails with an error instead of a
 * signal, also for pipes to other programs. The flag is static. */
const volatile sig_atomic_t *ee_interrupt_watch(void);

#endif
