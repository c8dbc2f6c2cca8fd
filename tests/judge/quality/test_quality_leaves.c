/* ee.quality with depth = "leaves", and what `check` says of data. */
#include "judge/quality/quality_view.h"
#include "judge/strategy_usage.h"
#include "support/random.h"

/* Leaves --------------------------------------------------------------------------------------- */

static void test_leaves(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"depth\":\"leaves\",\"strategies\":{\"a.b\":\"IGNORE\",\"[\\\"x.y\\\"]\":\"FUZZY\"}");
  const ee_judge_result *result =
      fixture_judge_case(&f,
                         "{\"a\":{\"b\":1,\"c\":2,\"d\":{\"e\":null}},\"x.y\":\"abcdefghij\",\"\":1,\"/"
                         "s\":{\"]\":true},\"e\":{},\"q\\\"\":{\"a[\\\\\\\"\":1}}",
                         "{\"a\":{\"b\":2,\"d\":{\"e\":5,\"f\":null}},\"x.y\":\"abcdefghiX\",\"\":1,\"/"
                         "s\":{\"]\":true},\"e\":{},\"q\\\"\":{\"a[\\\\\\\"\":1}}");
  assert_keys(&f, result,
              "a.b both IGNORE(config) ignored; a.c missing EXACT(number); a.d.e unexpected; [\"x.y\"] both "
              "FUZZY(config) 0.9; [\"\"] both EXACT(number) 1; [\"/s\"][\"]\"] both EXACT(boolean) 1; e both "
              "EXACT(object) 1; q\"[\"a[\\\\\\\"\"] both EXACT(number) 1; a.d.f extra");
  /* What is written reads back. */
  for (size_t i = 0; i < ((const ee_quality_result *)result->details)->key_count; i++) {
    const ee_quality_key *key = &((const ee_quality_result *)result->details)->keys[i];
    ee_error error;
    const ee_path *path = ee_path_parse(&f.case_arena, key->path, &error);
    assert_non_null(path);
    assert_ptr_equal(ee_path_get(path, f.current.expected, &f.case_arena), key->expected);
    assert_ptr_equal(ee_path_get(path, f.current.candidate, &f.case_arena), key->candidate);
    assert_true(ee_str_equal(key->path, key->attribute));
  }
  fixture_close(&f);
}

/* One item more at the front does not shift the rest. */
static void test_leaves_inserted_item(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"depth\":\"leaves\",\"strategies\":{\"items[*].name\":\"FUZZY\",\"items[1].n\":\"IGNORE\"}");
  const ee_judge_result *result =
      fixture_judge_case(&f,
                         "{\"items\":[{\"name\":\"red pencil\",\"n\":1,\"p\":5},{\"name\":\"blue "
                         "ink\",\"n\":2,\"p\":6},{\"name\":\"gone\",\"n\":99}]}",
                         "{\"items\":[{\"name\":\"new\",\"n\":70},{\"name\":\"red "
                         "pencil\",\"n\":1,\"p\":5},{\"name\":\"blue ink\",\"n\":3,\"p\":6}]}");
  assert_keys(
      &f, result,
      "items[0].name both FUZZY(config) 1; items[0].n both EXACT(number) 1; items[0].p both EXACT(number) 1; "
      "items[1].name both FUZZY(config) 1; items[1].n both IGNORE(config) ignored; items[1].p both EXACT(number) "
      "1; items[2].name missing FUZZY(config); items[2].n missing EXACT(number); items[+0].name extra "
      "FUZZY(config); items[+0].n extra");
  assert_parts(&f, result, "0.7575 1 0.75 1 0.2");
  /* One attribute for all items. */
  assert_string_equal(fixture_attributes(&f, result),
                      "items[*].name* 2 0 1 1; items[*].n* 1 0 1 1; items[*].p* 2 0 0 0");
  assert_misses(
      &f, result,
      "items[2].name (missing); items[2].n (missing); items[+0].name (nothing expected); items[+0].n (nothing "
      "expected)");
  fixture_close(&f);
}

typedef struct leaf_case {
  const char *expected, *candidate, *keys;
} leaf_case;

static void check_leaves(const leaf_case *cases, size_t count) {
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"depth\":\"leaves\"");
  for (size_t i = 0; i < count; i++) {
    const ee_judge_result *result = fixture_judge_case(&f, cases[i].expected, cases[i].candidate);
    assert_false(result->failed);
    assert_keys(&f, result, cases[i].keys);
  }
  fixture_close(&f);
}

static void test_leaves_lists(void **state) {
  (void)state;
  static const leaf_case cases[] = {
      /* Scalars pair when they are equal, in any order, and never otherwise. */
      {"{\"l\":[1,2,2,true]}", "{\"l\":[\"A\",2,1,2,3]}",
       "l[0] both EXACT(number) 1; l[1] both EXACT(number) 1; l[2] both EXACT(number) 1; l[3] missing EXACT(boolean); "
       "l[+0] extra; l[+4] extra"},
      /* Lists in lists, too. */
      {"{\"l\":[[1,2],[3,4]]}", "{\"l\":[[3,5],[1,2]]}",
       "l[0][0] both EXACT(number) 1; l[0][1] both EXACT(number) 1; l[1][0] missing EXACT(number); l[1][1] missing "
       "EXACT(number); l[+0][+0] extra; l[+0][+1] extra"},
      /* A list inside of aligned items is aligned itself. */
      {"{\"l\":[{\"id\":1,\"k\":\"x\",\"t\":[7,8]}]}", "{\"l\":[{\"id\":2},{\"id\":1,\"k\":\"x\",\"t\":[8,9]}]}",
       "l[0].id both EXACT(number) 1; l[0].k both SEMANTIC(text) 1; l[0].t[0] missing EXACT(number); l[0].t[1] both "
       "EXACT(number) 1; l[0].t[+1] extra; l[+0].id extra"},
      /* Half of the keys must match. */
      {"{\"l\":[{\"a\":1,\"b\":2}]}", "{\"l\":[{\"a\":1,\"b\":3}]}",
       "l[0].a both EXACT(number) 1; l[0].b both EXACT(number) 0"},
      {"{\"l\":[{\"a\":1,\"b\":2,\"c\":4}]}", "{\"l\":[{\"a\":1,\"b\":3,\"c\":5}]}",
       "l[0].a missing EXACT(number); l[0].b missing EXACT(number); l[0].c missing EXACT(number); l[+0].a extra; "
       "l[+0].b "
       "extra; l[+0].c extra"},
      /* Empty elements stand for each other. */
      {"{\"l\":[null,1,\"\"]}", "{\"l\":[1,\" \",null,null]}",
       "l[0] neither; l[1] both EXACT(number) 1; l[2] neither; l[+3] extra"},
      {"{\"l\":[null,null]}", "{\"l\":[null]}", "l[0] neither; l[1] neither"},
      {"{\"l\":[null]}", "{\"l\":[null]}", "l[0] neither"},
      /* Containers and what is none stand alone. */
      {"{\"l\":[1],\"o\":{\"a\":1},\"s\":5}", "{\"l\":{\"a\":1},\"o\":7,\"s\":[2]}",
       "l[0] missing EXACT(number); o.a missing EXACT(number); s missing EXACT(number); l.a extra; o extra; s[+0] "
       "extra"},
      /* An empty value against a list or an object is as good as none, and is expected at each leaf. */
      {"{\"l\":[1]}", "{\"l\":null}", "l[0] missing EXACT(number)"},
      {"{\"l\":null}", "{\"l\":[1]}", "l[+0] unexpected"},
      {"{\"a\":{\"b\":1,\"c\":[{\"d\":\"\"}]}}", "{\"a\":\" \"}", "a.b missing EXACT(number); a.c[0].d neither"},
      {"{\"a\":\"\"}", "{\"a\":{\"b\":1,\"c\":[{\"d\":null},2],\"e\":{}}}",
       "a.b unexpected; a.c[+0].d neither; a.c[+1] unexpected; a.e unexpected"},
      {"{\"l\":[null]}", "{\"l\":[{\"a\":1}]}", "l[0] neither; l[+0].a extra"},
      /* Empty containers. */
      {"{\"l\":[],\"o\":{}}", "{\"l\":[],\"o\":{}}", "l both EXACT(list) 1; o both EXACT(object) 1"},
      {"{\"l\":[],\"o\":{}}", "{\"l\":{},\"o\":1}", "l both EXACT(list) 0; o both EXACT(object) 0"},
      {"{\"l\":[],\"o\":{}}", "{}", "l missing EXACT(list); o missing EXACT(object)"},
      {"{\"l\":[1],\"o\":{\"a\":1}}", "{\"l\":[],\"o\":{}}", "l[0] missing EXACT(number); o.a missing EXACT(number)"},
      {"{\"l\":[],\"o\":{}}", "{\"l\":[1],\"o\":{\"a\":1}}", "l[+0] extra; o.a extra"},
      {"{}", "{}", ""},
      {"{\"l\":[{},{\"a\":1}]}", "{\"l\":[{\"a\":1},{}]}", "l[0] both EXACT(object) 1; l[1].a both EXACT(number) 1"},
      /* Items and scalars in one list. */
      {"{\"l\":[1,{\"a\":1,\"b\":1}]}", "{\"l\":[{\"a\":1,\"b\":2},1]}",
       "l[0] both EXACT(number) 1; l[1].a both EXACT(number) 1; l[1].b both EXACT(number) 0"},
  };
  check_leaves(cases, sizeof cases / sizeof *cases);
}

/* Texts and objects that are alike are pairs, so that FUZZY and SEMANTIC are asked. */
static void test_leaves_alike(void **state) {
  (void)state;
  static const struct {
    const char *expected, *candidate, *keys;
  } cases[] = {
      {"{\"l\":[\"some text\"]}", "{\"l\":[\"some texts\"]}", "l[0] both FUZZY(config) 0.9"},
      {"{\"l\":[\"some text\"]}", "{\"l\":[\" SOME TEXT\"]}", "l[0] both FUZZY(config) 1"},
      {"{\"l\":[\"abcd\",\"xy\"]}", "{\"l\":[\"xz\",\"abzz\"]}",
       "l[0] both FUZZY(config) 0.5; l[1] both FUZZY(config) 0.5"},
      {"{\"l\":[\"abcde\"]}", "{\"l\":[\"abzzz\"]}", "l[0] missing FUZZY(config); l[+0] extra FUZZY(config)"},
      /* The most similar first. */
      {"{\"l\":[\"green tea\",\"green tee\"]}", "{\"l\":[\"green teen\",\"green tear\"]}",
       "l[0] both FUZZY(config) 0.9; l[1] both FUZZY(config) 0.9"},
      {"{\"o\":[{\"a\":\"some text here\"}]}", "{\"o\":[{\"a\":\"some texts here\"}]}",
       "o[0].a both FUZZY(config) 0.933333"},
      {"{\"o\":[{\"a\":\"abcd\",\"n\":1}]}", "{\"o\":[{\"a\":\"abxy\",\"n\":2},{\"a\":\"abxy\",\"n\":1}]}",
       "o[0].a both FUZZY(config) 0.5; o[0].n both EXACT(number) 1; o[+0].a extra FUZZY(config); o[+0].n extra"},
      /* Of two as much alike the one with more values that are equal, whatever their order. */
      {"{\"o\":[{\"b\":\"abcd\",\"c\":\"wxyz\"}]}",
       "{\"o\":[{\"b\":\"abzz\",\"c\":\"wxqq\"},{\"b\":\"zzzz\",\"c\":\"wxyz\"}]}",
       "o[0].b both SEMANTIC(text) -1; o[0].c both SEMANTIC(text) 1; o[+0].b extra; o[+0].c extra"},
      /* Empty on one side is unlike, on both sides nothing. */
      {"{\"o\":[{\"a\":\"abcd\",\"n\":null}]}", "{\"o\":[{\"a\":\"abxy\",\"n\":1}]}",
       "o[0].a missing FUZZY(config); o[0].n neither; o[+0].a extra FUZZY(config); o[+0].n extra"},
      {"{\"o\":[{\"a\":\"abcd\",\"n\":null}]}", "{\"o\":[{\"a\":\"abxy\",\"n\":\" \"}]}",
       "o[0].a both FUZZY(config) 0.5; o[0].n neither"},
      /* A text is alike to a number that it writes, but not to an array that has it inside. */
      {"{\"l\":[\"12\",[\"ab\"]]}", "{\"l\":[12,\"ab\"]}",
       "l[0] both FUZZY(config) 1; l[1] missing FUZZY(config); l[+1] extra FUZZY(config)"},
      {"{\"l\":[\"13\",\"true\",\"x\"]}", "{\"l\":[12,\"y\",true]}",
       "l[0] missing FUZZY(config); l[1] both FUZZY(config) 1; l[2] missing FUZZY(config); l[+0] extra FUZZY(config); "
       "l[+1] extra FUZZY(config)"},
  };
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"depth\":\"leaves\",\"strategies\":{\"l[*]\":\"FUZZY\",\"o[*].a\":\"FUZZY\"}");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const ee_judge_result *result = fixture_judge_case(&f, cases[i].expected, cases[i].candidate);
    assert_false(result->failed);
    assert_keys(&f, result, cases[i].keys);
  }
  fixture_close(&f);
}

/* Elements and members that the configuration names are paired by its strategies, not by how their texts look. */
static void test_leaves_paired_by_strategies(void **state) {
  (void)state;
  static const struct {
    const char *expected, *candidate, *keys;
  } cases[] = {
      /* As texts "1,000.00" is nearer to "1,000.99" than to 1000.004. */
      {"{\"l\":[\"1,000.00\",\"2,000.00\"]}", "{\"l\":[1999.996,1000.004]}",
       "l[0] both numeric(config) 1; l[1] both numeric(config) 1"},
      {"{\"l\":[\"1,000.00\"]}", "{\"l\":[\"1,000.99\",\"1000\"]}",
       "l[0] both numeric(config) 1; l[+0] extra numeric(config)"},
      /* The amount decides, since both texts are equally alike. */
      {"{\"o\":[{\"t\":\"fee\",\"n\":\"10.00\"},{\"t\":\"fee\",\"n\":\"20.00\"}]}",
       "{\"o\":[{\"t\":\"fee\",\"n\":20.001},{\"t\":\"fee\",\"n\":9.999}]}",
       "o[0].t both EXACT(config) 1; o[0].n both numeric(config) 1; o[1].t both EXACT(config) 1; o[1].n both "
       "numeric(config) 1"},
      /* What is ignored does not decide, unless nothing else is there. */
      {"{\"i\":[{\"id\":\"abcdefgh\",\"n\":1}]}", "{\"i\":[{\"id\":\"abcdefgh\",\"n\":2},{\"id\":\"zz\",\"n\":1}]}",
       "i[0].id both IGNORE(config) ignored; i[0].n both EXACT(number) 1; i[+0].id extra IGNORE(config) ignored; "
       "i[+0].n extra"},
      {"{\"i\":[{\"id\":\"abcd\"}]}", "{\"i\":[{\"id\":\"zzzz\"},{\"id\":\"abce\"}]}",
       "i[0].id both IGNORE(config) ignored; i[+0].id extra IGNORE(config) ignored"},
      /* A number and a text that writes it are equal by EXACT. */
      {"{\"u\":[{\"a\":1,\"b\":7},{\"a\":2,\"b\":9}]}", "{\"u\":[{\"a\":\"2\",\"b\":1},{\"a\":\"1.0\",\"b\":3}]}",
       "u[0].a both EXACT(number) 1; u[0].b both EXACT(number) 0; u[1].a both EXACT(number) 1; u[1].b both "
       "EXACT(number) 0"},
  };
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"depth\":\"leaves\",\"strategies\":{\"l[*]\":{\"ee\":\"numeric\",\"tolerance\":0.01},\"o[*].n\":"
                    "{\"ee\":\"numeric\",\"tolerance\":0.01},\"o[*].t\":\"EXACT\",\"i[*].id\":\"IGNORE\"}");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const ee_judge_result *result = fixture_judge_case(&f, cases[i].expected, cases[i].candidate);
    assert_false(result->failed);
    assert_keys(&f, result, cases[i].keys);
  }
  fixture_close(&f);
}

/* Where one side writes as text what the other one has as a number, those that are equal belong together, and what is
 * left is paired as if they were not there. */
static void test_leaves_of_mixed_scalars(void **state) {
  (void)state;
  static const leaf_case cases[] = {
      {"{\"m\":[\"1234\"]}", "{\"m\":[1234,\"1235\"]}", "m[0] both EXACT(number) 1; m[+1] extra"},
      {"{\"m\":[1234,\"1235\"]}", "{\"m\":[\"1234\"]}", "m[0] both EXACT(number) 1; m[1] missing EXACT(number)"},
      {"{\"m\":[\"12\",\"abcd\"]}", "{\"m\":[\"abce\",12]}", "m[0] both EXACT(number) 1; m[1] both SEMANTIC(text) -1"},
      {"{\"m\":[\"12\",true]}", "{\"m\":[\"true\",12]}", "m[0] both EXACT(number) 1; m[1] both EXACT(boolean) 1"},
      {"{\"m\":[1,2]}", "{\"m\":[\"3\",\"2.0\"]}",
       "m[0] missing EXACT(number); m[1] both EXACT(number) 1; m[+0] extra"},
      {"{\"m\":[\"12\",{\"a\":1}]}", "{\"m\":[{\"a\":1},12]}",
       "m[0] both EXACT(number) 1; m[1].a both EXACT(number) 1"},
  };
  check_leaves(cases, sizeof cases / sizeof *cases);
}

/* Whatever way amounts are written and whatever their order, those within the tolerance are found: everything is right.
 * Amounts are further apart than twice the tolerance, so there is one way to pair them. */
static void test_leaves_amounts(void **state) {
  (void)state;
  test_random random = test_random_start("amounts in arrays", 83);
  for (size_t round = 0; round < 2000; round++) {
    fixture f;
    fixture_open(&f);
    quality_rules(&f,
                  "\"depth\":\"leaves\",\"strategies\":{\"l[*].n\":{\"ee\":\"numeric\",\"tolerance\":0.02,\"format\":"
                  "\"money\"}},\"scale\":\"max\"");
    size_t count = 1 + test_random_below(&random, 6), order[6];
    long amounts[6], amount = 0;
    for (size_t i = 0; i < count; i++) {
      amounts[i] = amount += 5 + (long)test_random_below(&random, 2000);
      size_t to = test_random_below(&random, i + 1);
      order[i] = order[to];
      order[to] = i;
    }
    char texts[2][1000];
    for (size_t side = 0; side < 2; side++) {
      size_t length = (size_t)sprintf(texts[side], "{\"l\":[");
      for (size_t i = 0; i < count; i++) {
        long value = side == 0 ? amounts[i] : amounts[order[i]] + (long)test_random_below(&random, 5) - 2;
        static const char *const forms[] = {"%s{\"n\":%ld.%02ld}", "%s{\"n\":\"%ld.%02ld\"}",
                                            "%s{\"n\":\"$%ld.%02ld\"}", "%s{\"n\":\"%ld.%02ld0 USD\"}"};
        length += (size_t)sprintf(texts[side] + length, forms[test_random_below(&random, 4)], i > 0 ? "," : "",
                                  value / 100, value % 100);
      }
      strcpy(texts[side] + length, "]}");
    }
    const ee_judge_result *result = fixture_judge_case(&f, texts[0], texts[1]);
    if (result->score != 1) fail_msg("%s %s: %s", texts[0], texts[1], view_keys(&f, result));
    fixture_close(&f);
  }
}

/* However emptiness is spelled in them, items with the same keys belong together, and the order of lists changes
 * nothing: each list is judged in two orders. */
static void test_leaves_empty_in_items(void **state) {
  (void)state;
  static const struct {
    const char *expected[2], *candidate[2], *parts;
  } cases[] = {
      {{"{\"a\":1,\"n\":null}", "{\"a\":1}"}, {"{\"a\":1}", "{\"a\":1,\"n\":null}"}, "0.85 1 1 1 0"},
      {{"{\"a\":1,\"n\":\"\"}", "{\"a\":1}"}, {"{\"a\":1}", "{\"n\":null,\"a\":1}"}, "0.85 1 1 1 0"},
      {{"{\"a\":1,\"b\":{\"n\":null}}", "{\"a\":1,\"b\":{}}"},
       {"{\"a\":1,\"b\":{}}", "{\"a\":1,\"b\":{\"n\":\" \"}}"},
       "0.85 1 1 1 0"},
      {{"[1,null]", "[1]"}, {"[1]", "[\"\",1]"}, "0.85 1 1 1 0"},
      {{"[1,null]", "[2]"}, {"[2,null]", "[1]"}, "0.8125 1 1 1 0.25"},
      {{"{\"n\":null}", "{}"}, {"{}", "{\"n\":\"\"}"}, "0.85 1 1 1 0"},
      /* Alike, not equal. */
      {{"{\"a\":\"abcd\",\"n\":null}", "{\"a\":\"abcd\"}"},
       {"{\"a\":\"abxy\"}", "{\"a\":\"abxy\",\"n\":null}"},
       "0.4 0 1 1 0"},
      {{"{\"a\":1,\"n\":null}", "{\"a\":1,\"m\":null}"},
       {"{\"a\":1,\"k\":null}", "{\"a\":1,\"n\":null}"},
       "0.82 1 1 1 0.2"},
  };
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"depth\":\"leaves\",\"strategies\":{\"l[*].a\":\"EXACT\"}");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (size_t order = 0; order < 4; order++) {
      char texts[2][200];
      size_t e = order & 1, c = order >> 1;
      snprintf(texts[0], sizeof texts[0], "{\"l\":[%s,%s]}", cases[i].expected[e], cases[i].expected[1 - e]);
      snprintf(texts[1], sizeof texts[1], "{\"l\":[%s,%s]}", cases[i].candidate[c], cases[i].candidate[1 - c]);
      assert_parts(&f, fixture_judge_case(&f, texts[0], texts[1]), cases[i].parts);
    }
  }
  fixture_close(&f);
}

static void test_leaves_empty_containers(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f,
                "{\"ee\":\"rules\",\"empty\":\"containers\",\"null_values\":[\"N/A\"],\"items\":[{\"ee\":\"quality\","
                "\"depth\":\"leaves\"}]}");
  static const char *const cases[][3] = {
      {"{\"l\":{}}", "{\"l\":[{\"a\":1}]}", "l[+0].a unexpected"},
      {"{\"l\":[{\"a\":1}]}", "{\"l\":{}}", "l[0].a missing EXACT(number)"},
      /* Empty items stand for each other. */
      {"{\"l\":[{\"a\":\"N/A\"},1]}", "{\"l\":[1,null]}", "l[0].a neither; l[1] both EXACT(number) 1"},
      {"{\"l\":[null,1]}", "{\"l\":[1,{\"a\":\"N/A\"}]}", "l[0].a neither; l[1] both EXACT(number) 1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_keys(&f, fixture_judge_case(&f, cases[i][0], cases[i][1]), cases[i][2]);
  }
  fixture_close(&f);
}

/* An array or object that the configuration names is one leaf, whatever is inside it. */
static void test_leaves_named(void **state) {
  (void)state;
  static const struct {
    const char *strategies, *expected, *candidate, *keys;
  } cases[] = {
      {"\"o\":\"IGNORE\"", "{\"o\":{\"a\":1,\"b\":[2]},\"k\":1}", "{\"o\":{\"a\":2,\"x\":[3]},\"k\":1}",
       "o both IGNORE(config) ignored; k both EXACT(number) 1"},
      {"\"o\":\"IGNORE\"", "{\"o\":{\"a\":1,\"b\":[2]}}", "{}", "o missing IGNORE(config) ignored"},
      {"\"o\":\"IGNORE\"", "{\"o\":null}", "{\"o\":{\"a\":1,\"b\":2}}", "o unexpected IGNORE(config) ignored"},
      {"\"o\":\"IGNORE\"", "{}", "{\"o\":{\"a\":1,\"b\":2}}", "o extra IGNORE(config) ignored"},
      {"\"o\":\"EXACT\"", "{\"o\":{\"a\":1,\"b\":\"X\"}}", "{\"o\":{\"b\":\"x\",\"a\":1.0}}", "o both EXACT(config) 1"},
      {"\"o\":\"EXACT\"", "{\"o\":{\"a\":1,\"b\":\"X\"}}", "{\"o\":[1]}", "o both EXACT(config) 0"},
      {"\"o\":\"FUZZY\"", "{\"o\":[\"abc\",\"d\"]}", "{\"o\":[\"abc\",\"e\"]}", "o both FUZZY(config) 0.909091"},
      {"\"l\":{\"ee\":\"set\"}", "{\"l\":[1,2]}", "{\"l\":[2,1]}", "l both set(config) 1"},
      /* In lists: of all items, of one, and inside of an item that only the candidate has. */
      {"\"l[*].t\":\"IGNORE\"", "{\"l\":[{\"id\":1,\"t\":[1,2]}]}",
       "{\"l\":[{\"id\":2,\"t\":[3]},{\"id\":1,\"t\":[4]}]}",
       "l[0].id both EXACT(number) 1; l[0].t both IGNORE(config) ignored; l[+0].id extra; l[+0].t extra "
       "IGNORE(config) ignored"},
      {"\"l[1]\":\"EXACT\"", "{\"l\":[[1],[2,3]]}", "{\"l\":[[2,3],[1]]}",
       "l[0][0] both EXACT(number) 1; l[1] both EXACT(config) 1"},
      /* What is named inside of such a place is not reached. */
      {"\"o\":\"IGNORE\",\"o.a\":\"EXACT\"", "{\"o\":{\"a\":1}}", "{\"o\":{\"a\":1}}", "o both IGNORE(config) ignored"},
      /* An index means the expected list's. */
      {"\"l[0]\":\"IGNORE\"", "{\"l\":[]}", "{\"l\":[5]}", "l[+0] extra"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f);
    char rules[200];
    snprintf(rules, sizeof rules, "\"depth\":\"leaves\",\"strategies\":{%s}", cases[i].strategies);
    quality_rules(&f, rules);
    assert_keys(&f, fixture_judge_case(&f, cases[i].expected, cases[i].candidate), cases[i].keys);
    fixture_close(&f);
  }
}

/* What the configuration names and the data has: per entry, then the path. */
static const char *view_found(fixture *f, const ee_judge_result *result) {
  ee_buffer_clear(&f->text);
  const ee_judge *judge = f->plan->judges[0];
  for (size_t i = 0; i < judge->expected_path_count; i++) {
    if (result->found == NULL || !result->found[i]) continue;
    if (f->text.length > 0) ee_buffer_add_char(&f->text, ' ');
    ee_buffer_add_str(&f->text, judge->expected_paths[i].name);
  }
  return ee_buffer_terminate(&f->text);
}

static void test_found(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"ignore\":\"everywhere\",\"strategies\":{\"a\":\"FUZZY\",\"b\":\"IGNORE\",\"c\":\"EXACT\"}");
  assert_int_equal(f.plan->judges[0]->expected_path_count, 3);
  assert_string_equal(view_found(&f, fixture_judge_case(&f, "{\"a\":null}", "{\"d\":1}")), "a");
  assert_string_equal(view_found(&f, fixture_judge_case(&f, "{\"x\":null}", "{\"b\":null}")), "b");
  assert_string_equal(view_found(&f, fixture_judge_case(&f, "{\"c\":1}", NULL)), "c");
  assert_string_equal(view_found(&f, fixture_judge_case(&f, "[]", "{\"c\":1}")), "");
  fixture_close(&f);
  fixture_open(&f);
  quality_rules(&f,
                "\"items\":[\"o\"],\"depth\":\"leaves\",\"strategies\":{\"l[*].a\":\"FUZZY\",\"l[0].a\":\"EXACT\"}");
  assert_int_equal(f.plan->judges[0]->expected_path_count, 3);
  assert_string_equal(view_found(&f, fixture_judge_case(&f, "{\"o\":{\"l\":[{\"a\":1}]}}", "{}")), "l[*].a l[0].a o");
  assert_string_equal(view_found(&f, fixture_judge_case(&f, "{\"o\":{\"l\":[1,{\"a\":1}]}}", "{}")), "l[*].a o");
  assert_string_equal(view_found(&f, fixture_judge_case(&f, "{}", "{\"o\":5}")), "o");
  assert_string_equal(view_found(&f, fixture_judge_case(&f, "{}", "{\"l\":[{\"a\":1}]}")), "");
  fixture_close(&f);
}

static void test_leaves_without_candidate(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"depth\":\"leaves\"");
  const ee_judge_result *result = fixture_judge_case(&f, "{\"a\":{\"b\":1},\"l\":[{\"x\":1},{\"x\":2}]}", NULL);
  assert_misses(&f, result, "candidate (missing); a.b (missing); l[0].x (missing); l[1].x (missing)");
  assert_string_equal(fixture_attributes(&f, result), "a.b* 0 0 0 1; l[*].x* 0 0 0 2");
  fixture_close(&f);
}

/* An array of objects without common keys, beyond the bound of ee.line_items. */
static void test_leaves_too_many_keys(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"depth\":\"leaves\"");
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_add_text(&text, "{\"deep\":{\"l\":[");
  for (int i = 0; i < 3000; i++) ee_buffer_addf(&text, "%s{\"k%d\":1}", i > 0 ? "," : "", i);
  ee_buffer_add_text(&text, "]}}");
  const char *expected = ee_buffer_terminate(&text);
  const ee_judge_result *result = fixture_judge_case(&f, expected, "{\"deep\":{\"l\":[{\"z\":1}]}}");
  assert_true(result->failed);
  assert_misses(&f, result, "deep.l (too many distinct keys: more than 8388608 items x keys)");
  assert_parts(&f, result, "0 0 0 0 0");
  /* Of a long place the first 200 bytes are shown, in whole characters. */
  for (int bytes = 1; bytes <= 2; bytes++) {
    ee_buffer key = {0}, candidate = {0};
    for (int i = 0; i < 300; i++) ee_buffer_add_text(&key, bytes == 1 ? "k" : i == 0 ? "k" : "\u00e4");
    ee_buffer_addf(&candidate, "{\"%s\":[{\"z\":1}]}", ee_buffer_terminate(&key));
    ee_buffer_clear(&text);
    ee_buffer_addf(&text, "{\"%s\":[", key.data);
    for (int i = 0; i < 3000; i++) ee_buffer_addf(&text, "%s{\"k%d\":1}", i > 0 ? "," : "", i);
    ee_buffer_add_text(&text, "]}");
    result = fixture_judge_case(&f, ee_buffer_terminate(&text), ee_buffer_terminate(&candidate));
    assert_int_equal(result->miss_count, 1);
    assert_int_equal(result->misses[0].path.length, bytes == 1 ? 200 : 199);
    assert_memory_equal(result->misses[0].path.data, key.data, 199);
    ee_buffer_fini(&key);
    ee_buffer_fini(&candidate);
  }
  ee_buffer_fini(&text);
  fixture_close(&f);
}

/* Two thousand leaves below a key of 64 KB would make paths of 128 MB. */
static void test_leaves_long_paths(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"depth\":\"leaves\"");
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_add_text(&text, "{\"");
  for (int i = 0; i < 65536; i++) ee_buffer_add_char(&text, 'k');
  ee_buffer_add_text(&text, "\":{");
  for (int i = 0; i < 2000; i++) ee_buffer_addf(&text, "%s\"%d\":1", i > 0 ? "," : "", i);
  ee_buffer_add_text(&text, "}}");
  const char *document = ee_buffer_terminate(&text);
  const ee_judge_result *result = fixture_judge_case(&f, document, document);
  assert_true(result->failed);
  assert_int_equal(result->miss_count, 1);
  assert_true(result->misses[0].path.length <= 200);
  ee_buffer_fini(&text);
  fixture_close(&f);
}

/* Observing ------------------------------------------------------------------------------------ */

static void test_observe(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"depth\":\"leaves\",\"strategies\":{\"typo\":\"EXACT\",\"l[*].n\":\"FUZZY\"}");
  ee_strategy_usage observation;
  ee_strategy_usage_init(&observation);
  static const char *const cases[][2] = {
      {"{\"a\":\"text\",\"b\":1,\"l\":[{\"n\":1},{\"n\":2}]}", "{\"c\":5}"},
      {"{\"b\":2,\"a\":\"2025-01-15\",\"l\":[{\"n\":3}],\"z\":null}", "{}"},
      {"{\"b\":\"12\",\"a\":\"other text\"}", "{}"},
  };
  for (size_t i = 0; i < 3; i++) {
    fixture_judge_case(&f, cases[i][0], cases[i][1]);
    const ee_judge *judge = f.plan->judges[0];
    judge->type->observe(judge, &f.context, &observation);
  }
  ee_buffer_clear(&f.text);
  ee_strategy_usage_print(&observation, &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text), "  l[*].n  FUZZY  rules.lua:2, 3 values\n"
                                                    "  typo  EXACT  rules.lua:2, in no case\n"
                                                    "  a  SEMANTIC  text, 2 values\n"
                                                    "  a  EXACT  date, 1 value\n"
                                                    "  b  EXACT  number, 3 values\n");
  ee_strategy_usage_fini(&observation);
  fixture_close(&f);
}

/* Paths in the order of their first appearance, and all choices of a path together, in the order of theirs. */
static void test_order_of_choices(void **state) {
  (void)state;
  ee_strategy_usage usage;
  ee_strategy_usage_init(&usage);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_strategy_usage_print(&usage, &text);
  assert_int_equal(text.length, 0);
  ee_strategy_usage_add(&usage, EE_STR("a"), "EXACT", "number");
  ee_strategy_usage_add(&usage, EE_STR("b"), "FUZZY", "rules.lua:2");
  ee_strategy_usage_add(&usage, EE_STR(""), "EXACT", "number");
  ee_strategy_usage_add(&usage, EE_STR("a"), "SEMANTIC", "text");
  ee_strategy_usage_add(&usage, EE_STR("b"), "FUZZY", "text");
  ee_strategy_usage_add(&usage, EE_STR("a"), "EXACT", "date");
  ee_strategy_usage_mention(&usage, EE_STR("b"), "FUZZY", "rules.lua:2");
  ee_strategy_usage_mention(&usage, EE_STR("c"), "EXACT", "rules.lua:3");
  ee_strategy_usage_print(&usage, &text);
  assert_string_equal(ee_buffer_terminate(&text), "  a  EXACT  number, 1 value\n"
                                                  "  a  SEMANTIC  text, 1 value\n"
                                                  "  a  EXACT  date, 1 value\n"
                                                  "  b  FUZZY  rules.lua:2, 1 value\n"
                                                  "  b  FUZZY  text, 1 value\n"
                                                  "  \"\"  EXACT  number, 1 value\n"
                                                  "  c  EXACT  rules.lua:3, in no case\n");
  ee_buffer_fini(&text);
  ee_strategy_usage_fini(&usage);
}

static void test_observation_limit(void **state) {
  (void)state;
  ee_strategy_usage observation;
  ee_strategy_usage_init(&observation);
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < EE_STRATEGY_USAGE_LIMIT + 5; i++) {
      char path[32];
      int length = snprintf(path, sizeof path, "k%d", i);
      ee_strategy_usage_add(&observation, (ee_str){path, (size_t)length}, i % 2 == 0 ? "EXACT" : "FUZZY", "number");
    }
  }
  assert_int_equal(observation.count, EE_STRATEGY_USAGE_LIMIT);
  assert_int_equal(observation.left_out, 10);
  assert_int_equal(observation.items[EE_STRATEGY_USAGE_LIMIT - 1].count, 2);
  ee_strategy_usage_add(&observation, EE_STR("k0"), "EXACT", "number");
  assert_int_equal(observation.items[0].count, 3);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_strategy_usage_print(&observation, &text);
  const char *last = strstr(ee_buffer_terminate(&text), "  k999  ");
  assert_non_null(last);
  assert_string_equal(last, "  k999  FUZZY  number, 2 values\n  and 10 more values, of keys beyond the first 1000\n");
  ee_buffer_fini(&text);
  ee_strategy_usage_fini(&observation);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_leaves), cmocka_unit_test(test_leaves_inserted_item),
             cmocka_unit_test(test_leaves_lists), cmocka_unit_test(test_leaves_alike),
             cmocka_unit_test(test_leaves_paired_by_strategies), cmocka_unit_test(test_leaves_of_mixed_scalars),
             cmocka_unit_test(test_leaves_amounts), cmocka_unit_test(test_leaves_empty_in_items),
             cmocka_unit_test(test_leaves_empty_containers), cmocka_unit_test(test_leaves_named),
             cmocka_unit_test(test_found), cmocka_unit_test(test_leaves_without_candidate),
             cmocka_unit_test(test_leaves_too_many_keys), cmocka_unit_test(test_leaves_long_paths),
             cmocka_unit_test(test_observe), cmocka_unit_test(test_order_of_choices),
             cmocka_unit_test(test_observation_limit));
