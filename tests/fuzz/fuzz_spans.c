/* fuzz_spans.c: labelled spans in every format through ee.spans.
 *
 * The first line chooses the options, the second is the text of the document, the third has the expected spans, the
 * fourth those of the candidate: JSON, or bytes that choose spans. Spans against themselves are all correct; in each
 * scheme the counts add up; the order of items does not change them, unless the rules pair by it. */
#include "fuzz/judging.h"
#include "judge/spans/spans.h"

static const char *const formats[] = {"auto", "items", "tags", "conll", "xml"};
enum { AUTO, ITEMS, TAGS, CONLL, XML, FORMATS };

typedef struct span_rules {
  size_t formats[2];
  bool by_order;
  bool one_unit;
} span_rules;

static void print_rules(fuzz_source *source, span_rules *rules, ee_buffer *out) {
  static const char *const units[] = {"utf16_code_unit", "code_point", "utf8_byte"};
  static const char *const taggings[] = {"auto", "BIO", "BIOES", "BILOU"};
  static const char *const schemes[] = {"strict", "exact", "partial", "type"};
  static const double overlaps[] = {0, 0.5, 1, 0.34};
  rules->formats[EE_EXPECTED] = fuzz_below(source, FORMATS);
  rules->formats[EE_CANDIDATE] = fuzz_once_in(source, 4) ? fuzz_below(source, FORMATS) : rules->formats[EE_EXPECTED];
  rules->by_order = fuzz_once_in(source, 4);
  bool document = fuzz_below(source, 2);
  const char *unit = FUZZ_PICK(source, units), *candidate_unit = FUZZ_PICK(source, units);
  rules->one_unit = !document || unit == candidate_unit;
  ee_buffer_addf(
      out,
      "{\"ee\":\"rules\",\"items\":[{\"ee\":\"spans\",\"format\":\"%s\",\"candidate_format\":\"%s\",\"pairing\":\"%s\","
      "\"scheme\":\"%s\",\"overlap\":%g,\"overlap_of\":\"%s\",\"per_label\":\"%s\",\"inclusive\":%s,\"lenient\":%s,"
      "\"tagging\":\"%s\",\"max_pairs\":%d",
      formats[rules->formats[EE_EXPECTED]], formats[rules->formats[EE_CANDIDATE]],
      rules->by_order ? "first" : "optimal", FUZZ_PICK(source, schemes), FUZZ_PICK(source, overlaps),
      fuzz_below(source, 2) ? "union" : "expected", fuzz_below(source, 2) ? "alone" : "pairs",
      fuzz_below(source, 2) ? "true" : "false", fuzz_below(source, 2) ? "true" : "false", FUZZ_PICK(source, taggings),
      fuzz_once_in(source, 4) ? 1 : 4000000);
  if (document)
    ee_buffer_addf(out, ",\"document\":\"text\",\"unit\":\"%s\",\"candidate_unit\":\"%s\"", unit, candidate_unit);
  if (fuzz_once_in(source, 4)) ee_buffer_add_text(out, ",\"labels\":[\"A\",\"B\"]");
  ee_buffer_add_text(out, "}]}");
}

static const char *const labels[] = {"A", "B", "C", "", "e\xcc\x81", "\xc3\xa9"};

static ee_value *grow_item(fuzz_source *source, ee_str text, ee_arena *arena) {
  size_t start = fuzz_below(source, 12), end = start + fuzz_below(source, 6);
  bool is_array = fuzz_once_in(source, 3);
  ee_value *item = ee_value_new(arena, is_array ? EE_ARRAY : EE_OBJECT);
  ee_value *label = ee_value_new_string(arena, ee_str_from(FUZZ_PICK(source, labels)));
  ee_value *from = ee_value_new_number(arena, (double)start), *to = ee_value_new_number(arena, (double)end);
  if (is_array) {
    ee_value_append(item, from);
    ee_value_append(item, to);
    ee_value_append(item, label);
    return item;
  }
  ee_value_set(arena, item, EE_STR("label"), label);
  if (fuzz_once_in(source, 3)) {
    start = start < text.length ? start : 0;
    end = end < text.length ? end : text.length;
    ee_str part = fuzz_utf8((ee_str){text.data + start, end > start ? end - start : 0});
    ee_value_set(arena, item, EE_STR("text"), ee_value_new_string(arena, part));
    if (fuzz_below(source, 2)) return item;
  }
  ee_value_set(arena, item, EE_STR("start"), from);
  ee_value_set(arena, item, EE_STR("end"), to);
  return item;
}

static void grow_tag(fuzz_source *source, ee_buffer *out) {
  static const char *const tags[] = {"O", "B", "I", "E", "S", "L", "U", "", "X"};
  const char *tag = FUZZ_PICK(source, tags);
  ee_buffer_add_text(out, tag);
  if (tag[0] != '\0' && tag[0] != 'O') ee_buffer_addf(out, "-%s", FUZZ_PICK(source, labels));
}

static void grow_markup(fuzz_source *source, ee_str text, ee_buffer *out) {
  static const char *const marks[] = {"<A>", "</A>", "<B x='1'>", "</B>", "&lt;", "&amp;",
                                      "<",   ">",    "<br/>",     "</C>", "<C>"};
  for (size_t i = 0; i < text.length; i++) {
    if (fuzz_once_in(source, 3)) ee_buffer_add_text(out, FUZZ_PICK(source, marks));
    ee_buffer_add_char(out, text.data[i]);
  }
}

static const ee_value *grow_spans(fuzz_source *source, size_t format, ee_str text, ee_arena *arena) {
  ee_buffer out = {0};
  if (format == XML) grow_markup(source, text, &out);
  if (format == CONLL)
    for (size_t count = fuzz_below(source, 12); count > 0; count--) {
      ee_buffer_add_text(&out, "w\t");
      grow_tag(source, &out);
      ee_buffer_add_text(&out, fuzz_once_in(source, 5) ? "\n\n" : "\n");
    }
  if (format == XML || format == CONLL) {
    ee_value *string = ee_value_new_string(arena, (ee_str){ee_arena_copy(arena, out.data, out.length), out.length});
    ee_buffer_fini(&out);
    return string;
  }
  ee_value *array = ee_value_new(arena, EE_ARRAY);
  for (size_t count = fuzz_below(source, 10); count > 0; count--) {
    if (format != TAGS) {
      ee_value_append(array, grow_item(source, text, arena));
      continue;
    }
    ee_buffer_clear(&out);
    grow_tag(source, &out);
    ee_value_append(array,
                    ee_value_new_string(arena, (ee_str){ee_arena_copy(arena, out.data, out.length), out.length}));
  }
  ee_buffer_fini(&out);
  return array;
}

/* The next line as JSON, or after '~' spans that its bytes choose. */
static const ee_value *take_spans(fuzz_source *source, size_t format, ee_str text, ee_arena *arena) {
  fuzz_source line = *source;
  if (fuzz_byte(&line) != '~') return fuzz_line_document(source, arena);
  ee_str bytes = fuzz_line(source);
  line = fuzz_source_of((const uint8_t *)bytes.data + 1, bytes.length - 1);
  return grow_spans(&line, format, text, arena);
}

static const ee_value *reversed(const ee_value *array, ee_arena *arena) {
  size_t count = ee_value_count(array);
  ee_value *copy = ee_value_new(arena, EE_ARRAY);
  while (count > 0) ee_value_append(copy, ee_value_copy(arena, ee_value_element(array, --count)));
  return copy;
}

/* Spans without offsets are found one after the other. */
static bool have_offsets(const ee_value *array) {
  for (const ee_value *item = ee_value_child(array); item != NULL; item = ee_value_next(item))
    if (ee_type_of(item) == EE_OBJECT && ee_value_member(item, EE_STR("start"), NULL) == NULL) return false;
  return ee_type_of(array) == EE_ARRAY;
}

static void check_counts(const ee_judge_result *result) {
  const ee_spans_case *kept = result->corpus_part;
  if (kept == NULL) return;
  for (ee_span_scheme scheme = EE_SCHEME_STRICT; scheme < EE_SPAN_SCHEMES; scheme++) {
    ee_span_counts counts = ee_span_tally_counts(&kept->all, scheme);
    fuzz_require(counts.possible == counts.correct + counts.incorrect + counts.partial + counts.missed);
    fuzz_require(counts.actual == counts.correct + counts.incorrect + counts.partial + counts.spurious);
  }
  for (size_t i = 0; i < kept->cell_count; i++) {
    const struct ee_spans_cell *cell = &kept->cells[i];
    bool expected = cell->expected != UINT32_MAX, candidate = cell->candidate != UINT32_MAX;
    fuzz_require((expected || candidate) && (!expected || cell->expected < kept->label_count) &&
                 (!candidate || cell->candidate < kept->label_count));
  }
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena, cases;
  ee_arena_init(&arena, 0);
  ee_arena_init(&cases, 0);
  fuzz_source source = fuzz_source_of(data, size);
  ee_str line = fuzz_line(&source);
  fuzz_source options = fuzz_source_of((const uint8_t *)line.data, line.length);
  ee_buffer text = {0};
  span_rules rules;
  print_rules(&options, &rules, &text);
  const ee_plan *plan = fuzz_plan(&text, &arena);
  ee_open_plan open;
  ee_error error = {0};
  fuzz_require(ee_open_plan_init(&open, plan, NULL, NULL, &error) == EE_OK);
  ee_str document = fuzz_utf8(fuzz_line(&source));
  const ee_value *record_text = ee_value_new_string(&arena, document);
  const ee_value *expected = take_spans(&source, rules.formats[EE_EXPECTED], document, &arena);
  const ee_value *candidate = take_spans(&source, rules.formats[EE_CANDIDATE], document, &arena);
  ee_case_result result = fuzz_judge_text(&open, record_text, expected, candidate, EE_DETAIL_MISSES, &cases);
  check_counts(&result.judges[0]);
  double score = result.judges[0].score;
  fuzz_require(fuzz_judge_text(&open, record_text, expected, candidate, EE_DETAIL_FULL, &cases).judges[0].score ==
               score);
  fuzz_judge_text(&open, record_text, expected, NULL, EE_DETAIL_MISSES, &cases);
  if (rules.formats[EE_CANDIDATE] == ITEMS && !rules.by_order && have_offsets(candidate)) {
    const ee_value *other = reversed(candidate, &arena);
    fuzz_require(fuzz_judge_text(&open, record_text, expected, other, EE_DETAIL_MISSES, &cases).judges[0].score ==
                 score);
  }
  if (rules.formats[EE_EXPECTED] == rules.formats[EE_CANDIDATE] && rules.one_unit && !rules.by_order) {
    ee_case_result own = fuzz_judge_text(&open, record_text, expected, expected, EE_DETAIL_MISSES, &cases);
    check_counts(&own.judges[0]);
    fuzz_require(own.judges[0].score == 1 || own.judges[0].unscored);
  }
  ee_open_plan_fini(&open);
  ee_buffer_fini(&text);
  ee_arena_fini(&cases);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(1024)
