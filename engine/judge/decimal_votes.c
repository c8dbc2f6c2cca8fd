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

void ee_decimal_votes_add_case(const ee_plan *plan, const ee_case *current, ee_decimal_votes *votes, ee_arena *arena) {
  ee_arena_mark mark = ee_arena_get_mark(arena);
  for (size_t i = 0; i < plan->judge_count; i++) {
    const ee_judge *judge = plan->judges[i];
    if (judge->type->show_values == NULL) continue;
    judge->type->show_values(judge, EE_EXPECTED, current->expected, votes, arena);
    judge->type->show_values(judge, EE_CANDIDATE, current->candidate, votes, arena);
  }
  ee_arena_rewind(arena, mark);
}
