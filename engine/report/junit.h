/* junit.h: results as JUnit XML, which the servers of Jenkins, GitLab, GitHub (by actions) and others show as tests.
 *
 * One <testsuite> a kind of test: "gates", "cases", "records" (in error), "findings", ...; a <testcase> a gate or case:
 *
 *   a gate         fails with its line; skipped where it is not decided and passes
 *   a case         fails if its verdict is fail, with the first misses as the message and all of them as the text; an
 *                  error if a rule or provider failed in it; skipped without a score; a borderline one passes, and its
 *                  misses are its output
 *   a record       that could not be read: an error at FILE:LINE
 *   of `compare`   a case fails if it got worse
 *   of `audit`     a finding fails with --strict, and is skipped without
 *   of `test`      a rule test
 *
 * The class of a test is "NAME.SUITE", so that Jenkins shows a package for each rule file. The file is valid by the
 * schema of Jenkins' xUnit plugin (junit-10.xsd) and so has no place for a file and line but the text. It has no times
 * (0), so that the same results give the same bytes. Characters that XML 1.0 cannot hold, or that would turn the text
 * around, are written as \u0007; long texts are cut.
 *
 * A suite begins with its counts, so tests are kept until the end: beyond 1 MiB in an unlinked temporary file. */
#ifndef EE_REPORT_JUNIT_H
#define EE_REPORT_JUNIT_H

#include "base/buffer.h"
#include "base/error.h"
#include "report/stored_row.h"
#include "run/gate_decision.h"

typedef enum ee_junit_outcome { EE_JUNIT_PASSED, EE_JUNIT_FAILED, EE_JUNIT_ERROR, EE_JUNIT_SKIPPED } ee_junit_outcome;

typedef struct ee_junit_test {
  ee_str of; /* the first part of its class; empty: the name of the whole */
  ee_str name;
  ee_junit_outcome outcome;
  ee_str type;    /* of what is wrong: "gate", "fail" */
  ee_str message; /* one line */
  ee_str text;    /* several lines; of a test that passed: its output; empty: none */
} ee_junit_test;

typedef struct ee_junit ee_junit;

/* `name` (copied) is that of the whole: of the rule file, of the results. */
ee_junit *ee_junit_new(ee_str name);
/* NULL is ignored. */
void ee_junit_free(ee_junit *junit);

/* Adds a test to the suite `suite` (static text); the gates are written first, then the suites in order of
 * their first test. What cannot be kept
 * is reported by ee_junit_write(). */
void ee_junit_add(ee_junit *junit, const char *suite, const ee_junit_test *test);

/* Adds a case; `judge`: by what this judge says (a case without it is left out); data NULL: by what the case has. */
void ee_junit_add_case(ee_junit *junit, const ee_stored_row *row, ee_str judge);
/* The same for lines of JSON as ee_row_write() writes them. */
void ee_junit_add_rows(ee_junit *junit, const char *lines, size_t length);
void ee_junit_add_gate(ee_junit *junit, const ee_gate_result *gate);
/* Adds a record in error; other errors and warnings are not tests. */
void ee_junit_add_error(ee_junit *junit, const ee_error *error);
/* Adds records in error beyond those that were listed, if the run counted more. */
void ee_junit_count_errors(ee_junit *junit, uint64_t in_error);

/* Where the file goes. */
typedef ee_status ee_junit_sink(void *user, const char *data, size_t length, ee_error *error);

/* Writes everything. EE_ERROR_SYSTEM if the temporary file failed, or what `sink` returns. */
ee_status ee_junit_write(ee_junit *junit, ee_junit_sink *sink, void *user, ee_error *error);
/* The same for what fits into memory. */
void ee_junit_print(ee_junit *junit, ee_buffer *out);

#endif
