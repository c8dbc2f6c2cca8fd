/* evalengine.h: the public interface of libevalengine.
 *
 * evalengine compares an expected with a candidate JSON document by the rules of a rule file, and scores the candidate.
 * This header has five sections: status and errors, rule files, one case at a time, whole data sets, and comparing
 * results. What they give is what the program gives (`evalengine RULES.lua DATA.jsonl`), byte for byte.
 *
 * Threads: an ee_rules is immutable after loading and may be shared; an ee_evaluator and an ee_result belong to one
 * thread at a time. Any number of threads may call the library at once.
 * The process: no function changes signal handlers, the locale, the environment, the current folder, or standard input,
 * output and error. Every function runs in the "C" locale and restores the caller's.
 * Memory: no function ends the process. When the system refuses memory, a call fails with EE_ERROR_SYSTEM and the
 * message "out of memory", and gives back what it had taken. Rules and evaluators remain usable: an evaluator then
 * opens what it needs (its Lua state, its provider, the programs of ee.exec) again in its next call.
 */
#ifndef EVALENGINE_H
#define EVALENGINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define EE_API __attribute__((visibility("default")))
#else
#define EE_API
#endif

#define EE_VERSION "0.1.0"

/* ---------------------------------------------------------------------------------------------------------------
 * Status and errors
 */

/* What a fallible function returns. The program uses the same values as exit statuses. */
typedef enum ee_status {
  EE_OK = 0,
  EE_ERROR_USAGE = 2,    /* an invalid argument */
  EE_ERROR_RULES = 3,    /* an invalid rule file or configuration */
  EE_ERROR_DATA = 4,     /* an invalid record or document */
  EE_ERROR_SYSTEM = 5,   /* memory, input or output */
  EE_ERROR_PROVIDER = 6, /* a provider of similarity did not answer; never an exit status */
  EE_ERROR_LIMIT = 7     /* a value, judge or function was given up at a limit; never an exit status */
} ee_status;

/* One error with its place. A plain value that owns nothing. */
typedef struct ee_error {
  ee_status status;
  char file[256];    /* "" when the error has no file; of a longer name the end */
  size_t line;       /* from 1; 0 when unknown */
  size_t column;     /* from 1, in bytes; 0 when unknown */
  uint64_t offset;   /* bytes from the start of the text that was read */
  char message[768]; /* what is wrong, UTF-8, without place and without a full stop */
} ee_error;

/* The version of the library that is linked, as "MAJOR.MINOR.PATCH". Static storage. */
EE_API const char *ee_version(void);

/* ---------------------------------------------------------------------------------------------------------------
 * Rule files
 */

typedef struct ee_rules ee_rules;

/* Called once for each mistake of a rule file, sorted by place. `error` lives for the call only. */
typedef void ee_on_error(void *user, const ee_error *error);

/* Loads and validates the rule file at `path`, or the shipped rules of that name, such as "invoice" or "compat/anls",
 * which are in "../share/evalengine/rules" or "share/evalengine/rules" from the folder of the library (of the program,
 * where the library is a part of it), else where `make install` puts them. A file of that name comes first;
 * EE_ERROR_USAGE when the current folder has NAME.lua, too.
 *
 * The file and the files that it requires are read again for each evaluator, so `path` must remain valid (for a
 * relative path, so must the current directory). Functions of the rule file have limits of memory, of instructions and
 * of work, as all that judges do: a pattern that backtracks, or texts too long to be compared, cannot hang the thread.
 * What takes more than 20 s of work in a case is given up, with the reason in the result. `on_error` (may be NULL) is
 * called for every mistake, or once with EE_ERROR_SYSTEM when there is no memory; the return value is then NULL. The
 * caller owns the result and frees it with ee_rules_free(). */
EE_API ee_rules *ee_rules_load(const char *path, ee_on_error *on_error, void *user);

/* The same for a rule file in memory, which is copied: `length` bytes of Lua, or of a rule tree in YAML or JSON if
 * `name` ends with .yaml, .yml or .json. Messages name it `name`; files that it requires are looked for as if it were
 * at that path. */
EE_API ee_rules *ee_rules_parse(const char *name, const char *text, size_t length, ee_on_error *on_error, void *user);

/* Frees `rules` (NULL is allowed). Free every evaluator made from it first. */
EE_API void ee_rules_free(ee_rules *rules);

/* ---------------------------------------------------------------------------------------------------------------
 * Evaluating one case at a time
 */

typedef struct ee_evaluator ee_evaluator;
struct cJSON;

/* A new evaluator for `rules`, which must outlive it. NULL, with `*error` filled (`error` may be NULL), when the rule
 * file does not load a second time, or its provider of similarity cannot be used (EE_ERROR_RULES: its settings,
 * EE_ERROR_SYSTEM: its cache), or there is no memory (EE_ERROR_SYSTEM). Requests to a provider over a network are made
 * while a case is judged, and the call waits for the answers. The caller frees the evaluator with ee_evaluator_free().
 */
EE_API ee_evaluator *ee_evaluator_new(const ee_rules *rules, ee_error *error);
EE_API void ee_evaluator_free(ee_evaluator *evaluator);

/* Judges one case.
 *
 * `id` is a NUL-terminated name for the case (NULL: "case"). `expected` and `candidate` are texts of the given lengths
 * in bytes: JSON, or for the candidate any text that contains JSON (in a code fence or prose). `*json` is set to the
 * result, one line of JSON, a row of --results (rules/manual/results.md), NUL-terminated, `*json_length` bytes long
 * (either may be NULL); it is owned by the evaluator and valid until its next call. `*score` (may be NULL) gets the
 * case's score, 0..1.
 *
 * `candidate` may be NULL: an empty candidate. Fails with EE_ERROR_DATA when `expected` is not JSON; line and column of
 * `error` are in its text. Fails with EE_ERROR_SYSTEM without memory; the next call opens the evaluator again, and then
 * fails as ee_evaluator_new() does. When a call fails, `*json`, `*json_length` and `*score` are unchanged, but a result
 * of an earlier call is no longer valid. A candidate that is not JSON is a result, not an error; so is an error raised
 * by a function of the rule file (ee_evaluator_rule_errors()). */
EE_API ee_status ee_evaluate_text(ee_evaluator *evaluator, const char *id, const char *expected, size_t expected_length,
                                  const char *candidate, size_t candidate_length, const char **json,
                                  size_t *json_length, double *score, ee_error *error);

/* The same for cJSON trees. Both are copied first and remain the caller's; `candidate` may be NULL (an empty
 * candidate). */
EE_API ee_status ee_evaluate_cjson(ee_evaluator *evaluator, const char *id, const struct cJSON *expected,
                                   const struct cJSON *candidate, const char **json, size_t *json_length, double *score,
                                   ee_error *error);

/* Errors raised by functions of the rule file in the last case, values without an answer from the provider of
 * similarity (status EE_ERROR_PROVIDER, without a place), and values and judges given up (status EE_ERROR_LIMIT).
 * Returns their number, at most 100, and in `*errors` (may be NULL) the array, owned by the evaluator and valid until
 * its next call. The value of each scores 0. */
EE_API size_t ee_evaluator_rule_errors(const ee_evaluator *evaluator, const ee_error **errors);

/* ---------------------------------------------------------------------------------------------------------------
 * Whole data sets
 */

typedef struct ee_result ee_result;

/* Bytes in the host's memory that take the place of a file. Wherever a call takes the name of a file, an input with
 * that name is read instead: JSON Lines, or whatever a file may hold (packed, too). The name appears in messages and
 * reports, and its ending counts as that of a file. */
typedef struct ee_input {
  const char *name;
  const char *text; /* the bytes, borrowed for the call, `length` of them; NULL: `read` gives them */
  size_t length;
  /* Writes up to `room` bytes to `out` and returns how many; 0: the end; negative: the bytes cannot be read, which ends
   * the call with EE_ERROR_SYSTEM. Called on the thread that called the library. */
  ptrdiff_t (*read)(void *user, char *out, size_t room);
  void *user;
} ee_input;

/* How far a run has come. */
typedef struct ee_progress_of_run {
  uint64_t cases;        /* judged so far */
  double mean_score;     /* of these; NaN before the first */
  uint64_t taken, total; /* bytes that were read, and in all (0: not known, as of an input that is read) */
} ee_progress_of_run;

/* Callbacks run on the thread that called the library, one at a time, while no lock is held and nothing of the library
 * is on the stack that they could disturb: they may call the library for other rules, evaluators and results. They must
 * return: no longjmp(), no exception. Where the system refuses a thread, they are called all the same. */
typedef struct ee_evaluate_options {
  size_t size; /* sizeof(ee_evaluate_options): members after it are taken as 0 */

  /* Options of the program that say what is judged and how, spelled as on its command line, a word an element:
   * {"--expected", "truth.jsonl", "--limit", "100", "--jobs", "2", "--fail-under", "mean_score=0.9"}. All but those
   * that write files or are about the process (EE_ERROR_USAGE): --output, --results, --keep, --state, --except,
   * --resume, --save-rules, --annotate, --timings, --progress, --quiet, --ca-file, --jail and what belongs to it.
   * Bounds such as
   * --timeout and --max-record are those of this call only. */
  const char *const *arguments;
  size_t argument_count;

  const ee_input *inputs; /* borrowed for the call */
  size_t input_count;

  /* Bits of ee_keep: what the result keeps. */
  unsigned keep;

  /* Each case, in the order of the data: its row, one line of JSON as --results writes it (rules/manual/results.md),
   * NUL-terminated, without the newline, `length` bytes. With the arguments "--detail", "full" also what was correct.
   * Not 0: stop; the result is interrupted, and has the cases that were judged by then, maybe some more than were
   * given. */
  int (*on_case)(void *user, const char *row, size_t length);
  /* Each message: errors of records and rules (status not EE_OK), warnings and notes (EE_OK). */
  ee_on_error *on_message;
  /* At least ten times a second, also while nothing happens. Not 0: stop, as above. */
  int (*on_progress)(void *user, const ee_progress_of_run *progress);
  void *user; /* of the three */

  /* While it is not 0 the call ends as soon as it can, as if a callback had stopped it. A signal handler or another
   * thread may set it. NULL: nobody does. */
  const volatile int *interrupt;
} ee_evaluate_options;

typedef enum ee_keep {
  EE_KEEP_ROWS = 1, /* the rows of the cases, in memory: for formats that show cases (html, junit, jsonl, cases, and
                       --worst and --reasons of others), ee_result_rows() and ee_compare() */
  EE_KEEP_STATE = 2 /* the data is a part of a data set: the result is its state, for ee_merge(), and has no report */
} ee_keep;

/* Judges the data sets `files` by `rules`, as `evalengine RULES FILES...` does. `rules` NULL: by rules that follow from
 * the data, as `evalengine FILES...` does: the first of several files has the expected values, and all inputs are
 * kept until the end of the call. `options` may be NULL. "-" (standard input) is not a file here.
 *
 * NULL, with `*error` (may be NULL) and all messages to on_message, where the program would end without a result:
 * EE_ERROR_USAGE, EE_ERROR_RULES, EE_ERROR_DATA, EE_ERROR_SYSTEM. Low scores, failed gates, records in error and
 * interrupts are results. The caller frees it with ee_result_free(); it does not need `rules` any more. */
EE_API ee_result *ee_evaluate(const ee_rules *rules, const char *const *files, size_t file_count,
                              const ee_evaluate_options *options, ee_error *error);

/* The whole data set from the states of its parts, as `evalengine merge RULES STATES...` does, with the same bytes in
 * its reports. Options are those of `merge`; rows of the parts can be given as inputs and "--rows", NAME. Each report
 * of the result reads the states again, so `states` and the inputs, which must have a text, are copied. */
EE_API ee_result *ee_merge(const ee_rules *rules, const ee_input *states, size_t count,
                           const ee_evaluate_options *options, ee_error *error);

/* Frees `result` (NULL is allowed). */
EE_API void ee_result_free(ee_result *result);

/* The exit status of the program: 0; 1: a gate failed; 4: a record, a rule or a value was in error; 130: interrupted.
 */
EE_API int ee_result_status(const ee_result *result);

/* The mean score, 0..1; NaN without a case that has a score. */
EE_API double ee_result_mean_score(const ee_result *result);

typedef enum ee_counter {
  EE_COUNT_CASES,      /* judged */
  EE_COUNT_PASSED,     /* of these: verdict pass */
  EE_COUNT_BORDERLINE, /* verdict borderline */
  EE_COUNT_FAILED,     /* verdict fail */
  EE_COUNT_UNSCORED,   /* without a score */
  EE_COUNT_ABSENT,     /* expected values without a record that were judged as empty candidates */
  EE_COUNT_UNREADABLE, /* records that could not be read: no case */
  EE_COUNT_DUPLICATES, /* records whose id occurred before: no case */
  EE_COUNT_RULE_ERRORS /* errors that functions of the rule file raised */
} ee_counter;
EE_API uint64_t ee_result_count(const ee_result *result, ee_counter what);

/* The report in a format of the program: "table", "markdown", "json", "csv", "html", "junit", and "jsonl" and "cases",
 * which are the rows. NULL: that of "--format" in the arguments of the run (such as an ee.report of the rules), or
 * json. `arguments` say what it shows, spelled as on the command line: --kinds, --reasons, --worst N, --section,
 * --columns,
 * --sort, --verbose, --color always. Empty if no record could be read. `*text` is NUL-terminated, `*length` (may be
 * NULL) bytes long, owned by the result and valid until the next call with it. EE_ERROR_USAGE; EE_ERROR_SYSTEM. */
EE_API ee_status ee_result_report(ee_result *result, const char *format, const char *const *arguments,
                                  size_t argument_count, const char **text, size_t *length, ee_error *error);

/* Texts of a result: NUL-terminated, `*length` (may be NULL) bytes long, owned by the result, valid as long as it. */

/* What EE_KEEP_ROWS kept: lines of JSON; "" without it. */
EE_API const char *ee_result_rows(const ee_result *result, size_t *length);
/* What EE_KEEP_STATE kept: a line for ee_merge() and `evalengine merge`; "" without it. */
EE_API const char *ee_result_state(const ee_result *result, size_t *length);
/* The rule file that follows from the data, if there were no rules; else "". */
EE_API const char *ee_result_rules(const ee_result *result, size_t *length);

/* ---------------------------------------------------------------------------------------------------------------
 * Comparing results
 */

/* Compares two or more runs, the first is the base, as `evalengine compare` does: each an input of rows (the text of
 * ee_result_rows(), or a name of a file if both `text` and `read` are NULL). Options are those of `compare`, such as
 * "--fail-on", "significant", "--common". The result has a report and a status (1: --fail-on), no counts, rows, state
 * and rules, and its mean score is NaN. Each report reads the rows again: texts are copied, `read` is refused. */
EE_API ee_result *ee_compare(const ee_input *runs, size_t count, const ee_evaluate_options *options, ee_error *error);

#ifdef __cplusplus
}
#endif
#endif
