/* part.h: a part of a run as a line of text, which another machine writes and `merge` reads: its state.
 *
 *   {"evalengine_state":1,"kind":"run","version":"0.1.0","rules":{"name","hash"},"options":"|where:a=b",
 *    "part":{"from":1,"to":1,"of":8,"cut":"0123456789abcdef"},"data":[..],"unended":[..],"expected":[..],"imports":[..],
 *    "repeated":[..],"ids":[..],"totals":[..],
 *    "digest":"0123456789abcdef","libraries":{"lua":"5.4.4",...},"inputs":["data.jsonl"],"messages":[..],
 *    "check":"0123456789abcdef"}
 *
 * One line of JSON without tabs, so that cat, a queue, a column of a table or a streaming engine's key and value can
 * carry it. `check` and `digest` are the XXH3-64 of all bytes before them. Equal parts of equal data have equal
 * digests: no time, no name of a machine, nothing that depends on the number of workers. After the digest comes
 * what may differ between machines: libraries, and paths as they were given. Arrays are state lines
 * (data/json/state_line.h). */
#ifndef EE_RUN_PARTS_PART_H
#define EE_RUN_PARTS_PART_H

#include "base/error.h"
#include "data/foreign/foreign.h"
#include "run/parts/id_hashes.h"

/* Of this format. */
#define EE_PART_FORMAT 1
/* Messages of a part that its state keeps. */
#define EE_PART_MESSAGES 20

typedef struct ee_part_library {
  ee_str name, version;
} ee_part_library;

/* What a part has of one file, or of standard input. */
typedef struct ee_part_range {
  ee_str name;
  uint32_t unit;           /* of the next three (ee_data_unit): bytes, records, or a file that cannot be cut */
  uint64_t from, to, size; /* from 0, `to` not included; size 0: unknown */
} ee_part_range;

/* Expected values from a file of their own. */
typedef struct ee_part_expected {
  bool given;       /* else the rest is 0 */
  bool coco;        /* the file is COCO's: its records have the values, whatever `runs` says */
  uint64_t hash;    /* of what is in the file */
  uint64_t records; /* that can be used */
  uint64_t in_error, detections, detections_in_error, detections_without_image;
  struct {
    EE_LIST(uint64_t);
  } runs; /* which records were asked for: the lengths of runs, of records that were not, that were, and so on; they add
             up to `records` */
} ee_part_expected;

typedef struct ee_part_message {
  ee_error error;
  uint64_t from, to; /* the part it is of; 0: without a number */
} ee_part_message;

/* An id that two parts have. */
typedef struct ee_part_repeat {
  uint64_t hash;
  uint64_t from, to; /* the later part: one, or one of several that had been merged before; 0: without a number */
  size_t input;      /* without a number: the first of its inputs */
} ee_part_repeat;

typedef struct ee_part {
  uint64_t digest; /* of one that was read */
  ee_str kind, version;
  struct {
    EE_LIST(ee_part_library);
  } libraries;
  ee_str rules_name;
  uint64_t rules_hash;
  ee_str options; /* that decide results: "|where:a=b|cluster:doc" */
  struct {
    EE_LIST(ee_str);
  } inputs;              /* operands of the command line */
  uint64_t from, to, of; /* parts FROM to TO of OF, from 1; 0: without a number, all of its data */
  uint64_t cut;          /* of all files that were cut, ee_dataset_cut_hash(); 0: the data was a part already */
  struct {
    EE_LIST(ee_part_range);
  } data;
  struct {
    EE_LIST(ee_str);
  } unended; /* names of files that could not be read to their end, expected values among them */
  ee_part_expected expected;
  /* Notes about the files of another tool (--from): of the data, and of the file of expected values, which every part
   * reads whole. */
  ee_foreign_seen data_notes, expected_notes;
  struct {
    EE_LIST(ee_part_message);
  } messages;             /* the first EE_PART_MESSAGES */
  uint64_t message_count; /* of all */
  struct {
    EE_LIST(ee_part_repeat);
  } repeated; /* found when parts were merged */
} ee_part;

/* Appends a state with its newline; `digest` of the part is not read. `ids` and `totals` (may be NULL) are the texts of
 * state lines. */
void ee_part_write(const ee_part *part, ee_str ids, ee_str totals, ee_buffer *out);

/* Whether a line begins like a state. */
bool ee_part_begins(ee_str line);
/* Reads a state, without its newline, into `arena`; `*check` is its checksum. With `body`, `*body` is the document, for
 * its "ids" and "totals"; NULL: these are only checked. EE_ERROR_RULES with a message that says what it is instead: a
 * damaged state, another format, no state. */
ee_status ee_part_read(ee_str line, ee_arena *arena, ee_part *part, uint64_t *check, const ee_value **body,
                       ee_error *error);

/* "part 3 of 8", "parts 3-5 of 8", or the names of its data; in `arena`. */
const char *ee_part_name(const ee_part *part, ee_arena *arena);

/* Adds the name of a file that could not be read to its end, unless it is there already. */
void ee_part_add_unended(ee_part *part, ee_str name, ee_arena *arena);
/* "'a.gz' could not be read to its end", of several files "'a.gz' and 2 other files could not be read to their ends",
 * in `arena`; NULL if all were. */
const char *ee_part_unended_text(const ee_part *part, ee_arena *arena);

/* Adds a message. */
void ee_part_add_message(ee_part *part, const ee_error *error, ee_arena *arena);
/* A header whose lists can grow. */
ee_part ee_part_copy(const ee_part *part, ee_arena *arena);
/* Adds the header of `next`, the part that comes after `part`: ranges, expected values that were asked for, messages,
 * numbers. Everything else is the same in both (ee_part_set.h checks). Texts are borrowed; `part` is from
 * ee_part_copy(). */
void ee_part_join(ee_part *part, const ee_part *next, ee_arena *arena);

/* The place of a name in the inputs; their number if it is not among them. */
size_t ee_part_find_input(const ee_part *part, ee_str name);

/* Marks the records that were asked for: appends `used` of the next one. */
void ee_part_expected_add(ee_part_expected *expected, bool used, ee_arena *arena);
/* How many records nobody asked for. */
uint64_t ee_part_expected_unused(const ee_part_expected *expected);

#endif
