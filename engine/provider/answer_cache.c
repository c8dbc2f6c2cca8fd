/* answer_cache.c: a cache of answers in an SQLite file. */
#include "provider/answer_cache.h"

#include "base/error.h"

#ifdef EE_WITH_SQLITE

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "base/late_library.h"
#include "base/memory.h"
#include "base/pool.h"

/* Functions of SQLite -------------------------------------------------------------------------- */

#define FUNCTIONS(FUNCTION)                                                                                            \
  FUNCTION(sqlite3_bind_blob64, bind_blob64)                                                                           \
  FUNCTION(sqlite3_bind_int64, bind_int64)                                                                             \
  FUNCTION(sqlite3_busy_timeout, busy_timeout)                                                                         \
  FUNCTION(sqlite3_changes, changes)                                                                                   \
  FUNCTION(sqlite3_clear_bindings, clear_bindings)                                                                     \
  FUNCTION(sqlite3_close, close)                                                                                       \
  FUNCTION(sqlite3_column_blob, column_blob)                                                                           \
  FUNCTION(sqlite3_column_bytes, column_bytes)                                                                         \
  FUNCTION(sqlite3_column_int, column_int)                                                                             \
  FUNCTION(sqlite3_column_int64, column_int64)                                                                         \
  FUNCTION(sqlite3_db_config, db_config)                                                                               \
  FUNCTION(sqlite3_db_readonly, db_readonly)                                                                           \
  FUNCTION(sqlite3_errstr, errstr)                                                                                     \
  FUNCTION(sqlite3_exec, exec)                                                                                         \
  FUNCTION(sqlite3_file_control, file_control)                                                                         \
  FUNCTION(sqlite3_finalize, finalize)                                                                                 \
  FUNCTION(sqlite3_get_autocommit, get_autocommit)                                                                     \
  FUNCTION(sqlite3_open_v2, open_v2)                                                                                   \
  FUNCTION(sqlite3_prepare_v2, prepare_v2)                                                                             \
  FUNCTION(sqlite3_prepare_v3, prepare_v3)                                                                             \
  FUNCTION(sqlite3_reset, reset)                                                                                       \
  FUNCTION(sqlite3_step, step)                                                                                         \
  FUNCTION(sqlite3_system_errno, system_errno)

static struct { FUNCTIONS(EE_LATE_MEMBER) } sqlite = {FUNCTIONS(EE_LATE_VALUE(EE_SQLITE_LINKED))};
static ee_late_library library = {EE_SQLITE_FILE, "libsqlite3-0", {FUNCTIONS(EE_LATE_NAME)}, &sqlite, EE_SQLITE_LINKED};

/* "EEac" in the file's header marks it as ours. */
#define APPLICATION 1162174819
#define VERSION 1
enum { PATIENCE_MS = 10000 };

#define WHAT_TO_DO "(remove it, or name another with cache = ...)"

/* `sum` is a checksum of key and answer, so that a flipped bit does not change a score. A key may contain NUL, so all
 * columns are BLOBs. */
static const char creation[] = "CREATE TABLE answers ("
                               "provider BLOB NOT NULL, model BLOB NOT NULL, kind BLOB NOT NULL, text BLOB NOT NULL,"
                               "sum INTEGER NOT NULL, answer BLOB NOT NULL,"
                               "PRIMARY KEY (provider, model, kind, text)) WITHOUT ROWID";

enum { FIND, KEEP, REPLACE, STATEMENTS };
static const char *const statements[STATEMENTS] = {
    "SELECT sum, answer FROM answers WHERE provider = ?1 AND model = ?2 AND kind = ?3 AND text = ?4",
    ("INSERT INTO answers (provider, model, kind, text, sum, answer) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
     " ON CONFLICT (provider, model, kind, text) DO NOTHING"),
    "REPLACE INTO answers (provider, model, kind, text, sum, answer) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"};

struct ee_answer_cache {
  sqlite3 *database;
  sqlite3_stmt *statements[STATEMENTS];
  char *file; /* as the user names it */
  bool readable;
  bool writable;
  bool grouping;     /* between begin and commit; the transaction itself begins with the first put */
  ee_buffer problem; /* the first one, NUL-terminated; empty: none */
  ee_cleanup cleanup;
};

static void close_database(void *user) {
  ee_answer_cache *cache = user;
  for (int i = 0; i < STATEMENTS; i++) sqlite.finalize(cache->statements[i]);
  sqlite.close(cache->database);
}

/* Opening -------------------------------------------------------------------------------------- */

/* From the file's header. */
typedef struct identity {
  int application;
  int version;
  int tables;
} identity;

static void check_memory(int code) {
  if ((code & 0xff) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM) ee_out_of_memory();
}

static int run(sqlite3 *database, const char *sql) {
  int code = sqlite.exec(database, sql, NULL, NULL, NULL);
  check_memory(code); /* also of a ROLLBACK, which the next statement would miss */
  return code;
}

static int read_number(sqlite3 *database, const char *sql, int *number) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite.prepare_v2(database, sql, -1, &statement, NULL);
  if (code == SQLITE_OK) {
    code = sqlite.step(statement);
    if (code == SQLITE_ROW) *number = sqlite.column_int(statement, 0);
    code = code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
  }
  sqlite.finalize(statement);
  check_memory(code);
  return code;
}

/* Call it in a transaction: another process may be creating the file. */
static int read_identity(sqlite3 *database, identity *known) {
  *known = (identity){0};
  int code = read_number(database, "PRAGMA application_id", &known->application);
  if (code == SQLITE_OK) code = read_number(database, "PRAGMA user_version", &known->version);
  if (code == SQLITE_OK) code = read_number(database, "SELECT count(*) FROM sqlite_master", &known->tables);
  return code;
}

static bool is_new(const identity *known) {
  // cppcheck-suppress uninitvar; read_identity() has set all
  return known->application == 0 && known->version == 0 && known->tables == 0;
}

static ee_status refuse(const char *file, const identity *known, ee_error *error) {
  if (known->application != APPLICATION)
    return ee_error_set(error, EE_ERROR_SYSTEM,
                        "cache '%s' is a database of another program (name another file with cache = ...)", file);
  if (known->version > VERSION)
    return ee_error_set(error, EE_ERROR_SYSTEM, "cache '%s' is of a later version of evalengine " WHAT_TO_DO, file);
  return ee_error_set(error, EE_ERROR_SYSTEM, "cache '%s' is damaged " WHAT_TO_DO, file);
}

/* The folder that `file` is in; `folder` owns the text. */
static const char *folder_of(const char *file, ee_buffer *folder) {
  const char *slash = strrchr(file, '/');
  ee_buffer_clear(folder);
  if (slash == NULL)
    ee_buffer_add_char(folder, '.');
  else
    ee_buffer_add(folder, file, slash == file ? 1 : (size_t)(slash - file));
  return ee_buffer_terminate(folder);
}

/* Tries it where a file without a name can be made: in the jail (cli/jailed.h) access() knows nothing of what is
 * refused.
 */
static bool may_write_beside(const char *file) {
  ee_buffer buffer = {0};
  const char *folder = folder_of(file, &buffer);
  bool allowed = access(folder, W_OK) == 0;
  /* unreached: a folder of somebody else */
  int trial = allowed ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1;
  /* unreached: a file system that can only be read */
  if (allowed && trial < 0) allowed = errno != EACCES && errno != EPERM;
  if (trial >= 0) close(trial); /* unreached: as above */
  ee_buffer_fini(&buffer);
  return allowed;
}

/* The last error number of a file of SQLite's; 0: none. */
static int last_number(sqlite3_file *file) {
  int number = 0;
  if (file == NULL || file->pMethods == NULL) return 0;
  return file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK ? number : 0;
}

/* SQLite calls a file damaged whose bytes the system cannot read, and does not always keep the number of an error of
 * the system. Returns that of the last failed read; 0: there was none. */
static int unread_number(sqlite3 *database) {
  static const int files[] = {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    sqlite3_file *file = NULL;
    sqlite.file_control(database, "main", files[i], &file);
    int number = last_number(file);
    /* Others are of locks. */
    if (number == EIO || number == ENXIO || number == ERANGE) return number;
  }
  return 0;
}

/* The error number behind SQLite's result; 0: none, or not known. */
static int number_of(sqlite3 *database, int code) {
  switch (code & 0xff) {
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB: return unread_number(database);
  case SQLITE_IOERR: {
    int number = sqlite.system_errno(database);
    return number != 0 ? number : unread_number(database);
  }
  default: return 0;
  }
}

static ee_status failed(ee_answer_cache *cache, int code, ee_error *error) {
  check_memory(code);
  const char *file = cache->file;
  int number = number_of(cache->database, code);
  if (number != 0)
    return ee_error_set(error, EE_ERROR_SYSTEM, "cannot read or write cache '%s': %s", file, strerror(number));
  switch (code & 0xff) {
  case SQLITE_NOTADB: return ee_error_set(error, EE_ERROR_SYSTEM, "cache '%s' is not a database " WHAT_TO_DO, file);
  case SQLITE_CORRUPT: return ee_error_set(error, EE_ERROR_SYSTEM, "cache '%s' is damaged " WHAT_TO_DO, file);
  case SQLITE_BUSY: return ee_error_set(error, EE_ERROR_SYSTEM, "cache '%s' is locked by another process", file);
  case SQLITE_CANTOPEN: {
    number = sqlite.system_errno(cache->database);
    /* SQLite reports its last attempt, which was to read a file that it could not create. */
    if (number == ENOENT) number = may_write_beside(file) ? 0 : EACCES;
    return ee_error_set(error, EE_ERROR_SYSTEM, "cannot open cache '%s': %s", file,
                        number != 0 ? strerror(number) : sqlite.errstr(code));
  }
  case SQLITE_IOERR:
    return ee_error_set(error, EE_ERROR_SYSTEM, "cannot read or write cache '%s': %s", file, sqlite.errstr(code));
  default: return ee_error_set(error, EE_ERROR_SYSTEM, "cannot open cache '%s': %s", file, sqlite.errstr(code));
  }
}

/* Makes an empty file a cache. Of two processes here, the second gets the lock when the file is made. */
static int create(sqlite3 *database, identity *known) {
  int code = run(database, "BEGIN IMMEDIATE");
  if (code != SQLITE_OK) return code;
  code = read_identity(database, known);
  if (code == SQLITE_OK && is_new(known)) {
    char pragmas[96];
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, VERSION);
    code = run(database, creation);
    if (code == SQLITE_OK) code = run(database, pragmas);
    if (code == SQLITE_OK) *known = (identity){APPLICATION, VERSION, 1};
  }
  if (code == SQLITE_OK) code = run(database, "COMMIT");
  if (code != SQLITE_OK) run(database, "ROLLBACK");
  return code;
}

/* Writes nothing into a file that is not ours. `*code` is SQLite's result. */
static ee_status recognise(ee_answer_cache *cache, int *code, ee_error *error) {
  sqlite3 *database = cache->database;
  identity known;
  *code = run(database, "BEGIN");
  if (*code == SQLITE_OK) *code = read_identity(database, &known);
  run(database, "ROLLBACK");
  if (*code == SQLITE_OK && is_new(&known)) {
    if (!cache->writable)
      return ee_error_set(error, EE_ERROR_SYSTEM, "cache '%s' is empty and can only be read", cache->file);
    *code = create(database, &known);
  }
  if (*code != SQLITE_OK) return failed(cache, *code, error);
  if (known.application != APPLICATION || known.version != VERSION) return refuse(cache->file, &known, error);
  return EE_OK;
}

/* The file name for SQLite. With a leading "./", ":memory:" and "file:..." are names of files. */
static void spell_path(const char *file, ee_buffer *path) {
  if (file[0] != '/') ee_buffer_add_text(path, "./");
  ee_buffer_add_text(path, file);
  ee_buffer_terminate(path);
}

/* Appends `file` as a URI with immutable=1, which promises SQLite that no process writes to it. Without that, a file in
 * write-ahead mode cannot be read in a folder that is not writable. */
static void spell_unchanging(const char *file, ee_buffer *uri) {
  ee_buffer_add_text(uri, file[0] == '/' ? "file://" : "file:./");
  for (const char *at = file; *at != '\0'; at++) {
    if (*at == '%' || *at == '?' || *at == '#')
      ee_buffer_addf(uri, "%%%02X", (unsigned)(unsigned char)*at);
    else
      ee_buffer_add_char(uri, *at);
  }
  ee_buffer_add_text(uri, "?immutable=1");
  ee_buffer_terminate(uri);
}

static int connect_to(ee_answer_cache *cache, const char *name, int flags) {
  int code = sqlite.open_v2(name, &cache->database, flags | SQLITE_OPEN_NOMUTEX, NULL);
  if (cache->database == NULL) ee_out_of_memory();
  if (code != SQLITE_OK) return code;
  sqlite.busy_timeout(cache->database, PATIENCE_MS);
  /* The file may come from an untrusted source. */
  sqlite.db_config(cache->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  run(cache->database, "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
  cache->writable = sqlite.db_readonly(cache->database, "main") == 0;
  return code;
}

/* Reports folders, pipes and missing folders, for which SQLite has poor messages. Makes the folder. */
static ee_status look_at_name(const char *file, ee_error *error) {
  struct stat found;
  if (file[0] == '\0') return ee_error_set(error, EE_ERROR_SYSTEM, "a cache needs the name of a file");
  if (stat(file, &found) == 0) {
    if (S_ISREG(found.st_mode)) return EE_OK;
    return ee_error_set(error, EE_ERROR_SYSTEM, "cache '%s' is %s", file,
                        S_ISDIR(found.st_mode) ? "a directory" : "not a regular file");
  }
  int number = errno;
  if (number != ENOENT)
    return ee_error_set(error, EE_ERROR_SYSTEM, "cannot open cache '%s': %s", file, strerror(number));
  ee_buffer buffer = {0};
  const char *folder = folder_of(file, &buffer);
  ee_status status = EE_OK;
  if (stat(folder, &found) != 0 && mkdir(folder, 0700) != 0 && errno != EEXIST)
    status = ee_error_set(error, EE_ERROR_SYSTEM, "cannot make the folder '%s' of cache '%s': %s", folder, file,
                          strerror(errno));
  ee_buffer_fini(&buffer);
  return status;
}

static ee_status connect_and_recognise(ee_answer_cache *cache, ee_error *error) {
  ee_buffer name = {0};
  spell_path(cache->file, &name);
  int code = connect_to(cache, name.data, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  ee_status status = code == SQLITE_OK ? recognise(cache, &code, error) : failed(cache, code, error);
  bool stuck = (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY;
  if (stuck && access(cache->file, R_OK) == 0 && !may_write_beside(cache->file)) {
    sqlite.close(cache->database);
    cache->database = NULL;
    ee_buffer_clear(&name);
    spell_unchanging(cache->file, &name);
    code = connect_to(cache, name.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    status = code == SQLITE_OK ? recognise(cache, &code, error) : failed(cache, code, error);
  }
  ee_buffer_fini(&name);
  return status;
}

ee_status ee_answer_cache_load(ee_error *error) { return ee_late_library_load(&library, error); }

ee_answer_cache *ee_answer_cache_open(const char *file, ee_error *error) {
  if (look_at_name(file, error) != EE_OK || ee_answer_cache_load(error) != EE_OK) return NULL;
  ee_answer_cache *cache = ee_calloc(1, sizeof *cache);
  cache->file = ee_copy_string(file);
  ee_cleanup_add(&cache->cleanup, close_database, cache);
  if (connect_and_recognise(cache, error) != EE_OK) goto refused;
  if (cache->writable) {
    /* In WAL mode readers do not wait for writers. If that fails (file system, other processes), the present mode is
     * fine, too. */
    run(cache->database, "PRAGMA journal_mode = WAL");
    run(cache->database, "PRAGMA synchronous = NORMAL");
  }
  for (int i = 0; i < STATEMENTS; i++) {
    int code =
        sqlite.prepare_v3(cache->database, statements[i], -1, SQLITE_PREPARE_PERSISTENT, &cache->statements[i], NULL);
    if (code == SQLITE_OK) continue;
    /* SQLITE_ERROR: the table has other columns. */
    failed(cache, code == SQLITE_ERROR ? SQLITE_CORRUPT : code, error);
    goto refused;
  }
  cache->readable = true;
  return cache;
refused:
  ee_answer_cache_close(cache);
  return NULL;
}

void ee_answer_cache_close(ee_answer_cache *cache) {
  if (cache == NULL) return;
  ee_cleanup_remove(&cache->cleanup);
  close_database(cache);
  ee_free(cache->file);
  ee_buffer_fini(&cache->problem);
  ee_free(cache);
}

/* Problems ------------------------------------------------------------------------------------- */

static void note(ee_answer_cache *cache, const char *what) {
  if (cache->problem.length > 0) return;
  ee_buffer_addf(&cache->problem, "cache '%s': %s", cache->file, what);
  ee_buffer_terminate(&cache->problem);
}

static void note_number(ee_answer_cache *cache, int number) {
  char what[200];
  snprintf(what, sizeof what, "cannot be read or written (%s), new answers are not kept", strerror(number));
  note(cache, what);
}

static const char *describe(int code) {
  switch (code & 0xff) {
  case SQLITE_FULL: return "disk is full, new answers are not kept";
  case SQLITE_READONLY: return "can only be read, new answers are not kept";
  case SQLITE_BUSY: return "locked by another process, new answers are not kept";
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB: return "damaged, new answers are not kept " WHAT_TO_DO;
  case SQLITE_IOERR: return "cannot be read or written, new answers are not kept";
  case SQLITE_CANTOPEN: return "no file can be made beside it, new answers are not kept";
  default: return sqlite.errstr(code);
  }
}

/* After an error nothing more is written: each write could wait again or make the damage worse. A damaged file is still
 * read, because each answer has its checksum. */
static void give_up_writing(ee_answer_cache *cache, int code) {
  check_memory(code);
  int number = number_of(cache->database, code);
  if (number != 0) note_number(cache, number);
  note(cache, describe(code));
  cache->writable = false;
  if (sqlite.get_autocommit(cache->database) == 0) run(cache->database, "ROLLBACK");
}

static void give_up_reading(ee_answer_cache *cache, int code) {
  give_up_writing(cache, code);
  if ((code & 0xff) != SQLITE_CORRUPT) cache->readable = false;
}

const char *ee_answer_cache_problem(const ee_answer_cache *cache) {
  return cache->problem.length > 0 ? cache->problem.data : NULL;
}

/* Answers -------------------------------------------------------------------------------------- */

/* The bytes must live until the statement is reset. A NULL pointer would be bound as NULL, not as an empty BLOB. */
static int bind_bytes(sqlite3_stmt *statement, int place, ee_str bytes) {
  return sqlite.bind_blob64(statement, place, bytes.length > 0 ? bytes.data : "", bytes.length, SQLITE_STATIC);
}

static int bind_key(sqlite3_stmt *statement, const ee_cache_key *key) {
  const ee_str parts[] = {key->provider, key->model, key->kind, key->text};
  int code = SQLITE_OK;
  for (int i = 0; i < 4 && code == SQLITE_OK; i++) code = bind_bytes(statement, i + 1, parts[i]);
  return code;
}

/* The hash of the parts before it seeds the hash of each part. */
static sqlite3_int64 sum_of(const ee_cache_key *key, ee_str answer) {
  const ee_str parts[] = {key->provider, key->model, key->kind, key->text, answer};
  uint64_t sum = VERSION;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    sum = ee_hash_bytes(parts[i].length > 0 ? parts[i].data : "", parts[i].length, sum);
  return (sqlite3_int64)sum;
}

static void reset(sqlite3_stmt *statement) {
  sqlite.reset(statement);
  sqlite.clear_bindings(statement);
}

typedef enum finding { ABSENT, PRESENT, DAMAGED, UNREADABLE } finding;

/* `answer` may be NULL. */
static finding find(ee_answer_cache *cache, const ee_cache_key *key, ee_buffer *answer) {
  sqlite3_stmt *statement = cache->statements[FIND];
  int code = bind_key(statement, key);
  if (code == SQLITE_OK) code = sqlite.step(statement);
  finding found = code == SQLITE_DONE ? ABSENT : UNREADABLE;
  if (code == SQLITE_ROW) {
    ee_str bytes = {sqlite.column_blob(statement, 1), 0};
    bytes.length = (size_t)sqlite.column_bytes(statement, 1);
    bool whole = (bytes.data != NULL || bytes.length == 0) && sqlite.column_int64(statement, 0) == sum_of(key, bytes);
    found = whole ? PRESENT : DAMAGED;
    if (whole && answer != NULL) {
      ee_buffer_clear(answer);
      ee_buffer_add_str(answer, bytes);
    }
  }
  reset(statement);
  if (found == UNREADABLE) give_up_reading(cache, code);
  return found;
}

bool ee_answer_cache_get(ee_answer_cache *cache, const ee_cache_key *key, ee_buffer *answer) {
  if (!cache->readable) return false;
  finding found = find(cache, key, answer);
  if (found == DAMAGED) note(cache, "an answer in it is damaged, and was asked for again");
  return found == PRESENT;
}

void ee_answer_cache_begin(ee_answer_cache *cache) { cache->grouping = true; }

static int store(ee_answer_cache *cache, int which, const ee_cache_key *key, ee_str answer) {
  sqlite3_stmt *statement = cache->statements[which];
  int code = bind_key(statement, key);
  if (code == SQLITE_OK) code = sqlite.bind_int64(statement, 5, sum_of(key, answer));
  if (code == SQLITE_OK) code = bind_bytes(statement, 6, answer);
  if (code == SQLITE_OK) code = sqlite.step(statement);
  reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

void ee_answer_cache_put(ee_answer_cache *cache, const ee_cache_key *key, ee_str answer) {
  if (!cache->writable) {
    note(cache, describe(SQLITE_READONLY));
    return;
  }
  int code = SQLITE_OK;
  if (cache->grouping && sqlite.get_autocommit(cache->database) != 0) code = run(cache->database, "BEGIN IMMEDIATE");
  if (code == SQLITE_OK) code = store(cache, KEEP, key, answer);
  /* An existing answer stays unless it is damaged. */
  if (code == SQLITE_OK && sqlite.changes(cache->database) == 0 && find(cache, key, NULL) == DAMAGED)
    code = store(cache, REPLACE, key, answer);
  if (code != SQLITE_OK) give_up_writing(cache, code);
}

void ee_answer_cache_commit(ee_answer_cache *cache) {
  cache->grouping = false;
  if (sqlite.get_autocommit(cache->database) != 0) return;
  int code = run(cache->database, "COMMIT");
  if (code != SQLITE_OK) give_up_writing(cache, code);
}

#else /* without SQLite there is nothing that could be closed, read or written */

ee_status ee_answer_cache_load(ee_error *error) {
  return ee_error_set(error, EE_ERROR_RULES, "this evalengine was built without SQLite, which a cache needs");
}
ee_answer_cache *ee_answer_cache_open(const char *file, ee_error *error) {
  (void)file;
  ee_answer_cache_load(error);
  return NULL;
}
void ee_answer_cache_close(ee_answer_cache *cache) { (void)cache; }
bool ee_answer_cache_get(ee_answer_cache *cache, const ee_cache_key *key, ee_buffer *answer) {
  (void)cache, (void)key, (void)answer;
  return false;
}
void ee_answer_cache_begin(ee_answer_cache *cache) { (void)cache; }
void ee_answer_cache_put(ee_answer_cache *cache, const ee_cache_key *key, ee_str answer) {
  (void)cache, (void)key, (void)answer;
}
void ee_answer_cache_commit(ee_answer_cache *cache) { (void)cache; }
const char *ee_answer_cache_problem(const ee_answer_cache *cache) {
  (void)cache;
  return NULL;
}

#endif
