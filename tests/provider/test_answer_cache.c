/* test_answer_cache.c: the cache file: against a plain array, with bad names, shared by processes, full, damaged. */
#include "provider/answer_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef EE_WITH_SQLITE

#include <dirent.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "support/random.h"

/* A folder for cache files --------------------------------------------------------------------- */

#define ANOTHER "(remove it, or name another with cache = ...)"

static char folder[256];

static char *name_of(const char *file) {
  static char names[4][512];
  static int next;
  char *name = names[next++ % 4];
  snprintf(name, sizeof names[0], "%s/%s", folder, file);
  return name;
}

static void empty_folder(const char *path) {
  DIR *directory = opendir(path);
  assert_non_null(directory);
  ee_buffer name = {0};
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    ee_buffer_clear(&name);
    ee_buffer_addf(&name, "%s/%s", path, entry->d_name);
    if (unlink(ee_buffer_terminate(&name)) == 0) continue;
    empty_folder(name.data);
    assert_int_equal(rmdir(name.data), 0);
  }
  ee_buffer_fini(&name);
  closedir(directory);
}

static int set_up(void **state) {
  (void)state;
  /* In memory where that is possible: a busy disk makes these tests slow. */
  const char *parent = getenv("TMPDIR");
  if (parent == NULL && access("/dev/shm", W_OK) == 0) parent = "/dev/shm";
  snprintf(folder, sizeof folder, "%s/ee_cache_XXXXXX", parent != NULL ? parent : P_tmpdir);
  return mkdtemp(folder) != NULL ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  empty_folder(folder);
  return rmdir(folder);
}

static void write_file(const char *name, const void *data, size_t length) {
  FILE *file = fopen(name, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static void read_file(const char *name, ee_buffer *data) {
  FILE *file = fopen(name, "rb");
  assert_non_null(file);
  ee_buffer_clear(data);
  for (size_t got = 1; got > 0; data->length += got) {
    got = fread(ee_buffer_reserve(data, 65536), 1, 65536, file);
  }
  fclose(file);
}

static ee_answer_cache *open_good(const char *name) {
  ee_error error = {0};
  ee_answer_cache *cache = ee_answer_cache_open(name, &error);
  if (cache == NULL) fail_msg("%s", error.message);
  assert_null(ee_answer_cache_problem(cache));
  return cache;
}

static void open_bad(const char *name, const char *message) {
  ee_error error = {0};
  char expected[1024];
  snprintf(expected, sizeof expected, message, name);
  assert_null(ee_answer_cache_open(name, &error));
  assert_string_equal(error.message, expected);
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
  assert_null(ee_answer_cache_open(name, NULL));
}

static ee_cache_key plain_key(const char *text) {
  return (ee_cache_key){EE_STR("openai http://127.0.0.1/v1"), EE_STR("m"), EE_STR("embedding"), ee_str_from(text)};
}

static bool has(ee_answer_cache *cache, const char *text, const char *answer) {
  ee_buffer got = {0};
  ee_cache_key key = plain_key(text);
  bool found = ee_answer_cache_get(cache, &key, &got);
  bool equal = found && ee_str_is((ee_str){got.data, got.length}, answer);
  if (found && !equal) fail_msg("%.*s instead of %s", (int)got.length, got.data, answer);
  ee_buffer_fini(&got);
  return equal;
}

static void put(ee_answer_cache *cache, const char *text, const char *answer) {
  ee_cache_key key = plain_key(text);
  ee_answer_cache_put(cache, &key, ee_str_from(answer));
}

static void keep_one(const char *name) {
  ee_answer_cache *cache = open_good(name);
  put(cache, "text", "answer");
  assert_null(ee_answer_cache_problem(cache));
  ee_answer_cache_close(cache);
}

static void check_one(const char *name) {
  ee_answer_cache *cache = open_good(name);
  assert_true(has(cache, "text", "answer"));
  assert_false(has(cache, "tex", "answer"));
  ee_answer_cache_close(cache);
}

/* In a child process: it tells what went wrong on stderr and by its status. */
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                  \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

static void assert_child(pid_t child) {
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

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
  ee_free(rows);
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
  open_bad(name, "cache '%s' is not a database " ANOTHER);
  ee_buffer data = {0};
  read_file(name, &data);
  assert_int_equal(data.length, sizeof prose - 1); /* and was left alone */
  assert_memory_equal(data.data, prose, data.length);
  char long_text[20000];
  memset(long_text, 'x', sizeof long_text);
  write_file(name, long_text, sizeof long_text);
  open_bad(name, "cache '%s' is not a database " ANOTHER);

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
  open_bad(name, "cache '%s' is not a regular file");
  open_bad("/dev/null", "cache '%s' is not a regular file");
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

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_twin), cmocka_unit_test(test_transaction),
             cmocka_unit_test(test_new), cmocka_unit_test(test_not_ours), cmocka_unit_test(test_no_file),
             cmocka_unit_test(test_no_permission), cmocka_unit_test(test_two_processes),
             cmocka_unit_test(test_same_moment), cmocka_unit_test(test_disk_full),
             cmocka_unit_test(test_flipped_answer), cmocka_unit_test(test_damage),
             cmocka_unit_test(test_damage_while_open));

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
