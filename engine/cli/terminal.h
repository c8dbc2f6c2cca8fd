/* terminal.h: what people see on standard error: messages and the progress line.
 */
#ifndef EE_CLI_TERMINAL_H
#define EE_CLI_TERMINAL_H

#include <evalengine.h>
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
  uint64_t data_messages, rule_messages, provider_messages, warnings; /* told and untold */
} ee_terminal;

/* Whether `descriptor` gets colours under `when`: a terminal, no NO_COLOR, TERM not dumb. */
bool ee_terminal_wants_color(ee_when when, int descriptor);
/* Columns of the terminal at `descriptor`; 0 when it is none. */
size_t ee_terminal_width(int descriptor);

/* Makes question marks of what data may not do to a terminal (ee_is_harmful(), a mark a byte); of newlines only when
 * the text is `one_line`. Bytes that are no UTF-8 stay. */
void ee_terminal_mask(char *text, size_t length, bool one_line);

void ee_terminal_init(ee_terminal *terminal, const ee_options *options);

/* Prints "evalengine: MESSAGE" or, with a place, "FILE:LINE: MESSAGE"; always. */
void ee_terminal_fail(ee_terminal *terminal, const ee_error *error);
/* One of possibly many: the first EE_MESSAGE_LIMIT of each kind (records, rules, answers, warnings) are printed. */
void ee_terminal_message(ee_terminal *terminal, const ee_error *error);
/* How many were not printed. */
void ee_terminal_rest(ee_terminal *terminal);
/* Something worth knowing that is no warning: "evalengine: TEXT", unless quiet. */
void ee_terminal_note(ee_terminal *terminal, ee_str text);

/* Draws "1,234 cases  56,789/s  42 %  3 s left" after half a second, ten times a second at most. `total` 0: unknown. */
void ee_terminal_progress(ee_terminal *terminal, uint64_t cases, uint64_t taken, uint64_t total);
/* Takes the progress line off the screen. */
void ee_terminal_clear(ee_terminal *terminal);

#endif
