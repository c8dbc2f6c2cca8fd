/* script.h: functions of a rule file, as judges call them.
 *
 * Implemented by lua/, and in C by tests. Functions are numbered in the order of the rule file's tree, the same in
 * every state that loads it. Each worker opens its own script; one thread at a time uses it. Calls are protected: an
 * error is EE_ERROR_RULES with file, line and message, and the result is not set. Results live in the case's arena. */
#ifndef EE_JUDGE_SCRIPT_H
#define EE_JUDGE_SCRIPT_H

#include <evalengine.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "data/files/record.h"
#include "data/json/value.h"
#include "judge/provider_session.h"
#include "prim/confusion.h"

#define EE_NO_FUNCTION (-1)

typedef struct ee_script ee_script;

/* The result of a strategy or similarity function. */
typedef struct ee_script_score {
  double score;  /* 0..1 */
  ee_str reason; /* may be empty */
} ee_script_score;

/* The result of a judge function. */
typedef struct ee_script_judgement {
  double score;
  const ee_str *hits;
  size_t hit_count;
  const ee_str *misses;
  size_t miss_count;
  ee_str reasoning;
  const ee_value *details; /* an object, or NULL; the same for the next two */
  const ee_value *metrics, *counters;
  bool plain; /* only a score: the judge's name is the hit or miss */
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

/* What a strategy function gets besides the two values. */
typedef struct ee_script_place {
  ee_str path;                                    /* of the field, as written */
  const struct ee_rule_node *options;             /* of a project's own strategy (ee.custom sets it), or NULL */
  const ee_value *expected_item, *candidate_item; /* inside line_items, else NULL */
} ee_script_place;

/* The model that a judge function may ask. */
typedef struct ee_script_model {
  void *user;
  /* Fills in `answer`, whose text lives as long as the case. When it is PENDING the function is to be left: it is
   * called again once the answer is there. */
  void (*ask)(void *user, const ee_chat *chat, ee_answer *answer);
  /* The last answer cannot be used, and `why`. */
  void (*refuse)(void *user, ee_str why);
} ee_script_model;

typedef struct ee_script_vtable {
  /* A worker's script; `host` is that of ee_plan_compile(). NULL with `error` on failure. */
  ee_script *(*open)(void *host, ee_error *error);
  void (*close)(ee_script *script);

  /* Values passed to functions are valid until end_case; using one later is an error of the script. */
  void (*begin_case)(ee_script *script, const ee_case *current, ee_arena *arena);
  void (*end_case)(ee_script *script);

  ee_status (*strategy)(ee_script *script, int function, const ee_value *expected, const ee_value *candidate,
                        const ee_script_place *place, ee_script_score *result, ee_error *error);
  /* normalize and match.key: one value in, one value out (NULL: the function returned ee.null or nothing). */
  ee_status (*map)(ee_script *script, int function, const ee_value *value, const ee_value **result, ee_error *error);
  ee_status (*similarity)(ee_script *script, int function, const ee_value *expected_item,
                          const ee_value *candidate_item, double *result, ee_error *error);
  /* `model` may be NULL: the function may ask none. */
  ee_status (*judge)(ee_script *script, int function, const ee_script_model *model, ee_script_judgement *result,
                     ee_error *error);
  /* formula and safety of ee.quality: a number 0..1 from named numbers (a table in Lua) and the case. */
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
