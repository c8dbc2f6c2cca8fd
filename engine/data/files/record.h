/* record.h: reads a case (id, expected, candidate) from a record of a data set. */
#ifndef EE_DATA_FILES_RECORD_H
#define EE_DATA_FILES_RECORD_H

#include <evalengine.h>

#include "base/arena.h"
#include "base/str.h"
#include "data/json/path.h"
#include "data/json/value.h"

/* Where a record has its parts. NULL: the first of the known names that exists.
 *   id: id, case_id, caseId, eval_id, test_id
 *   expected: expected, expected_output, reference_answer, ground_truth, gt, expected_messages
 *   candidate: candidate, candidate_answer, output, prediction, aio
 *
 * Messages: of expected_messages the expected value is the content of the last message with the role "assistant"; the
 * same holds for an array under another of the names if all elements have a string `role` and one is "assistant". If
 * content is an array of parts that all have a string `type`, its text parts ({"type":"text","text":...}, or value) are
 * joined, one per line. */
typedef struct ee_record_paths {
  const ee_path *id, *expected, *candidate;
} ee_record_paths;

typedef enum ee_candidate_state {
  EE_CANDIDATE_READ,       /* a document */
  EE_CANDIDATE_MISSING,    /* missing or null: judged as empty, and counted */
  EE_CANDIDATE_UNPARSEABLE /* a string without JSON: scores 0, and counted */
} ee_candidate_state;

/* Borrows from the arena that the record was read into. */
typedef struct ee_case {
  ee_str id;
  const ee_value *record;
  const ee_value *expected;  /* never NULL (but see ee_record_read_answer()) */
  const ee_value *candidate; /* the document; NULL unless EE_CANDIDATE_READ */
  ee_str candidate_text;     /* the string if the candidate is one; else data NULL */
  ee_candidate_state candidate_state;
} ee_case;

/* Reads the case of `record`. A string as expected or candidate is searched for JSON (json_in_prose.h); an expected
 * string without JSON stays a string. A number as id is its decimal text, "100" for 1e2 and 100.0. A record without id
 * gets `given_id` (must outlive `out`; data NULL: none) or "line:17" from `line`. EE_ERROR_DATA with a message (no
 * place) if the record is not an object, has no expected value, or its id is neither a string nor a number. */
ee_status ee_record_read(const ee_value *record, const ee_record_paths *paths, size_t line, ee_str given_id,
                         ee_arena *arena, ee_case *out, ee_error *error);

/* The same for a record whose expected value is elsewhere: `out->expected` is NULL. */
ee_status ee_record_read_answer(const ee_value *record, const ee_record_paths *paths, size_t line, ee_str given_id,
                                ee_arena *arena, ee_case *out, ee_error *error);

/* The same for a record without candidate: reads id and expected value. `*id` has data NULL if there is no id. */
ee_status ee_record_read_expected(const ee_value *record, const ee_record_paths *paths, ee_arena *arena, ee_str *id,
                                  const ee_value **expected, ee_error *error);

/* The id of a record without one: "line:17", NUL-terminated. */
#define EE_LINE_ID_SIZE 32
ee_str ee_record_line_id(uint64_t line, char out[EE_LINE_ID_SIZE]);

/* Reads the id alone, at `path` (NULL: the known names); data NULL if there is none. Fails as ee_record_read(). */
ee_status ee_record_read_id(const ee_value *record, const ee_path *path, ee_arena *arena, ee_str *id, ee_error *error);

/* Whether a record has an expected value under the known names that is not null. `arena` may be NULL. */
bool ee_record_has_expected(const ee_value *record, ee_arena *arena);

#endif
