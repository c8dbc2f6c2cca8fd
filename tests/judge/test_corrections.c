/* test_corrections.c: edits of a case: known ones made by hand, and random ones that are found again. */
#include "judge/corrections.h"

#include "judge/plan_fixture.h"
#include "support/random.h"

#define FIELDS "{\"ee\":\"fields\",\"name\":\"header\",\"items\":["
#define EXACT(path) "{\"ee\":\"exact\",\"items\":[\"" path "\"]}"
#define OPTIONAL(path) "{\"ee\":\"exact\",\"required\":false,\"items\":[\"" path "\"]}"
#define RULES(judges) "{\"ee\":\"rules\",\"items\":[" judges "]}"
#define HEADER RULES(FIELDS EXACT("a") "," EXACT("b") "," OPTIONAL("c") "]}")
#define TABLE                                                                                                          \
  "{\"ee\":\"line_items\",\"name\":\"rows\",\"items\":[\"rows\"],\"match\":{\"method\":\"key\",\"key\":\"k\"}}"

#define BELOW                                                                                                          \
  "{\"ee\":\"line_items\",\"name\":\"rows\",\"items\":[\"rows\"," EXACT(                                               \
      "v") ",{\"ee\":\"line_items\",\"items\":[\"in\"," EXACT("w") "]}],\"match\":\"k\",\"below_threshold\":"          \
                                                                   "\"incorrect\"}"

typedef struct expected_edits {
  const char *rules, *expected, *candidate; /* candidate NULL: missing */
  uint64_t kinds[EE_CORRECTION_KINDS], row_values, optional, checks;
  bool straight;
} expected_edits;

static void check(const expected_edits *want) {
  fixture f;
  fixture_open(&f);
  fixture_judge_rules(&f, want->rules, want->expected, want->candidate);
  const ee_corrections *got = &f.result.corrections;
  for (int i = 0; i < EE_CORRECTION_KINDS; i++)
    if (got->kinds[i] != want->kinds[i])
      fail_msg("%s | %s: %s is %d, not %d", want->expected, want->candidate, ee_correction_name((ee_correction_kind)i),
               (int)got->kinds[i], (int)want->kinds[i]);
  if (got->row_values != want->row_values || got->optional != want->optional || got->checks != want->checks ||
      got->straight_through != want->straight)
    fail_msg("%s | %s: row values %d, optional %d, checks %d, straight %d", want->expected, want->candidate,
             (int)got->row_values, (int)got->optional, (int)got->checks, got->straight_through);
  fixture_close(&f);
}

static void test_edits_by_hand(void **state) {
  (void)state;
  static const expected_edits cases[] = {
      {HEADER, "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}", .straight = true},
      {HEADER, "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":3}", .kinds = {1, 0, 0, 0, 0}},
      {HEADER, "{\"a\":1,\"b\":2}", "{\"a\":1}", .kinds = {0, 1, 0, 0, 0}},
      {HEADER, "{\"a\":1}", "{\"a\":1,\"b\":2}", .kinds = {0, 0, 1, 0, 0}},
      {HEADER, "{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":\"\"}", .kinds = {1, 1, 0, 0, 0}},
      /* An optional value may be missing, but not wrong, and not invented. */
      {HEADER, "{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":1,\"b\":2}", .optional = 1, .straight = true},
      {HEADER, "{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":1,\"b\":2,\"c\":4}", .kinds = {1, 0, 0, 0, 0}},
      {HEADER, "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2,\"c\":4}", .kinds = {0, 0, 1, 0, 0}},
      /* Without an answer everything is missing, and where there is nothing to miss it does not go through either. */
      {HEADER, "{\"a\":1,\"b\":2,\"c\":3}", NULL, .kinds = {0, 2, 0, 0, 0}, .optional = 1},
      {HEADER, "{\"c\":3}", NULL, .optional = 1},
      {HEADER, "{}", NULL, .straight = false},
      {HEADER, "{}", "{}", .straight = true},
      /* Rows are one edit each, with their values apart. */
      {RULES(TABLE), "{\"rows\":[{\"k\":1,\"v\":2},{\"k\":2,\"v\":3}]}",
       "{\"rows\":[{\"k\":2,\"v\":3},{\"k\":1,\"v\":2}]}", .straight = true},
      {RULES(TABLE), "{\"rows\":[{\"k\":1,\"v\":2},{\"k\":2,\"v\":3,\"w\":4}]}", "{\"rows\":[{\"k\":1,\"v\":5}]}",
       .kinds = {1, 0, 0, 1, 0}, .row_values = 3},
      {RULES(TABLE), "{\"rows\":[{\"k\":1,\"v\":2}]}", "{\"rows\":[{\"k\":1},{\"k\":3,\"v\":5}]}",
       .kinds = {0, 1, 0, 0, 1}},
      {RULES(TABLE), "{\"rows\":[]}", "{\"rows\":\"none\"}", .kinds = {0, 0, 1, 0, 0}},
      {RULES(TABLE), "{\"rows\":[{\"k\":1}]}", NULL, .kinds = {0, 0, 0, 1, 0}, .row_values = 1},
      /* So is a pair of rows below the threshold, where it has no values that are edits of their own. */
      {RULES(BELOW), "{\"rows\":[{\"k\":\"abcd\",\"v\":1}]}", "{\"rows\":[{\"k\":\"abyz\",\"v\":1}]}",
       .kinds = {1, 0, 0, 0, 0}},
      {RULES(BELOW), "{\"rows\":[{\"k\":\"abcd\"}]}", "{\"rows\":[{\"k\":\"abyz\"}]}", .kinds = {1, 0, 0, 0, 0}},
      {RULES(BELOW), "{\"rows\":[{\"k\":\"abcd\",\"in\":[{\"w\":1},{\"w\":2}]}]}",
       "{\"rows\":[{\"k\":\"abyz\",\"in\":[{\"w\":1}]}]}", .kinds = {0, 0, 0, 2, 1}, .row_values = 2},
      /* What two judges find wrong is one edit. */
      {RULES(FIELDS EXACT("a") "," EXACT("b") "]},{\"ee\":\"quality\",\"name\":\"q\"}"), "{\"a\":1,\"b\":2,\"d\":4}",
       "{\"a\":9,\"d\":5}", .kinds = {2, 1, 0, 0, 0}},
      {RULES(FIELDS EXACT("a") ",{\"ee\":\"exact\",\"name\":\"again\",\"items\":[\"a\"]}]}"), "{\"a\":1}", "{\"a\":9}",
       .kinds = {1, 0, 0, 0, 0}},
      /* What one judge cannot read or does not require, and another one finds wrong or missing, is an edit: either
         first. */
      {RULES(FIELDS
             "{\"ee\":\"numeric\",\"items\":[\"a\"]}]},{\"ee\":\"fields\",\"name\":\"x\",\"items\":[" EXACT("a") "]}"),
       "{\"a\":\"x\"}", "{\"a\":\"y\"}", .kinds = {1, 0, 0, 0, 0}},
      {RULES(FIELDS EXACT(
           "a") "]},{\"ee\":\"fields\",\"name\":\"x\",\"items\":[{\"ee\":\"numeric\",\"items\":[\"a\"]}]}"),
       "{\"a\":\"x\"}", "{}", .kinds = {0, 1, 0, 0, 0}},
      {RULES(FIELDS OPTIONAL("a") "]},{\"ee\":\"fields\",\"name\":\"x\",\"items\":[" EXACT("a") "]}"), "{\"a\":1}",
       "{}", .kinds = {0, 1, 0, 0, 0}},
      {RULES(FIELDS EXACT("a") "]},{\"ee\":\"fields\",\"name\":\"x\",\"items\":[" OPTIONAL("a") "]}"), "{\"a\":1}",
       "{}", .kinds = {0, 1, 0, 0, 0}},
      {RULES(FIELDS OPTIONAL("a") "]},{\"ee\":\"fields\",\"name\":\"x\",\"items\":[{\"ee\":\"numeric\",\"items\":"
                                  "[\"a\"],\"required\":false}]}"),
       "{\"a\":\"x\"}", "{}", .optional = 1, .straight = true},
      {RULES(FIELDS EXACT("b") ",{\"ee\":\"numeric\",\"items\":[\"a\"]}]}"), "{\"a\":\"x\",\"b\":2}",
       "{\"a\":1,\"b\":2}", .straight = true},
      /* Values that are nowhere are not the same one. */
      {RULES(FIELDS EXACT("a") "," EXACT("b") "," EXACT("c") "]}"), "{\"a\":1,\"b\":1,\"c\":1}", NULL,
       .kinds = {0, 3, 0, 0, 0}},
      /* A judge of weight 0 is for information. */
      {RULES("{\"ee\":\"fields\",\"name\":\"x\",\"weight\":0,\"items\":[" EXACT("a") "]}," FIELDS EXACT("b") "]}"),
       "{\"a\":1,\"b\":2}", "{\"a\":9,\"b\":2}", .straight = true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

/* A case of two judges without values or counts. The second one is as said; the first one gives 1. */
static void test_a_judge_among_others(void **state) {
  (void)state;
  static const ee_judge_type checks = {.name = "schema"};
  static const ee_corrections inner_right = {.straight_through = true}, inner_broken = {.straight_through = false},
                              inner_wrong = {.kinds = {1, 2, 3, 4, 5}, .row_values = 6, .optional = 7, .checks = 8};
  static const ee_attribute declared[] = {{.name = {"sum", 3}, .derived = true}, {.name = {"cat", 3}}};
  static const ee_attribute_result counted[] = {{.slot = 0, .counts = {.fp = 5, .fn = 9}},
                                                {.slot = 1, .counts = {.tp = 4, .fp = 1, .fn = 3}},
                                                {.slot = -1, .counts = {.fp = 4, .fn = 2}}};
  static const struct {
    ee_judge_result result;
    double weight;
    const char *score_error;
    bool unscored; /* the case */
    ee_corrections wanted;
  } rows[] = {
      {.result = {.score = 1}, .weight = 1, .wanted = {.straight_through = true}},
      {.result = {.score = 1 - 0x1p-51}, .weight = 1, .wanted = {.straight_through = true}},
      {.result = {.score = 1 - 0x1p-49}, .weight = 1, .wanted = {.checks = 1}},
      {.result = {.score = 0}, .weight = 1, .wanted = {.checks = 1}},
      {.result = {.score = 0}, .weight = 0, .wanted = {.straight_through = true}},
      {.result = {.score = 0, .unscored = true}, .weight = 1, .wanted = {.straight_through = true}},
      {.result = {.score = 1, .failed = true}, .weight = 1, .wanted = {.straight_through = false}},
      {.result = {.score = 1, .failed = true}, .weight = 0, .wanted = {.straight_through = true}},
      {.result = {.score = 1}, .weight = 1, .score_error = "oops", .wanted = {.straight_through = false}},
      {.result = {.score = 1}, .weight = 1, .unscored = true, .wanted = {.straight_through = false}},
      {.result = {.corrections = &inner_right}, .weight = 1, .wanted = {.straight_through = true}},
      {.result = {.corrections = &inner_broken}, .weight = 1, .wanted = {.straight_through = false}},
      {.result = {.corrections = &inner_wrong},
       .weight = 1,
       .wanted = {.kinds = {1, 2, 3, 4, 5}, .row_values = 6, .optional = 7, .checks = 8}},
      {.result = {.corrections = &inner_wrong}, .weight = 0, .wanted = {.straight_through = true}},
      /* Of counts each false positive with a false negative is a change; derived ones are others once more. */
      {.result = {.attributes = counted, .attribute_count = 3}, .weight = 1, .wanted = {.kinds = {3, 2, 2}}},
      {.result = {.attributes = counted, .attribute_count = 1}, .weight = 1, .wanted = {.straight_through = true}},
  };
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const ee_judge judges[2] = {
        {.type = &checks, .weight = 1},
        {.type = &checks, .weight = rows[i].weight, .attributes = declared, .attribute_count = 2}};
    ee_judge_result results[2] = {{.judge = &judges[0], .score = 1}, rows[i].result};
    results[1].judge = &judges[1];
    const ee_case source = {.candidate_state = EE_CANDIDATE_READ};
    ee_case_result result = {.source = &source, .judges = results, .judge_count = 2, .unscored = rows[i].unscored};
    if (rows[i].score_error != NULL) result.score_error = ee_str_from(rows[i].score_error);
    ee_corrections got = ee_corrections_of(&result, &scratch);
    const ee_corrections *want = &rows[i].wanted;
    if (memcmp(got.kinds, want->kinds, sizeof got.kinds) != 0 || got.row_values != want->row_values ||
        got.optional != want->optional || got.checks != want->checks || got.straight_through != want->straight_through)
      fail_msg("row %zu: changed %d, missing %d, removed %d, checks %d, straight %d", i, (int)got.kinds[0],
               (int)got.kinds[1], (int)got.kinds[2], (int)got.checks, got.straight_through);
  }
  ee_arena_fini(&scratch);
}

/* Random edits ----------------------------------------------------------------------------------- */

enum { FIELD_COUNT = 6, ROW_COUNT = 6, CELLS = 3, ROUNDS = 4000 };

/* Writes both documents of a case, with edits that are counted as they are made. */
static void make_case(test_random *random, ee_buffer *expected, ee_buffer *candidate, expected_edits *want) {
  ee_buffer_add_text(expected, "{");
  ee_buffer_add_text(candidate, "{");
  unsigned rate = (unsigned)test_random_below(random, 4);
  for (unsigned i = 0; i < FIELD_COUNT; i++) {
    bool optional = i + 1 == FIELD_COUNT, edit = test_random_below(random, 4) < rate;
    unsigned left = (unsigned)test_random_below(random, 4) == 0 ? 0 : 10 + i, right = left;
    if (edit) {
      if (left == 0)
        right = 20, want->kinds[EE_CORRECTION_REMOVED]++;
      else if (test_random_below(random, 2) == 0)
        right = 0, *(optional ? &want->optional : &want->kinds[EE_CORRECTION_MISSING]) += 1;
      else
        right = 30, want->kinds[EE_CORRECTION_CHANGED]++;
    }
    if (left > 0) ee_buffer_addf(expected, "\"f%u\":%u,", i, left);
    if (right > 0) ee_buffer_addf(candidate, "\"f%u\":%u,", i, right);
  }
  ee_buffer_add_text(expected, "\"rows\":[");
  ee_buffer_add_text(candidate, "\"rows\":[");
  bool any[2] = {false, false};
  for (unsigned row = 0; row < ROW_COUNT; row++) {
    unsigned fate = (unsigned)test_random_below(random, 6); /* 0 missing, 1 extra, else in both */
    if (test_random_below(random, 4) >= rate) fate = 5;
    unsigned values = 1;
    if (fate != 1) ee_buffer_addf(expected, "%s{\"k\":%u", any[0] ? "," : "", row);
    if (fate != 0) ee_buffer_addf(candidate, "%s{\"k\":%u", any[1] ? "," : "", row);
    any[0] |= fate != 1;
    any[1] |= fate != 0;
    for (unsigned cell = 0; cell < CELLS; cell++) {
      unsigned left = test_random_below(random, 3) == 0 ? 0 : 5 + cell, right = left;
      values += left > 0;
      if (fate > 1 && test_random_below(random, 8) < rate) {
        right = left == 0 ? 40 : test_random_below(random, 2) == 0 ? 0 : 50;
        want->kinds[left == 0 ? EE_CORRECTION_REMOVED : right == 0 ? EE_CORRECTION_MISSING : EE_CORRECTION_CHANGED]++;
      }
      if (fate != 1 && left > 0) ee_buffer_addf(expected, ",\"c%u\":%u", cell, left);
      if (fate != 0 && right > 0) ee_buffer_addf(candidate, ",\"c%u\":%u", cell, right);
    }
    if (fate != 1) ee_buffer_add_text(expected, "}");
    if (fate != 0) ee_buffer_add_text(candidate, "}");
    if (fate == 0) want->kinds[EE_CORRECTION_ROW_ADDED]++, want->row_values += values;
    want->kinds[EE_CORRECTION_ROW_REMOVED] += fate == 1;
  }
  ee_buffer_add_text(expected, "]}");
  ee_buffer_add_text(candidate, "]}");
  want->expected = ee_buffer_terminate(expected);
  want->candidate = ee_buffer_terminate(candidate);
  uint64_t sum = 0;
  for (int i = 0; i < EE_CORRECTION_KINDS; i++) sum += want->kinds[i];
  want->straight = sum == 0;
}

static void test_random_edits_are_found_again(void **state) {
  (void)state;
  static const char *const rules[] = {
      RULES(FIELDS EXACT("f0") "," EXACT("f1") "," EXACT("f2") "," EXACT("f3") "," EXACT("f4") "," OPTIONAL(
          "f5") "]}," TABLE),
      /* The same twice: each value is judged by two judges. */
      RULES(FIELDS EXACT("f0") "," EXACT("f1") "," EXACT("f2") "," EXACT("f3") "," EXACT("f4") "," OPTIONAL(
          "f5") "]}," TABLE ",{\"ee\":\"fields\",\"name\":\"again\",\"items\":[" EXACT("f0") "," EXACT("f3") "]}"),
  };
  test_random random = test_random_start("corrections", 20261122);
  ee_buffer expected, candidate;
  ee_buffer_init(&expected);
  ee_buffer_init(&candidate);
  for (size_t round = 0; round < ROUNDS; round++) {
    ee_buffer_clear(&expected);
    ee_buffer_clear(&candidate);
    expected_edits want = {.rules = rules[round % 2]};
    make_case(&random, &expected, &candidate, &want);
    check(&want);
  }
  ee_buffer_fini(&expected);
  ee_buffer_fini(&candidate);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_edits_by_hand), cmocka_unit_test(test_a_judge_among_others),
             cmocka_unit_test(test_random_edits_are_found_again));
