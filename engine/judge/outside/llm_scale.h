/* llm_scale.h: what a model may answer as its verdict, what the prompt says about that, and reading what it wrote.
 *
 * Without `scale` a verdict is pass or fail: {"reason": "...", "pass": true}. With two numbers it is a number between
 * them, with more than two values, or with words, one of these, worst first: {"reason": "...", "score": 4}. */
#ifndef EE_JUDGE_OUTSIDE_LLM_SCALE_H
#define EE_JUDGE_OUTSIDE_LLM_SCALE_H

#include "data/schema/json_schema.h"
#include "judge/compile.h"

/* Values of a scale, and whole numbers of a range that count as its values. */
#define EE_LLM_LEVELS 50

typedef enum ee_llm_scale_kind { EE_LLM_PASS, EE_LLM_RANGE, EE_LLM_NUMBERS, EE_LLM_WORDS } ee_llm_scale_kind;

typedef struct ee_llm_scale {
  ee_llm_scale_kind kind;
  double min, max;       /* of RANGE, and of NUMBERS the first and the last */
  const double *numbers; /* of NUMBERS, ascending */
  const ee_str *words;   /* of WORDS, trimmed, worst first */
  size_t count;          /* of these */
} ee_llm_scale;

/* Reads the option 'scale' of ee.llm; false with errors. */
bool ee_llm_scale_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_llm_scale *scale);
/* "pass or fail", "a number from 0 to 1", "1, 2 or 3". */
void ee_llm_scale_print(const ee_llm_scale *scale, ee_buffer *out);
/* The member of an answer that has the verdict: "pass" or "score". */
const char *ee_llm_scale_member(const ee_llm_scale *scale);

/* Appends the JSON Schema of an answer, and the sentence that asks for one. */
void ee_llm_scale_write_schema(const ee_llm_scale *scale, ee_buffer *out);
void ee_llm_scale_write_form(const ee_llm_scale *scale, ee_buffer *out);

/* The values that a verdict has for agreement, worst first: those of the scale; of a range with whole ends, at most
 * EE_LLM_LEVELS values apart, the whole numbers in it; else pass and fail, which `pass`, the lowest score that passes,
 * decides. */
size_t ee_llm_scale_levels(const ee_llm_scale *scale);
/* The one nearest to a score 0..1; of two equally near ones the worse. */
size_t ee_llm_scale_level(const ee_llm_scale *scale, double score, double pass);
/* Whether they have an order beyond better and worse: three at least. */
static inline bool ee_llm_scale_is_graded(const ee_llm_scale *scale) { return ee_llm_scale_levels(scale) > 2; }

/* Reads a verdict, a person's or a model's: `*score` gets 0..1. Of pass and fail: true and false, "pass", "passed",
 * "yes", "true" and their opposites, in any case, 1 and 0. Of numbers: a number of the scale, also as a string. Of
 * words: one of them, in any case. False for anything else. */
bool ee_llm_scale_read(const ee_llm_scale *scale, const ee_value *value, ee_arena *arena, double *score);

/* A model's answer. */
typedef enum ee_llm_reading {
  EE_LLM_READ,
  EE_LLM_NOT_JSON, /* no JSON object with a verdict in it; several that differ; one that does not fit the rule's schema
                    */
  EE_LLM_OFF_SCALE /* a verdict that is not on the scale */
} ee_llm_reading;

typedef struct ee_llm_answer {
  double score;          /* 0..1 */
  const ee_value *given; /* the verdict as it was written */
  const ee_value *whole; /* the object */
  ee_str reason;         /* may be empty */
} ee_llm_answer;

/* Reads an answer into `arena`. What is before the last "</think>" is not looked at. The answer is the whole text, or
 * one code fence with nothing around it; else the one JSON object in the text with a verdict, or several with the same.
 * Trailing commas, comments, single quotes and the like are repaired, but not an answer that is cut off. An object that
 * has the verdict twice has none. `schema` (NULL: none) must hold. `*why` gets why it was not read. Charges work. */
ee_llm_reading ee_llm_answer_read(const ee_llm_scale *scale, const ee_json_schema *schema, ee_str text, ee_arena *arena,
                                  ee_llm_answer *answer, const char **why);

#endif
