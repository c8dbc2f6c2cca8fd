/* test_compat.c: the rule files of rules/compat against the tools whose numbers they give.
 *
 * compat_NAME.jsonl holds, for rules/compat/NAME.lua: inputs (from the tool's own tests and documentation, and some
 * made to try corners), the config, and in `want` what the tool says: its score, and numbers that are in `details`.
 * Where our value differs by decision, `deviates` has ours and the reason. */
#include "peers/judged_row.h"

static const struct {
  const char *name;
  size_t held, deviating;
} files[] = {
    {"anls", 72, 4},       {"autoevals", 53, 1},         {"docile", 18, 0}, {"extract_eval", 87, 11},
    {"json_diff", 53, 3},  {"nervaluate", 56, 1},        {"omni", 32, 2},   {"squad", 48, 2},
    {"stickler", 177, 11}, {"structured_values", 63, 6},
};

/* Adds what of `theirs` is not in `ours`, as "details.kile.f1=0.5". */
static void compare_inside(ee_buffer *differences, const char *name, const ee_value *theirs, const ee_value *ours) {
  if (ee_type_of(theirs) != EE_OBJECT || ee_type_of(ours) != EE_OBJECT) {
    compare(differences, name, theirs, ours);
    return;
  }
  for (const ee_value *one = ee_value_child(theirs); one != NULL; one = ee_value_next(one)) {
    char inner[512];
    snprintf(inner, sizeof inner, "%s%s%s", name, *name != '\0' ? "." : "", one->json.string);
    compare_inside(differences, inner, one, ee_value_member(ours, ee_value_key(one), NULL));
  }
}

static void assert_row_is_complete(const ee_value *row) {
  static const char *const members[] = {"id",   "name",   "config",   "expected", "candidate",
                                        "want", "source", "deviates", "pccs",     "words"};
  assert_known_members(row, members, sizeof members / sizeof *members);
  const ee_value *want = member(row, "want"), *deviates = member(row, "deviates");
  static const char *const wanted[] = {"score", "details"};
  assert_known_members(want, wanted, sizeof wanted / sizeof *wanted);
  assert_true(ee_type_of(member(want, "score")) == EE_NUMBER);
  assert_true(strlen(text_of(member(row, "source"))) > 10);
  if (deviates == NULL) return;
  assert_known_members(member(deviates, "want"), wanted, sizeof wanted / sizeof *wanted);
  assert_true(strlen(text_of(member(deviates, "reason"))) > 20);
}

/* Judges the rows of a file; false with a message for each that does not hold. */
static bool file_holds(const char *name, size_t held, size_t deviating) {
  char data[256], rules[256];
  snprintf(data, sizeof data, "tests/peers/compat_%s.jsonl", name);
  snprintf(rules, sizeof rules, "rules/compat/%s.lua", name);
  const char *path = test_project_path(rules);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer text;
  ee_buffer_init(&text);
  size_t count, found[2] = {0}, wrong = 0;
  const ee_value **rows = read_rows(data, &arena, &count);
  for (size_t i = 0; i < count; i++) {
    assert_row_is_complete(rows[i]);
    const ee_value *ours = read_json(&arena, judge_row(rows[i], path, &arena));
    const ee_value *deviates = member(rows[i], "deviates");
    ee_buffer_clear(&text);
    compare_inside(&text, "", member(rows[i], "want"), ours);
    bool same = text.length == 0;
    if (deviates != NULL) {
      ee_buffer_clear(&text);
      if (same) ee_buffer_add_text(&text, "no longer deviates");
      compare_inside(&text, "", member(deviates, "want"), ours);
    }
    found[deviates != NULL] += text.length == 0;
    if (text.length == 0) continue;
    print_error("%s: %s\n", text_of(member(rows[i], "id")), ee_buffer_terminate(&text));
    wrong++;
  }
  print_message("%s: %zu held, %zu deviating, %zu wrong\n", name, found[0], found[1], wrong);
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
  return wrong == 0 && found[0] == held && found[1] == deviating;
}

static void test_files(void **state) {
  (void)state;
  bool holds = true;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    holds = file_holds(files[i].name, files[i].held, files[i].deviating) && holds;
  }
  assert_true(holds);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_files));
