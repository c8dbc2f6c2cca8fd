/* terminal.h: messages, the progress line. */
#ifndef EE_CLI_TERMINAL_H
#define EE_CLI_TERMINAL_H

#include <evalengine.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "cli/host.h"
#include "cli/options.h"
#include "report/annotations.h"

/* Without --verbose at most this many messages of each kind are printed; further ones are only counted. */
#define EE_MESSAGE_LIMIT 20

/* Messages and progress of one run. */
typedef struct ee_terminal {
  const ee_host *host; /* gets all messages instead; NULL: none */
  bool quiet, verbose;
  bool jailed;                                                        /* and nothing has been said of it */
  bool progress;                                                      /* a progress line may be drawn */
  bool drawn;                                                         /* one is on the screen now */
  uint64_t started_ns, drawn_ns;                                      /* CLOCK_MONOTONIC */
  const char *counted;                                                /* what the progress line counts; NULL: "cases" */
  uint64_t data_messages, rule_messages, provider_messages, warnings; /* printed or not; repeated ones are one */
  ee_error last;                                                      /* error in a record */
  uint64_t repeated;                                                  /* times that it came again right after */
} ee_terminal;

/* How the report is printed: sections, columns, colours, width. Width and automatic colours only if it goes to a
 * terminal. Uses options->arena. */
ee_table_style ee_terminal_style(const ee_options *options);

/* Needs no fini. `options` is not kept. */
void ee_terminal_init(ee_terminal *terminal, const ee_options *options);

/* Prints "evalengine: MESSAGE" or, if the error has a file, "FILE:LINE: MESSAGE", also when quiet. Nothing
 * for EE_EXIT_CLOSED_PIPE (output.h): who closed the pipe has seen enough. */
void ee_terminal_fail(ee_terminal *terminal, const ee_error *error);
/* Like ee_terminal_fail(), for messages that may be many in a run: not when quiet, and up to EE_MESSAGE_LIMIT of
 * each kind (data, rules, provider, warnings; by error->status). The same error in records of one file that follow each
 * other is printed once, then "FILE: the same in 119 more records". */
void ee_terminal_message(ee_terminal *terminal, const ee_error *error);
/* Prints how often the last message was repeated, and how many messages of each kind ee_terminal_message() left out
 * beyond the limit. */
void ee_terminal_rest(ee_terminal *terminal);
/* Prints "evalengine: TEXT", unless quiet: something worth knowing that is not a warning. */
void ee_terminal_note(ee_terminal *terminal, ee_str text);

/* What --annotate collects; NULL: nothing. */
ee_annotations *ee_terminal_annotations(const ee_options *options);
/* Prints the annotations, also when quiet, and frees them; NULL is ignored. */
void ee_terminal_annotate(ee_terminal *terminal, ee_annotations *annotations);

/* How far something is. */
typedef struct ee_progress {
  uint64_t count;         /* of cases, or of what ee_terminal.counted says */
  uint64_t taken, total;  /* the share that is done, in any unit (bytes of the input, trials); total 0: unknown */
  const ee_sample *score; /* the mean until now; NULL, or without values: none */
} ee_progress;

/* Appends "1,234 cases  56,789/s  42 %  3 s left  mean score 0.912" after `seconds`: on at most `width` columns (0: any
 * number), without what is less important than the rest. */
void ee_progress_print(const ee_progress *progress, const char *counted, double seconds, size_t width, ee_buffer *out);
/* Draws that line: the first half a second after ee_terminal_init(), then at most ten a second. */
void ee_terminal_progress(ee_terminal *terminal, const ee_progress *progress);
/* Removes the progress line from the screen. */
void ee_terminal_clear(ee_terminal *terminal);

#endif
