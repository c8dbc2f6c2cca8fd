/* evalengine.h: the public interface of libevalengine.
 *
 * evalengine compares an expected with a candidate JSON document by the rules of a rule file, and scores the candidate.
 * This header has three sections: status and errors, rule files, and evaluation of one case at a time. For whole data
 * sets there is the program (`evalengine RULES.lua DATA.jsonl`).
 *
 * Threads: an ee_rules is immutable after loading and may be shared; an ee_evaluator belongs to one thread at a time.
 * Locale: every function runs in the "C" locale and restores the caller's.
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

#ifdef __cplusplus
}
#endif
#endif
