/* test_extraction.c: extractions against twins that are slow and plain: a document as a list of its units, the checks
 * one after the other as SEMANTICS lists them, and gold spans paired in every way there is. */
#include "judge/extraction/gold_match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "support/random.h"

static const char *const modes[] = {"utf16_code_unit", "code_point", "utf8_byte"};

/* A document as its units -------------------------------------------------------------------------------------------
 */

enum { MOST_UNITS = 400 };

/* Of each unit: the character it belongs to, by its first byte, and whether it is that character's first. */
typedef struct unit_list {
  size_t character[MOST_UNITS + 1];
  bool first[MOST_UNITS + 1];
  int64_t count;
} unit_list;

static void list_units(ee_str text, int mode, unit_list *list) {
  list->count = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t code;
    size_t bytes = ee_utf8_decode(text.data + at, text.length - at, &code);
    size_t units = mode == 0 ? (code >= 0x10000 ? 2 : 1) : mode == 1 ? 1 : bytes;
    for (size_t i = 0; i < units; i++) {
      assert_true(list->count < MOST_UNITS);
      list->character[list->count] = at;
      list->first[list->count++] = i == 0;
    }
    at += bytes;
  }
  list->character[list->count] = text.length;
  list->first[list->count] = true;
}

/* What stands in start..end, halves as U+FFFD; `*cut`: there is a half. */
static void twin_slice(ee_str text, const unit_list *list, int64_t start, int64_t end, ee_buffer *out, bool *cut) {
  *cut = !list->first[start] || !list->first[end];
  if (!list->first[start]) ee_buffer_add_text(out, "\xEF\xBF\xBD");
  for (int64_t i = start; i < end; i++) {
    if (!list->first[i]) continue;
    size_t from = list->character[i], to = from;
    uint32_t code;
    to += ee_utf8_decode(text.data + from, text.length - from, &code);
    int64_t next = i + 1;
    while (!list->first[next]) next++;
    if (next <= end) ee_buffer_add(out, text.data + from, to - from);
  }
  if (!list->first[end]) ee_buffer_add_text(out, "\xEF\xBF\xBD");
}

static void random_text(test_random *random, size_t most, ee_buffer *out) {
  static const char *const letters[] = {"a", "b", "\xC3\xA9", "\xE5\xAD\x97", "\xF0\x9F\x99\x82", "\n", "\xE2\x82\xAC"};
  for (size_t count = test_random_below(random, most + 1); count > 0; count--) {
    size_t which = test_random_below(random, 8);
    if (which == 7)
      ee_buffer_add_char(out, '\0');
    else
      ee_buffer_add_text(out, letters[which]);
  }
}

/* One extraction ----------------------------------------------------------------------------------------------------
 */

typedef enum said_kind { SAID_NOTHING, SAID_WHOLE, SAID_OTHER } said_kind;

/* What is written at one place: the extraction or its span. */
typedef struct said {
  bool there; /* the object is */
  int mode;   /* -1: none; 0..2; 3: unknown text; 4: no text */
  said_kind kinds[2];
  int64_t numbers[2];
} said;

static void write_said(const said *place, ee_buffer *out) {
  static const char *const names[] = {"charStart", "charEnd"};
  static const char *const others[] = {"0.5", "\"3\"", "1e300", "[]"};
  if (place->mode >= 0 && place->mode < 3) ee_buffer_addf(out, ",\"offsetMode\":\"%s\"", modes[place->mode]);
  if (place->mode == 3) ee_buffer_add_text(out, ",\"offsetMode\":\"utf32\"");
  if (place->mode == 4) ee_buffer_add_text(out, ",\"offsetMode\":7");
  for (int i = 0; i < 2; i++) {
    if (place->kinds[i] == SAID_WHOLE) ee_buffer_addf(out, ",\"%s\":%lld", names[i], (long long)place->numbers[i]);
    if (place->kinds[i] == SAID_OTHER) ee_buffer_addf(out, ",\"%s\":%s", names[i], others[place->numbers[i] & 3]);
  }
}

typedef struct verdict {
  ee_quote_fault fault;
  bool schema_valid;
  bool has_actual;
} verdict;

/* The order of SEMANTICS, literally. */
static verdict twin_check(ee_str document, int declared, const said *top, const said *span, bool has_class,
                          const ee_buffer *quote, ee_buffer *actual) {
  bool top_any = top->kinds[0] != SAID_NOTHING || top->kinds[1] != SAID_NOTHING;
  bool span_any = span->kinds[0] != SAID_NOTHING || span->kinds[1] != SAID_NOTHING;
  const said *used = top_any || !span_any ? top : span, *other = used == top ? span : top;
  int mode = used->mode >= 0 ? used->mode : other->mode >= 0 ? other->mode : declared;
  bool whole = used->kinds[0] == SAID_WHOLE && used->kinds[1] == SAID_WHOLE;
  bool agree = true;
  if (top_any && span_any) {
    for (int i = 0; i < 2; i++)
      agree =
          agree && top->kinds[i] == SAID_WHOLE && span->kinds[i] == SAID_WHOLE && top->numbers[i] == span->numbers[i];
    if (top->mode >= 0 && span->mode >= 0) agree = agree && top->mode == span->mode && top->mode < 3;
  }
  verdict v = {.schema_valid = has_class && quote != NULL && mode < 3 && whole && agree};
  if (mode >= 3) return v.fault = EE_QUOTE_UNSUPPORTED_OFFSET_MODE, v;
  if (!whole || used->numbers[0] > used->numbers[1]) return v.fault = EE_QUOTE_INVALID_OFFSETS, v;
  if (!agree) return v.fault = EE_QUOTE_OFFSET_MISMATCH, v;
  static unit_list units;
  list_units(document, mode, &units);
  if (used->numbers[0] < 0 || used->numbers[1] > units.count) return v.fault = EE_QUOTE_OFFSETS_OUT_OF_RANGE, v;
  bool cut;
  twin_slice(document, &units, used->numbers[0], used->numbers[1], actual, &cut);
  v.has_actual = true;
  bool same = !cut && quote != NULL && quote->length == actual->length &&
              (actual->length == 0 || memcmp(quote->data, actual->data, actual->length) == 0);
  v.fault = same ? EE_QUOTE_HOLDS : EE_QUOTE_MISMATCH;
  return v;
}

static said random_said(test_random *random, int64_t limit) {
  said place = {.there = true, .mode = (int)test_random_below(random, 12) - 4};
  if (place.mode < 0) place.mode = -1;
  if (place.mode > 4) place.mode = (int)test_random_below(random, 3);
  for (int i = 0; i < 2; i++) {
    size_t kind = test_random_below(random, 12);
    place.kinds[i] = kind == 0 ? SAID_NOTHING : kind == 1 ? SAID_OTHER : SAID_WHOLE;
    place.numbers[i] = (int64_t)test_random_below(random, (size_t)limit + 6) - 2;
  }
  if (place.numbers[0] > place.numbers[1] && test_random_below(random, 8) != 0) {
    int64_t swap = place.numbers[0];
    place.numbers[0] = place.numbers[1];
    place.numbers[1] = swap;
  }
  return place;
}

/* Often what stands at the offsets, so that the invariant holds often. */
static void make_quote(test_random *random, ee_str document, int declared, const said *top, const said *span,
                       ee_buffer *quote) {
  bool cut = false;
  ee_buffer dropped = {0};
  ee_buffer guess = {0};
  ee_buffer_add_text(&dropped, "\x01");
  verdict v = twin_check(document, declared, top, span, true, &dropped, &guess);
  if (v.has_actual && test_random_below(random, 4) != 0)
    ee_buffer_add(quote, guess.data, guess.length);
  else
    random_text(random, 3, quote);
  (void)cut;
  ee_buffer_fini(&dropped);
  ee_buffer_fini(&guess);
}

static void write_extraction(const said *top, const said *span, bool has_class, const ee_buffer *quote,
                             ee_buffer *out) {
  ee_buffer_add_text(out, "{\"grounding\":\"explicit\"");
  if (has_class) ee_buffer_add_text(out, ",\"extractionClass\":\"token\"");
  if (quote != NULL) {
    ee_buffer_add_text(out, ",\"quote\":");
    ee_json_write_string(out, (ee_str){quote->data, quote->length});
  }
  write_said(top, out);
  if (span->there) {
    ee_buffer_add_text(out, ",\"span\":{\"x\":1");
    write_said(span, out);
    ee_buffer_add_char(out, '}');
  }
  ee_buffer_add_char(out, '}');
}

static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("extraction", 6001);
  size_t seen[EE_QUOTE_MISMATCH + 1] = {0};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (int round = 0; round < 20000; round++) {
    ee_buffer document = {0}, quote = {0}, answer = {0}, actual = {0};
    random_text(&random, test_random_below(&random, 4) == 0 ? 90 : 8, &document);
    ee_str text = {document.length > 0 ? document.data : "", document.length};
    int64_t limit = (int64_t)ee_utf8_count(text.data, text.length);
    said top = random_said(&random, limit), span = random_said(&random, limit);
    const said nothing = {.mode = -1};
    size_t shape = test_random_below(&random, 4);
    if (shape == 0) top = nothing;
    if (shape == 1) span = nothing;
    if (shape == 2) span = top, span.there = true;
    int declared = (int)test_random_below(&random, 3);
    bool has_class = test_random_below(&random, 20) != 0, has_quote = test_random_below(&random, 20) != 0;
    make_quote(&random, text, declared, &top, &span, &quote);
    ee_buffer_add_text(&answer, "{\"extractions\":[");
    write_extraction(&top, &span, has_class, has_quote ? &quote : NULL, &answer);
    ee_buffer_add_text(&answer, "]}");
    verdict v = twin_check(text, declared, &top, &span, has_class, has_quote ? &quote : NULL, &actual);
    ee_extraction_document of = {.text = text};
    ee_extraction_list list;
    ee_extractions_read(&of, (ee_str){answer.data, answer.length}, NULL, EE_REPAIRS_PLAIN, (ee_text_unit)declared,
                        &arena, &list);
    assert_int_equal(list.count, 1);
    const ee_extraction *item = &list.items[0];
    if (item->fault != v.fault || item->schema_valid != v.schema_valid || (item->actual.data != NULL) != v.has_actual ||
        (v.has_actual && !ee_str_equal(item->actual, (ee_str){actual.data, actual.length})))
      fail_msg("%s: fault %d, not %d; valid %d, not %d", ee_buffer_terminate(&answer), item->fault, v.fault,
               item->schema_valid, v.schema_valid);
    assert_int_equal(item->schema_valid, item->schema_reason.length == 0);
    assert_int_equal(list.schema_valid, v.schema_valid);
    assert_int_equal(list.quote_valid, v.fault == EE_QUOTE_HOLDS);
    assert_int_equal(list.sound, v.schema_valid && v.fault == EE_QUOTE_HOLDS);
    seen[v.fault]++;
    ee_buffer_fini(&document), ee_buffer_fini(&quote), ee_buffer_fini(&answer), ee_buffer_fini(&actual);
    ee_arena_reset(&arena, 0);
  }
  /* Every outcome came often enough to mean something. */
  for (int fault = EE_QUOTE_HOLDS; fault <= EE_QUOTE_MISMATCH; fault++) assert_true(seen[fault] > 200);
  ee_arena_fini(&arena);
}

/* By hand ------------------------------------------------------------------------------------------------------------
 */

typedef struct fact {
  const char *answer;
  ee_empty_kind kind;
  size_t count, sound;
  bool bare;
  const char *failure; /* how it begins; NULL: none */
} fact;

#define HELLO "{\"extractionClass\":\"w\",\"quote\":\"hello\",\"charStart\":0,\"charEnd\":5}"

static const fact facts[] = {
    {"{\"extractions\":[" HELLO "]}", EE_NON_EMPTY, 1, 1, false, NULL},
    {"[" HELLO "]", EE_NON_EMPTY, 1, 1, true, NULL},
    {"```json\n{\"extractions\":[" HELLO ",]}\n```", EE_NON_EMPTY, 1, 1, false, NULL},
    {"{\"extractions\":[]}", EE_EMPTY_BY_EVIDENCE, 0, 0, false, NULL},
    {"[]", EE_EMPTY_BY_EVIDENCE, 0, 0, true, NULL},
    {"{}", EE_EMPTY_BY_FAILURE, 0, 0, false, "the answer has no 'extractions'"},
    {"{\"extractions\":{}}", EE_EMPTY_BY_FAILURE, 0, 0, false, "'extractions' is object, not an array"},
    {"{\"extractions\":[", EE_EMPTY_BY_FAILURE, 0, 0, false, "not JSON: "},
    {"", EE_EMPTY_BY_FAILURE, 0, 0, false, "not JSON: "},
    {"7", EE_EMPTY_BY_FAILURE, 0, 0, false, "the answer is number"},
    {"{\"extractions\":[null,3," HELLO "]}", EE_NON_EMPTY, 3, 1, false, NULL},
    /* A number is what its digits say, not what its double does. */
    {"[{\"extractionClass\":\"w\",\"quote\":\"hello\",\"charStart\":0.0,\"charEnd\":50e-1}]", EE_NON_EMPTY, 1, 1, true,
     NULL},
    {"[{\"extractionClass\":\"w\",\"quote\":\"hello\",\"charStart\":0,\"charEnd\":5.00000000000000000001}]",
     EE_NON_EMPTY, 1, 0, true, NULL},
};

static void test_answers(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    const fact *f = &facts[i];
    ee_extraction_document document = {.text = EE_STR("hello world")};
    ee_extraction_list list;
    ee_extractions_read(&document, ee_str_from(f->answer), NULL, EE_REPAIRS_PLAIN, EE_UNIT_UTF16, &arena, &list);
    if (list.kind != f->kind || list.count != f->count || list.sound != f->sound || list.bare_list != f->bare)
      fail_msg("%s: kind %d, %zu of which %zu sound, bare %d", f->answer, list.kind, list.count, list.sound,
               list.bare_list);
    if (f->failure == NULL)
      assert_int_equal(list.failure.length, 0);
    else
      assert_memory_equal(list.failure.data, f->failure, strlen(f->failure));
  }
  ee_arena_fini(&arena);
}

static void test_success_and_score(void **state) {
  (void)state;
  ee_bench_record smoke = {.has_gold = true},
                  record = {.has_expected = true, .kind = EE_NON_EMPTY, .min_extractions = 1, .max_extractions = 2};
  ee_extraction_list list = {.kind = EE_NON_EMPTY, .count = 2, .sound = 1};
  assert_true(ee_extraction_succeeds(&smoke, &list) && ee_extraction_succeeds(&record, &list));
  assert_true(ee_extraction_score(true, &list) == 0.5 && ee_extraction_score(false, &list) == 0);
  list.count = 3;
  assert_false(ee_extraction_succeeds(&record, &list));
  list = (ee_extraction_list){.kind = EE_EMPTY_BY_EVIDENCE};
  assert_true(ee_extraction_succeeds(&smoke, &list) && !ee_extraction_succeeds(&record, &list));
  assert_true(ee_extraction_score(true, &list) == 1);
  list.kind = EE_EMPTY_BY_FAILURE;
  assert_false(ee_extraction_succeeds(&smoke, &list));
  record = (ee_bench_record){.has_expected = true, .kind = EE_EMPTY_BY_FAILURE};
  assert_true(ee_extraction_succeeds(&record, &list));
}

/* Gold spans ---------------------------------------------------------------------------------------------------------
 */

enum { MOST_SPANS = 5 };

typedef struct twin_span {
  int class_number;
  uint64_t start, end;
  bool other_quote;
} twin_span;

static bool twin_found(const twin_span *gold, const twin_span *found, int how) {
  bool exact = gold->start == found->start && gold->end == found->end && !found->other_quote;
  uint64_t from = gold->start > found->start ? gold->start : found->start;
  uint64_t to = gold->end < found->end ? gold->end : found->end;
  bool overlaps = from < to;
  bool inside = (from == gold->start && to == gold->end) || (from == found->start && to == found->end);
  if (gold->class_number != found->class_number) return false;
  return exact || (how > 0 && overlaps && (how == 2 || inside));
}

/* The most pairs there are, trying everything. */
static size_t twin_most(const twin_span *gold, size_t gold_count, const twin_span *found, size_t found_count,
                        unsigned used, int how) {
  if (gold_count == 0) return 0;
  size_t most = twin_most(gold + 1, gold_count - 1, found, found_count, used, how);
  for (size_t k = 0; k < found_count; k++) {
    if ((used & (1u << k)) != 0 || !twin_found(gold, &found[k], how)) continue;
    size_t with = 1 + twin_most(gold + 1, gold_count - 1, found, found_count, used | (1u << k), how);
    if (with > most) most = with;
  }
  return most;
}

static const ee_str documents[] = {{"abcdefghijkl", 12},
                                   {"a\xF0\x9F\x99\x82\xC3\xA9"
                                    "d\xE5\xAD\x97"
                                    "fghijkl",
                                    17}};

/* Byte at which the character `number` begins. */
static size_t byte_of(ee_str text, uint64_t number) {
  size_t at = 0;
  uint32_t code;
  for (; number > 0; number--) at += ee_utf8_decode(text.data + at, text.length - at, &code);
  return at;
}

/* The same place in another unit. */
static uint64_t in_unit(ee_str text, uint64_t number, ee_text_unit unit) {
  size_t bytes = byte_of(text, number);
  if (unit == EE_UNIT_UTF8) return bytes;
  if (unit == EE_UNIT_CODE_POINT) return number;
  uint64_t units = 0;
  for (size_t i = 0; i < bytes; i++) {
    unsigned char byte = (unsigned char)text.data[i];
    units += (byte & 0xC0) != 0x80;
    units += byte >= 0xF0;
  }
  return units;
}

static ee_str between(ee_str text, const twin_span *span) {
  size_t from = byte_of(text, span->start), to = byte_of(text, span->end);
  return (ee_str){text.data + from, to - from};
}

static twin_span random_span(test_random *random) {
  twin_span span = {.class_number = (int)test_random_below(random, 2), .start = test_random_below(random, 6)};
  span.end = span.start + test_random_below(random, 5);
  return span;
}

static void test_gold(void **state) {
  (void)state;
  static const char *const classes[] = {"p", "q"};
  test_random random = test_random_start("gold spans", 6002);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t partial_only = 0, overlapping_only = 0;
  for (int round = 0; round < 20000; round++) {
    ee_str text = documents[test_random_below(&random, 2)];
    twin_span gold[MOST_SPANS], found[MOST_SPANS];
    ee_gold_span spans[MOST_SPANS];
    size_t gold_count = test_random_below(&random, MOST_SPANS + 1), count = test_random_below(&random, MOST_SPANS + 1);
    ee_bench_record record = {
        .has_gold = true, .gold = spans, .gold_count = gold_count, .unit = (ee_text_unit)test_random_below(&random, 3)};
    for (size_t i = 0; i < gold_count; i++) {
      gold[i] = random_span(&random);
      spans[i] = (ee_gold_span){ee_str_from(classes[gold[i].class_number]), between(text, &gold[i]),
                                in_unit(text, gold[i].start, record.unit), in_unit(text, gold[i].end, record.unit)};
    }
    ee_buffer answer = {0};
    ee_buffer_add_char(&answer, '[');
    for (size_t k = 0; k < count; k++) {
      found[k] = k < gold_count && test_random_below(&random, 2) == 0 ? gold[k] : random_span(&random);
      found[k].other_quote = test_random_below(&random, 6) == 0;
      ee_text_unit unit = (ee_text_unit)test_random_below(&random, 3);
      ee_buffer_addf(
          &answer, "%s{\"extractionClass\":\"%s\",\"offsetMode\":\"%s\",\"charStart\":%llu,\"charEnd\":%llu,\"quote\":",
          k > 0 ? "," : "", classes[found[k].class_number], modes[unit],
          (unsigned long long)in_unit(text, found[k].start, unit),
          (unsigned long long)in_unit(text, found[k].end, unit));
      ee_json_write_string(&answer, found[k].other_quote ? EE_STR("?") : between(text, &found[k]));
      ee_buffer_add_char(&answer, '}');
    }
    ee_buffer_add_char(&answer, ']');
    ee_extraction_document document = {.text = text};
    ee_extraction_list list;
    ee_extractions_read(&document, (ee_str){answer.data, answer.length}, NULL, EE_REPAIRS_PLAIN, EE_UNIT_UTF16, &arena,
                        &list);
    ee_gold_result result = ee_gold_match(&record, &document, &list, &arena);
    size_t wanted[3];
    for (int how = 0; how < 3; how++) wanted[how] = twin_most(gold, gold_count, found, count, 0, how);
    if (result.exact != wanted[0] || result.partial != wanted[1] || result.overlapping != wanted[2])
      fail_msg("round %d: %s: %zu %zu %zu, not %zu %zu %zu", round, ee_buffer_terminate(&answer), result.exact,
               result.partial, result.overlapping, wanted[0], wanted[1], wanted[2]);
    assert_int_equal(result.gold, gold_count);
    assert_int_equal(result.extractions, count);
    partial_only += wanted[1] > wanted[0];
    overlapping_only += wanted[2] > wanted[1];
    ee_buffer_fini(&answer);
    ee_arena_reset(&arena, 0);
  }
  assert_true(partial_only > 1000 && overlapping_only > 100);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_twin), cmocka_unit_test(test_answers),
             cmocka_unit_test(test_success_and_score), cmocka_unit_test(test_gold));
