/* test_misfit.c: what the rules cannot read and cannot find, counted over random records against a slow twin, whole and
 * in parts. */
#include <string.h>

#include "judge/plan_fixture.h"
#include "judge/strategy/strategy.h"
#include "run/misfit.h"
#include "support/random.h"

#define RULES                                                                                                          \
  "{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":\"numeric\",\"items\":[\"a\"]},"                 \
  "{\"ee\":\"exact\",\"items\":[\"b\"]}]}]}"

/* A value, the number it is, and what reads it. */
static const struct {
  const char *json;
  int number;
  bool plain, money, comma;
} values[] = {
    {"5", 5, true, true, true},           {"\"5\"", 5, true, true, true},           {"7", 7, true, true, true},
    {"\"$5\"", 5, false, true, false},    {"\"1,5\"", 0, false, false, true},       {"\"x\"", 0, false, false, false},
    {"true", 0, false, false, false},     {"null", 0, false, false, false},         {NULL, 0, false, false, false},
    {"\"7 EUR\"", 7, false, true, false}, {"\"2,25 EUR\"", 0, false, false, false},
};
enum { VALUES = sizeof values / sizeof *values };

static bool is_empty(size_t v) { return values[v].json == NULL || strcmp(values[v].json, "null") == 0; }

typedef struct twin {
  ee_counts counts;
  uint64_t unread[2], money[2], comma[2];
  size_t first[2], first_case[2];
} twin;

static void twin_note(twin *t, int side, size_t v, size_t number) {
  char id[24], first[24];
  snprintf(id, sizeof id, "%zu", number);
  snprintf(first, sizeof first, "%zu", t->first_case[side]);
  if (t->unread[side]++ == 0 || strcmp(id, first) < 0) {
    t->first[side] = v;
    t->first_case[side] = number;
  }
  t->money[side] += values[v].money;
  t->comma[side] += values[v].comma;
}

static void twin_add(twin *t, size_t e, size_t c, size_t number) {
  bool same = !is_empty(e) && !is_empty(c) && strcmp(values[e].json, values[c].json) == 0;
  bool bad_expected = !is_empty(e) && !values[e].plain && !same,
       bad_candidate = !is_empty(c) && !values[c].plain && !same;
  if (is_empty(e) && is_empty(c)) {
    t->counts.tn++;
  } else if (is_empty(e)) {
    t->counts.fp++;
  } else if (is_empty(c)) {
    t->counts.fn += values[e].plain;
    t->counts.unread += !values[e].plain;
  } else if (same || (values[e].plain && values[c].plain && values[e].number == values[c].number)) {
    t->counts.tp++;
  } else if (bad_expected) {
    t->counts.unread++;
  } else {
    t->counts.fp++;
    t->counts.fn++;
    t->counts.wrong++;
  }
  t->counts.unread_candidates += bad_candidate;
  if (bad_expected) twin_note(t, EE_EXPECTED, e, number);
  if (bad_candidate) twin_note(t, EE_CANDIDATE, c, number);
}

static void write_document(size_t v, ee_buffer *out) {
  ee_buffer_clear(out);
  ee_buffer_add_text(out, "{");
  if (values[v].json != NULL) ee_buffer_addf(out, "\"a\":%s", values[v].json);
  ee_buffer_add_text(out, "}");
}

static void assert_side(const ee_attribute_total *total, const twin *t, ee_document_side side) {
  if (t->unread[side] == 0) {
    assert_true(total->unread == NULL || total->unread->sides[side].count == 0);
    return;
  }
  const ee_unread_side *found = &total->unread->sides[side];
  assert_int_equal(found->count, t->unread[side]);
  for (size_t i = 0; found->strategy->remedies[i].option != NULL; i++) {
    const char *option = found->strategy->remedies[i].option;
    if (strcmp(option, "format = \"money\"") == 0) assert_int_equal(found->by_remedy[i], t->money[side]);
    if (strcmp(option, "decimal = \",\"") == 0) assert_int_equal(found->by_remedy[i], t->comma[side]);
  }
  char id[24];
  snprintf(id, sizeof id, "%zu", t->first_case[side]);
  assert_true(ee_str_is(found->example.id, id));
  const char *json = values[t->first[side]].json;
  size_t quote = json[0] == '"';
  assert_int_equal(found->example.text.length, strlen(json) - 2 * quote);
  assert_memory_equal(found->example.text.data, json + quote, found->example.text.length);
}

static void assert_same_notes(const ee_judge *judge, const ee_judge_total *a, const ee_judge_total *b) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_misfit_list x = ee_misfits_of(judge, a, false, &arena), y = ee_misfits_of(judge, b, false, &arena);
  assert_int_equal(x.count, y.count);
  for (size_t i = 0; i < x.count; i++) assert_true(ee_str_equal(x.items[i].text, y.items[i].text));
  ee_arena_fini(&arena);
}

/* Records whose ids are in no order, in parts of random size. */
static void check_run(test_random *random, size_t cases) {
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES);
  ee_totals whole, merged, part;
  ee_totals_init(&whole, f.plan);
  ee_totals_init(&merged, f.plan);
  ee_totals_init(&part, f.plan);
  ee_buffer left = {0}, right = {0};
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  twin t = {0};
  size_t vocabulary = 1 + test_random_below(random, VALUES);
  for (size_t i = 0; i < cases; i++) {
    size_t e = test_random_below(random, vocabulary), c = test_random_below(random, vocabulary);
    write_document(e, &left);
    write_document(c, &right);
    fixture_judge_case(&f, ee_buffer_terminate(&left), ee_buffer_terminate(&right));
    char id[24];
    size_t number = i * 37 % 101;
    int length = snprintf(id, sizeof id, "%zu", number);
    f.current.id = (ee_str){id, (size_t)length};
    twin_add(&t, e, c, number);
    ee_totals_add(&whole, &f.result, &scratch);
    ee_totals_add(&part, &f.result, &scratch);
    if (test_random_below(random, 7) > 0) continue;
    ee_totals_merge(&merged, &part);
    ee_totals_clear(&part);
  }
  ee_totals_merge(&merged, &part);
  for (int k = 0; k < 2; k++) {
    const ee_attribute_total *total = &(k == 0 ? &whole : &merged)->all.judges[0].attributes[0];
    assert_memory_equal(&total->counts, &t.counts, sizeof t.counts);
    assert_side(total, &t, EE_EXPECTED);
    assert_side(total, &t, EE_CANDIDATE);
  }
  assert_same_notes(f.plan->judges[0], &whole.all.judges[0], &merged.all.judges[0]);
  ee_buffer_fini(&left);
  ee_buffer_fini(&right);
  ee_arena_fini(&scratch);
  ee_totals_fini(&part);
  ee_totals_fini(&merged);
  ee_totals_fini(&whole);
  fixture_close(&f);
}

static void test_unread_against_twin(void **state) {
  (void)state;
  test_random random = test_random_start("misfit", 1203);
  for (int round = 0; round < 200; round++) check_run(&random, 1 + test_random_below(&random, 80));
}

/* A path that one side calls differently: the same name is found however the records are split. */
static void test_absent_paths_in_parts(void **state) {
  (void)state;
  test_random random = test_random_start("misfit paths", 1204);
  for (int round = 0; round < 60; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    ee_buffer text;
    ee_buffer_init(&text);
    ee_absent_path whole = {0}, merged = {0}, part = {0};
    size_t cases = 1 + test_random_below(&random, 60);
    for (size_t i = 0; i < cases; i++) {
      int number = (int)test_random_below(&random, 3);
      ee_value *object = ee_value_new(&arena, EE_OBJECT);
      if (test_random_below(&random, 5) > 0)
        ee_value_set(&arena, object, EE_STR("vendor"), ee_value_new_number(&arena, number));
      ee_value_set(&arena, object, EE_STR("other"), ee_value_new_number(&arena, (double)test_random_below(&random, 9)));
      ee_absence absence = {.value = ee_value_new_number(&arena, number)};
      absence.around[EE_CANDIDATE] = object;
      ee_attribute_result attribute = {.there = {true, false}, .absence = &absence};
      ee_str id = ee_str_from(ee_arena_printf(&arena, "%zu", i * 7 % 61));
      ee_absent_path_add(&whole, &arena, &attribute, id, &text);
      ee_absent_path_add(&part, &arena, &attribute, id, &text);
      if (test_random_below(&random, 5) > 0) continue;
      ee_absent_path_merge(&merged, &arena, &part);
      part = (ee_absent_path){0};
    }
    ee_absent_path_merge(&merged, &arena, &part);
    assert_int_equal(whole.sides[EE_CANDIDATE].cases, cases < EE_ABSENT_CASES ? cases : EE_ABSENT_CASES);
    assert_int_equal(whole.sides[EE_CANDIDATE].cases, merged.sides[EE_CANDIDATE].cases);
    for (size_t i = 0; i < whole.sides[EE_CANDIDATE].cases; i++) {
      const ee_case_example *a = &whole.sides[EE_CANDIDATE].items[i], *b = &merged.sides[EE_CANDIDATE].items[i];
      assert_true(ee_str_equal(a->id, b->id) && ee_str_equal(a->text, b->text));
      assert_true(i == 0 || ee_str_compare(a[-1].id, a->id) < 0);
    }
    ee_buffer_fini(&text);
    ee_arena_fini(&arena);
  }
}

/* Sentences ------------------------------------------------------------------------------------ */

/* The sentences about the first judge as "KIND FIELD: TEXT" (with "!" before those that are caused by the rules), one
 * a line; `cases` are pairs of documents, NULL a missing candidate. */
static void check_sentences(const char *rules, const char *const *cases, const char *expected) {
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, ee_arena_printf(&f.arena, "{\"ee\":\"rules\",\"items\":[%s]}", rules));
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  ee_totals totals;
  ee_totals_init(&totals, f.plan);
  for (size_t i = 0; cases[i] != NULL; i += 2) {
    fixture_judge_case(&f, cases[i], cases[i + 1]);
    f.current.id = ee_str_from(ee_arena_printf(&scratch, "%02zu", i / 2));
    ee_totals_add(&totals, &f.result, &scratch);
  }
  ee_misfit_list found = ee_misfits_of(f.plan->judges[0], &totals.all.judges[0], false, &scratch);
  ee_buffer text;
  ee_buffer_init(&text);
  for (size_t i = 0; i < found.count; i++) {
    const ee_misfit *misfit = &found.items[i];
    ee_buffer_addf(&text, "%s%s %.*s: %.*s\n", misfit->grave ? "!" : "", ee_misfit_kind_name(misfit->kind),
                   EE_STR_ARG(misfit->field), EE_STR_ARG(misfit->text));
  }
  if (strcmp(ee_buffer_terminate(&text), expected) != 0) fail_msg("%s\n%s\nis not\n%s", rules, text.data, expected);
  /* Of some cases only, nothing can be said of paths. */
  ee_misfit_list chosen = ee_misfits_of(f.plan->judges[0], &totals.all.judges[0], true, &scratch);
  for (size_t i = 0; i < chosen.count; i++)
    assert_true(chosen.items[i].kind != EE_MISFIT_NOWHERE && chosen.items[i].kind != EE_MISFIT_ONE_SIDE);
  ee_buffer_fini(&text);
  ee_totals_fini(&totals);
  ee_arena_fini(&scratch);
  fixture_close(&f);
}
#define CASES(...)                                                                                                     \
  (const char *const[]) { __VA_ARGS__, NULL }
#define FIELDS(one, two) "{\"ee\":\"fields\",\"items\":[" one "," two "]}"
#define EXACT(path) "{\"ee\":\"exact\",\"items\":[\"" path "\"]}"
#define QUALITY(options) "{\"ee\":\"quality\"," options "}"

/* Candidates that cannot be read are caused by the rules where an option reads more than half of them, and they are
 * more than one in 50 of the candidates: `read` of these can be read, `money` and `words` cannot. */
static void check_candidates(size_t read, size_t money, size_t words, bool grave) {
  const char *cases[2 * 120 + 1];
  size_t count = 0;
  for (size_t i = 0; i < read + money + words; i++) {
    cases[count++] = "{\"a\":5,\"b\":1}";
    cases[count++] = i < read           ? "{\"a\":5,\"b\":1}"
                     : i < read + money ? "{\"a\":\"$5\",\"b\":1}"
                                        : "{\"a\":\"x\",\"b\":1}";
  }
  cases[count] = NULL;
  char text[300], amount[40] = "", first[16];
  snprintf(first, sizeof first, "%02zu", read);
  size_t bad = money + words;
  if (money < bad)
    snprintf(amount, sizeof amount, "%zu of them", money);
  else
    snprintf(amount, sizeof amount, "%s", bad == 1 ? "it" : "all of them");
  snprintf(text, sizeof text, "%sunread_candidate a: %zu candidate value%s of 'a' %s%s, e.g. '%s' in case '%s'%s%s%s\n",
           grave ? "!" : "", bad, bad == 1 ? "" : "s", bad == 1 ? "is not " : "are not ",
           bad == 1 ? "a number" : "numbers", money > 0 ? "$5" : "x", first,
           money > 0 ? "; format = \"money\" reads " : "", money > 0 ? amount : "", "");
  check_sentences("{\"ee\":\"fields\",\"items\":[{\"ee\":\"numeric\",\"items\":[\"a\"]},{\"ee\":\"exact\",\"items\":"
                  "[\"b\"]}]}",
                  cases, text);
}

static void test_unread_candidates(void **state) {
  (void)state;
  check_candidates(10, 1, 0, true);
  check_candidates(10, 0, 1, false);
  check_candidates(10, 1, 1, false); /* half of them */
  check_candidates(10, 2, 1, true);
  check_candidates(10, 2, 2, false);
  check_candidates(48, 1, 0, true); /* one in 49 */
  check_candidates(49, 1, 0, false);
  check_candidates(97, 2, 0, true);
  check_candidates(98, 2, 0, false);
}

/* A field that one side has: what the other has instead, by equal values, by similar names, or not at all. */
static void test_fields_of_one_side(void **state) {
  (void)state;
  const char *const of_both = FIELDS(EXACT("a"), EXACT("v"));
  check_sentences(of_both, CASES("{\"a\":1,\"v\":5}", "{\"a\":1,\"w\":5}", "{\"a\":1,\"v\":6}", "{\"a\":1,\"w\":6}"),
                  "!one_side v: 'v' is in 2 expected values, in no candidate; candidates have 'w', equal in 2 of 2 "
                  "cases (candidate = \"w\")\n");
  check_sentences(of_both, CASES("{\"a\":1,\"w\":5}", "{\"a\":1,\"v\":5}"),
                  "!one_side v: 'v' is in 1 candidate, in no expected value; expected values have 'w', equal in 1 of 1 "
                  "cases\n");
  check_sentences(of_both, CASES("{\"a\":1,\"v\":5}", "{\"a\":1,\"w\":7}"),
                  "one_side v: 'v' is in 1 expected value, in no candidate\n");
  /* Values that cannot be read are values, too. */
  check_sentences(FIELDS(EXACT("a"), "{\"ee\":\"numeric\",\"items\":[\"v\"]}"),
                  CASES("{\"a\":1,\"v\":5}", "{\"a\":1}", "{\"a\":1,\"v\":\"x\"}", "{\"a\":1}"),
                  "!unread_expected v: 1 of 2 expected values of 'v' is not a number, e.g. 'x' in case '01'\n"
                  "one_side v: 'v' is in 2 expected values, in no candidate\n");
  /* Nothing is expected there: candidates may have more. */
  check_sentences(of_both, CASES("{\"a\":1}", "{\"a\":1,\"v\":5}"), "");
  /* A null is there, and no value. */
  check_sentences(of_both, CASES("{\"a\":1,\"v\":null}", "{\"a\":1,\"w\":5}"), "");
  check_sentences(of_both, CASES("{\"a\":1,\"w\":5}", "{\"a\":1,\"v\":null}"), "");
  /* What another field reads is not meant. */
  check_sentences(of_both, CASES("{\"a\":5,\"v\":5}", "{\"a\":5}"),
                  "one_side v: 'v' is in 1 expected value, in no candidate\n");
  /* By its name: no value agrees. */
  const char *const named = FIELDS(EXACT("a"), EXACT("vendor"));
  check_sentences(named,
                  CASES("{\"a\":1,\"vendor\":5}", "{\"a\":1,\"vender\":7}", "{\"a\":1,\"vendor\":6}", "{\"a\":1}"),
                  "!one_side vendor: 'vendor' is in 2 expected values, in no candidate; candidates have 'vender' "
                  "(candidate = \"vender\")\n");
  check_sentences(
      named, CASES("{\"a\":1,\"vender\":5}", "{\"a\":1,\"vendor\":7}"),
      "!one_side vendor: 'vendor' is in 1 candidate, in no expected value; expected values have 'vender'\n");
  /* In an object, with the steps before it; and an array where the object should be. */
  const char *const inside = FIELDS(EXACT("a"), EXACT("seller.name"));
  check_sentences(inside, CASES("{\"a\":1,\"seller\":{\"name\":\"x\"}}", "{\"a\":1,\"seller\":{\"title\":\"x\"}}"),
                  "!one_side seller.name: 'seller.name' is in 1 expected value, in no candidate; candidates have "
                  "'seller.title', equal in 1 of 1 cases (candidate = \"seller.title\")\n");
  check_sentences(inside, CASES("{\"a\":1,\"seller\":{\"name\":\"x\"}}", "{\"a\":1,\"seller\":[{\"name\":\"x\"}]}"),
                  "!one_side seller.name: 'seller.name' is in 1 expected value, in no candidate; candidates have an "
                  "array where an object should be\n");
  check_sentences(inside, CASES("{\"a\":1,\"seller\":[{\"name\":\"x\"}]}", "{\"a\":1,\"seller\":{\"name\":\"x\"}}"),
                  "!one_side seller.name: 'seller.name' is in 1 candidate, in no expected value; expected values have "
                  "an array where an object should be\n");
  /* Where a side has its own path, that is the one that is missing there. */
  check_sentences(FIELDS(EXACT("a"), "{\"ee\":\"exact\",\"items\":[\"v\"],\"candidate\":\"x.y\"}"),
                  CASES("{\"a\":1,\"v\":5}", "{\"a\":1,\"x\":{\"z\":5}}"),
                  "!one_side v: 'v' is in 1 expected value, in no candidate (at 'x.y'); candidates have 'x.z', equal "
                  "in 1 of 1 cases (candidate = \"x.z\")\n");
  /* One case that has it is enough. */
  check_sentences(of_both, CASES("{\"a\":1,\"v\":5}", "{\"a\":1,\"w\":5}", "{\"a\":1,\"v\":5}", "{\"a\":1,\"v\":5}"),
                  "");
}

/* Fields without a value on either side. */
static void test_fields_that_are_nowhere(void **state) {
  (void)state;
  const char *const fields = FIELDS(EXACT("a"), EXACT("vendor"));
  check_sentences(fields, CASES("{\"a\":1,\"vender\":2}", "{\"a\":1,\"vender\":3}"),
                  "!nowhere vendor: nothing at 'vendor' in any case, expected or candidate: did you mean 'vender'?\n");
  check_sentences(fields, CASES("{\"a\":1,\"zzz\":2}", "{\"a\":1}"),
                  "!nowhere vendor: nothing at 'vendor' in any case, expected or candidate: is the path right?\n");
  check_sentences(FIELDS(EXACT("vendor"), EXACT("a")), CASES("{\"a\":1,\"vender\":2}", "{\"a\":1,\"vender\":3}"),
                  "!nowhere vendor: nothing at 'vendor' in any case, expected or candidate: did you mean 'vender'?\n");
  /* With null it occurs; one that is not required may be absent. */
  check_sentences(fields, CASES("{\"a\":1,\"vendor\":null}", "{\"a\":1}"), "");
  check_sentences(fields, CASES("{\"a\":1}", "{\"a\":1,\"vendor\":null}"), "");
  check_sentences(FIELDS(EXACT("a"), "{\"ee\":\"exact\",\"items\":[\"note\"],\"required\":false}"),
                  CASES("{\"a\":1,\"zzz\":2}", "{\"a\":1}"),
                  "nowhere note: nothing at 'note' in any case, expected or candidate: is the path right?\n");
  /* All of them: one sentence. */
  check_sentences(fields, CASES("{\"b\":1}", "{\"b\":1}"),
                  "!nowhere : nothing to compare in any case, expected or candidate: is the path right?\n");
}

/* Ten are named, of the rest the number is said. */
static void test_many_at_once(void **state) {
  (void)state;
  for (size_t count = 9; count <= 13; count++) {
    ee_buffer rules = {0}, expected = {0}, candidate = {0}, sentences = {0};
    ee_buffer_add_text(&rules, "{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\",\"items\":[\"other\"]}");
    ee_buffer_add_text(&expected, "{\"other\":1");
    ee_buffer_add_text(&candidate, "{\"other\":1");
    for (size_t i = 0; i < count; i++) {
      ee_buffer_addf(&rules, ",{\"ee\":\"numeric\",\"items\":[\"f%02zu\"]}", i);
      ee_buffer_addf(&expected, ",\"f%02zu\":\"x\"", i);
      ee_buffer_addf(&candidate, ",\"f%02zu\":1", i);
      if (i < 10)
        ee_buffer_addf(&sentences,
                       "!unread_expected f%02zu: 1 expected value of 'f%02zu' is not a number, e.g. 'x' in case '00'\n",
                       i, i);
    }
    ee_buffer_add_text(&rules, "]}");
    ee_buffer_add_text(&expected, "}");
    ee_buffer_add_text(&candidate, "}");
    if (count > 10)
      ee_buffer_addf(&sentences, "!unread_expected : values of %zu more attributes could not be read\n", count - 10);
    check_sentences(ee_buffer_terminate(&rules), CASES(ee_buffer_terminate(&expected), ee_buffer_terminate(&candidate)),
                    ee_buffer_terminate(&sentences));
    ee_buffer_clear(&rules);
    ee_buffer_clear(&sentences);
    for (size_t i = 0; i < count; i++) {
      ee_buffer_addf(&rules, "%s\"long_name_%02zu\":\"EXACT\"", i > 0 ? "," : "", i);
      if (i < 10)
        ee_buffer_addf(&sentences,
                       "!nowhere long_name_%02zu: nothing at 'long_name_%02zu' in any case, expected or candidate: is "
                       "the key right?\n",
                       i, i);
    }
    if (count > 10) ee_buffer_addf(&sentences, "!nowhere : nothing at %zu more paths in any case\n", count - 10);
    char *quality = malloc(rules.length + 100);
    snprintf(quality, rules.length + 100, QUALITY("\"strategies\":{%s}"), ee_buffer_terminate(&rules));
    check_sentences(quality, CASES("{\"other\":1}", "{\"other\":1}"), ee_buffer_terminate(&sentences));
    free(quality);
    ee_buffer_fini(&sentences);
    ee_buffer_fini(&candidate);
    ee_buffer_fini(&expected);
    ee_buffer_fini(&rules);
  }
}

/* Keys and paths of ee.quality that no case has, and what was probably meant. */
static void test_keys_of_quality(void **state) {
  (void)state;
  const char *const lines = "{\"lines\":[{\"text\":\"x\"}],\"customer\":{\"name\":\"y\"},\"empty\":[]}";
  static const struct {
    const char *rules, *expected;
  } facts[] = {
      {QUALITY("\"strategies\":{\"custmer\":\"EXACT\"}"),
       "!nowhere custmer: nothing at 'custmer' in any case, expected or candidate: did you mean 'customer'?\n"},
      /* A path where keys are compared: of an object, of the items of an array. */
      {QUALITY("\"strategies\":{\"customer.name\":\"EXACT\"}"),
       "!nowhere customer.name: nothing at 'customer.name' in any case, expected or candidate: that is a path: depth = "
       "\"leaves\"\n"},
      {QUALITY("\"strategies\":{\"lines[*].text\":\"EXACT\"}"),
       "!nowhere lines[*].text: nothing at 'lines[*].text' in any case, expected or candidate: that is a path: depth = "
       "\"leaves\"\n"},
      {QUALITY("\"strategies\":{\"other.x\":\"EXACT\"}"),
       "!nowhere other.x: nothing at 'other.x' in any case, expected or candidate: is the key right?\n"},
      {QUALITY("\"strategies\":{\"customer\":\"EXACT\",\"other.x\":\"EXACT\"}"),
       "!nowhere other.x: nothing at 'other.x' in any case, expected or candidate: is the key right?\n"},
      {QUALITY("\"strategies\":{\"customer\":\"EXACT\",\"customer.name\":\"EXACT\"}"),
       "!nowhere customer.name: nothing at 'customer.name' in any case, expected or candidate: that is a path: depth = "
       "\"leaves\"\n"},
      {QUALITY("\"strategies\":{\"[*].customer\":\"EXACT\"}"),
       "!nowhere [*].customer: nothing at '[*].customer' in any case, expected or candidate: is the key right?\n"},
      {QUALITY("\"strategies\":{\"[0].customer\":\"EXACT\"}"),
       "!nowhere [0].customer: nothing at '[0].customer' in any case, expected or candidate: is the key right?\n"},
      {QUALITY("\"depth\":\"leaves\",\"strategies\":{\"customr\":\"EXACT\"}"),
       "!nowhere customr: no leaf at 'customr' in any case, expected or candidate: is the path right?\n"},
      {QUALITY("\"depth\":\"leaves\",\"strategies\":{\"customer.nme\":\"EXACT\"}"),
       "!nowhere customer.nme: no leaf at 'customer.nme' in any case, expected or candidate: did you mean "
       "'customer.name'?\n"},
      {QUALITY("\"depth\":\"leaves\",\"strategies\":{\"empty\":\"EXACT\",\"empty.zz\":\"EXACT\"}"),
       "!nowhere empty.zz: no leaf at 'empty.zz' in any case, expected or candidate: it is inside 'empty', which is "
       "one "
       "leaf here\n"},
      {QUALITY("\"depth\":\"leaves\",\"strategies\":{\"customer.name\":\"EXACT\",\"zzz.q\":\"EXACT\"}"),
       "!nowhere zzz.q: no leaf at 'zzz.q' in any case, expected or candidate: is the path right?\n"},
      {QUALITY("\"depth\":\"leaves\",\"strategies\":{\"empty\":\"EXACT\",\"emptyxxxx.zz\":\"EXACT\",\"empty[0]\":"
               "\"EXACT\"}"),
       "!nowhere empty[0]: no leaf at 'empty[0]' in any case, expected or candidate: it is inside 'empty', which is "
       "one "
       "leaf here\n"
       "!nowhere emptyxxxx.zz: no leaf at 'emptyxxxx.zz' in any case, expected or candidate: is the path right?\n"},
      /* Without the path none of the keys can occur: that one is enough. */
      {QUALITY("\"items\":[\"invoce\"],\"strategies\":{\"a\":\"EXACT\",\"b\":\"EXACT\"}"),
       "!nowhere invoce: nothing at 'invoce' in any case, expected or candidate: is the path right?\n"},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    check_sentences(facts[i].rules, CASES(lines, lines), facts[i].expected);
}

/* Items that their match fields cannot pair. */
static void test_match_fields(void **state) {
  (void)state;
  const char *const rules = "{\"ee\":\"line_items\",\"match\":\"sku\",\"items\":[\"l\",{\"ee\":\"exact\",\"items\":"
                            "[\"n\"]}]}";
  const char *const with = "{\"l\":[{\"sku\":\"a\",\"n\":1},{\"sku\":\"b\",\"n\":2}]}";
  const char *const without = "{\"l\":[{\"n\":1},{\"n\":2}]}", *const other = "{\"l\":[{\"n\":1},{\"n\":3}]}";
  check_sentences(rules, CASES(with, with), "");
  check_sentences(rules, CASES(with, without),
                  "!match : items are paired by 'sku', which expected items have but no candidate item has, so nothing "
                  "is paired: name a field that both sides have, or use match = \"fields\"\n");
  check_sentences(rules, CASES(without, with),
                  "!match : items are paired by 'sku', which candidate items have but no expected item has, so nothing "
                  "is paired: name a field that both sides have, or use match = \"fields\"\n");
  check_sentences(rules, CASES(with, without, with, with), "");
  check_sentences(rules, CASES(without, other),
                  "!match : no item has the match field 'sku' in 1 case; items were paired by their score fields "
                  "(match = \"fields\")\n");
  check_sentences(rules, CASES(without, other, with, with, without, other),
                  "match : no item has the match field 'sku' in 2 cases; items were paired by their score fields "
                  "(match = \"fields\")\n");
}

/* What a judge's totals say of cases in error and of items that were not paired, without its rules. */
static void check_total(const ee_judge_total *total, const char *expected) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer text = {0};
  ee_misfit_list found = ee_misfits_of(NULL, total, false, &arena);
  for (size_t i = 0; i < found.count; i++)
    ee_buffer_addf(&text, "%s%s: %.*s\n", found.items[i].grave ? "!" : "", ee_misfit_kind_name(found.items[i].kind),
                   EE_STR_ARG(found.items[i].text));
  assert_string_equal(ee_buffer_terminate(&text), expected);
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
}

static void test_sentences_of_totals(void **state) {
  (void)state;
  check_total(&(ee_judge_total){.failed = 0}, "");
  check_total(&(ee_judge_total){.failed = 1}, "!in_error: 1 case could not be judged\n");
  check_total(&(ee_judge_total){.failed = 2, .fault = {.id = EE_STR("a"), .text = EE_STR("b")}},
              "!in_error: 2 cases could not be judged, e.g. 'a': b\n");
  char longer[202], expected[600];
  memset(longer, 'x', 201), longer[201] = '\0';
  snprintf(expected, sizeof expected, "!in_error: 1 case could not be judged, e.g. '%.200s': %.200s\n", longer, longer);
  check_total(&(ee_judge_total){.failed = 1, .fault = {.id = ee_str_from(longer), .text = ee_str_from(longer)}},
              expected);
  ee_judge_total match = {.paired = 1, .match_names = "'sku'", .match_sides = 1u << EE_EXPECTED};
#define UNPAIRED(has, lacks)                                                                                           \
  "!match: items are paired by 'sku', which " has " items have but no " lacks                                          \
  " item has, so nothing is paired: name a field that both sides have, or use match = \"fields\"\n"
  check_total(&match, UNPAIRED("expected", "candidate"));
  match.match_sides = 1u << EE_CANDIDATE;
  check_total(&match, UNPAIRED("candidate", "expected"));
  match.match_sides = 1u << EE_EXPECTED | 1u << EE_CANDIDATE;
  check_total(&match, "");
  match.match_sides = 0;
  match.paired = 0;
  check_total(&match, "");
  match.paired = 1;
  match.match_names = NULL;
  match.match_sides = 1;
  check_total(&match, "");
  match = (ee_judge_total){.unpairable = 1, .match_names = "'sku'"};
#define BY_SCORES(grave, count, s)                                                                                     \
  grave "match: no item has the match field 'sku' in " count " case" s                                                 \
        "; items were paired by their score fields (match = \"fields\")\n"
  check_total(&match, BY_SCORES("!", "1", ""));
  match.unpairable = 2;
  match.paired = 1;
  match.match_sides = 3;
  check_total(&match, BY_SCORES("", "2", "s"));
}

/* A share of expected values, of those that are there. */
static void test_shares_of_unread_values(void **state) {
  (void)state;
  ee_unread_total unread = {.sides = {{.count = 3}, {.count = 9}}};
  ee_attribute_total attribute = {.counts = {.tp = 1, .fn = 2, .unread = 3, .fp = 50, .tn = 60}, .unread = &unread};
  assert_int_equal(ee_attribute_expected(&attribute), 6);
  assert_true(ee_attribute_unread_share(&attribute) == 0.5);
  attribute.counts = (ee_counts){.unread = 3};
  assert_true(ee_attribute_unread_share(&attribute) == 1);
  attribute.counts = (ee_counts){.fp = 3, .tn = 7};
  assert_true(ee_attribute_unread_share(&attribute) == 0);
  attribute = (ee_attribute_total){.counts = {.tp = 1}};
  assert_true(ee_attribute_unread_share(&attribute) == 0);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_sentences_of_totals), cmocka_unit_test(test_shares_of_unread_values),
             cmocka_unit_test(test_unread_against_twin), cmocka_unit_test(test_unread_candidates),
             cmocka_unit_test(test_absent_paths_in_parts), cmocka_unit_test(test_fields_of_one_side),
             cmocka_unit_test(test_fields_that_are_nowhere), cmocka_unit_test(test_many_at_once),
             cmocka_unit_test(test_keys_of_quality), cmocka_unit_test(test_match_fields));
