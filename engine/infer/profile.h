/* profile.h: describes the values at each path of a data set.
 *
 * One pass over all cases (run/survey.h) counts, for each path of the expected documents and of the candidates, the
 * types of its values and which readings (a number, money, a date with the day first, ...) read them. Memory does not
 * grow with the number of cases: counts, a few examples and a bounded number of paths are kept. Elements of arrays
 * share one path, "items[*].price". */
#ifndef EE_INFER_PROFILE_H
#define EE_INFER_PROFILE_H

#include "base/hash_index.h"
#include "base/list.h"
#include "data/files/record.h"
#include "data/json/path.h"

/* Limits; values beyond them are only counted. */
#define EE_PROFILE_PATHS 5000
#define EE_PROFILE_DEPTH 64
#define EE_PROFILE_DISTINCT 40
#define EE_PROFILE_EXAMPLES 3
#define EE_PROFILE_PLACEHOLDERS 8

typedef enum ee_profile_part { EE_PROFILE_EXPECTED, EE_PROFILE_CANDIDATE, EE_PROFILE_PARTS } ee_profile_part;

/* Ways to read a string. A JSON number is read by the readings of numbers. */
typedef enum ee_reading {
  EE_READING_POINT,       /* 1,234.56 */
  EE_READING_COMMA,       /* 1.234,56 */
  EE_READING_MONEY_POINT, /* $1,234.56 */
  EE_READING_MONEY_COMMA, /* 1.234,56 EUR */
  EE_READING_DATE,        /* a date that needs no order: 2025-01-31, 31 Jan 2025 */
  EE_READING_DMY,
  EE_READING_MDY,
  EE_READING_YMD,
  EE_READINGS
} ee_reading;

/* A value as a person would quote it, cut at 60 bytes, and its case. In the profile's arena. */
typedef struct ee_example {
  ee_str text; /* JSON: strings in double quotes; data NULL: none */
  ee_str id;
} ee_example;

/* The values of one path on one side. Empty: null, blank strings, and texts that mean "no value" ("N/A"). */
typedef struct ee_value_profile {
  uint64_t present, empty;       /* empty ones are present, too */
  uint64_t types[EE_OBJECT + 1]; /* of values that are not empty */
  uint64_t empty_containers;     /* [] and {}, among the types */
  uint64_t empty_arrays;
  uint64_t read[EE_READINGS];               /* values that each reading reads */
  ee_example unread[EE_READINGS];           /* the first value that it does not read */
  ee_example examples[EE_PROFILE_EXAMPLES]; /* the first different values */
  uint64_t distinct_hashes[EE_PROFILE_DISTINCT];
  size_t distinct; /* up to EE_PROFILE_DISTINCT; then: at least as many */
  /* Numbers, also in strings that are plain numbers. */
  uint64_t fractions;
  unsigned decimals; /* the most digits after the decimal sign */
  /* Strings. */
  uint64_t digits_only, leading_zero, one_word, with_digit, with_lower, phones, addresses; /* of mail and web */
  uint64_t iso_dates; /* 2024-01-31, also 2024-01 and 2024 */
  uint64_t bytes, words;
  size_t shortest, longest; /* bytes */
  /* Arrays that are not empty. */
  uint64_t boxes_by_corner, boxes_by_size; /* of four numbers that make a box with an area */
  uint64_t polygons, arrays_of_numbers, arrays_of_scalars, arrays_of_objects;
  size_t shortest_array, longest_array;
} ee_value_profile;

/* A text that means "no value", as it is written. */
typedef struct ee_placeholder {
  ee_str text;
  uint64_t count;
  bool sure; /* "N/A"; not "none", which may be a value */
} ee_placeholder;

/* One path. The tree has the document as its root. */
typedef struct ee_profile_node {
  struct ee_profile_node *parent, *first, *last, *next; /* members in the order of their first appearance */
  ee_str key;
  bool is_element; /* [*] of the array that is its parent */
  unsigned depth;
  size_t number;                             /* in the order of first appearance */
  size_t members;                            /* its own */
  ee_value_profile *parts[EE_PROFILE_PARTS]; /* NULL: never present */
  ee_placeholder placeholders[EE_PROFILE_PLACEHOLDERS];
  size_t placeholder_count;
  /* Values {"anyOf": [...]}. The expected ones are described by their answers, each counted as a value; members of
   * answers that are objects are not described. */
  uint64_t several[EE_PROFILE_PARTS];
  uint64_t answers, answer_arrays;
  uint64_t equal_to_id;               /* cases in which the expected value is the case's id */
  uint64_t stamps[EE_PROFILE_PARTS];  /* the last case that has it */
  uint64_t lacking[EE_PROFILE_PARTS]; /* cases in which only the other side has a value */
  uint64_t lacking_stamp;
  const ee_value *current; /* the expected value of the case that is being added */
  unsigned dates_compared;
  uint64_t equal_as_dmy, equal_as_mdy; /* dates of both sides that are equal by this order, and not by the other */
  bool capped;                         /* it has members that were left out */
} ee_profile_node;

/* How often a path that only the expected document has, and one that only the candidate has, have the same value. */
typedef struct ee_renaming {
  ee_profile_node *expected, *candidate;
  uint64_t equal; /* cases */
  uint64_t stamp;
} ee_renaming;

typedef struct ee_profile {
  bool judge_all; /* also paths that no candidate has; set by the caller */
  ee_arena arena;
  ee_profile_node *root;
  ee_profile_node *record; /* members of the records beside expected and candidate, to depth 2 */
  size_t paths;
  uint64_t left_out;         /* values at paths beyond EE_PROFILE_PATHS or EE_PROFILE_DEPTH */
  uint64_t cases, documents; /* documents: cases whose expected value is the record itself */
  uint64_t candidates;       /* cases with a candidate */
  uint64_t several;    /* cases whose expected value is {"anyOf": [...]}: of its documents the first is described */
  ee_hash_index index; /* from parent and key to `nodes` */
  struct {
    EE_LIST(ee_profile_node *);
  } nodes;
  struct {
    EE_LIST(ee_renaming);
  } renamings;
  ee_hash_index renaming_index;
  /* Keys of the first case's record, and of that with the expected value: its id, and its parts. data NULL: none, or
   * the record itself is the document. */
  ee_str id_key, expected_id_key, expected_key, candidate_key;
  bool unnamed; /* the first case has no id */
  /* The case for the rule test: the shortest of the first expected documents with the most values. */
  ee_str sample_id;
  const ee_value *sample; /* in the arena; NULL: none */
  size_t sample_values;
} ee_profile;

void ee_profile_init(ee_profile *profile);
void ee_profile_fini(ee_profile *profile);

/* Adds a case: an ee_survey_visit with the profile as `user`. */
void ee_profile_add(void *user, const ee_case *current, ee_arena *arena);

/* Values that are not empty. */
uint64_t ee_value_profile_count(const ee_value_profile *values);

/* The path's text from `base` (an ancestor; NULL: the root), "items[*].price"; "" for `base` itself. */
ee_str ee_profile_path(const ee_profile_node *node, const ee_profile_node *base, ee_arena *arena);

#endif
