/* extraction_tell.c: what is said of a judged answer: hits, misses, counts a class, details. */
#include <inttypes.h>
#include <string.h>

#include "judge/details.h"
#include "judge/extraction/extraction_judge.h"
#include "judge/findings.h"
#include "prim/sort.h"

/* Bytes of a text of the data in a finding, and in the details. */
#define TEXT_SHOWN 60
#define TEXT_KEPT 400
/* Bytes that are shown before the first difference of two long texts. */
#define SAME_SHOWN 20

#define NO_CLASS "(no class)"

/* Texts --------------------------------------------------------------------------------------------------------------
 */

/* Texts are joined rather than printed: those of the data may hold a NUL. */
static ee_str join(ee_arena *arena, const ee_str *parts, size_t count) {
  size_t length = 0;
  for (size_t i = 0; i < count; i++) length += parts[i].length;
  char *text = ee_arena_alloc(arena, length), *out = text;
  for (size_t i = 0; i < count; i++) {
    if (parts[i].length > 0) memcpy(out, parts[i].data, parts[i].length);
    out += parts[i].length;
  }
  return (ee_str){text, length};
}
#define JOIN(arena, ...)                                                                                               \
  join(arena, (const ee_str[]){__VA_ARGS__}, sizeof((const ee_str[]){__VA_ARGS__}) / sizeof(ee_str))

static ee_str shorten(ee_arena *arena, ee_str text, size_t limit) {
  if (text.length <= limit) return text;
  return JOIN(arena, {text.data, ee_utf8_cut(text, limit)}, EE_STR("..."));
}

/* Both texts in quotation marks and shortened, from shortly before the first byte that differs. */
static void quote_both(ee_arena *arena, ee_str a, ee_str b, ee_str *shown_a, ee_str *shown_b) {
  size_t same = 0, least = a.length < b.length ? a.length : b.length;
  while (same < least && a.data[same] == b.data[same]) same++;
  size_t from = same > TEXT_SHOWN / 2 ? same - SAME_SHOWN : 0;
  while (from > 0 && ((unsigned char)a.data[from] & 0xC0) == 0x80) from--;
  ee_str dots = from > 0 ? EE_STR("...") : EE_STR("");
  *shown_a =
      JOIN(arena, EE_STR("'"), dots, shorten(arena, (ee_str){a.data + from, a.length - from}, TEXT_SHOWN), EE_STR("'"));
  *shown_b =
      JOIN(arena, EE_STR("'"), dots, shorten(arena, (ee_str){b.data + from, b.length - from}, TEXT_SHOWN), EE_STR("'"));
}

static ee_str printed(const char *text) { return ee_str_from(text); }

static ee_reason reason_of(ee_str text) { return (ee_reason){.kind = EE_REASON_TEXT, .text = text}; }

/* Why an extraction is not sound --------------------------------------------------------------------------------------
 */

const char *ee_extraction_code(const ee_extraction *item) {
  const char *fault = ee_quote_fault_name(item->fault);
  return fault != NULL ? fault : item->schema_valid ? NULL : "SCHEMA_INVALID";
}

static ee_str offsets_of(const ee_extraction *item, ee_arena *arena) {
  return printed(ee_arena_printf(arena, "%" PRId64 " to %" PRId64, item->start, item->end));
}

static ee_str describe_range(const ee_extraction_view *view, const ee_extraction *item) {
  static const char *const units[] = {"UTF-16 code units", "code points", "bytes"};
  return printed(ee_arena_printf(view->arena, "%" PRId64 " to %" PRId64 ", the document has %" PRIu64 " %s",
                                 item->start, item->end, view->document->index[item->unit].length, units[item->unit]));
}

static ee_str describe_mismatch(const ee_extraction_view *view, const ee_extraction *item) {
  ee_arena *arena = view->arena;
  if (item->quote.data == NULL) return EE_STR("quote is no text");
  ee_str actual, quote;
  quote_both(arena, item->actual, item->quote, &actual, &quote);
  return JOIN(arena, EE_STR("the document says "), actual, EE_STR(" there, not "), quote);
}

static ee_str describe_fault(const ee_extraction_view *view, const ee_extraction *item) {
  switch (item->fault) {
  case EE_QUOTE_HOLDS: return item->schema_reason;
  case EE_QUOTE_UNSUPPORTED_OFFSET_MODE: return EE_STR("none of " EE_TEXT_UNIT_LIST);
  case EE_QUOTE_INVALID_OFFSETS:
    if (ee_type_of(item->node) != EE_OBJECT) return EE_STR("it is no object");
    return item->has_offsets ? offsets_of(item, view->arena) : EE_STR("charStart and charEnd are no whole numbers");
  case EE_QUOTE_OFFSET_MISMATCH: return EE_STR("span says something else");
  case EE_QUOTE_OFFSETS_OUT_OF_RANGE: return describe_range(view, item);
  case EE_QUOTE_MISMATCH: return describe_mismatch(view, item);
  }
  return EE_STR("");
}

/* What is wrong; and a class or quote that is none, where a fault of the offsets was told first. */
static ee_str describe(const ee_extraction_view *view, const ee_extraction *item) {
  ee_str text = describe_fault(view, item);
  bool hidden = ee_type_of(item->node) == EE_OBJECT && item->fault != EE_QUOTE_HOLDS && !item->schema_valid &&
                (item->extraction_class.data == NULL || item->quote.data == NULL) &&
                !ee_str_equal(text, item->schema_reason);
  return hidden ? JOIN(view->arena, text, EE_STR("; "), item->schema_reason) : text;
}

/* Findings -----------------------------------------------------------------------------------------------------------
 */

typedef struct findings {
  const ee_extraction_view *view;
  ee_findings findings;
  size_t hits_left_out, misses_left_out;
} findings;

static void add_hit(findings *f, ee_str path, uint32_t row, ee_str text) {
  if (f->findings.hit_count == EE_DETAILS_SHOWN) {
    f->hits_left_out++;
    return;
  }
  ee_finding hit = {.path = path, .row = row, .reason = reason_of(text)};
  ee_findings_hit(&f->findings, &hit);
}

/* Whether one more miss may be shown; counts it where not. */
static bool has_room(findings *f) {
  if (f->findings.miss_count < EE_DETAILS_SHOWN) return true;
  f->misses_left_out++;
  return false;
}

/* A miss without values. */
static void add_miss(findings *f, ee_str path, uint32_t row, ee_str text) {
  ee_findings_note(&f->findings, path, reason_of(text));
  f->findings.misses[f->findings.miss_count - 1].row = row;
}

/* The answer as a whole. */
static void add_outcome(findings *f) {
  const ee_extraction_view *view = f->view;
  const ee_bench_record *record = &view->truth->record;
  const ee_extraction_list *list = view->list;
  ee_str candidate = EE_STR("candidate"), text;
  if (view->success) {
    if (list->count == 0) add_hit(f, candidate, EE_NO_ROW, printed(ee_empty_kind_name(list->kind)));
    return;
  }
  if (list->failure.length > 0) {
    text = list->failure;
  } else if (list->kind != record->kind) {
    text = JOIN(view->arena, printed(ee_empty_kind_name(list->kind)), EE_STR(", expected "),
                printed(ee_empty_kind_name(record->kind)));
  } else {
    text = printed(ee_arena_printf(view->arena, "%zu extraction%s, expected %" PRIu64 " to %" PRIu64, list->count,
                                   list->count == 1 ? "" : "s", record->least, record->most));
  }
  add_miss(f, candidate, EE_NO_ROW, text);
}

static void add_extractions(findings *f) {
  const ee_extraction_view *view = f->view;
  for (size_t i = 0; i < view->list->count; i++) {
    const ee_extraction *item = &view->list->items[i];
    const char *code = ee_extraction_code(item);
    if (code == NULL) {
      add_hit(f, EE_STR("extractions"), (uint32_t)i, shorten(view->arena, item->extraction_class, TEXT_SHOWN));
    } else if (has_room(f)) {
      ee_str text = JOIN(view->arena, printed(code), EE_STR(": "), describe(view, item));
      add_miss(f, EE_STR("extractions"), (uint32_t)i, text);
    }
  }
}

static void add_gold(findings *f) {
  const ee_extraction_view *view = f->view;
  ee_arena *arena = view->arena;
  for (size_t i = 0; i < view->gold.gold; i++) {
    if (view->gold.found[i] || !has_room(f)) continue;
    const ee_gold_span *span = &view->truth->record.gold[i];
    ee_str text = JOIN(arena, EE_STR("not found: "), shorten(arena, span->extraction_class, TEXT_SHOWN), EE_STR(" '"),
                       shorten(arena, span->quote, TEXT_SHOWN), EE_STR("'"));
    add_miss(f, view->truth->gold_place, (uint32_t)i, text);
  }
}

void ee_extraction_list_findings(const ee_extraction_view *view, ee_judge_result *result) {
  findings f = {.view = view};
  ee_findings_start(&f.findings, view->arena,
                    view->list->count < EE_DETAILS_SHOWN ? view->list->count + 1 : EE_DETAILS_SHOWN + 1);
  add_outcome(&f);
  add_extractions(&f);
  add_gold(&f);
  if (f.hits_left_out > 0) {
    ee_finding more = {.path = printed(ee_arena_printf(view->arena, "%zu more", f.hits_left_out)), .row = EE_NO_ROW};
    ee_findings_hit(&f.findings, &more);
  }
  if (f.misses_left_out > 0)
    ee_findings_note(&f.findings, printed(ee_arena_printf(view->arena, "%zu more", f.misses_left_out)),
                     (ee_reason){.kind = EE_REASON_NONE});
  ee_findings_finish(&f.findings, result);
}

/* Attributes ---------------------------------------------------------------------------------------------------------
 */

/* A gold span or an extraction, by its class. */
typedef struct entry {
  ee_str name;
  size_t number; /* in order of appearance, gold spans first */
  ee_counts counts;
} entry;

static bool entries_before(const entry *a, const entry *b) {
  int order = ee_str_compare(a->name, b->name);
  return order != 0 ? order < 0 : a->number < b->number;
}
EE_DEFINE_SORT(sort_entries, entry, entries_before)

static bool appears_before(const entry *a, const entry *b) { return a->number < b->number; }
EE_DEFINE_SORT(sort_by_appearance, entry, appears_before)

static size_t list_entries(const ee_extraction_view *view, entry *entries) {
  const ee_gold_result *gold = &view->gold;
  size_t count = 0;
  for (size_t i = 0; i < gold->gold; i++, count++)
    entries[count] = (entry){.name = view->truth->record.gold[i].extraction_class,
                             .number = count,
                             .counts = {.tp = gold->found[i], .fn = !gold->found[i]}};
  for (size_t i = 0; i < view->list->count; i++) {
    if (gold->fates[i] == EE_GOLD_EXACT) continue; /* counted with its gold span */
    ee_str name = view->list->items[i].extraction_class;
    entries[count] = (entry){.name = name.data != NULL ? name : EE_STR(NO_CLASS),
                             .number = count,
                             .counts = {.fp = 1, .wrong = gold->fates[i] == EE_GOLD_NEAR}};
    count++;
  }
  return count;
}

void ee_extraction_set_attributes(const ee_extraction_view *view, ee_judge_result *result) {
  if (!view->truth->record.has_gold) return;
  entry *entries = EE_NEW_ARRAY(view->arena, entry, view->gold.gold + view->list->count + 1);
  size_t count = list_entries(view, entries), classes = 0;
  sort_entries(entries, count, view->arena);
  for (size_t i = 0; i < count; i++) {
    if (classes > 0 && ee_str_equal(entries[classes - 1].name, entries[i].name))
      ee_counts_add(&entries[classes - 1].counts, &entries[i].counts);
    else
      entries[classes++] = entries[i];
  }
  sort_by_appearance(entries, classes, view->arena);
  ee_attribute_result *attributes = EE_NEW_ARRAY(view->arena, ee_attribute_result, classes + 1);
  for (size_t i = 0; i < classes; i++)
    attributes[i] = (ee_attribute_result){.name = entries[i].name, .slot = -1, .counts = entries[i].counts};
  result->attributes = attributes;
  result->attribute_count = classes;
}

/* Details ------------------------------------------------------------------------------------------------------------
 */

static void set_text(ee_details *details, ee_value *object, const char *key, ee_str text) {
  if (text.data == NULL) return;
  ee_details_set(details, object, key, ee_value_new_string(details->arena, shorten(details->arena, text, TEXT_KEPT)));
}

static void set_bool(ee_details *details, ee_value *object, const char *key, bool value) {
  ee_details_set(details, object, key, ee_value_new_bool(details->arena, value));
}

static ee_value *make_counts(ee_details *details, const ee_extraction_list *list) {
  ee_value *counts = ee_value_new(details->arena, EE_OBJECT);
  ee_details_set_number(details, counts, "extractions", (double)list->count);
  ee_details_set_number(details, counts, "schemaValid", (double)list->schema_valid);
  ee_details_set_number(details, counts, "quoteValid", (double)list->quote_valid);
  ee_details_set_number(details, counts, "sound", (double)list->sound);
  return counts;
}

static ee_value *make_repairs(ee_details *details, const ee_extraction_list *list) {
  ee_value *repairs = ee_value_new(details->arena, EE_OBJECT);
  for (int i = 0; i < EE_REPAIR_COUNT; i++)
    if (list->repairs.counts[i] > 0)
      ee_details_set_number(details, repairs, ee_repair_name((ee_repair)i), (double)list->repairs.counts[i]);
  return repairs;
}

static ee_value *make_failures(ee_details *details, const ee_extraction_view *view) {
  ee_value *failures = ee_value_new(details->arena, EE_ARRAY);
  uint32_t shown = 0;
  for (size_t i = 0; i < view->list->count; i++) {
    const ee_extraction *item = &view->list->items[i];
    const char *code = ee_extraction_code(item);
    if (code == NULL) continue;
    if (!ee_details_have_room(details, shown++)) break;
    ee_value *failure = ee_value_new(details->arena, EE_OBJECT);
    ee_details_set_number(details, failure, "extraction", (double)i);
    set_text(details, failure, "code", printed(code));
    set_text(details, failure, "extractionClass", item->extraction_class);
    set_text(details, failure, "quote", item->quote);
    if (item->has_offsets) {
      ee_details_set_number(details, failure, "charStart", (double)item->start);
      ee_details_set_number(details, failure, "charEnd", (double)item->end);
    }
    set_text(details, failure, "actual", item->actual);
    if (!item->schema_valid) set_text(details, failure, "reason", item->schema_reason);
    ee_value_append(failures, failure);
  }
  return failures;
}

static ee_value *make_gold(ee_details *details, const ee_gold_result *result) {
  ee_value *gold = ee_value_new(details->arena, EE_OBJECT);
  ee_details_set_number(details, gold, "spans", (double)result->gold);
  ee_details_set_number(details, gold, "exact", (double)result->exact);
  ee_details_set_number(details, gold, "overlapping", (double)result->overlapping);
  ee_details_set_number(details, gold, "partial", (double)result->partial);
  if (result->approximate) set_bool(details, gold, "approximate", true);
  return gold;
}

/* The runs in a word each. */
static ee_value *make_runs(ee_details *details, const ee_extraction_view *view) {
  const ee_extraction_list *lists = view->runs;
  ee_value *runs = ee_value_new(details->arena, EE_ARRAY);
  for (uint32_t i = 0; i < view->run_count && ee_details_have_room(details, i); i++) {
    ee_value *run = ee_value_new(details->arena, EE_OBJECT);
    set_text(details, run, "kind", printed(ee_empty_kind_name(lists[i].kind)));
    set_bool(details, run, "success", ee_extraction_succeeds(&view->truth->record, &lists[i]));
    ee_details_set_number(details, run, "extractions", (double)lists[i].count);
    ee_details_set_number(details, run, "sound", (double)lists[i].sound);
    ee_value_append(runs, run);
  }
  return runs;
}

void ee_extraction_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  const ee_extraction_view *view = result->details;
  if (view == NULL) {
    ee_details_write_plain(result, scratch, out);
    return;
  }
  const ee_extraction_list *list = view->list;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_details details;
  ee_details_start(&details, scratch, result);
  set_text(&details, details.tree, "kind", printed(ee_empty_kind_name(list->kind)));
  set_bool(&details, details.tree, "success", view->success);
  ee_details_set(&details, details.tree, "counts", make_counts(&details, list));
  ee_details_set(&details, details.tree, "repairs", make_repairs(&details, list));
  if (list->bare_list) set_bool(&details, details.tree, "bareList", true);
  if (list->failure.length > 0) set_text(&details, details.tree, "failure", list->failure);
  ee_details_set(&details, details.tree, "failures", make_failures(&details, view));
  if (view->truth->record.has_gold) ee_details_set(&details, details.tree, "gold", make_gold(&details, &view->gold));
  if (view->run_count > 1) {
    ee_details_set_number(&details, details.tree, "stability", view->stability);
    ee_details_set(&details, details.tree, "runs", make_runs(&details, view));
  }
  ee_details_finish(&details, result, out);
  ee_arena_rewind(scratch, mark);
}

ee_str ee_extraction_reasoning(const ee_extraction_view *view) {
  const ee_extraction_list *list = view->list;
  const char *text;
  if (list->failure.length > 0)
    text = "unreadable answer";
  else if (list->count == 0)
    text = "no extraction";
  else
    text = ee_arena_printf(view->arena, "%zu/%zu extractions hold", list->sound, list->count);
  if (!view->truth->record.has_gold) return printed(text);
  return printed(ee_arena_printf(view->arena, "%s, %zu/%zu gold spans found", text, view->gold.exact, view->gold.gold));
}
