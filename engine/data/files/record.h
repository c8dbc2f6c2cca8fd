/* record.h: from one record of a data set to a case: id, expected, candidate.
 */
#ifndef EE_DATA_FILES_RECORD_H
#define EE_DATA_FILES_RECORD_H

#include <evalengine.h>

#include "base/arena.h"
#include "base/str.h"
#include "data/json/path.h"
#include "data/json/value.h"

/* Where a record keeps its parts; a NULL path means: search the known names, the first that exists. id: id, case_id,
 * caseId, eval_id, test_id. expected: expected, expected_output, reference_answer, ground_truth, gt, expected_messages.
 * candidate: candidate, candidate_answer, output, prediction, aio.
 *
 * Of expected_messages, and of a list under another of those names whose elements all have a text as role, one of them
 * "assistant", the expected value is the content of the last assistant message. Content that is a list of parts, each
 * with a text as type, some "text", is the texts of those ({"type":"text","text":...}, or value), a line each. */
typedef struct ee_record_paths {
  const ee_path *id, *expected, *candidate;
} ee_record_paths;

typedef enum ee_candidate_state {
  EE_CANDIDATE_READ,       /* a document */
  EE_CANDIDATE_MISSING,    /* the record has none (missing or null): judged as an empty one, and counted */
  EE_CANDIDATE_UNPARSEABLE /* a text without JSON: an empty candidate that scores 0, and counted */
} ee_candidate_state;

/* One case. Everything borrows from the arena that the record was read into. */
typedef struct ee_case {
  ee_str id;
  const ee_value *record;
  const ee_value *expected;  /* never NULL (but see ee_record_read_answer()) */
  const ee_value *candidate; /* the document; NULL unless EE_CANDIDATE_READ */
  ee_str candidate_text;     /* the text as found, when the candidate was a text; data NULL otherwise */
  ee_candidate_state candidate_state;
} ee_case;

/* Finds the parts of `record`. Text in expected or candidate is read as a document (json_in_prose.h); an expected text
 * without JSON stays that text. A number as id is its decimal text, "100" for 1e2 and 100.0. Without an id the id is
 * "line:17" from `line`. Fails with EE_ERROR_DATA and a message (no place) for a record that is no object, has no
 * expected value, or an id that is neither text nor number. */
ee_status ee_record_read(const ee_value *record, const ee_record_paths *paths, size_t line, ee_arena *arena,
                         ee_case *out, ee_error *error);

/* The same for a record whose expected value stands elsewhere: `out->expected` is NULL, and none is looked for. */
ee_status ee_record_read_answer(const ee_value *record, const ee_record_paths *paths, size_t line, ee_arena *arena,
                                ee_case *out, ee_error *error);

/* The other half: id and expected value of a record that needs no candidate. `*id` has data NULL when there is no id.
 * Fails as ee_record_read() does. */
ee_status ee_record_read_expected(const ee_value *record, const ee_record_paths *paths, ee_arena *arena, ee_str *id,
                                  const ee_value **expected, ee_error *error);

/* The id of a record without one: "line:17", NUL-terminated. */
#define EE_LINE_ID_SIZE 32
ee_str ee_record_line_id(uint64_t line, char out[EE_LINE_ID_SIZE]);

/* The id alone: as found at `path` (NULL: the known names); data NULL when there is none. Fails as ee_record_read(). */
ee_status ee_record_read_id(const ee_value *record, const ee_path *path, ee_arena *arena, ee_str *id, ee_error *error);

/* Whether a record has an expected value under the known names that is not null. `arena` may be NULL. */
bool ee_record_has_expected(const ee_value *record, ee_arena *arena);

#endif
