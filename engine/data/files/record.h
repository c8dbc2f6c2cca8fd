/* record.h: reads a case (id, expected, candidate) from a record of a data set, or from two records of one id. */
#ifndef EE_DATA_FILES_RECORD_H
#define EE_DATA_FILES_RECORD_H

#include <evalengine.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/str.h"
#include "data/json/json_lenient.h"
#include "data/json/path.h"
#include "data/json/value.h"

/* Paths that are tried in order: the first whose value is not null counts. */
typedef struct ee_path_list {
  const ee_path *const *items;
  size_t count; /* 0: the known names */
} ee_path_list;

/* Where a record has its parts.
 *
 * Known names: the first member that is not null counts.
 *   id: id, case_id, caseId, eval_id, test_id
 *   expected: expected, expected_output, reference_answer, ground_truth, gt, expected_messages
 *   candidate: candidate, candidate_answer, output, prediction, aio
 *
 * Other names are also those of ordinary fields, so they count only in pairs, or next to a known name of the other
 * part:
 *   expected: gold, truth, label, reference, target
 *   candidate: pred, predicted, response, actual_output, model_output
 *   actual and answer: the part for which there is no other name
 *
 * Two files, expected values in one and answers in the other: a record in which no name counts is the document itself,
 * without the member that has its id. If besides the id (and input, prompt, question, messages, meta, metadata, tags,
 * split) it only has one member, then that is the document if it has a candidate's name, or another of these names and
 * an object, an array or a text with a bracket.
 *
 * Messages: of expected_messages the expected value is the content of the last message with the role "assistant"; the
 * same holds for an array under another of the names if all elements have a string `role` and one is "assistant". If
 * content is an array of parts that all have a string `type`, its text parts ({"type":"text","text":...}, or value) are
 * joined, one per line. */
typedef struct ee_record_paths {
  ee_path_list id;
  ee_path_list expected_id; /* in a file of expected values; empty: `id`, then the known names */
  ee_path_list expected;
  ee_path_list candidate;
  /* Several candidates of one case, its trials: in one record an array of them, or in several records of one id, which
   * have at `trial` what tells them apart. At most one of the two has paths. */
  ee_path_list candidates; /* empty: an array under a known name (ee_case.trials) */
  ee_path_list trial;      /* empty: an id has one record; EE_TRIAL_FILES: each of the data files is a trial */
  ee_path_list records;    /* in a file that is one object (nested_records.h); empty: they are looked for */
  /* The rules judge the document itself ("$"): where the expected value is not an object or array, a candidate that is
   * a text and not JSON as a whole is that text, instead of none; also where nothing is expected, if no judge needs
   * that and none looks inside. */
  bool keep_text;
  bool keep_options; /* the same where the expected value is several: an array of single values, or {"anyOf": [...]} */
  bool several_documents; /* an expected array, or {"anyOf": [...]}, holds several accepted documents */
  bool looks_inside;      /* a judge compares members of candidates: a text is searched for JSON first */
  bool expected_optional; /* a record without an expected value is a case whose expected value is null */
  /* The files are those of another tool (data/foreign/foreign.h); NULL: they are ours. */
  const struct ee_foreign_use *from;
} ee_record_paths;

/* Instead of a path of ee_record_paths.trial. */
#define EE_TRIAL_FILES "@file"
/* EE_ERROR_USAGE where paths exclude each other: candidates in one record have no path of trials, and no other path. */
ee_status ee_record_paths_check(const ee_record_paths *paths, ee_error *error);
/* Whether each data file is a trial. `paths` may be NULL. */
bool ee_record_trials_are_files(const ee_record_paths *paths);

/* Parses a path of ee_record_paths into `arena`: a path of path.h, "$" for the record itself, or "$.path". NULL with
 * `error` for other texts and for paths with [*]. */
const ee_path *ee_record_path_parse(ee_arena *arena, ee_str text, ee_error *error);

typedef enum ee_candidate_state {
  EE_CANDIDATE_READ,       /* a document */
  EE_CANDIDATE_MISSING,    /* missing or null: judged as empty, and counted */
  EE_CANDIDATE_UNPARSEABLE /* a string without JSON: scores 0, and counted */
} ee_candidate_state;

/* Borrows from the arena that the record was read into. */
typedef struct ee_case {
  ee_str id;    /* of a trial with its name: "a1 (trial 2)" */
  ee_str base;  /* what the trials of one case have in common: the id in the record; read it by ee_case_base() */
  ee_str trial; /* which of several candidates this is: its text at the path of trials, or its number in the array, from
                   1; empty where the record has none there; data NULL: there are no trials */
  /* The candidates of the record, not empty: at the paths of `candidates`; or without such paths, and in a record
   * without another candidate, an array under `candidates` or `candidate_answers`, unless the expected value is an
   * array or has such a member. NULL: the record has one candidate. */
  const ee_value *trials;
  size_t trial_number; /* in that array, from 1; 0: there is no array */
  bool unnamed;        /* the record has no id; this one is made of its place, and no other case is taken for it */
  bool absent;         /* the data have no record of the id: `record` is empty, `truth` is there */
  /* What expected value and candidate say, instead of documents; `record` is NULL then, and they are empty arrays. Only
   * for who asked for it: ee_plan_takes_boxes(). NULL: there are documents. */
  const struct ee_image_boxes *boxes;
  const ee_value *record;
  const ee_value *truth;     /* the record of the file of expected values; NULL: `record` has the expected value */
  const ee_value *expected;  /* never NULL (but see ee_record_read_answer()) */
  const ee_value *candidate; /* the document; NULL unless EE_CANDIDATE_READ */
  ee_str candidate_text;     /* the string if the candidate is one; else data NULL */
  ee_candidate_state candidate_state;
  const ee_value *repaired; /* of a text that is not JSON or JSON in a string: the document after `repairs`; or NULL */
  ee_repairs repairs;
  uint64_t text_hash;       /* of the record's text, where a run read it; else 0 */
  uint64_t lone_surrogates; /* halves of surrogate pairs in the candidate's text, read as U+FFFD */
} ee_case;

/* The id without the trial. */
static inline ee_str ee_case_base(const ee_case *current) {
  return current->base.data != NULL ? current->base : current->id;
}

/* How many candidates the record has; 1 where it has no array of them. */
size_t ee_case_trial_count(const ee_case *current);
/* Makes the case that of candidate `number` of its record, from 0: its id, trial and candidate. Cases are read as that
 * of the first one. Does nothing where there is no array. `paths` as in ee_record_read(). */
void ee_case_take_trial(ee_case *current, size_t number, const ee_record_paths *paths, ee_arena *arena);
/* Makes the case the trial of that name: "a1" gets the id "a1 (trial 2)". An empty name changes no id. */
void ee_case_name_trial(ee_case *current, ee_str trial, ee_arena *arena);
/* Takes the array of candidates under a known name, of a case whose record and expected value are known. */
void ee_case_find_trials(ee_case *current, const ee_record_paths *paths, ee_arena *arena);

/* The id of a trial, "a1 (trial 2)", in `arena`; `id` itself where the trial is empty or its data NULL. */
ee_str ee_trial_id(ee_str id, ee_str trial, ee_arena *arena);

/* Sets the candidate to the document in its text, and if there is none to what can be repaired. */
void ee_case_read_text(ee_case *current, ee_str text, ee_arena *arena);

/* The value at `path` in the case's record, or where that has none in the record of the file of expected values; NULL
 * if neither has one. */
const ee_value *ee_case_get(const ee_case *current, const ee_path *path, ee_arena *arena);

/* Where a record is, which names it if it has no id. */
typedef struct ee_record_place {
  ee_str given_id;  /* by its file or by its key in an object of records; data NULL: none */
  const char *file; /* as names show it; NULL: standard input */
  uint64_t line;    /* from 1; 0: unknown */
  uint64_t column;  /* 0: no other record begins in this line before it */
  uint64_t byte;    /* in the file */
  struct ee_line_base
      *before; /* in a part of the file: the lines before it (data_part.h); NULL: `line` is the file's */
} ee_record_place;

/* The id that the place makes, in `arena`: "data.jsonl:17", where other records are in that line "data.jsonl:17:40",
 * and where lines are not known "-@1234", the byte. */
ee_str ee_record_place_name(const ee_record_place *place, ee_arena *arena);

/* Reads the case of `record`, which has both parts. `paths` NULL: the known names. A candidate that is a string is
 * searched for JSON (json_in_prose.h) unless `keep_text` keeps it; an expected string is read if it is JSON as a whole,
 * otherwise it stays a string. A number as id is its decimal
 * text, "100" for 1e2 and 100.0. A record without id gets the id that its place gives it (must outlive `out`), or one
 * made of the place, and is `unnamed`. `place` NULL: unknown. EE_ERROR_DATA with a message (no place) if the record is
 * not an object, has no expected value, or its id is neither a string nor a number. */
ee_status ee_record_read(const ee_value *record, const ee_record_paths *paths, const ee_record_place *place,
                         ee_arena *arena, ee_case *out, ee_error *error);

/* Does what ee_record_paths.keep_text says, if it is set, to a case with both parts. Nothing to a case with several
 * accepted documents, where it depends on the document. */
void ee_case_keep_text(ee_case *current, const ee_record_paths *paths, ee_arena *arena);

/* The array of the case's accepted documents, not empty; NULL where its expected value is the only one. */
const ee_value *ee_case_documents(const ee_case *current, const ee_record_paths *paths);
/* Makes one of them the expected value, as if the record had it alone. */
void ee_case_take_document(ee_case *current, const ee_value *document, const ee_record_paths *paths, ee_arena *arena);

/* The same for a record of a file of answers, whose expected value is elsewhere: `out->expected` is NULL. A record with
 * a given id may be any value. */
ee_status ee_record_read_answer(const ee_value *record, const ee_record_paths *paths, const ee_record_place *place,
                                ee_arena *arena, ee_case *out, ee_error *error);

/* The same for a record of a file of expected values. EE_ERROR_DATA also if it has no id. */
ee_status ee_record_read_expected(const ee_value *record, const ee_record_paths *paths, ee_str given_id,
                                  ee_arena *arena, ee_str *id, const ee_value **expected, ee_error *error);

/* The value at `path`, or under a known name of candidates if it is NULL; NULL if there is none. */
const ee_value *ee_record_find_candidate(const ee_value *record, const ee_path_list *paths, ee_arena *arena);

/* Appends what a case's records have besides its id, expected value and candidate, as one object: the members of its
 * record, then those of the record of expected values that it lacks. False, and nothing is appended, if there is
 * nothing else. `paths` NULL: the known names. */
bool ee_case_write_rest(const ee_case *current, const ee_record_paths *paths, ee_arena *arena, ee_buffer *out);

typedef enum ee_record_part { EE_PART_ID, EE_PART_EXPECTED_ID, EE_PART_EXPECTED } ee_record_part;
/* Appends the known names of a part, "id, case_id, ..."; `paths` NULL: the known names. */
void ee_record_names(const ee_record_paths *paths, ee_record_part part, ee_buffer *out);
/* The member of a record that is its expected value as soon as it is known where the candidate is ("label", "target");
 * data NULL: none. Borrows from `record`. */
ee_str ee_record_likely_expected(const ee_value *record, ee_arena *arena);

/* Reads the id alone, of `part` EE_PART_ID or EE_PART_EXPECTED_ID; data NULL if there is none. `paths` NULL: the known
 * names. Fails as ee_record_read(). */
ee_status ee_record_read_id(const ee_value *record, const ee_record_paths *paths, ee_record_part part, ee_arena *arena,
                            ee_str *id, ee_error *error);
/* The text of a string or number as an id. */
ee_str ee_record_id_text(const ee_value *value, ee_arena *arena);

/* Sets `error` to "record has no PART: it has 'a', 'b'"; the texts are made in `arena`. Returns EE_ERROR_DATA. */
ee_status ee_record_fail_without(const char *part, const ee_value *record, ee_arena *arena, ee_error *error);

/* Which parts the keys of an object name. All false before the first key. */
typedef struct ee_record_keys {
  bool id, expected, candidate;
  bool weak_expected, weak_candidate, either; /* names that count only in pairs */
} ee_record_keys;
void ee_record_keys_add(ee_record_keys *keys, ee_str key, const ee_record_paths *paths);
static inline bool ee_record_keys_have_answer(const ee_record_keys *keys) {
  return keys->expected || keys->candidate || keys->weak_expected + keys->weak_candidate + keys->either > 1;
}

/* Whether a record has an expected value under the known names that is not null. `arena` may be NULL. */
bool ee_record_has_expected(const ee_value *record, ee_arena *arena);

#endif
