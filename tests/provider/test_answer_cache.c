/* test_answer_cache.c: the file of answers, and what else its name may stand for. */
#include "provider/cache_fixture.h"

#ifdef EE_WITH_SQLITE

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "support/random.h"

/* Against a plain array ------------------------------------------------------------------------ */

enum { KEYS = 300, STEPS = 4000 };

typedef struct twin_row {
  char parts[4][12];
  size_t lengths[4];
  ee_buffer answer;
  bool kept;
} twin_row;

static ee_cache_key key_of(const twin_row *row) {
  const ee_cache_key key = {{row->parts[0], row->lengths[0]},
                            {row->parts[1], row->lengths[1]},
                            {row->parts[2], row->lengths[2]},
                            {row->parts[3], row->lengths[3]}};
  return key;
}

static bool same_key(const twin_row *a, const twin_row *b) {
  for (int i = 0; i < 4; i++) {
    if (!ee_str_equal((ee_str){a->parts[i], a->lengths[i]}, (ee_str){b->parts[i], b->lengths[i]})) return false;
  }
  return true;
}

/* Few letters, among them NUL and bytes that are no UTF-8, so that keys differ by little: "a" + "ab" and "aa" + "b". */
static void make_key(test_random *random, twin_row *row) {
  for (int i = 0; i < 4; i++) {
    row->lengths[i] = test_random_below(random, i == 3 ? 8 : 3);
    for (size_t k = 0; k < row->lengths[i]; k++) row->parts[i][k] = "a\0A\xff"[test_random_below(random, 4)];
  }
}

static void make_answer(test_random *random, ee_buffer *answer) {
  size_t length = test_random_below(random, 40) == 0 ? 100000 : test_random_below(random, 200);
  ee_buffer_clear(answer);
  for (size_t i = 0; i < length; i++) ee_buffer_add_char(answer, (char)test_random_bits(random));
}

/* A second cache on the same file reads along, so that what is committed is seen by others, and nothing else is. */
static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("cache", 11);
  const char *name = name_of("twin.sqlite");
  twin_row *rows = ee_calloc(KEYS, sizeof *rows);
  for (size_t i = 0; i < KEYS; i++) {
    bool again = true;
    while (again) {
      make_key(&random, &rows[i]);
      again = false;
      for (size_t k = 0; k < i; k++) again = again || same_key(&rows[i], &rows[k]);
    }
  }
  ee_answer_cache *cache = open_good(name);
  ee_buffer answer = {0};
  bool grouping = false;
  for (int step = 0; step < STEPS; step++) {
    twin_row *row = &rows[test_random_below(&random, KEYS)];
    const ee_cache_key key = key_of(row);
    switch (test_random_below(&random, 12)) {
    case 0:
      if (grouping)
        ee_answer_cache_commit(cache);
      else
        ee_answer_cache_begin(cache);
      grouping = !grouping;
      break;
    case 1:
      if (grouping || test_random_below(&random, 10) != 0) break;
      ee_answer_cache_close(cache);
      cache = open_good(name);
      break;
    case 2:
    case 3:
    case 4:
      make_answer(&random, &answer);
      ee_answer_cache_put(cache, &key, (ee_str){answer.data, answer.length});
      if (!row->kept) ee_buffer_add(&row->answer, answer.data, answer.length); /* else the first one stays */
      row->kept = true;
      break;
    default:
      assert_int_equal(ee_answer_cache_get(cache, &key, &answer), row->kept);
      if (!row->kept) break;
      assert_int_equal(answer.length, row->answer.length);
      if (answer.length > 0) assert_memory_equal(answer.data, row->answer.data, answer.length);
    }
  }
  ee_answer_cache_commit(cache);
  assert_null(ee_answer_cache_problem(cache));
  ee_answer_cache_close(cache);
  cache = open_good(name);
  size_t kept = 0;
  for (size_t i = 0; i < KEYS; i++) {
    const ee_cache_key key = key_of(&rows[i]);
    assert_int_equal(ee_answer_cache_get(cache, &key, &answer), rows[i].kept);
    if (!rows[i].kept) continue;
    kept++;
    assert_true(
        ee_str_equal((ee_str){answer.data, answer.length}, (ee_str){rows[i].answer.data, rows[i].answer.length}));
  }
  assert_true(kept > KEYS / 2);
  ee_answer_cache_close(cache);
  for (size_t i = 0; i < KEYS; i++) ee_buffer_fini(&rows[i].answer);
  ee_buffer_fini(&answer);
  free(rows);
}

static void test_transaction(void **state) {
  (void)state;
  const char *name = name_of("transaction.sqlite");
  ee_answer_cache *writer = open_good(name), *reader = open_good(name);
  ee_answer_cache_begin(writer);
  put(writer, "a", "1");
  assert_true(has(writer, "a", "1"));
  assert_false(has(reader, "a", "1"));
  ee_answer_cache_commit(writer);
  assert_true(has(reader, "a", "1"));
  put(writer, "b", "2"); /* on its own it is kept at once */
  assert_true(has(reader, "b", "2"));
  put(reader, "b", "3"); /* what another kept stays */
  assert_true(has(reader, "b", "2"));
  ee_answer_cache_begin(writer);
  ee_answer_cache_commit(writer); /* without a put */
  ee_answer_cache_begin(writer);
  put(writer, "c", "3");
  ee_answer_cache_close(writer);
  assert_false(has(reader, "c", "3"));
  assert_null(ee_answer_cache_problem(reader));
  ee_answer_cache_close(reader);
  ee_answer_cache_close(NULL);
}

/* What a name may stand for -------------------------------------------------------------------- */

static void run_sql(const char *name, const char *sql) {
  sqlite3 *database = NULL;
  assert_int_equal(sqlite3_open(name, &database), SQLITE_OK);
  assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static void test_new(void **state) {
  (void)state;
  const char *name = name_of("new.sqlite");
  keep_one(name);
  check_one(name);
  name = name_of("empty.sqlite");
  write_file(name, "", 0);
  keep_one(name);
  check_one(name);
  name = name_of("a folder/new.sqlite");
  keep_one(name);
  check_one(name);
  assert_int_equal(symlink("new.sqlite", name_of("link.sqlite")), 0);
  check_one(name_of("link.sqlite"));

  /* Names that mean something to SQLite are names of files here. */
  char before[1024];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(folder), 0);
  static const char *const odd[] = {":memory:", "file:odd?mode=memory", "50%41#?immutable=1", "-"};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    keep_one(odd[i]);
    assert_int_equal(access(odd[i], F_OK), 0);
    check_one(odd[i]);
  }
  assert_int_equal(chdir(before), 0);
}

static void test_not_ours(void **state) {
  (void)state;
  static const char prose[] = "{\"id\": \"a\", \"expected\": {}}\n";
  const char *name = name_of("data.jsonl");
  write_file(name, prose, sizeof prose - 1);
  open_bad(name, "cache '%s' is no database " ANOTHER);
  ee_buffer data = {0};
  read_file(name, &data);
  assert_int_equal(data.length, sizeof prose - 1); /* and was left alone */
  assert_memory_equal(data.data, prose, data.length);
  char long_text[20000];
  memset(long_text, 'x', sizeof long_text);
  write_file(name, long_text, sizeof long_text);
  open_bad(name, "cache '%s' is no database " ANOTHER);

  name = name_of("tables.sqlite");
  run_sql(name, "CREATE TABLE answers (provider, model, kind, text, sum, answer)");
  open_bad(name, "cache '%s' is a database of another program (name another file with cache = ...)");
  name = name_of("application.sqlite");
  run_sql(name, "PRAGMA application_id = 7");
  ee_buffer before = {0};
  read_file(name, &before);
  open_bad(name, "cache '%s' is a database of another program (name another file with cache = ...)");
  read_file(name, &data);
  assert_true(ee_str_equal((ee_str){data.data, data.length}, (ee_str){before.data, before.length}));
  assert_int_not_equal(access(name_of("application.sqlite-wal"), F_OK), 0);

  name = name_of("later.sqlite");
  keep_one(name);
  run_sql(name, "PRAGMA user_version = 2");
  open_bad(name, "cache '%s' is of a later version of evalengine " ANOTHER);
  run_sql(name, "PRAGMA user_version = 0");
  open_bad(name, "cache '%s' is damaged " ANOTHER);
  run_sql(name, "PRAGMA user_version = 1");
  check_one(name);
  run_sql(name, "ALTER TABLE answers RENAME COLUMN sum TO total");
  open_bad(name, "cache '%s' is damaged " ANOTHER);
  run_sql(name, "DROP TABLE answers");
  open_bad(name, "cache '%s' is damaged " ANOTHER);
  ee_buffer_fini(&data);
  ee_buffer_fini(&before);
}

static void test_no_file(void **state) {
  (void)state;
  ee_error error = {0};
  assert_null(ee_answer_cache_open("", &error));
  assert_string_equal(error.message, "a cache needs the name of a file");
  open_bad(folder, "cache '%s' is a directory");
  const char *name = name_of("pipe");
  assert_int_equal(mkfifo(name, 0600), 0);
  open_bad(name, "cache '%s' is no ordinary file");
  open_bad("/dev/null", "cache '%s' is no ordinary file");
  write_file(name_of("file"), "", 0);
  open_bad(name_of("file/cache"), "cannot open cache '%s': Not a directory");
  name = name_of("no/such/cache");
  char expected[2048];
  snprintf(expected, sizeof expected, "cannot make the folder '%s' of cache '%s': No such file or directory",
           name_of("no/such"), name);
  assert_null(ee_answer_cache_open(name, &error));
  assert_string_equal(error.message, expected);
}

/* In a process without rights. */

static bool refused(const char *name, const char *message) {
  ee_error error = {0};
  char expected[1024];
  snprintf(expected, sizeof expected, message, name);
  bool closed = ee_answer_cache_open(name, &error) == NULL;
  if (!closed || strcmp(error.message, expected) != 0) fprintf(stderr, "'%s', not '%s'\n", error.message, expected);
  return closed && strcmp(error.message, expected) == 0;
}

static bool reads_only(const char *name) {
  ee_error error = {0};
  ee_answer_cache *cache = ee_answer_cache_open(name, &error);
  if (cache == NULL) fprintf(stderr, "%s\n", error.message);
  if (cache == NULL) return false;
  bool good = has(cache, "text", "answer") && ee_answer_cache_problem(cache) == NULL;
  put(cache, "text", "answer");
  put(cache, "new", "answer");
  const char *trouble = ee_answer_cache_problem(cache);
  char expected[1024];
  snprintf(expected, sizeof expected, "cache '%s': can only be read, new answers are not kept", name);
  if (trouble == NULL || strcmp(trouble, expected) != 0) fprintf(stderr, "'%s', not '%s'\n", trouble, expected);
  good = good && trouble != NULL && strcmp(trouble, expected) == 0;
  good = good && has(cache, "text", "answer") && !has(cache, "new", "answer");
  ee_answer_cache_close(cache);
  return good;
}

static void test_no_permission(void **state) {
  (void)state;
  char locked[512], readable[512], empty[512], still[512], sealed[512], in_sealed[512], older[512];
  snprintf(locked, sizeof locked, "%s", name_of("locked.sqlite"));
  snprintf(readable, sizeof readable, "%s", name_of("readable.sqlite"));
  snprintf(empty, sizeof empty, "%s", name_of("void.sqlite"));
  snprintf(sealed, sizeof sealed, "%s", name_of("sealed"));
  snprintf(still, sizeof still, "%s", name_of("sealed/100%?.sqlite"));
  snprintf(older, sizeof older, "%s", name_of("sealed/older.sqlite"));
  snprintf(in_sealed, sizeof in_sealed, "%s", name_of("sealed/new.sqlite"));
  keep_one(locked);
  keep_one(readable);
  keep_one(still);
  keep_one(older);
  run_sql(older, "PRAGMA journal_mode = DELETE");
  write_file(empty, "", 0);
  assert_int_equal(chmod(locked, 0), 0);
  assert_int_equal(chmod(readable, 0444), 0);
  assert_int_equal(chmod(empty, 0444), 0);
  assert_int_equal(chmod(still, 0666), 0);
  assert_int_equal(chmod(older, 0666), 0);
  assert_int_equal(chmod(sealed, 0555), 0);
  assert_int_equal(chmod(folder, 0777), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    CHECK(geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0));
    CHECK(refused(locked, "cannot open cache '%s': Permission denied"));
    CHECK(refused(in_sealed, "cannot open cache '%s': Permission denied"));
    CHECK(refused(empty, "cache '%s' is empty and can only be read"));
    CHECK(reads_only(readable));
    CHECK(reads_only(readable));
    CHECK(reads_only(still));
    CHECK(reads_only(older));
    CHECK(chmod(sealed, 0) == 0 || geteuid() == 65534);
    _exit(0);
  }
  assert_child(child);
  assert_int_equal(chmod(sealed, 0700), 0);
  assert_int_equal(chmod(folder, 0700), 0);
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_twin), cmocka_unit_test(test_transaction),
             cmocka_unit_test(test_new), cmocka_unit_test(test_not_ours), cmocka_unit_test(test_no_file),
             cmocka_unit_test(test_no_permission));

#else

static void test_switched_off(void **state) {
  (void)state;
  ee_error error = {0};
  assert_null(ee_answer_cache_open("answers.sqlite", &error));
  assert_string_equal(error.message, "this evalengine was built without SQLite, which a cache needs");
  assert_int_equal(error.status, EE_ERROR_RULES);
  assert_int_not_equal(access("answers.sqlite", F_OK), 0);
  ee_answer_cache_close(NULL);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_switched_off));

#endif
