/* comparison_digest.c: a comparison in a few lines, for people who change rules and look again. */
#include <inttypes.h>

#include "prim/unicode.h"
#include "report/comparison_inside.h"

/* Fields and ids that are named. */
#define SHOWN 20

/* "0.879 → 0.891 (+0.012)" */
static void add_change(ee_buffer *out, ee_arena *arena, ee_metric before, ee_metric after) {
  ee_metric change = {before.defined && after.defined, after.value - before.value};
  ee_buffer_addf(out, "%s \xe2\x86\x92 %s (%s)", ee_comparison_share(arena, before), ee_comparison_share(arena, after),
                 ee_change_text(arena, change));
}

/* "  better 2: a, b", nothing without cases. */
static void add_cases(const ee_comparison *comparison, const char *word, const size_t *order, size_t count,
                      ee_arena *arena, ee_buffer *out) {
  if (count == 0) return;
  ee_buffer_addf(out, "  %s %zu: ", word, count);
  for (size_t i = 0; i < count && i < SHOWN; i++) {
    if (i > 0) ee_buffer_add_text(out, ", ");
    ee_buffer_add_str(out, ee_text_printable(comparison->cases[order[i]].base->id, arena));
  }
  if (count > SHOWN) ee_buffer_addf(out, ", %zu more", count - SHOWN);
  ee_buffer_add_char(out, '\n');
}

static bool same(ee_metric a, ee_metric b) { return a.defined == b.defined && (!a.defined || a.value == b.value); }

bool ee_comparison_digest(const ee_comparison *comparison, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t start = out->length;
  size_t *order, lines = 0;
  size_t count = ee_comparison_worse(comparison, &arena, &order);
  size_t *better, better_count = ee_comparison_better(comparison, &arena, &better);
  if (!same(comparison->score.before, comparison->score.after)) {
    ee_buffer_add_text(out, "  mean score ");
    add_change(out, &arena, comparison->score.before, comparison->score.after);
    ee_buffer_add_char(out, '\n');
  }
  for (size_t i = 0; i < comparison->field_count; i++) {
    const ee_compared_field *field = &comparison->fields[i];
    ee_metric before = ee_f1(&field->before), after = ee_f1(&field->after);
    if (same(before, after) || ++lines > SHOWN) continue;
    ee_str name = ee_text_printable(ee_comparison_field_name(comparison, field->attribute, &arena), &arena);
    ee_buffer_addf(out, "  %.*s F1 ", EE_STR_ARG(name));
    add_change(out, &arena, before, after);
    ee_buffer_addf(out, ", fixed in %" PRIu64 ", broken in %" PRIu64 "\n", field->fixed, field->broken);
  }
  if (lines > SHOWN) ee_buffer_addf(out, "  %zu more fields\n", lines - SHOWN);
  add_cases(comparison, "better", better, better_count, &arena, out);
  add_cases(comparison, "worse", order, count, &arena, out);
  for (size_t side = 0; side < 2; side++)
    if (comparison->lone[side] > 0)
      ee_buffer_addf(out, "  %" PRIu64 " case%s %s\n", comparison->lone[side], comparison->lone[side] == 1 ? "" : "s",
                     side == EE_SIDE_BASE ? "gone" : "new");
  ee_arena_fini(&arena);
  return out->length > start;
}
