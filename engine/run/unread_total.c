/* unread_total.c: counts the values that the rules cannot read, and writes the sentence about them. */
#include "run/unread_total.h"

#include "judge/confidence.h"

#include <inttypes.h>

#include "data/json/json_writer.h"
#include "judge/strategy/strategy.h"

#define SHOWN 100 /* bytes of an id or a name in a sentence */

static ee_str copy(ee_arena *arena, ee_str text, size_t limit) {
  if (text.length > limit) text.length = ee_utf8_cut(text, limit);
  return (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
}

static ee_unread_total *get(ee_unread_total **total, ee_arena *arena, const ee_strategy_type *strategy) {
  if (*total == NULL) {
    *total = EE_NEW(arena, ee_unread_total);
    (*total)->strategy = strategy;
  }
  return *total;
}

/* Adds values of another strategy than the first one's, too, but then no remedy counts them. */
static void add(ee_unread_total **total, ee_arena *arena, const ee_strategy_type *strategy, ee_document_side document,
                ee_str value, ee_str why, ee_str id, uint32_t remedies) {
  ee_unread_total *to = get(total, arena, strategy);
  ee_unread_side *side = &to->sides[document];
  if (side->count++ == 0) {
    side->value = copy(arena, value, EE_UNREAD_BYTES);
    side->why = copy(arena, why, why.length);
    side->id = copy(arena, id, id.length);
  }
  if (strategy != to->strategy) return;
  for (unsigned i = 0; i < EE_REMEDY_LIMIT; i++) side->by_remedy[i] += remedies >> i & 1;
}

void ee_unread_total_add_value(ee_unread_total **total, ee_arena *arena, const ee_unread *unread, ee_str id,
                               ee_buffer *text, ee_arena *scratch) {
  const ee_value *value = unread->value;
  ee_str shown = {NULL, 0};
  /* Only the first value is shown. */
  if (*total == NULL || (*total)->sides[unread->document].count == 0) {
    if (ee_type_of(value) == EE_STRING) {
      shown = ee_value_text(value);
    } else {
      ee_buffer_clear(text);
      ee_json_write_canonical(text, value, scratch);
      shown = (ee_str){text->data, text->length};
    }
  }
  ee_str why = unread->why != NULL ? ee_str_from(unread->why) : EE_STR("");
  add(total, arena, unread->strategy, unread->document, shown, why, id, unread->remedies);
}

void ee_unread_total_merge(ee_unread_total **total, ee_arena *arena, const ee_unread_total *from) {
  if (from == NULL) return;
  ee_unread_total *to = get(total, arena, from->strategy);
  for (size_t k = 0; k < 2; k++) {
    const ee_unread_side *part = &from->sides[k];
    ee_unread_side *side = &to->sides[k];
    if (side->count == 0 && part->count > 0) {
      side->value = copy(arena, part->value, part->value.length);
      side->why = copy(arena, part->why, part->why.length);
      side->id = copy(arena, part->id, part->id.length);
    }
    side->count += part->count;
    for (size_t i = 0; i < EE_REMEDY_LIMIT && from->strategy == to->strategy; i++)
      side->by_remedy[i] += part->by_remedy[i];
  }
}

const char *ee_unread_best_remedy(const ee_unread_total *total, ee_document_side document, uint64_t *reads) {
  const ee_unread_side *side = &total->sides[document];
  const char *best = NULL;
  *reads = 0;
  const ee_remedy *remedies = total->strategy->remedies;
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
                 all || single ? total->strategy->reads_one : total->strategy->reads_many, EE_STR_ARG(side->value),
                 (int)ee_utf8_cut(side->id, SHOWN), side->id.data);
  if (side->why.length > 0) ee_buffer_addf(out, " (%.*s)", EE_STR_ARG(side->why));
  uint64_t reads;
  const char *remedy = ee_unread_best_remedy(total, document, &reads);
  const char *pattern = document == EE_CANDIDATE ? ee_confidence_pattern_of(side->value) : NULL;
  if (remedy == NULL && pattern != NULL)
    ee_buffer_addf(out, "; confidence = \"%s\" takes values out of such objects", pattern);
  if (remedy == NULL) return;
  ee_buffer_addf(out, "; %s reads ", remedy);
  if (reads < side->count)
    ee_buffer_addf(out, "%" PRIu64 " of them", reads);
  else
    ee_buffer_add_text(out, single ? "it" : "all of them");
}
