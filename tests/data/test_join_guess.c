/* test_join_guess.c: which members join two files, against a search that compares all values with all values. */
#include "data/temporary_files.h"

#include "base/buffer.h"
#include "data/join_guess.h"
#include "support/random.h"

static ee_arena arena;

static bool guess(const char *truth, const char *answers, const ee_record_paths *paths, ee_join_guess *out) {
  write_file(names[0], truth, strlen(truth));
  write_file(names[1], answers, strlen(answers));
  const char *file = names[1];
  return ee_join_guess_find(names[0], &file, 1, paths, &arena, out);
}

/* `text` NULL: nothing joins the files. */
static void check(const char *truth, const char *answers, const char *text) {
  ee_join_guess found;
  bool joins = guess(truth, answers, NULL, &found);
  if (text == NULL) {
    if (joins) fail_msg("%s%s: %s", truth, answers, ee_join_guess_text(&found, &arena));
    assert_null(found.id.data);
    assert_null(found.expected_id.data);
  } else {
    if (!joins) fail_msg("%s%s: nothing, and not %s", truth, answers, text);
    assert_string_equal(ee_join_guess_text(&found, &arena), text);
  }
}

static void test_names(void **state) {
  (void)state;
  check("{\"key\":\"a\",\"n\":1}\n{\"key\":\"b\",\"n\":2}\n", "{\"key\":\"b\"}\n{\"key\":\"a\"}\n",
        "'key' joins 2 of 2: --id key");
  check("{\"key\":\"a\"}\n{\"key\":\"b\"}\n{\"key\":\"c\"}\n", "[{\"doc\":\"c\",\"n\":1},{\"doc\":\"b\",\"n\":1}]",
        "'doc' and 'key' join 2 of 3: --id doc --expected-id key");
  /* A side with known ids has them. */
  check("{\"id\":1,\"n\":7}\n{\"id\":2,\"n\":8}\n", "{\"doc\":\"1\",\"n\":7}\n{\"doc\":\"2\",\"n\":8}\n",
        "'doc' joins 2 of 2: --id doc");
  check("{\"file\":\"x\"}\n{\"file\":\"y\"}\n", "{\"case_id\":\"y\"}\n{\"case_id\":\"x\"}\n",
        "'file' joins 2 of 2: --expected-id file");
  /* Nothing to guess, nothing in common, the same value again and again, too few in common. */
  check("{\"id\":1}\n", "{\"id\":1}\n", NULL);
  check("{\"a\":1}\n", "{\"a\":2}\n", NULL);
  check("{\"a\":1}\n{\"a\":1}\n{\"a\":2}\n", "{\"a\":1}\n{\"a\":2}\n", NULL);
  check("{\"a_id\":1}\n{\"a_id\":2}\n{\"a_id\":3}\n", "{\"a_id\":1}\n{\"a_id\":12}\n{\"a_id\":13}\n", NULL);
  check("", "{\"a\":1}\n", NULL);
  check("nonsense\n", "{\"a\":1}\n", NULL);
  /* Paths that are given. */
  const ee_path *key = ee_record_path_parse(&arena, EE_STR("meta.key"), NULL);
  ee_record_paths paths = {.expected_id = {&key, 1}};
  ee_join_guess found;
  assert_true(guess("{\"meta\":{\"key\":\"a\"},\"doc\":\"b\"}\n", "{\"x\":\"b\",\"doc\":\"a\"}\n", &paths, &found));
  assert_string_equal(ee_join_guess_text(&found, &arena), "'doc' joins 1 of 1: --id doc");
  /* What can be opened and not be read. */
  const char *unreadable = "/proc/self/mem", *good = names[1];
  assert_false(ee_join_guess_find(unreadable, &good, 1, NULL, &arena, &found));
  assert_false(ee_join_guess_find(names[0], &unreadable, 1, NULL, &arena, &found));
  const char *missing = "/nowhere/at/all";
  assert_false(ee_join_guess_find(names[0], &missing, 1, NULL, &arena, &found));
  assert_false(ee_join_guess_find(missing, &missing, 1, NULL, &arena, &found));
}

/* Ids and members beyond those that are looked at; records that are none; what ids look like. */
static void test_odd(void **state) {
  (void)state;
  ee_buffer text;
  ee_buffer_init(&text);
  /* An id of 300 bytes is none, in a member and as the record's. */
  char large[301];
  memset(large, 'a', 300);
  large[300] = '\0';
  ee_buffer_addf(&text, "{\"key\":\"%s\"}\n", large);
  check(ee_buffer_terminate(&text), ee_buffer_terminate(&text), NULL);
  ee_buffer_clear(&text);
  ee_buffer_addf(&text, "{\"id\":\"%s\"}\n", large);
  check(ee_buffer_terminate(&text), "{\"doc\":\"a\"}\n", NULL);
  /* The 65th member is not looked at. */
  for (int at = 63; at < 65; at++) {
    ee_buffer_clear(&text);
    for (int i = 0; i < at; i++) ee_buffer_addf(&text, "%c\"m%d\":true,\"n%d\":\"\"", i == 0 ? '{' : ',', i, i);
    ee_buffer_add_text(&text, ",\"key\":\"a\"}\n");
    check(ee_buffer_terminate(&text), "{\"key\":\"a\"}\n", at == 63 ? "'key' joins 1 of 1: --id key" : NULL);
  }
  ee_buffer_fini(&text);
  /* No objects, no JSON, an id that is no scalar. */
  check("{\"key\":\"a\"}\n1\n", "{\"key\":\"a\"}\n", NULL);
  check("{\"key\":\"a\"}\n{\"key\" 1}\n", "{\"key\":\"a\"}\n", "'key' joins 1 of 1: --id key");
  check("{\"id\":{},\"key\":\"a\"}\n", "{\"key\":\"a\"}\n", "'key' joins 1 of 1: --id key");
  check("1\n", "{\"key\":\"a\"}\n", NULL);
  /* Codes and amounts; names of one long word, of capitals, of other characters. */
  check("{\"no\":\"Az-_/ #5\"}\n", "{\"no\":\"Az-_/ #5\"}\n", "'no' joins 1 of 1: --id no");
  check("{\"no\":\"a[5{\"}\n", "{\"no\":\"a[5{\"}\n", "'no' joins 1 of 1: --id no");
  check("{\"no\":\"a{5\"}\n", "{\"no\":\"a{5\"}\n", "'no' joins 1 of 1: --id no");
  check("{\"key\":\"a\"}\n", "{\"name\":\"a\"}\n", "'name' and 'key' join 1 of 1: --id name --expected-id key");
  check("{\"no\":\"05/06/2024\"}\n", "{\"no\":\"05/06/2024\"}\n", NULL);
  static const char *const says[] = {"docId", "DOC", "a_Id", "x{Id", "x[id", NULL};
  for (const char *const *at = says; *at != NULL; at++)
    check(ee_arena_printf(&arena, "{\"%s\":5}\n", *at), "{\"key\":5}\n",
          ee_arena_printf(&arena, "'key' and '%s' join 1 of 1: --id key --expected-id %s", *at, *at));
  check("{\"ABCId\":5}\n", "{\"key\":5}\n", NULL);
  check("{\"averyverylongwordindeed\":5}\n", "{\"key\":5}\n", NULL);
  /* A file that is damaged. */
  check("\x1f\x8b\x08 damaged, and so it cannot be read", "{\"key\":\"a\"}\n", NULL);
  /* Too few in common for a name; the member with most in common. */
  check("{\"key\":\"a\"}\n{\"key\":\"b\"}\n", "{\"key\":\"a\"}\n{\"key\":\"c\"}\n", NULL);
  check("{\"text\":\"a\"}\n", "{\"value\":\"a\"}\n{\"value\":\"7\"}\n", NULL);
  ee_buffer other;
  ee_buffer_init(&text);
  ee_buffer_init(&other);
  for (int i = 0; i < 20; i++) {
    ee_buffer_addf(&text, "{\"key\":\"k%d\"}\n", i);
    ee_buffer_addf(&other, "{\"doc\":\"k%d\",\"ref\":\"k%d\"}\n", i == 0 ? 99 : i, i);
  }
  check(ee_buffer_terminate(&text), ee_buffer_terminate(&other),
        "'ref' and 'key' join 20 of 20: --id ref --expected-id key");
  ee_buffer_fini(&text);
  ee_buffer_fini(&other);
  /* Numbers of one side only; a name that says id, in place of one with as many values. */
  check("{\"value\":7}\n", "{\"text\":\"7\"}\n", NULL);
  check("{\"value\":\"a\",\"key\":\"a\"}\n", "{\"text\":\"a\",\"doc\":\"a\"}\n",
        "'doc' and 'key' join 1 of 1: --id doc --expected-id key");
  check("{\"key\":\"a\",\"doc\":\"a\",\"value\":\"a\"}\n", "{\"key\":\"a\"}\n", "'key' joins 1 of 1: --id key");
  check("{\"name\":\"a\"}\n", "{\"text\":\"a\",\"name\":\"a\"}\n", "'name' joins 1 of 1: --id name");
}

/* What is to be judged does not become the id. */
static void test_values(void **state) {
  (void)state;
  static const char *const same[] = {"{\"rate_id\":0.5}\n{\"rate_id\":0.25}\n",
                                     "{\"rate_no\":\"0.50\"}\n{\"rate_no\":\"1\"}\n",
                                     "{\"no\":\"$5\"}\n{\"no\":\"$6\"}\n",
                                     "{\"key\":\"2024-01-31\"}\n{\"key\":\"2024-02-28\"}\n",
                                     "{\"key\":\"31/12/2024\"}\n{\"key\":\"x\"}\n",
                                     "{\"key\":true}\n{\"key\":false}\n",
                                     "{\"value\":7}\n{\"value\":8}\n",
                                     "{\"value\":\"7\"}\n{\"value\":\"8\"}\n",
                                     "{\"key\":\"a\"}\n{\"key\":\"b\"}\n{\"key\":\"a\"}\n",
                                     NULL};
  for (const char *const *at = same; *at != NULL; at++) check(*at, *at, NULL);
  ee_join_guess found;
  assert_false(guess("{\"v\":\"a\",\"w\":1}\n{\"v\":\"b\",\"w\":2}\n{\"v\":\"c\",\"w\":3}\n",
                     "{\"v\":\"a\",\"w\":1}\n{\"v\":\"b\",\"w\":2}\n{\"v\":\"d\",\"w\":3}\n", NULL, &found));
  assert_true(found.nameless);
  assert_string_equal(ee_join_guess_near_text(&found, &arena), "'w' has 3 of 3 in common, 'v' 2");
  /* Texts that are all the same; a name that says id comes first, and need not be complete. */
  check("{\"no\":\"R17\"}\n{\"no\":\"R18\"}\n", "{\"no\":\"R18\"}\n{\"no\":\"R17\"}\n", "'no' joins 2 of 2: --id no");
  check("{\"q\":\"a b\"}\n{\"q\":\"c d\"}\n", "{\"q\":\"c d\"}\n{\"q\":\"a b\"}\n", "'q' joins 2 of 2: --id q");
  check("{\"q\":\"a\",\"name\":\"a\",\"docNo\":5}\n{\"q\":\"c\",\"name\":\"c\",\"docNo\":6}\n",
        "{\"q\":\"a\",\"name\":\"a\",\"docNo\":5}\n{\"q\":\"c\",\"name\":\"c\",\"docNo\":6}\n",
        "'docNo' joins 2 of 2: --id docNo");
}

enum { RECORDS = 12, MEMBERS = 4 };
typedef struct table {
  size_t records;
  int values[RECORDS][MEMBERS]; /* below 0: missing */
} table;

/* `like` NULL, or a table where every second one has a member, with its first record last. */
static void make(test_random *random, table *t, const table *like, char first, ee_buffer *text) {
  t->records = 1 + test_random_below(random, RECORDS);
  bool is_like = like != NULL && test_random_below(random, 2) == 0;
  if (is_like) t->records = like->records;
  int like_member = (int)test_random_below(random, MEMBERS), member = (int)test_random_below(random, MEMBERS);
  for (size_t i = 0; i < t->records; i++) {
    ee_buffer_add_char(text, '{');
    for (int k = 0; k < MEMBERS; k++) {
      t->values[i][k] = test_random_below(random, 20) == 0 ? -1 : (int)test_random_below(random, 40);
      if (is_like && k == member) t->values[i][k] = like->values[t->records - 1 - i][like_member];
      if (t->values[i][k] >= 0) ee_buffer_addf(text, "\"%c%d_id\":%d,", first, k, t->values[i][k]);
    }
    ee_buffer_add_text(text, "\"z\":null}\n");
  }
}

/* Distinct values; 0 if one occurs twice. */
static size_t count_distinct(const table *t, int member) {
  size_t count = 0;
  for (size_t i = 0; i < t->records; i++) {
    if (t->values[i][member] < 0) continue;
    for (size_t k = 0; k < i; k++)
      if (t->values[k][member] == t->values[i][member]) return 0;
    count++;
  }
  return count;
}

static size_t count_common(const table *a, int of_a, const table *b, int of_b) {
  size_t count = 0;
  for (int value = 0; value < 40; value++) {
    bool in_a = false, in_b = false;
    for (size_t i = 0; i < a->records; i++) in_a = in_a || a->values[i][of_a] == value;
    for (size_t i = 0; i < b->records; i++) in_b = in_b || b->values[i][of_b] == value;
    count += in_a && in_b;
  }
  return count;
}

static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("join_guess", 12);
  size_t joined = 0;
  for (int round = 0; round < 1000; round++) {
    table a, b;
    ee_buffer texts[2] = {0};
    make(&random, &a, NULL, 'a', &texts[0]);
    make(&random, &b, &a, 'b', &texts[1]);
    size_t best = 0;
    for (int i = 0; i < MEMBERS; i++)
      for (int k = 0; k < MEMBERS; k++)
        if (count_distinct(&a, i) * 10 >= a.records * 9 && count_distinct(&b, k) * 10 >= b.records * 9 &&
            count_common(&a, i, &b, k) > best)
          best = count_common(&a, i, &b, k);
    size_t smaller = a.records < b.records ? a.records : b.records;
    ee_join_guess found;
    bool joins = guess(ee_buffer_terminate(&texts[0]), ee_buffer_terminate(&texts[1]), NULL, &found);
    assert_int_equal(joins, best > 0 && best * 100 >= smaller * 95);
    if (joins) {
      assert_int_equal(found.joined, best);
      assert_int_equal(count_common(&a, found.expected_id.data[1] - '0', &b, found.id.data[1] - '0'), best);
      joined++;
    }
    ee_buffer_fini(&texts[0]);
    ee_buffer_fini(&texts[1]);
    ee_arena_reset(&arena, 0);
  }
  assert_true(joined > 100);
}

static int start(void **state) {
  ee_arena_init(&arena, 0);
  return set_up(state);
}

static int stop_all(void **state) {
  ee_arena_fini(&arena);
  return tear_down(state);
}

EE_TEST_FILE(start, stop_all, cmocka_unit_test(test_names), cmocka_unit_test(test_odd), cmocka_unit_test(test_values),
             cmocka_unit_test(test_twin));
