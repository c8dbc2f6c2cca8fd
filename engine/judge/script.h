/* script.h: functions of a rule file, as judges see them.
 *
 * lua/ implements this vtable; tests implement it in C. Functions are numbered in the order in which the
 * rule file's tree names them, the same in every state that loads it. Each worker opens a script of its own; one thread
 * uses it at a time. Every call is protected: an error comes back as EE_ERROR_RULES with file, line and message, and
 * the result is then not set. Results live in the case's arena. */
#ifndef EE_JUDGE_SCRIPT_H
#define EE_JUDGE_SCRIPT_H

#include <evalengine.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "data/files/record.h"
#include "data/json/value.h"
#include "prim/confusion.h"

#define EE_NO_FUNCTION (-1)

typedef struct ee_script ee_script;

/* What a strategy or similarity function answered. */
typedef struct ee_script_score {
  double score;  /* 0..1 */
  ee_str reason; /* length 0 when it gave none */
} ee_script_score;

/* What a judge function answered. */
typedef struct ee_script_judgement {
  double score;
  const ee_str *hits;
  size_t hit_count;
  const ee_str *misses;
  size_t miss_count;
  ee_str reasoning;
  const ee_value *details; /* an object, or NULL */
  bool plain;              /* it answered with a score alone: hit or miss is the judge's own name */
} ee_script_judgement;

/* One part of an aggregation: a field of a judge, or a judge of a case. */
typedef struct ee_script_part {
  ee_str name;
  bool scored; /* false: left out of the score (skipped, optional and missing) */
  double score;
  double weight;
  ee_counts counts;
} ee_script_part;

/* A number with its name. */
typedef struct ee_script_number {
  const char *name;
  double value;
} ee_script_number;

/* Passed to a strategy function with the two values. */
typedef struct ee_script_place {
  ee_str path;                                    /* of the field, as written */
  const struct ee_rule_node *options;             /* of a project's own strategy, or NULL */
  const ee_value *expected_item, *candidate_item; /* inside line_items, else NULL */
} ee_script_place;

typedef struct ee_script_vtable {
  /* A worker's own script; `host` is what the plan was compiled with. NULL with `error` when it cannot be made. */
  ee_script *(*open)(void *host, ee_error *error);
  void (*close)(ee_script *script);

  /* Values handed out during a case are valid until end_case; a script that kept one gets an error from using it later.
   */
  void (*begin_case)(ee_script *script, const ee_case *current, ee_arena *arena);
  void (*end_case)(ee_script *script);

  ee_status (*strategy)(ee_script *script, int function, const ee_value *expected, const ee_value *candidate,
                        const ee_script_place *place, ee_script_score *result, ee_error *error);
  /* normalize and match.key: one value in, one value out (NULL: the function gave ee.null or an empty result). */
  ee_status (*map)(ee_script *script, int function, const ee_value *value, const ee_value **result, ee_error *error);
  ee_status (*similarity)(ee_script *script, int function, const ee_value *expected_item,
                          const ee_value *candidate_item, double *result, ee_error *error);
  ee_status (*judge)(ee_script *script, int function, ee_script_judgement *result, ee_error *error);
  /* formula and safety of ee.quality: one number (0..1) from named numbers. The function gets them as a table, and the
   * case as its second argument. */
  ee_status (*combine)(ee_script *script, int function, const ee_script_number *numbers, size_t count, double *result,
                       ee_error *error);
  /* `when`: whether the field is judged in this case. */
  ee_status (*condition)(ee_script *script, int function, bool *result, ee_error *error);
  ee_status (*aggregate)(ee_script *script, int function, const ee_script_part *parts, size_t count, double *result,
                         ee_error *error);
  /* A Lua pattern, searched in `subject`. */
  ee_status (*pattern)(ee_script *script, ee_str pattern, ee_str subject, bool *result, ee_error *error);
} ee_script_vtable;

#endif
