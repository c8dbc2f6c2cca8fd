/* test_value_places.c: values elsewhere in two documents, against a search through all of their values. */
#include "judge/value_places.h"

#include "base/list.h"
#include "judge/plan_fixture.h"
#include "prim/normalize.h"
#include "support/random.h"

/* Spellings of one value in each row; those of the last two rows tell nothing. */
enum { ROWS = 9, TELLING = 7, SPELLINGS = 3 };
static const char *const spellings[ROWS][SPELLINGS] = {
    {"\"Acme Trading\"", "\"ACME  trading\"", "\" acme trading \""},
    {"1234.5", "\"1,234.50\"", "\"$1234.5\""},
    {"1234.6", "1.2346e3", "\"1234.60\""},
    {"\"INV-2024\"", "\"inv-2024\"", "\"Inv-2024\""},
    {"\"\u6771\u4eac\u90fd\"", "\"\u6771\u4eac\u90fd \"", "\"\u6771\u4eac\u90fd\""},
    {"123", "123.0", "\"123\""},
    {"-123", "\"-123.00\"", "-1.23e2"},
    {"\"ab\"", "null", "true"},
    {"0.00", "12", "\"\""},
};

/* Objects whose keys are often, but not always, the same ones in the same order; arrays; values. */
static void add_document(test_random *random, ee_buffer *text, int depth) {
  size_t choice = depth == 0 ? 0 : depth > 3 ? 3 : test_random_below(random, 5), count = test_random_below(random, 5);
  if (choice > 2) {
    ee_buffer_add_text(text, spellings[test_random_below(random, ROWS)][test_random_below(random, SPELLINGS)]);
    return;
  }
  unsigned keys = 0;
  bool any = false;
  ee_buffer_add_char(text, choice < 2 ? '{' : '[');
  for (size_t i = 0; i < count; i++) {
    size_t key = test_random_below(random, 8) == 0 ? test_random_below(random, 6) : i;
    if (choice < 2 && (keys >> key & 1) != 0) continue;
    keys |= 1u << key;
    if (any) ee_buffer_add_char(text, ',');
    any = true;
    if (choice < 2) ee_buffer_addf(text, "\"%c\":", (char)('a' + key));
    add_document(random, text, depth + 1);
  }
  ee_buffer_add_char(text, choice < 2 ? '}' : ']');
}

/* A value and its place: the path, and the same with [] for every index. */
typedef struct spot {
  const ee_value *value;
  int row;    /* of `spellings` */
  bool asked; /* it may be asked for */
  char path[64], place[64];
} spot;

typedef struct spots {
  EE_LIST(spot);
} spots;

static int row_of(ee_arena *arena, const ee_value *value) {
  for (int i = 0; i < ROWS * SPELLINGS; i++) {
    const ee_value *other = fixture_json(arena, spellings[i / SPELLINGS][i % SPELLINGS]);
    if (ee_type_of(value) == ee_type_of(other) &&
        (ee_type_of(value) == EE_STRING ? ee_str_equal(ee_value_text(value), ee_value_text(other))
                                        : ee_value_equal(value, other)))
      return i / SPELLINGS;
  }
  fail();
  return 0;
}

static void list_spots(ee_arena *arena, const ee_value *value, const char *path, const char *place, spots *list) {
  ee_type type = ee_type_of(value);
  if (type < EE_ARRAY) {
    spot *one = EE_LIST_ADD(list, arena);
    *one = (spot){.value = value, .row = row_of(arena, value)};
    snprintf(one->path, sizeof one->path, "%s", path);
    snprintf(one->place, sizeof one->place, "%s", place);
    return;
  }
  int index = 0;
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child), index++) {
    char path_below[64], place_below[64];
    const char *point = path[0] != '\0' ? "." : "";
    if (type == EE_ARRAY) {
      snprintf(path_below, sizeof path_below, "%s[%d]", path, index);
      snprintf(place_below, sizeof place_below, "%s[]", place);
    } else {
      snprintf(path_below, sizeof path_below, "%s%s%s", path, point, child->json.string);
      snprintf(place_below, sizeof place_below, "%s%s%s", place, point, child->json.string);
    }
    list_spots(arena, child, path_below, place_below, list);
  }
}

static size_t count_of(const spots *list, int row, const char *place) {
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++)
    count += list->items[i].row == row && strcmp(list->items[i].place, place) == 0;
  return count;
}

/* Whether `in` has the value of `row` in the place of `at`, or in another one; with `surplus`, more often than that has
 * it there. */
static bool is_there(const spots *in, const spots *surplus, int row, const char *at, bool same_place) {
  if (row >= TELLING) return false;
  for (size_t i = 0; i < in->count; i++) {
    const spot *one = &in->items[i];
    if (one->row != row || (strcmp(one->place, at) == 0) != same_place) continue;
    if (surplus == NULL) return true;
    /* In the place itself one of the expected values is the mismatch's own. */
    if (count_of(in, row, one->place) + same_place > count_of(surplus, row, one->place)) return true;
  }
  return false;
}

static void test_random_documents(void **state) {
  (void)state;
  test_random random = test_random_start("value places", 61);
  ee_buffer texts[2] = {{0}, {0}};
  size_t asked = 0, found = 0;
  for (int turn = 0; turn < 3000; turn++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    ee_case source = {.id = EE_STR("a"), .candidate_state = EE_CANDIDATE_READ};
    spots lists[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++) {
      ee_buffer_clear(&texts[i]);
      /* Often the same document. */
      if (i == 1 && test_random_below(&random, 3) == 0) ee_buffer_add(&texts[1], texts[0].data, texts[0].length);
      if (texts[i].length == 0) add_document(&random, &texts[i], 0);
      const ee_value *document = fixture_json(&arena, ee_buffer_terminate(&texts[i]));
      if (i == 0) source.expected = document;
      if (i == 1) source.candidate = document;
      list_spots(&arena, document, "", "", &lists[i]);
    }
    /* All values may be asked for, or some of them. */
    ee_value_asks asks = {.texts = {0}};
    bool some = test_random_below(&random, 2) == 0;
    for (int k = 0; k < 2 && some; k++) {
      for (size_t i = 0; i < lists[k].count; i++) {
        lists[k].items[i].asked = test_random_below(&random, 2) == 0;
        if (lists[k].items[i].asked) ee_value_asks_add(&asks, lists[k].items[i].value, &arena);
      }
    }
    ee_value_places *places = ee_value_places_new(&source, some ? &asks : NULL, 1000, &arena);
    assert_non_null(places);
    for (size_t i = 0; i < lists[0].count && lists[1].count > 0; i++) {
      const spot *at = &lists[0].items[i], *other = &lists[1].items[test_random_below(&random, lists[1].count)];
      ee_finding finding = {.path = ee_str_from(at->path), .row = EE_NO_ROW};
      if (some && (!at->asked || !other->asked)) continue;
      for (int same = 0; same < 2; same++, asked++) {
        bool misplaced = is_there(&lists[1], &lists[0], at->row, at->place, same != 0);
        bool due = at->row != other->row && is_there(&lists[0], NULL, other->row, at->place, same != 0);
        found += misplaced;
        unsigned where = same != 0 ? EE_IN_ANOTHER_ROW : EE_IN_ANOTHER_FIELD;
        if (((ee_value_misplaced(places, at->value, &finding) & where) != 0) != misplaced ||
            ((ee_value_due_elsewhere(places, at->value, other->value, &finding) & where) != 0) != due)
          fail_msg("%s and %s: %s, %s place", texts[0].data, texts[1].data, at->path, same != 0 ? "same" : "other");
        /* Nothing is expected. */
        due = is_there(&lists[0], NULL, other->row, at->place, same != 0);
        assert_int_equal(ee_value_misplaced(places, NULL, &finding), 0);
        assert_int_equal((ee_value_due_elsewhere(places, NULL, other->value, &finding) & where) != 0, due);
      }
    }
    size_t count = lists[0].count + lists[1].count;
    if (count > 0) assert_null(ee_value_places_new(&source, NULL, count - 1, &arena));
    ee_arena_fini(&arena);
  }
  assert_in_range(found, asked / 50, asked - asked / 50);
  for (int i = 0; i < 2; i++) ee_buffer_fini(&texts[i]);
}

/* The candidate has `written` in another field as it is in folded case. */
static void assert_found(const char *written, const char *folded) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  char text[200];
  snprintf(text, sizeof text, "{\"a\":\"%s\"}", written);
  ee_case source = {.id = EE_STR("a"), .candidate_state = EE_CANDIDATE_READ, .expected = fixture_json(&arena, text)};
  snprintf(text, sizeof text, "{\"b\":\"%s\"}", folded);
  source.candidate = fixture_json(&arena, text);
  const ee_value *expected = ee_value_child(source.expected);
  ee_value_asks asks = {.texts = {0}};
  ee_value_asks_add(&asks, expected, &arena);
  ee_value_places *places = ee_value_places_new(&source, &asks, 1000, &arena);
  ee_finding finding = {.path = EE_STR("a"), .row = EE_NO_ROW};
  if (ee_value_misplaced(places, expected, &finding) != EE_IN_ANOTHER_FIELD) fail_msg("'%s' and '%s'", written, folded);
  ee_arena_fini(&arena);
}

/* Every code point that has another folded case, alone and among others. */
static void test_folded(void **state) {
  (void)state;
  static const uint8_t forms[] = {EE_NORMAL_CASEFOLD};
  size_t tried = 0;
  for (uint32_t c = 'A'; c < 0x110000; c++) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    ee_arena arena;
    ee_arena_init(&arena, 0);
    char bytes[4], written[100], folded[100];
    ee_str one = {bytes, ee_utf8_encode(c, bytes)}, other = ee_normalize(one, forms, 1, &arena);
    if (!ee_str_equal(one, other)) {
      snprintf(written, sizeof written, "%.*s%.*s%.*s", EE_STR_ARG(one), EE_STR_ARG(one), EE_STR_ARG(one));
      snprintf(folded, sizeof folded, "%.*s%.*s%.*s", EE_STR_ARG(other), EE_STR_ARG(other), EE_STR_ARG(other));
      assert_found(written, folded);
      snprintf(written, sizeof written, "%.*sBcd", EE_STR_ARG(one));
      snprintf(folded, sizeof folded, "%.*sbcd", EE_STR_ARG(other));
      assert_found(written, folded);
      tried++;
    }
    ee_arena_fini(&arena);
  }
  assert_true(tried > 1300);
}

/* Numbers of all sizes in several spellings. */
static void test_numbers(void **state) {
  (void)state;
  test_random random = test_random_start("value places: numbers", 62);
  for (int i = 0; i < 20000; i++) {
    char plain[64], other[80];
    unsigned long long whole = test_random_bits(&random) >> (4 + test_random_below(&random, 58));
    whole += 100 - whole % 10; /* at least three digits */
    whole += 1 + test_random_below(&random, 9);
    int decimals = (int)test_random_below(&random, 6), zeros = (int)test_random_below(&random, 4);
    unsigned long long power = 1;
    for (int k = 0; k < decimals; k++) power *= 10;
    if (decimals == 0)
      snprintf(plain, sizeof plain, "%llu", whole);
    else
      snprintf(plain, sizeof plain, "%llu.%0*llu", whole / power, decimals, whole % power);
    snprintf(other, sizeof other, "%.60s%s%.*s", plain, decimals == 0 && zeros > 0 ? "." : "", zeros, "0000");
    if (test_random_below(&random, 3) == 0) snprintf(other, sizeof other, "%llue-%d", whole, decimals);
    ee_arena arena;
    ee_arena_init(&arena, 0);
    char text[200];
    snprintf(text, sizeof text, "{\"a\":%s}", plain);
    ee_case source = {.id = EE_STR("a"), .candidate_state = EE_CANDIDATE_READ, .expected = fixture_json(&arena, text)};
    snprintf(text, sizeof text, "{\"b\":\"%s\"}", other);
    source.candidate = fixture_json(&arena, text);
    const ee_value *values[2] = {ee_value_child(source.expected), ee_value_child(source.candidate)};
    for (int side = 0; side < 2; side++) {
      ee_value_asks asks = {.texts = {0}};
      ee_value_asks_add(&asks, values[side], &arena);
      ee_value_places *places = ee_value_places_new(&source, &asks, 1000, &arena);
      ee_finding finding = {.path = EE_STR("a"), .row = EE_NO_ROW};
      if (ee_value_misplaced(places, values[side], &finding) != EE_IN_ANOTHER_FIELD)
        fail_msg("%s and '%s'", plain, other);
    }
    ee_arena_fini(&arena);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_random_documents), cmocka_unit_test(test_folded),
             cmocka_unit_test(test_numbers));
