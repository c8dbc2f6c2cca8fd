/* llm_prompt.h: a prompt with values of a case in it, fenced so that no value can pass for more than a value.
 *
 * The template is the rule file's: {{expected}}, {{candidate}}, {{expected.PATH}}, {{candidate.PATH}}, {{record.PATH}},
 * {{id}}, and names that the rule file gives to these; {{{{ is {{. Each value is between lines of its own,
 *
 *   [DATA 0123456789abcdef candidate]
 *   (the value: a string as it is, anything else as JSON)
 *   [END 0123456789abcdef]
 *
 * with a code of 16 digits that no value of the prompt contains: it is a hash of the template and the values, and is
 * hashed again while a value contains it. So the same case always gives the same prompt, and no value can close its
 * fence. Within a value, tokens that chat models take for the end of a message are broken by a space ("<|im_end|>"
 * becomes
 * "< |im_end|>"), and characters that cannot be seen are written out (printable.h). A value that is missing is the
 * words (no value), outside of a fence. */
#ifndef EE_JUDGE_OUTSIDE_LLM_PROMPT_H
#define EE_JUDGE_OUTSIDE_LLM_PROMPT_H

#include "data/files/record.h"
#include "judge/compile.h"
#include "judge/judge.h"

typedef struct ee_llm_prompt ee_llm_prompt;

/* What a prompt takes from a case. */
typedef struct ee_llm_uses {
  bool expected;       /* the expected value, or a part of it */
  bool candidate;      /* the candidate as a whole */
  bool candidate_part; /* a value in the candidate */
} ee_llm_uses;

/* Compiles the template `text` in the plan's arena; NULL with errors at `node`, whose option it is. Its option
 * 'placeholders' has further names. */
const ee_llm_prompt *ee_llm_prompt_compile(ee_plan_builder *builder, const ee_rule_node *node, const char *option,
                                           ee_str text);
ee_llm_uses ee_llm_prompt_uses(const ee_llm_prompt *prompt);
/* The paths in it, `*count` of them, which some case should have. */
const ee_expected_path *ee_llm_prompt_paths(const ee_llm_prompt *prompt, size_t *count);
/* Appends the names of what it takes: "candidate, expected.total". */
void ee_llm_prompt_print(const ee_llm_prompt *prompt, ee_buffer *out);

/* Memory for writing prompts, kept from case to case. All zero is empty. */
typedef struct ee_llm_writer {
  ee_buffer plain, values, prompt;
} ee_llm_writer;
void ee_llm_writer_fini(ee_llm_writer *writer);

typedef struct ee_llm_written {
  ee_str text;       /* in the writer, until it writes again */
  const bool *found; /* for each of the paths, whether the case has a value there; in `arena` */
  bool changed;      /* a value was not written as it is */
  bool too_large;    /* the values have more bytes than a prompt may have: there is no text */
} ee_llm_written;

/* Appends one value (NULL: missing) in a fence of its own, as a prompt has it. */
void ee_llm_fence(ee_buffer *out, ee_str name, const ee_value *value);

/* Bytes of all values of one prompt. */
#define EE_LLM_VALUE_BYTES ((uint64_t)1 << 20)

/* Writes the prompt for a case. Charges work. */
ee_llm_written ee_llm_prompt_write(const ee_llm_prompt *prompt, const ee_case *current, ee_llm_writer *writer,
                                   ee_arena *arena);

#endif
