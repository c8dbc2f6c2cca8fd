/* test_answer_cache_trouble.c: the file of answers shared by processes, full, and broken. */
#ifdef EE_WITH_SQLITE

#include "provider/cache_fixture.h"

#include <signal.h>
#include <sys/resource.h>

#include "support/random.h"

/* Several processes ---------------------------------------------------------------------------- */

enum { WRITERS = 2, WRITTEN = 1000 };

static void spell(char text[32], char answer[32], int number) {
  snprintf(text, 32, "text %d", number);
  snprintf(answer, 32, "answer %d", number * 7);
}

/* Half of what each writes, the other writes too. */
static void write_many(const char *name, int writer) {
  ee_error error = {0};
  ee_answer_cache *cache = ee_answer_cache_open(name, &error);
  if (cache == NULL) fprintf(stderr, "%s\n", error.message);
  CHECK(cache != NULL);
  for (int i = 0; i < WRITTEN; i++) {
    char text[32], answer[32];
    spell(text, answer, writer * WRITTEN / 2 + i);
    if (i % 25 == 0) ee_answer_cache_begin(cache);
    put(cache, text, answer);
    CHECK(has(cache, text, answer));
    if (i % 25 == 24) ee_answer_cache_commit(cache);
  }
  CHECK(ee_answer_cache_problem(cache) == NULL);
  ee_answer_cache_close(cache);
  _exit(0);
}

static void test_two_processes(void **state) {
  (void)state;
  const char *name = name_of("shared.sqlite");
  pid_t children[WRITERS];
  for (int i = 0; i < WRITERS; i++) {
    children[i] = fork();
    assert_true(children[i] >= 0);
    if (children[i] == 0) write_many(name, i);
  }
  for (int i = 0; i < WRITERS; i++) assert_child(children[i]);
  ee_answer_cache *cache = open_good(name);
  for (int i = 0; i < WRITTEN * (WRITERS + 1) / 2; i++) {
    char text[32], answer[32];
    spell(text, answer, i);
    assert_true(has(cache, text, answer));
  }
  ee_answer_cache_close(cache);
}

/* Both make the file, or one makes it while the other opens: a pipe lets them start at the same moment. */
static void test_same_moment(void **state) {
  (void)state;
  enum { ROUNDS = 15, PROCESSES = 4 };
  for (int round = 0; round < ROUNDS; round++) {
    char file[64];
    snprintf(file, sizeof file, "moment %d/cache", round);
    const char *name = name_of(file);
    int gate[2];
    assert_int_equal(pipe(gate), 0);
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
      children[i] = fork();
      assert_true(children[i] >= 0);
      if (children[i] > 0) continue;
      char byte, text[32], answer[32];
      close(gate[1]);
      CHECK(read(gate[0], &byte, 1) == 0);
      ee_error error = {0};
      ee_answer_cache *cache = ee_answer_cache_open(name, &error);
      if (cache == NULL) fprintf(stderr, "%s\n", error.message);
      CHECK(cache != NULL);
      spell(text, answer, i);
      put(cache, text, answer);
      CHECK(has(cache, text, answer) && ee_answer_cache_problem(cache) == NULL);
      ee_answer_cache_close(cache);
      _exit(0);
    }
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < PROCESSES; i++) assert_child(children[i]);
    ee_answer_cache *cache = open_good(name);
    for (int i = 0; i < PROCESSES; i++) {
      char text[32], answer[32];
      spell(text, answer, i);
      assert_true(has(cache, text, answer));
    }
    ee_answer_cache_close(cache);
  }
}

/* Damage and a full disk ----------------------------------------------------------------------- */

/* A file that cannot grow: what was kept can still be read, and the program lives. */
static void test_disk_full(void **state) {
  (void)state;
  const char *name = name_of("full.sqlite");
  keep_one(name);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = {64 * 1024, 64 * 1024};
    ee_error error = {0};
    ee_answer_cache *cache = ee_answer_cache_open(name, &error);
    CHECK(cache != NULL);
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    char large[1000];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    for (int group = 0; group < 20; group++) {
      ee_answer_cache_begin(cache);
      for (int i = 0; i < 20; i++) {
        char text[32];
        snprintf(text, sizeof text, "%d %d", group, i);
        put(cache, text, large);
      }
      ee_answer_cache_commit(cache);
    }
    CHECK(ee_answer_cache_problem(cache) != NULL);
    CHECK(strstr(ee_answer_cache_problem(cache), "new answers are not kept") != NULL);
    CHECK(has(cache, "text", "answer"));
    CHECK(!has(cache, "19 19", large));
    ee_answer_cache_close(cache);
    _exit(0);
  }
  assert_child(child);
  check_one(name);
}

/* A changed byte of an answer: SQLite does not see it, the sum does. The next put heals it. */
static void test_flipped_answer(void **state) {
  (void)state;
  const char *name = name_of("flipped.sqlite");
  ee_answer_cache *cache = open_good(name);
  put(cache, "text", "an answer to be found in the file");
  put(cache, "other", "answer");
  ee_answer_cache_close(cache);
  ee_buffer data = {0};
  read_file(name, &data);
  char *at = memmem(data.data, data.length, "to be found", 11);
  assert_non_null(at);
  *at = 'T';
  write_file(name, data.data, data.length);
  cache = open_good(name);
  assert_false(has(cache, "text", ""));
  char expected[1024];
  snprintf(expected, sizeof expected, "cache '%s': an answer in it is damaged, and was asked for again", name);
  assert_string_equal(ee_answer_cache_problem(cache), expected);
  assert_true(has(cache, "other", "answer"));
  put(cache, "text", "a new answer");
  assert_true(has(cache, "text", "a new answer"));
  ee_answer_cache_close(cache);
  cache = open_good(name);
  assert_true(has(cache, "text", "a new answer"));
  ee_answer_cache_close(cache);
  ee_buffer_fini(&data);
}

enum { ROWS = 120, FILES = 150 };

static void spell_row(char *text, char *answer, int number) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
  snprintf(text, 32, "text %d", number);
  size_t length = number % 10 == 0 ? 6000 : (size_t)(number * 13 % 300);
  for (size_t i = 0; i < length; i++) answer[i] = letters[(i * i + (size_t)number) % 26];
  answer[length] = '\0';
}

static void damage(test_random *random, ee_buffer *data) {
  size_t places = 1 + test_random_below(random, 12);
  switch (test_random_below(random, 5)) {
  case 0: data->length = test_random_below(random, data->length); break;
  case 1: data->length = data->length / 4096 * test_random_below(random, 4096) / 4096 * 4096; break;
  case 2: { /* a page in the place of another */
    size_t pages = data->length / 4096;
    memmove(data->data + test_random_below(random, pages) * 4096, data->data + test_random_below(random, pages) * 4096,
            4096);
    break;
  }
  case 3: /* heads of pages, where SQLite keeps what it relies on */
    for (; places > 0; places--) {
      size_t page = test_random_below(random, data->length / 4096);
      data->data[page * 4096 + test_random_below(random, 200)] = (char)test_random_bits(random);
    }
    break;
  default:
    for (; places > 0; places--)
      data->data[test_random_below(random, data->length)] ^= (char)(1 + test_random_below(random, 255));
  }
}

/* Never a crash, never another answer than the one that was stored. */
static void test_damage(void **state) {
  (void)state;
  test_random random = test_random_start("damage", 23);
  const char *good_name = name_of("good.sqlite"), *name = name_of("broken.sqlite");
  ee_answer_cache *cache = open_good(good_name);
  char text[32];
  static char answer[6001];
  ee_answer_cache_begin(cache);
  for (int i = 0; i < ROWS; i++) {
    spell_row(text, answer, i);
    put(cache, text, answer);
  }
  ee_answer_cache_commit(cache);
  ee_answer_cache_close(cache);
  ee_buffer good = {0}, data = {0};
  read_file(good_name, &good);
  int opened = 0, answered = 0, troubled = 0;
  for (int round = 0; round < FILES; round++) {
    ee_buffer_clear(&data);
    ee_buffer_add(&data, good.data, good.length);
    damage(&random, &data);
    unlink(name);
    unlink(name_of("broken.sqlite-wal"));
    unlink(name_of("broken.sqlite-shm"));
    write_file(name, data.data, data.length);
    ee_error error = {0};
    cache = ee_answer_cache_open(name, &error);
    if (cache == NULL) {
      assert_int_not_equal(error.message[0], '\0');
      continue;
    }
    opened++;
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < ROWS; i++) {
        spell_row(text, answer, i);
        answered += has(cache, text, answer); /* fails for another answer */
      }
      ee_answer_cache_begin(cache);
      for (int i = 0; pass == 0 && i < 2 * ROWS; i += 3) {
        spell_row(text, answer, i);
        put(cache, text, answer);
      }
      ee_answer_cache_commit(cache);
    }
    troubled += ee_answer_cache_problem(cache) != NULL;
    ee_answer_cache_close(cache);
  }
  printf("damage: of %d files %d opened, %d with trouble, %d answers\n", FILES, opened, troubled, answered);
  assert_true(opened > 40 && troubled > 20 && answered > 1000);
  ee_buffer_fini(&good);
  ee_buffer_fini(&data);
}

/* The file breaks while it is open. */
static void test_damage_while_open(void **state) {
  (void)state;
  const char *name = name_of("meanwhile.sqlite");
  ee_answer_cache *cache = open_good(name);
  char text[32];
  static char answer[6001];
  for (int i = 0; i < ROWS; i++) {
    spell_row(text, answer, i);
    put(cache, text, answer);
  }
  ee_answer_cache_close(cache);
  cache = open_good(name);
  assert_int_equal(truncate(name, 4096), 0);
  int found = 0;
  for (int i = 0; i < ROWS; i++) {
    spell_row(text, answer, i);
    found += has(cache, text, answer);
  }
  assert_int_equal(found, 0);
  char expected[1024];
  snprintf(expected, sizeof expected, "cache '%s': damaged, new answers are not kept " ANOTHER, name);
  assert_string_equal(ee_answer_cache_problem(cache), expected);
  put(cache, "new", "answer");
  assert_false(has(cache, "new", "answer"));
  ee_answer_cache_close(cache);
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_two_processes), cmocka_unit_test(test_same_moment),
             cmocka_unit_test(test_disk_full), cmocka_unit_test(test_flipped_answer), cmocka_unit_test(test_damage),
             cmocka_unit_test(test_damage_while_open));

#else

EE_TEST_FILE(NULL, NULL); /* test_answer_cache.c tests that such a program says so */

#endif
