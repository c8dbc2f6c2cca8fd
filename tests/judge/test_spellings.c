/* test_spellings.c: how an empty value is spelled, and in which normal form of Unicode a text is written, changes
 * nothing: random documents in two spellings through every judge that compares values. */
#include "judge/plan_fixture.h"
#include "support/random.h"

/* How a document is written. */
typedef struct spelling {
  test_random *random; /* NULL: null is null, and letters are composed */
  bool presence;       /* an empty member may be there or not */
} spelling;

static size_t pick(const spelling *how, size_t limit) {
  return how->random == NULL ? 0 : test_random_below(how->random, limit);
}

static bool is_nothing(const ee_value *value) { return ee_value_is_empty(value, NULL); }

static void write_text(ee_buffer *out, ee_str text, const spelling *how) {
  static const char *const letters[][2] = {{"\xc3\xa9", "e\xcc\x81"}, {"\xc3\xbc", "u\xcc\x88"}};
  ee_buffer_add_char(out, '"');
  for (size_t at = 0; at < text.length; at++) {
    size_t letter = 0;
    while (letter < 2 && memcmp(text.data + at, letters[letter][0], text.length - at < 2 ? 1 : 2) != 0) letter++;
    if (letter == 2) {
      ee_buffer_add_char(out, text.data[at]);
      continue;
    }
    ee_buffer_add_text(out, letters[letter][pick(how, 2)]);
    at++;
  }
  ee_buffer_add_char(out, '"');
}

static void write_spelled(ee_buffer *out, const ee_value *value, const spelling *how) {
  static const char *const nothings[] = {"null", "\"\"", "\" \\t\"", "\"\\u00a0\"", "\"-\"", "\" -\""};
  bool is_object = ee_type_of(value) == EE_OBJECT, first = true;
  if (is_nothing(value)) {
    ee_buffer_add_text(out, nothings[pick(how, 6)]);
  } else if (ee_type_of(value) == EE_STRING) {
    write_text(out, ee_value_text(value), how);
  } else if (ee_type_of(value) < EE_ARRAY) {
    ee_json_write_value(out, value);
  } else {
    ee_buffer_add_char(out, is_object ? '{' : '[');
    for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
      if (is_object && how->presence && is_nothing(child) && pick(how, 2) == 1) continue;
      if (!first) ee_buffer_add_char(out, ',');
      first = false;
      if (is_object) {
        write_text(out, ee_value_key(child), how);
        ee_buffer_add_char(out, ':');
      }
      write_spelled(out, child, how);
    }
    ee_buffer_add_char(out, is_object ? '}' : ']');
  }
}

static const char *spelled(const ee_value *value, const spelling *how, ee_arena *arena) {
  ee_buffer text = {0};
  write_spelled(&text, value, how);
  const char *copy = ee_arena_copy(arena, text.data, text.length);
  ee_buffer_fini(&text);
  return copy;
}

/* Documents ------------------------------------------------------------------------------------- */

static ee_value *random_scalar(test_random *random, ee_arena *arena) {
  static const char *const texts[] = {"caf\xc3\xa9", "caf\xc3\xa9s", "Zo\xc3\xab", "\xc3\xbc", "x", "2025-03-04"};
  size_t kind = test_random_below(random, 9);
  if (kind < 3) return ee_value_new(arena, EE_NULL);
  if (kind < 7) return ee_value_new_string(arena, ee_str_from(texts[test_random_below(random, 6)]));
  return ee_value_new_number(arena, (double)test_random_below(random, 3));
}

static ee_value *random_value(test_random *random, ee_arena *arena, unsigned depth) {
  static const char *const keys[] = {"k", "d", "v", "caf\xc3\xa9"};
  size_t kind = depth == 0 ? 9 : test_random_below(random, 10);
  if (kind >= 5) return random_scalar(random, arena);
  ee_value *value = ee_value_new(arena, kind < 2 ? EE_ARRAY : EE_OBJECT);
  for (size_t i = 0; i < 4; i++) {
    if (test_random_below(random, 3) == 0) continue;
    ee_value *child = random_value(random, arena, depth - 1);
    if (kind < 2)
      ee_value_append(value, child);
    else
      ee_value_set(arena, value, ee_str_from(keys[i]), child);
  }
  return value;
}

static ee_value *random_list(test_random *random, ee_arena *arena, bool items) {
  static const char *const keys[] = {"k", "d", "v", "caf\xc3\xa9"};
  ee_value *list = ee_value_new(arena, EE_ARRAY);
  for (size_t n = test_random_below(random, 5); n > 0; n--) {
    ee_value *item = items ? ee_value_new(arena, EE_OBJECT) : random_value(random, arena, 2);
    for (size_t i = 0; items && i < 4; i++)
      ee_value_set(arena, item, ee_str_from(keys[i]),
                   i == 2 ? random_value(random, arena, 2) : random_scalar(random, arena));
    if (items && test_random_below(random, 6) == 0) item = ee_value_new(arena, EE_NULL);
    ee_value_append(list, item);
  }
  return list;
}

static ee_value *random_document(test_random *random, ee_arena *arena) {
  ee_value *document = ee_value_new(arena, EE_OBJECT);
  static const char *const keys[] = {"a", "b", "caf\xc3\xa9", "o"};
  for (size_t i = 0; i < 4; i++) ee_value_set(arena, document, ee_str_from(keys[i]), random_value(random, arena, 3));
  ee_value_set(arena, document, EE_STR("s"), random_list(random, arena, false));
  ee_value_set(arena, document, EE_STR("l"), random_list(random, arena, true));
  return document;
}

/* Judging --------------------------------------------------------------------------------------- */

#define FIELD(kind, path, options) "{\"ee\":\"" kind "\",\"items\":[\"" path "\"]" options "}"
#define LIST(name, match)                                                                                              \
  "{\"ee\":\"line_items\",\"name\":\"" name "\",\"match\":{" match                                                     \
  "},\"items\":[\"l\"," FIELD("exact", "k", "") "," FIELD("fuzzy", "d", "") "," FIELD("exact", "v", "") "," FIELD(     \
      "one_of", "caf\xc3\xa9", ",\"values\":[\"x\"]") "]}"
#define PLAIN                                                                                                                                                                        \
  "{\"ee\":\"fields\",\"items\":[" FIELD("exact", "a", "") "," FIELD("auto", "b", "") "," FIELD("one_of", "caf\xc3\xa9", ",\"values\":[\"Zo\xc3\xab\"]") "," FIELD(                  \
      "set", "s",                                                                                                                                                                    \
      "") "," FIELD("set", "s",                                                                                                                                                      \
                    ",\"name\":\"m\",\"match\":{\"ee\":\"fuzzy\"}") "," FIELD("exact", "l[*].v",                                                                                     \
                                                                              "") "," FIELD("fuzzy", "o.caf\xc3\xa9",                                                                \
                                                                                            "") "]}," LIST("greedy",                                                                 \
                                                                                                           "\"items\""                                                               \
                                                                                                           ":[\"d\"]") "," LIST("optimal",                                           \
                                                                                                                                "\"items\":[\"d\",\"v\"],\"method\":"                \
                                                                                                                                "\"optimal\"") "," LIST("key",                       \
                                                                                                                                                        "\"items\":[\"k\"]"          \
                                                                                                                                                        ",\"method\":"               \
                                                                                                                                                        "\"key\"") "," LIST("index", \
                                                                                                                                                                            "\"method\":\"index\"")
/* Its extra keys are the one thing that a null tells from nothing. */
#define QUALITY                                                                                                        \
  ",{\"ee\":\"quality\",\"strategies\":{\"a\":\"EXACT\"}},{\"ee\":\"quality\",\"name\":\"leaves\",\"depth\":"          \
  "\"leaves\","                                                                                                        \
  "\"strategies\":{\"l[*].v\":\"EXACT\"}}"

typedef struct seen {
  double scores[8];
  char counts[8][800];
} seen;

/* `tn`: also the true negatives, which depend on what is there. */
static void look(fixture *f, const char *expected, const char *candidate, bool tn, seen *out) {
  fixture_judge_case(f, expected, candidate);
  for (size_t i = 0; i < f->result.judge_count; i++) {
    const ee_judge_result *result = &f->result.judges[i];
    out->scores[i] = result->score;
    size_t length = 0;
    out->counts[i][0] = '\0';
    for (size_t k = 0; k < result->attribute_count; k++) {
      const ee_counts *c = &result->attributes[k].counts;
      if (result->attributes[k].slot < 0) continue;
      length += (size_t)snprintf(out->counts[i] + length, sizeof out->counts[i] - length, "%.*s %d %d %d %d; ",
                                 EE_STR_ARG(result->attributes[k].name), (int)c->tp, tn ? (int)c->tn : 0, (int)c->fp,
                                 (int)c->fn);
    }
  }
}

static void check(const char *name, uint64_t seed, const char *judges, bool presence) {
  test_random random = test_random_start(name, seed);
  fixture f;
  fixture_open(&f);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  char rules[8000];
  snprintf(rules, sizeof rules, "{\"ee\":\"rules\",\"null_values\":[\"-\"],\"items\":[%s]}", judges);
  fixture_rules(&f, rules);
  size_t imperfect = 0;
  for (int round = 0; round < 4000; round++) {
    ee_arena_reset(&arena, 0);
    ee_value *expected = random_document(&random, &arena);
    ee_value *candidate = round % 3 == 0 ? expected : random_document(&random, &arena);
    const spelling plain = {.random = NULL}, other = {.random = &random, .presence = presence};
    const char *texts[] = {spelled(expected, &plain, &arena), spelled(candidate, &plain, &arena),
                           spelled(expected, &other, &arena), spelled(candidate, &other, &arena)};
    static seen before, after;
    look(&f, texts[0], texts[1], !presence, &before);
    look(&f, texts[2], texts[3], !presence, &after);
    for (size_t i = 0; i < f.result.judge_count; i++) {
      imperfect += before.scores[i] < 1;
      if (before.scores[i] == after.scores[i] && strcmp(before.counts[i], after.counts[i]) == 0) continue;
      fail_msg("judge %zu: %.17g, then %.17g\n%s\n%s\n%s\n%s\n%s\n%s", i, before.scores[i], after.scores[i], texts[0],
               texts[1], texts[2], texts[3], before.counts[i], after.counts[i]);
    }
  }
  assert_true(imperfect > 1000);
  ee_arena_fini(&arena);
  fixture_close(&f);
}

static void test_spelling_of_what_is_there(void **state) {
  (void)state;
  check("spellings", 141, PLAIN QUALITY, false);
}

static void test_empty_members_are_no_members(void **state) {
  (void)state;
  check("presence", 142, PLAIN, true);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_spelling_of_what_is_there),
             cmocka_unit_test(test_empty_members_are_no_members));
