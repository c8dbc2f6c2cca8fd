/* unread_total.c: counts the values that the rules cannot read, and writes the sentence about them. */
#include "run/unread_total.h"

#include "judge/confidence.h"

#include <inttypes.h>
#include <string.h>

#include "data/json/json_writer.h"
#include "judge/strategy/strategy.h"

#define SHOWN 100 /* bytes of an id or a name in a sentence */

static ee_unread_side *side_of(ee_unread_total **total, ee_arena *arena, size_t document) {
  if (*total == NULL) *total = EE_NEW(arena, ee_unread_total);
  return &(*total)->sides[document];
}

/* Whether values of this strategy are those that the side describes. Those of one whose name comes later are only
 * counted; one that comes before takes the place of the strategy so far. */
static bool describes(ee_unread_side *side, const ee_strategy_type *strategy) {
  if (side->strategy == strategy) return true;
  if (strategy == NULL || (side->strategy != NULL && strcmp(strategy->name, side->strategy->name) > 0)) return false;
  side->strategy = strategy;
  memset(side->by_remedy, 0, sizeof side->by_remedy);
  side->example.id = (ee_str){NULL, 0};
  return true;
}

static ee_str text_of(const ee_value *value, ee_buffer *text, ee_arena *scratch) {
  ee_str all = ee_value_text(value);
  if (ee_type_of(value) != EE_STRING) {
    ee_buffer_clear(text);
    ee_json_write_canonical(text, value, scratch);
    all = (ee_str){text->data, text->length};
  }
  return (ee_str){all.data, ee_utf8_cut(all, EE_UNREAD_BYTES)};
}

void ee_unread_total_add_value(ee_unread_total **total, ee_arena *arena, const ee_unread *unread, ee_str id,
                               ee_buffer *text, ee_arena *scratch) {
  ee_unread_side *side = side_of(total, arena, unread->document);
  side->count++;
  if (!describes(side, unread->strategy)) return;
  for (unsigned i = 0; i < EE_REMEDY_LIMIT; i++) side->by_remedy[i] += unread->remedies >> i & 1;
  if (!ee_case_example_wants(&side->example, id)) return;
  ee_str why = unread->why != NULL ? ee_str_from(unread->why) : EE_STR("");
  ee_case_example_offer(&side->example, arena, id, text_of(unread->value, text, scratch), why);
}

void ee_unread_total_merge(ee_unread_total **total, ee_arena *arena, const ee_unread_total *from) {
  if (from == NULL) return;
  for (size_t k = 0; k < 2; k++) {
    const ee_unread_side *part = &from->sides[k];
    ee_unread_side *side = side_of(total, arena, k);
    side->count += part->count;
    if (!describes(side, part->strategy)) continue;
    for (size_t i = 0; i < EE_REMEDY_LIMIT; i++) side->by_remedy[i] += part->by_remedy[i];
    ee_case_example_merge(&side->example, arena, &part->example);
  }
}

const char *ee_unread_best_remedy(const ee_unread_total *total, ee_document_side document, uint64_t *reads) {
  const ee_unread_side *side = &total->sides[document];
  const char *best = NULL;
  *reads = 0;
  const ee_remedy *remedies = side->strategy->remedies;
  for (size_t i = 0; i < EE_REMEDY_LIMIT && remedies != NULL && remedies[i].option != NULL; i++) {
    if (side->by_remedy[i] <= *reads) continue;
    *reads = side->by_remedy[i];
    best = remedies[i].option;
  }
  return best;
}

void ee_unread_print(const ee_unread_total *total, ee_document_side document, ee_str attribute, uint64_t of,
                     ee_buffer *out) {
  const ee_unread_side *side = &total->sides[document];
  if (of == 1) of = 0;
  bool single = side->count == 1, all = side->count == of && !single;
  if (all)
    ee_buffer_addf(out, "none of the %" PRIu64, of);
  else
    ee_buffer_add_u64(out, side->count);
  if (of > 0 && !all) ee_buffer_addf(out, " of %" PRIu64, of);
  bool many = of > 0 ? of > 1 : !single;
  ee_buffer_addf(out, " %s value%s of '%.*s' %s %s, e.g. '%.*s' in case '%.*s'", ee_document_side_name(document),
                 many ? "s" : "", (int)ee_utf8_cut(attribute, SHOWN), attribute.data,
                 all      ? "is"
                 : single ? "is not"
                          : "are not",
                 all || single ? side->strategy->reads_one : side->strategy->reads_many, EE_STR_ARG(side->example.text),
                 (int)ee_utf8_cut(side->example.id, SHOWN), side->example.id.data);
  if (side->example.more.length > 0) ee_buffer_addf(out, " (%.*s)", EE_STR_ARG(side->example.more));
  uint64_t reads;
  const char *remedy = ee_unread_best_remedy(total, document, &reads);
  const char *pattern = document == EE_CANDIDATE ? ee_confidence_pattern_of(side->example.text) : NULL;
  if (remedy == NULL && pattern != NULL)
    ee_buffer_addf(out, "; confidence = \"%s\" takes values out of such objects", pattern);
  if (remedy == NULL) return;
  ee_buffer_addf(out, "; %s reads ", remedy);
  if (reads < side->count)
    ee_buffer_addf(out, "%" PRIu64 " of them", reads);
  else
    ee_buffer_add_text(out, single ? "it" : "all of them");
}

EE_STATE_COVERS(ee_unread_side, 16 + EE_REMEDY_LIMIT * 8 + sizeof(ee_case_example));
EE_STATE_COVERS(ee_unread_total, 2 * sizeof(ee_unread_side));

static void side_state(ee_state_line *line, ee_unread_side *side, ee_arena *arena) {
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): both sides are of one total
  ee_str strategy = side->strategy != NULL ? ee_str_from(side->strategy->name) : (ee_str){0};
  ee_state_begin(line);
  ee_state_count(line, &side->count);
  ee_state_text(line, arena, &strategy);
  ee_state_counts(line, side->by_remedy, EE_REMEDY_LIMIT);
  ee_case_example_state(line, arena, &side->example);
  ee_state_end(line);
  if (!ee_state_reading(line)) return;
  if (strategy.data != NULL) side->strategy = ee_strategy_type_find(strategy);
  if ((side->strategy != NULL) != (side->count > 0)) ee_state_fail(line);
}

void ee_unread_total_state(ee_state_line *line, ee_arena *arena, ee_unread_total **total) {
  bool there = *total != NULL;
  ee_state_flag(line, &there);
  if (!there) return;
  if (ee_state_reading(line)) *total = EE_NEW(arena, ee_unread_total);
  ee_state_begin(line);
  for (size_t i = 0; i < 2; i++) side_state(line, &(*total)->sides[i], arena);
  ee_state_end(line);
}
