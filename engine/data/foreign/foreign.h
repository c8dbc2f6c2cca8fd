/* foreign.h: the files of other tools as records: one row a format.
 *
 * A record of another tool (a result of promptfoo, a task of Label Studio) becomes one record of record.h, as JSON
 * text, with the known names: id, expected, candidate, and beside them what rules and --where may need. Which parts the
 * record has of what is lost, and how often, is counted in notes. Nothing here reads files: data/files splits them and
 * calls ee_foreign_convert() for each record, so that messages name the file and line of the tool's record.
 *
 * Formats were compared with files and sources of the tools' public repositories; each reader names them. */
#ifndef EE_DATA_FOREIGN_FOREIGN_H
#define EE_DATA_FOREIGN_FOREIGN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/str.h"
#include "data/json/value.h"

typedef struct ee_foreign_format ee_foreign_format;

/* What a reader may lose of a record; each format has its own list of texts. */
#define EE_FOREIGN_NOTES 8
/* Bytes of an id in a note. */
#define EE_FOREIGN_EXAMPLE 80

typedef struct ee_foreign_note {
  uint64_t count;                   /* records */
  char example[EE_FOREIGN_EXAMPLE]; /* the id of the first, or its line */
} ee_foreign_note;

/* Numbers of a record that are spent: less is better. */
enum { EE_FOREIGN_COST = 1 << 0, EE_FOREIGN_LATENCY = 1 << 1, EE_FOREIGN_TOKENS = 1 << 2, EE_FOREIGN_MEASURES = 3 };
/* The member of a bit's number: "cost", "latency_ms", "tokens". */
extern const char *const ee_foreign_measures[EE_FOREIGN_MEASURES];

/* How a data set is read, and what was met in it. */
typedef struct ee_foreign_use {
  const ee_foreign_format *format;
  bool one_file;        /* a record has to have both sides: no other file has the expected values */
  bool candidate_given; /* the user says where the candidate is */
} ee_foreign_use;

typedef struct ee_foreign_seen {
  ee_foreign_note notes[EE_FOREIGN_NOTES];
  unsigned measures; /* bits: some record has it */
  uint64_t records;  /* converted */
} ee_foreign_seen;

typedef enum ee_foreign_result {
  EE_FOREIGN_RECORD,  /* appended */
  EE_FOREIGN_NOTHING, /* not a case, such as a task that nobody has annotated; a note counts it */
  EE_FOREIGN_BROKEN   /* cannot be read: `error` says why */
} ee_foreign_result;

/* What a reader gets and fills. */
typedef struct ee_foreign_reading {
  const ee_foreign_use *use;
  ee_foreign_seen *seen;
  uint64_t line;   /* of the record, for notes without an id */
  ee_str given_id; /* by the record's place; data NULL: none */
  ee_arena *arena; /* reset by the caller */
  ee_buffer *out;  /* where the record goes */
  size_t start;    /* in `out` */
  ee_str id;       /* of this record, for notes; set by ee_foreign_add_id() */
} ee_foreign_reading;

/* A judge that fits a member of the expected document. */
typedef struct ee_foreign_judge {
  const char *member; /* "boxes"; "choices.*": each member of that */
  const char *comment;
  const char *lua;           /* each %s: the path, then the name */
  const char *lua_of_arrays; /* where the values are arrays; NULL: the same */
} ee_foreign_judge;

struct ee_foreign_format {
  const char *name; /* as --from takes it */
  const char *what; /* "results of 'promptfoo eval -o FILE.json'" */
  /* Paths of the array of records in a file that is one object, ended by NULL, "results.results"; NULL: such a file is
   * one record. */
  const char *const *arrays;
  bool sentences;      /* the file is lines, and a blank line ends a record */
  bool coco;           /* read by data/coco */
  const char *entries; /* the file may be a zip archive with a record an entry whose name begins so; NULL: it is not */
  /* The member that tells trials of one id apart, and whether the beginning of a file, or the names of the entries of
   * an archive, say that there are several; NULL: there are none. */
  const char *trial;
  bool (*has_trials)(ee_str head);
  const char *const *variants;    /* members that must not differ within a run, such as the model; NULL: none */
  const char *const *notes;       /* what each note says, after "N records: "; NULL at the end */
  const ee_foreign_judge *judges; /* without rules; ended by a row without a member; NULL: the values decide */
  /* Whether a record can be no other tool's. */
  bool (*is)(const ee_value *record);
  bool (*is_text)(ee_str head); /* the same of the beginning of a text, of `sentences` */
  ee_foreign_result (*read)(ee_foreign_reading *reading, const ee_value *record, ee_error *error);
  ee_foreign_result (*read_text)(ee_foreign_reading *reading, ee_str text, ee_error *error); /* of `sentences` */
};

/* In the order of help texts; ended by a row without a name. */
extern const ee_foreign_format *const ee_foreign_formats[];

/* NULL: there is no such format. */
const ee_foreign_format *ee_foreign_find(ee_str name);

/* Converts the record in `text`. EE_FOREIGN_RECORD: appended to reading->out; text that is not JSON is appended as it
 * is, and its reader reports it. EE_FOREIGN_BROKEN with `error` (no place). Nothing is appended otherwise. */
ee_foreign_result ee_foreign_convert(ee_foreign_reading *reading, ee_str text, ee_error *error);

/* The format whose first record is whole in `head`, the beginning of a file, and can be of no other tool; NULL: none.
 */
const ee_foreign_format *ee_foreign_guess(ee_str head, ee_arena *arena);

/* "1 record: an error instead of an answer, judged as an empty candidate (case '4')" for note `number`; NULL in `arena`
 * if nothing was met. */
const char *ee_foreign_note_text(const ee_foreign_format *format, const ee_foreign_seen *seen, size_t number,
                                 ee_arena *arena);
/* Adds what another part of the data has met. */
void ee_foreign_seen_merge(ee_foreign_seen *into, const ee_foreign_seen *from);

/* For readers ---------------------------------------------------------------------------------- */

/* Counts a note, once a record. */
void ee_foreign_note_record(ee_foreign_reading *reading, size_t number);
/* Marks a measure as seen. */
void ee_foreign_add_measure(ee_foreign_reading *reading, unsigned bit, const ee_value *number);

/* Adds a member to the record; nothing if the value is NULL or its data NULL. */
void ee_foreign_add(ee_foreign_reading *reading, const char *key, const ee_value *value);
void ee_foreign_add_text(ee_foreign_reading *reading, const char *key, ee_str text);
/* Starts a member whose value the caller appends to reading->out. */
void ee_foreign_add_key(ee_foreign_reading *reading, const char *key);
/* The member "id" of a string or number. */
void ee_foreign_add_id(ee_foreign_reading *reading, const ee_value *id);

/* The first of `keys` (ended by NULL) that is a member and not null; NULL: none. */
const ee_value *ee_foreign_first(const ee_value *object, const char *const *keys);
/* The text of a message's content: a string, or its parts {"type": "text", "text": ...} joined by lines; data NULL if
 * it has none. */
ee_str ee_foreign_content(const ee_value *content, ee_arena *arena);
/* The content of the last message of the role; data NULL. */
ee_str ee_foreign_last_message(const ee_value *messages, const char *role, ee_arena *arena);

/* The rows, each in a file of its own. */
extern const ee_foreign_format ee_foreign_promptfoo, ee_foreign_inspect, ee_foreign_deepeval, ee_foreign_langextract,
    ee_foreign_label_studio, ee_foreign_agentv, ee_foreign_coco, ee_foreign_conll;

#endif
