/* choose.h: chooses a rule for each path of a profile, with the reason.
 *
 * The expected values decide. Candidates decide only what the expected values leave open: the form that
 * reads both, the order of day and month, another name of a field. */
#ifndef EE_INFER_CHOOSE_H
#define EE_INFER_CHOOSE_H

#include "infer/profile.h"

typedef enum ee_choice_kind {
  EE_CHOICE_NOT_JUDGED, /* said in a comment only */
  EE_CHOICE_FIELD,      /* a strategy */
  EE_CHOICE_ITEMS,      /* ee.line_items; `inner` are its score fields */
  EE_CHOICE_BOXES       /* ee.iou_score: an array of boxes */
} ee_choice_kind;

/* What is done with one path. Texts are in the arena of ee_choose(). */
typedef struct ee_choice {
  const ee_profile_node *node;
  ee_choice_kind kind;
  bool alternatives;    /* a field: the array holds several right answers */
  ee_str path;          /* from the item of the array that it is in, else from the document */
  ee_str full_path;     /* from the document, "items[*].price" */
  const char *read_as;  /* "money", "dates, day before month" */
  const char *strategy; /* "numeric"; NULL: none */
  const char *options;  /* Lua after the path, "tolerance = 0.005, format = \"money\""; "": none */
  ee_str candidate;     /* the path in the candidate if it is another one; data NULL: the same */
  ee_str null_values[EE_PROFILE_PLACEHOLDERS]; /* texts that count as empty in this field only */
  size_t null_value_count;
  const char *reason;           /* "all 120 values, such as \"8.20\" and \"$5\"" */
  const char *remark;           /* consequences: "a difference of up to 0.005 counts as equal"; "": none */
  bool unanswered;              /* not judged, because no candidate has it */
  const char *doubt;            /* what does not fit, and what to do about it; NULL: nothing */
  const ee_profile_node *other; /* of `candidate`; NULL: the same */
  uint64_t values, read;        /* expected values that are not empty; those that fit */
  struct ee_choice *inner;
  size_t inner_count;
} ee_choice;

typedef struct ee_choices {
  ee_choice *items; /* in the order in which the paths first appear; "$" alone if documents are no objects */
  size_t count;
  ee_str null_values[EE_PROFILE_PLACEHOLDERS]; /* of the whole rule file */
  size_t null_value_count;
  bool containers;   /* [] and {} count as empty */
  bool sparse;       /* many fields have no value in most cases */
  bool sparse_lists; /* an array is empty in more than a quarter of the cases */
  size_t judged;     /* paths */
} ee_choices;

/* The member of the documents, expected ones or candidates, whose own members have the names of the other side: where
 * `{ "file": ..., "fields": { "total": ... } }` meets `{ "total": ... }`. NULL: the documents themselves fit best. */
const ee_profile_node *ee_choose_member(const ee_profile *profile, ee_profile_part part);

/* The paths that no candidate has and that are not judged, in `arena`; `*all`: how many paths of the expected documents
 * there are, without ids and those that are always empty. */
size_t ee_choices_unanswered(const ee_choices *choices, ee_arena *arena, const ee_choice ***unanswered, size_t *all);

/* Decides for all paths of the profile. */
void ee_choose(const ee_profile *profile, ee_arena *arena, ee_choices *choices);

#endif
