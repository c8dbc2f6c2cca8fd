/* decimal_votes.c: counting and deciding. */
#include "judge/decimal_votes.h"

#include <inttypes.h>

#include "judge/plan.h"

char ee_decimal_votes_sign(const ee_decimal_votes *votes, ee_document_side document) {
  return votes->commas[document] > votes->points[document] ? ',' : '.';
}

void ee_decimal_votes_print(const ee_decimal_votes *votes, ee_buffer *out) {
  for (int side = EE_EXPECTED; side <= EE_CANDIDATE; side++) {
    ee_document_side document = (ee_document_side)side;
    char sign = ee_decimal_votes_sign(votes, document), other = sign == '.' ? ',' : '.';
    uint64_t with = sign == '.' ? votes->points[side] : votes->commas[side];
    uint64_t against = votes->points[side] + votes->commas[side] - with;
    ee_buffer_addf(out, "%s%s '%c' (", side == EE_EXPECTED ? "" : ", ", ee_document_side_name(document), sign);
    if (with == 0) {
      ee_buffer_add_text(out, "no value shows one");
    } else {
      ee_buffer_addf(out, "%" PRIu64 " value%s it", with, with == 1 ? " shows" : "s show");
      if (against > 0) ee_buffer_addf(out, ", %" PRIu64 " show%s '%c'", against, against == 1 ? "s" : "", other);
    }
    ee_buffer_add_char(out, ')');
  }
}

/* The values of one document of a case. */
static void add_document(const ee_plan *plan, ee_document_side document, const ee_value *value, ee_decimal_votes *votes,
                         ee_arena *arena) {
  for (size_t i = 0; i < plan->judge_count; i++) {
    const ee_judge *judge = plan->judges[i];
    if (judge->type->show_values == NULL) continue;
    judge->type->show_values(judge, document, value, votes, arena);
  }
}

void ee_decimal_votes_add_case(const ee_plan *plan, const ee_case *current, ee_decimal_votes *votes, ee_arena *arena) {
  ee_arena_mark mark = ee_arena_get_mark(arena);
  const ee_value *documents = ee_case_documents(current, &plan->paths);
  ee_case one = *current;
  if (documents == NULL) add_document(plan, EE_EXPECTED, current->expected, votes, arena);
  for (const ee_value *each = documents != NULL ? ee_value_child(documents) : NULL; each != NULL;
       each = ee_value_next(each)) {
    ee_case_take_document(&one, each, &plan->paths, arena);
    add_document(plan, EE_EXPECTED, one.expected, votes, arena);
  }
  add_document(plan, EE_CANDIDATE, one.candidate, votes, arena);
  ee_arena_rewind(arena, mark);
}
