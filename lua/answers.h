/* answers.h: reading what functions of a rule file returned.
 *
 * The rules are those of the table in the documentation of the rule language: nothing is an error, so is a
 * number outside 0..1, so is any other type. */
#ifndef EE_LUA_ANSWERS_H
#define EE_LUA_ANSWERS_H

#include "judge/script.h"
#include "lua/state.h"

/* A call under way, and where its refusal goes. */
typedef struct ee_lua_answer {
  ee_lua *lua;
  int function;     /* its number */
  const char *who;  /* "strategy", "judge", ...: how messages call it */
  ee_error *error;  /* NULL is allowed */
  ee_status status; /* EE_OK until refused */
} ee_lua_answer;

/* Refuses the answer: the error stands where the function is defined. Returns false. */
bool ee_lua_refuse(ee_lua_answer *answer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Each reads the value at `index` (absolute); false when it was refused. */

/* 0..1; with `booleans` also true and false. */
bool ee_lua_read_score(ee_lua_answer *answer, int index, bool booleans, double *score);
/* A text, or nothing; copied to the case's arena. `what` is how a message calls it. */
/* Any Lua truth value but nil. */
bool ee_lua_read_condition(ee_lua_answer *answer, int index, bool *condition);
bool ee_lua_read_text(ee_lua_answer *answer, int index, const char *what, ee_str *text);
/* true, false or 0..1 with a reason behind it, or a table { score, hits, misses, reasoning, details }. */
bool ee_lua_read_judgement(ee_lua_answer *answer, int index, ee_script_judgement *judgement);
/* Any JSON value; NULL for ee.null. */
bool ee_lua_read_value(ee_lua_answer *answer, int index, const ee_value **value);

#endif
