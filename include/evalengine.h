/* evalengine.h: the public interface of libevalengine.
 *
 * evalengine compares an expected with a candidate JSON document as a rule file says and tells how good the candidate
 * is. This header has three sections: status and errors, rule files, and evaluation of one case at a time. Whole data
 * sets are the program's business (`evalengine RULES.lua DATA.jsonl`).
 *
 * Threads: an ee_rules is immutable after loading and may be shared; an ee_evaluator belongs to one thread at a time.
 * Locale: every function runs in the "C" locale and puts the caller's back.
 * Memory: when the system has no memory left, the library prints a line to stderr and ends the process with status 5.
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

/* What a fallible function returns. The values are the exit statuses of the program where both have a meaning. */
typedef enum ee_status {
  EE_OK = 0,
  EE_ERROR_USAGE = 2,   /* an argument that makes no sense */
  EE_ERROR_RULES = 3,   /* a rule file or configuration that does not load or is invalid */
  EE_ERROR_DATA = 4,    /* a record or document that cannot be read */
  EE_ERROR_SYSTEM = 5,  /* memory, input or output, watchdog */
  EE_ERROR_PROVIDER = 6 /* no answer from a provider of similarity; never an exit status */
} ee_status;

/* One error with its place. A plain value: nothing in it is owned. */
typedef struct ee_error {
  ee_status status;
  char file[256];    /* "" when the error has no file; the end of a longer name */
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

/* Loads and validates the rule file at `path`.
 *
 * The file and what it requires are read again for each evaluator, so `path` must stay good (a relative one: the
 * current directory too). Functions of the rule file run under limits of memory and instructions; a call that hangs
 * where neither reaches (a Lua pattern that backtracks for ever) hangs its thread: only the program has a watchdog.
 * `on_error` (may be NULL) gets every mistake; the return value is NULL when there was at least one. The caller owns
 * the result and frees it with ee_rules_free(). */
EE_API ee_rules *ee_rules_load(const char *path, ee_on_error *on_error, void *user);

/* Frees `rules` (NULL is allowed). Every evaluator made from it must be freed before. */
EE_API void ee_rules_free(ee_rules *rules);

/* ---------------------------------------------------------------------------------------------------------------
 * Evaluating one case at a time
 */

typedef struct ee_evaluator ee_evaluator;
struct cJSON;

/* A new evaluator for `rules`, which must outlive it; NULL with `*error` filled (may be NULL) when the rule file does
 * not load a second time, or the provider of similarity that it needs cannot be used (EE_ERROR_RULES: its settings,
 * EE_ERROR_SYSTEM: its cache). A provider over a network is asked while a case is judged: the call then takes as long
 * as the answers do. The caller frees it with ee_evaluator_free(). */
EE_API ee_evaluator *ee_evaluator_new(const ee_rules *rules, ee_error *error);
EE_API void ee_evaluator_free(ee_evaluator *evaluator);

/* Judges one case.
 *
 * `id` is a NUL-terminated name for the case (NULL: "case"). `expected` and `candidate` are texts of the given lengths
 * in bytes: JSON, or for the candidate any text that holds JSON (a code fence, prose). `*json` is set to the result,
 * one line of JSON by the schema of --results (lua/README.md), NUL-terminated, `*json_length` bytes long (either may be
 * NULL); it is owned by the evaluator and valid until its next call. `*score` (may be NULL) gets the case's score,
 * 0..1.
 *
 * `candidate` may be NULL: an empty candidate. Fails with EE_ERROR_DATA when `expected` is not JSON; line and column of
 * `error` are those in its text. A candidate that is not JSON is a result, not an error; so is an error that a function
 * of the rule file raises (ee_evaluator_rule_errors()). */
EE_API ee_status ee_evaluate_text(ee_evaluator *evaluator, const char *id, const char *expected, size_t expected_length,
                                  const char *candidate, size_t candidate_length, const char **json,
                                  size_t *json_length, double *score, ee_error *error);

/* The same for trees made with cJSON. Both are copied before anything else and stay the caller's; `candidate` may be
 * NULL (an empty candidate). */
EE_API ee_status ee_evaluate_cjson(ee_evaluator *evaluator, const char *id, const struct cJSON *expected,
                                   const struct cJSON *candidate, const char **json, size_t *json_length, double *score,
                                   ee_error *error);

/* The errors that functions of the rule file raised in the last case, and the values to which the provider of
 * similarity gave no answer (status EE_ERROR_PROVIDER, without a place): their number, at most 100, and in `*errors`
 * (may be NULL) the list, owned by the evaluator and valid until its next call. Each cost its value the score. */
EE_API size_t ee_evaluator_rule_errors(const ee_evaluator *evaluator, const ee_error **errors);

#ifdef __cplusplus
}
#endif
#endif
