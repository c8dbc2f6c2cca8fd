/* terminal.c: messages, and one line of progress. */
#include "cli/terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/printable.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "prim/unicode.h"

#define FIRST_DRAW_NS UINT64_C(500000000)
#define REDRAW_NS UINT64_C(100000000)

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static bool is_dumb(void) {
  const char *term = getenv("TERM");
  return term == NULL || strcmp(term, "dumb") == 0;
}

ee_table_style ee_terminal_style(const ee_options *options) {
  bool terminal = options->output == NULL && ee_host_current() == NULL && isatty(STDOUT_FILENO);
  const char *no_color = getenv("NO_COLOR");
  /* unreached: a terminal, which tests do not have */
  bool may_color = terminal && !is_dumb() && (no_color == NULL || *no_color == '\0');
  ee_table_style style = {.color = options->color == EE_WHEN_AUTO ? may_color : options->color == EE_WHEN_ALWAYS,
                          .csv_raw = options->csv_safe != 0};
  if (options->sections.count > 0 || options->columns.count > 0) {
    ee_page_choice *choice = EE_NEW(options->arena, ee_page_choice);
    *choice = (ee_page_choice){options->sections.items, options->sections.count, options->columns.items,
                               options->columns.count};
    style.choice = choice;
  }
  struct winsize size;
  /* unreached: a terminal, which tests do not have */
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
  return style;
}

void ee_terminal_init(ee_terminal *terminal, const ee_options *options) {
  *terminal = (ee_terminal){.host = ee_host_current(),
                            .quiet = options->quiet,
                            .verbose = options->verbose,
                            .jailed = options->jail,
                            .started_ns = now_ns()};
  if (terminal->host != NULL) return;
  if (options->progress == EE_WHEN_AUTO)
    terminal->progress = !options->quiet && !is_dumb() && isatty(STDERR_FILENO);
  else
    terminal->progress = options->progress == EE_WHEN_ALWAYS;
}

/* Prints `line` and frees it. The newline is part of the same write, so that lines of several processes do not mix. */
static void print_line(ee_terminal *terminal, ee_buffer *line) {
  ee_buffer printable;
  ee_buffer_init(&printable);
  ee_add_printable(&printable, (ee_str){line->data, line->length}, EE_PRINT_LINE);
  ee_buffer_add_char(&printable, '\n');
  ee_terminal_clear(terminal);
  fwrite(printable.data, 1, printable.length, stderr);
  ee_buffer_fini(&printable);
  ee_buffer_fini(line);
}

/* The first thing that the system refuses in the jail is probably the jail's doing. */
static void note_jail(ee_terminal *terminal, const ee_error *error) {
  bool refused = strstr(error->message, strerror(EACCES)) != NULL || strstr(error->message, strerror(EPERM)) != NULL;
  if (!terminal->jailed || !refused) return;
  terminal->jailed = false;
  ee_buffer line;
  ee_buffer_init(&line);
  ee_buffer_add_text(&line,
                     "evalengine: --jail allows only the files of the command line and of the rule file's folder to be "
                     "read; --jail-read PATH allows more");
  print_line(terminal, &line);
}

static void print_error(ee_terminal *terminal, const char *head, const ee_error *error) {
  ee_buffer line;
  ee_buffer_init(&line);
  if (error->file[0] == '\0') ee_buffer_add_text(&line, "evalengine: ");
  ee_buffer_add_text(&line, head);
  ee_error_print(error, &line);
  print_line(terminal, &line);
  note_jail(terminal, error);
}

static void print_repeated(ee_terminal *terminal) {
  if (terminal->repeated > 0 && !terminal->quiet && terminal->data_messages <= EE_MESSAGE_LIMIT) {
    ee_error again = terminal->last; /* of one more, its own place says more than a count */
    if (terminal->repeated > 1) {
      again.line = 0;
      ee_error_set(&again, EE_ERROR_DATA, "the same in %" PRIu64 " more records (--verbose prints all)",
                   terminal->repeated);
      memcpy(again.file, terminal->last.file, sizeof again.file);
    }
    print_error(terminal, "", &again);
  }
  terminal->repeated = 0;
}

void ee_terminal_fail(ee_terminal *terminal, const ee_error *error) {
  if (terminal->host != NULL) {
    terminal->host->message(terminal->host->user, error);
    return;
  }
  print_repeated(terminal);
  if ((int)error->status != EE_EXIT_CLOSED_PIPE) print_error(terminal, "", error);
}

/* Whether a message says of another record of the same file what the last one said. */
static bool is_repeated(const ee_terminal *terminal, const ee_error *error) {
  return !terminal->verbose && terminal->data_messages > 0 && error->line > 0 && error->column == 0 &&
         strcmp(error->message, terminal->last.message) == 0 && strcmp(error->file, terminal->last.file) == 0;
}

void ee_terminal_message(ee_terminal *terminal, const ee_error *error) {
  if (terminal->host != NULL) {
    terminal->host->message(terminal->host->user, error);
    return;
  }
  if (error->status == EE_ERROR_DATA) {
    if (is_repeated(terminal, error)) {
      terminal->repeated++;
      terminal->last.line = error->line;
      return;
    }
    print_repeated(terminal);
    terminal->last = *error;
  }
  uint64_t *count = error->status == EE_ERROR_RULES      ? &terminal->rule_messages
                    : error->status == EE_ERROR_PROVIDER ? &terminal->provider_messages
                    : error->status == EE_OK             ? &terminal->warnings
                                                         : &terminal->data_messages;
  *count += 1;
  /* --quiet hides words, but not all: a status of 4 must have one. */
  if (terminal->quiet && (error->status == EE_OK || *count > 1)) return;
  if (*count > EE_MESSAGE_LIMIT && !terminal->verbose) return;
  print_error(terminal, "", error);
}

static void print_rest(ee_terminal *terminal, uint64_t count, const char *what) {
  if (terminal->quiet || terminal->verbose || count <= EE_MESSAGE_LIMIT) return;
  ee_buffer line;
  ee_buffer_init(&line);
  ee_buffer_addf(&line, "evalengine: %" PRIu64 " more %s (--verbose prints all)", count - EE_MESSAGE_LIMIT, what);
  print_line(terminal, &line);
}

void ee_terminal_rest(ee_terminal *terminal) {
  if (terminal->host != NULL) return;
  print_repeated(terminal);
  print_rest(terminal, terminal->data_messages, "errors in records");
  print_rest(terminal, terminal->rule_messages, "errors raised by rules");
  print_rest(terminal, terminal->provider_messages, "values without an answer");
  print_rest(terminal, terminal->warnings, "warnings");
}

void ee_terminal_note(ee_terminal *terminal, ee_str text) {
  if (terminal->host != NULL) {
    ee_error note;
    ee_error_set(&note, EE_OK, "%.*s", EE_STR_ARG(text));
    terminal->host->message(terminal->host->user, &note);
    return;
  }
  if (terminal->quiet) return;
  ee_buffer line;
  ee_buffer_init(&line);
  ee_buffer_add_text(&line, "evalengine: ");
  ee_buffer_add_str(&line, text);
  print_line(terminal, &line);
}

ee_annotations *ee_terminal_annotations(const ee_options *options) {
  enum { NEVER, AUTO };
  if (ee_host_current() != NULL) return NULL;
  const char *actions = getenv("GITHUB_ACTIONS");
  bool there = actions != NULL && strcmp(actions, "true") == 0;
  bool wanted = options->annotate == AUTO ? there : options->annotate != NEVER;
  return wanted ? ee_annotations_new() : NULL;
}

void ee_terminal_annotate(ee_terminal *terminal, ee_annotations *annotations) {
  if (annotations == NULL) return;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_annotations_print(annotations, &text);
  ee_terminal_clear(terminal);
  if (text.length > 0) fwrite(text.data, 1, text.length, stderr);
  ee_buffer_fini(&text);
  ee_annotations_free(annotations);
}

/* 1234567 as "1,234,567". */
static void print_grouped(uint64_t value, char out[32]) {
  char digits[32];
  int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
  char *to = out;
  for (int i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0) *to++ = ',';
    *to++ = digits[i];
  }
  *to = '\0';
}

/* "3 s", "2 min", "1 h 10 min": no more precise than an estimate is. */
static void print_duration(double seconds, char out[32]) {
  uint64_t minutes = (uint64_t)(seconds / 60 + 0.5);
  if (seconds < 100)
    snprintf(out, 32, "%.0f s", seconds);
  else if (minutes < 60)
    snprintf(out, 32, "%" PRIu64 " min", minutes);
  else
    snprintf(out, 32, "%" PRIu64 " h %" PRIu64 " min", minutes / 60, minutes % 60);
}

/* The parts of the line, in their order. */
enum { COUNT, RATE, SHARE, LEFT, MEAN, PARTS };

void ee_progress_print(const ee_progress *progress, const char *counted, double seconds, size_t width, ee_buffer *out) {
  char parts[PARTS][64] = {{0}}, number[32];
  print_grouped(progress->count, number);
  snprintf(parts[COUNT], sizeof *parts, "%s %s", number, counted);
  print_grouped((uint64_t)((double)progress->count / seconds), number);
  snprintf(parts[RATE], sizeof *parts, "%s/s", number);
  if (progress->total > 0 && progress->taken > 0 && progress->taken <= progress->total) {
    double share = (double)progress->taken / (double)progress->total;
    snprintf(parts[SHARE], sizeof *parts, "%.0f %%", 100 * share);
    print_duration(seconds * (1 - share) / share, number);
    snprintf(parts[LEFT], sizeof *parts, "%s left", number);
  }
  if (progress->score != NULL && progress->score->count > 0)
    snprintf(parts[MEAN], sizeof *parts, "mean score %.3f", ee_sample_mean(progress->score));
  /* What goes first where the line is too long. */
  static const int order[] = {RATE, SHARE, MEAN, LEFT};
  for (size_t dropped = 0;; dropped++) {
    size_t length = 0;
    for (size_t i = 0; i < PARTS; i++) length += parts[i][0] != '\0' ? strlen(parts[i]) + 2 : 0;
    if (width == 0 || length - 2 <= width || dropped == sizeof order / sizeof *order) break;
    parts[order[dropped]][0] = '\0';
  }
  for (size_t i = 0; i < PARTS; i++)
    if (parts[i][0] != '\0') ee_buffer_addf(out, "%s%s", i > 0 ? "  " : "", parts[i]);
}

void ee_terminal_progress(ee_terminal *terminal, const ee_progress *progress) {
  if (!terminal->progress) return;
  uint64_t now = now_ns(), elapsed = now - terminal->started_ns;
  if (elapsed < FIRST_DRAW_NS || now - terminal->drawn_ns < REDRAW_NS) return;
  terminal->drawn_ns = now;
  terminal->drawn = true;
  /* One column stays free: some terminals go to the next line after the last. */
  struct winsize size;
  /* unreached: a terminal, which tests do not have */
  size_t width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 0;
  ee_buffer line;
  ee_buffer_init(&line);
  ee_buffer_add_char(&line, '\r');
  const char *counted = terminal->counted != NULL ? terminal->counted : "cases";
  ee_progress_print(progress, counted, (double)elapsed * 1e-9, width, &line);
  ee_buffer_add_text(&line, "\033[K");
  ee_interrupt_clear_line(true);
  fwrite(line.data, 1, line.length, stderr);
  fflush(stderr);
  ee_buffer_fini(&line);
}

void ee_terminal_clear(ee_terminal *terminal) {
  if (!terminal->drawn) return;
  terminal->drawn = false;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  ee_interrupt_clear_line(false);
}
