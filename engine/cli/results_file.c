/* results_file.c: rows in FILE.part, checkpoints in its journal, and the way back from them. */
#include "cli/results_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/durable_file.h"
#include "base/memory.h"
#include "base/running_hash.h"
#include "base/temporary_file.h"
#include "data/json/checked_line.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "run/totals_state.h"

#define FORMAT 2
#define BEGINNING "{\"evalengine_results\":"
/* Bytes read at a time. */
#define CHUNK ((size_t)1 << 18)
/* Bytes of messages and collected rows that wait for a checkpoint; it is due then. */
#define LOG_LIMIT ((size_t)8 << 20)
/* Bytes of rows that the disk gets at a time. */
#define SYNC_STEP ((uint64_t)8 << 20)

/* A checkpoint is due after the longest of: half a second, a hundredth of the run so far, fifty times what the last one
 * took; after a minute in any case, unless it costs more. */
#define SECOND UINT64_C(1000000000)
#define SHORTEST (SECOND / 2)
#define LONGEST (60 * SECOND)
#define SHARE_OF_RUN 100
#define TIMES_COST 50

/* A checkpoint that was read. */
typedef struct checkpoint {
  off_t line; /* in the journal; its length is without the newline */
  size_t length;
  uint64_t check;
  ee_run_place place;
  uint64_t rows, rows_hash;
} checkpoint;

/* What has been committed, as far as a checkpoint may tell of it. */
typedef struct committed {
  ee_run_place place;
  uint64_t rows, rows_hash;
  size_t log; /* bytes of the log */
} committed;

struct ee_results_file {
  const char *name;      /* as it was given */
  char *target;          /* the file that appears; NULL: written directly */
  char *part, *journal;  /* names of the files */
  ee_output direct;      /* without a target */
  int rows, lines;       /* descriptors of part and journal; -1: not open */
  bool finished, broken; /* broken: the journal could not be written, so that it cannot go on */
  ee_running_hash *hash; /* of the rows */
  uint64_t written;      /* bytes of rows */
  uint64_t started;      /* of these, the disk has begun with */
  committed now, kept;   /* until the last commit, and until the last checkpoint */
  size_t checkpoints;    /* those of before, too */
  ee_run_place from;
  uint64_t seed; /* the checksum of the last line of the journal */
  ee_buffer log; /* since the last checkpoint: [0,..],[1,..] */
  ee_buffer line;
  uint64_t started_ns, kept_ns, cost_ns;
  struct {
    EE_LIST(checkpoint);
  } before; /* of the run that was cut short */
};

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static ee_status system_error(ee_error *error, const char *what, const char *name) {
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot %s '%s': %s", what, name, strerror(errno));
}

/* Reading lines --------------------------------------------------------------------------------- */

/* Lines of an open file, without moving its position. */
typedef struct line_reader {
  int file;
  off_t at;       /* of the next byte to be read */
  ee_buffer text; /* bytes before `at` from `start` on */
  size_t start;
  int failure; /* the error number of a read that failed, or 0 */
} line_reader;

static ssize_t read_at(int file, void *out, size_t room, off_t at) {
  for (;;) {
    ssize_t got = pread(file, out, room, at);
    if (got >= 0 || errno != EINTR) return got; /* unreached: a signal during a read */
  }
}

/* The next line with its newline; false at the end and before a line without one. `*failed`: with errno. */
static bool next_line(line_reader *reader, ee_str *line, off_t *place, bool *failed) {
  size_t scanned = reader->start;
  for (;;) {
    char *data = reader->text.data;
    char *end = reader->text.length > scanned ? memchr(data + scanned, '\n', reader->text.length - scanned) : NULL;
    if (end != NULL) {
      *line = (ee_str){data + reader->start, (size_t)(end + 1 - data) - reader->start};
      *place = reader->at - (off_t)(reader->text.length - reader->start);
      reader->start += line->length;
      return true;
    }
    if (reader->start > 0) {
      memmove(data, data + reader->start, reader->text.length - reader->start);
      reader->text.length -= reader->start;
      reader->start = 0;
    }
    scanned = reader->text.length;
    ssize_t got = read_at(reader->file, ee_buffer_reserve(&reader->text, CHUNK), CHUNK, reader->at);
    *failed = got < 0;
    if (got < 0) reader->failure = errno; /* unreached: a read fails: make faults */
    if (got <= 0) return false;
    reader->text.length += (size_t)got;
    reader->at += got;
  }
}

/* The journal's lines --------------------------------------------------------------------------- */

/* Text that may be any bytes: a file's name. */
static void add_bytes(ee_buffer *out, ee_str text) {
  if (ee_utf8_valid_prefix(text.data, text.length) == text.length) {
    ee_json_write_string(out, text);
    return;
  }
  ee_buffer_add_text(out, "{\"base64\":\"");
  ee_base64_write(out, text.data, text.length);
  ee_buffer_add_text(out, "\"}");
}

/* In `arena`, NUL-terminated; data NULL if it is neither. */
static ee_str read_bytes(const ee_value *value, ee_arena *arena) {
  if (ee_type_of(value) == EE_STRING) {
    ee_str text = ee_value_text(value);
    return (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
  }
  const ee_value *member = ee_value_member(value, EE_STR("base64"), NULL);
  ee_buffer bytes = {0};
  ee_str text = {NULL, 0};
  if (ee_type_of(member) == EE_STRING && ee_base64_read(&bytes, ee_value_text(member)))
    text = (ee_str){ee_arena_copy(arena, bytes.data, bytes.length), bytes.length};
  ee_buffer_fini(&bytes);
  return text;
}

static bool read_count(const ee_value *object, const char *key, uint64_t *count) {
  int64_t whole;
  /* unreached: its checksum was right */
  if (!ee_value_whole(ee_value_member(object, ee_str_from(key), NULL), &whole) || whole < 0) return false;
  *count = (uint64_t)whole;
  return true;
}

static bool read_hash(const ee_value *object, const char *key, uint64_t *hash) {
  const ee_value *member = ee_value_member(object, ee_str_from(key), NULL);
  /* unreached: its checksum was right */
  return ee_type_of(member) == EE_STRING && ee_read_hash_text(ee_value_text(member), hash);
}

/* Appends to the journal. */
static bool append_line(ee_results_file *self) {
  /* unreached: the disk is full: make faults */
  bool written = !self->broken && ee_write_whole(self->lines, self->line.data, self->line.length);
  self->broken = !written;
  return written;
}

static ee_status write_header(ee_results_file *self, const ee_run_identity *identity, ee_error *error) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  ee_buffer_clear(&self->line);
  ee_buffer_addf(&self->line, BEGINNING "%d", FORMAT);
  ee_run_identity_write(identity, &self->line);
  ee_buffer_addf(&self->line, ",\"process\":%ld,\"host\":", (long)getpid());
  add_bytes(&self->line, ee_str_from(host));
  self->seed = ee_checked_line_end(&self->line, 0, 0);
  return append_line(self) ? EE_OK : system_error(error, "write", self->journal); /* unreached: as above */
}

/* The members of a checkpoint before its lists. */
static void add_checkpoint(ee_buffer *out, const committed *to) {
  ee_buffer_addf(out,
                 "{\"rows\":%" PRIu64 ",\"rows_hash\":\"%016" PRIx64 "\",\"records\":%" PRIu64 ",\"errors\":%" PRIu64
                 ",\"data_hash\":\"%016" PRIx64 "\",\"cases\":%" PRIu64 ",\"rule_errors\":%" PRIu64
                 ",\"failures\":%" PRIu64,
                 to->rows, to->rows_hash, to->place.records, to->place.errors, to->place.hash, to->place.cases,
                 to->place.rule_errors_listed, to->place.failures_listed);
}

static bool read_checkpoint(const ee_value *object, checkpoint *out) {
  ee_run_place *place = &out->place;
  /* unreached: the line's checksum was right, so that our program wrote it */
  return read_count(object, "rows", &out->rows) && read_hash(object, "rows_hash", &out->rows_hash) &&
         /* unreached: as the line before */
         read_count(object, "records", &place->records) && read_count(object, "errors", &place->errors) &&
         /* unreached: as the line before */
         read_hash(object, "data_hash", &place->hash) && read_count(object, "cases", &place->cases) &&
         read_count(object, "rule_errors", &place->rule_errors_listed) && /* unreached: as the line before */
         read_count(object, "failures", &place->failures_listed);
}

/* What was there before ------------------------------------------------------------------------- */

typedef enum journal_kind {
  JOURNAL_EMPTY,   /* or cut in its header: what a run leaves that is ended before its first checkpoint */
  JOURNAL_OTHER,   /* another file */
  JOURNAL_DAMAGED, /* its header cannot be read */
  JOURNAL_FORMAT,  /* of a version of evalengine that writes another format */
  JOURNAL_OF_RUN
} journal_kind;

/* Reads the header; of a run its identity and, in `arena`, who wrote it, or its version. */
static journal_kind read_header(line_reader *reader, ee_run_identity *identity, const char **who, uint64_t *check,
                                ee_arena *arena) {
  ee_str line;
  off_t place;
  bool failed = false, whole = next_line(reader, &line, &place, &failed);
  if (!whole) line = (ee_str){reader->text.data, reader->text.length};
  size_t length = line.length < sizeof BEGINNING - 1 ? line.length : sizeof BEGINNING - 1;
  if (failed) return JOURNAL_DAMAGED; /* unreached: a read fails: make faults */
  if (line.length == 0) return JOURNAL_EMPTY;
  if (memcmp(line.data, BEGINNING, length) != 0) return JOURNAL_OTHER;
  if (!whole) return JOURNAL_EMPTY;
  line.length--;
  uint64_t format, process;
  if (ee_checked_line_read(line, 0, check) != EE_LINE_WHOLE) return JOURNAL_DAMAGED;
  const ee_value *header = ee_json_read(arena, line, NULL, NULL);
  /* unreached: its checksum was right */
  if (header == NULL || !read_count(header, "evalengine_results", &format)) return JOURNAL_DAMAGED;
  if (format != FORMAT) {
    ee_str program = ee_value_get_text(header, "program", "");
    *who = program.length > 0 ? ee_arena_printf(arena, "evalengine %.*s", EE_STR_ARG(program))
                              : "another version of evalengine";
    *who = ee_arena_printf(arena, "%s, in format %" PRIu64, *who, format);
    return JOURNAL_FORMAT;
  }
  /* unreached: its checksum was right */
  if (!ee_run_identity_read(header, identity) || !read_count(header, "process", &process)) return JOURNAL_DAMAGED;
  ee_str host = read_bytes(ee_value_member(header, EE_STR("host"), NULL), arena);
  *who = ee_arena_printf(arena, " (process %" PRIu64 " on '%.*s')", process, EE_STR_ARG(host));
  return JOURNAL_OF_RUN;
}

/* Reads the checkpoints that are good in themselves. */
static void read_checkpoints(ee_results_file *self, line_reader *reader, uint64_t check) {
  static const char *const lists[] = {"log", "totals", NULL};
  const ee_json_options options = {.left_out = lists};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_str line;
  checkpoint next = {.check = check};
  for (bool failed = false; next_line(reader, &line, &next.line, &failed);) {
    next.length = line.length - 1;
    line.length--;
    if (ee_checked_line_read(line, next.check, &next.check) != EE_LINE_WHOLE) break;
    const ee_value *object = ee_json_read(&arena, line, &options, NULL);
    if (object == NULL || !read_checkpoint(object, &next)) break; /* unreached: its checksum was right */
    *EE_LIST_ADD(&self->before, NULL) = next;
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
}

/* Adds the rows from byte `from` to `to` to the hash; false if they are not all there. */
static bool hash_rows(ee_results_file *self, uint64_t from, uint64_t to) {
  char *piece = ee_malloc(CHUNK);
  while (from < to) {
    size_t room = to - from < CHUNK ? (size_t)(to - from) : CHUNK;
    ssize_t got = read_at(self->rows, piece, room, (off_t)from);
    if (got <= 0) break;
    ee_running_hash_add(self->hash, piece, (size_t)got);
    from += (uint64_t)got;
  }
  ee_free(piece);
  return from == to;
}

static void start_hash(ee_results_file *self) {
  ee_running_hash_free(self->hash);
  self->hash = ee_running_hash_new();
}

/* Leaves the checkpoints whose rows are there and good; the hash is then that of the rows until the last of them. */
static void check_rows(ee_results_file *self) {
  uint64_t at = 0;
  size_t good = 0;
  for (; good < self->before.count; good++) {
    const checkpoint *next = &self->before.items[good];
    if (next->rows < at || !hash_rows(self, at, next->rows)) break;
    if (ee_running_hash_value(self->hash) != next->rows_hash) break;
    at = next->rows;
  }
  if (good == self->before.count) return;
  self->before.count = good;
  start_hash(self);
  hash_rows(self, 0, at);
}

static void note(ee_terminal *terminal, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(ee_terminal *terminal, const char *format, ...) {
  ee_buffer text = {0};
  va_list arguments;
  va_start(arguments, format);
  ee_buffer_addv(&text, format, arguments);
  va_end(arguments);
  ee_terminal_note(terminal, (ee_str){text.data, text.length});
  ee_buffer_fini(&text);
}

/* Cuts both files after the last good checkpoint, and goes on from there. */
static ee_status go_on(ee_results_file *self, ee_terminal *terminal, ee_error *error) {
  const checkpoint *last = &self->before.items[self->before.count - 1];
  off_t end = last->line + (off_t)last->length + 1;
  /* unreached: a failing call: make faults */
  if (ftruncate(self->rows, (off_t)last->rows) != 0 || lseek(self->rows, (off_t)last->rows, SEEK_SET) < 0)
    return system_error(error, "write", self->part); /* unreached: as the line before */
  /* unreached: a failing call: make faults */
  if (ftruncate(self->lines, end) != 0 || lseek(self->lines, end, SEEK_SET) < 0)
    return system_error(error, "write", self->journal); /* unreached: as the line before */
  self->from = last->place;
  self->seed = last->check;
  self->written = self->started = last->rows;
  self->now = self->kept = (committed){last->place, last->rows, last->rows_hash, 0};
  self->checkpoints = self->before.count;
  note(terminal, "resuming '%s': %" PRIu64 " cases are done", self->part, last->place.cases);
  return EE_OK;
}

static ee_status start_new(ee_results_file *self, const ee_run_identity *identity, ee_error *error) {
  /* unreached: a failing call: make faults */
  if (ftruncate(self->lines, 0) != 0 || lseek(self->lines, 0, SEEK_SET) < 0)
    return system_error(error, "write", self->journal); /* unreached: as the line before */
  ee_status status = write_header(self, identity, error);
  /* unreached: a failing call: make faults */
  if (status == EE_OK && (ftruncate(self->rows, 0) != 0 || lseek(self->rows, 0, SEEK_SET) < 0))
    status = system_error(error, "write", self->part); /* unreached: as the line before */
  return status;
}

/* Reads the journal: the checkpoints to go on from, with `resume`. */
static ee_status read_journal(ee_results_file *self, const ee_run_identity *identity, bool resume, ee_error *error) {
  line_reader reader = {.file = self->lines};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_run_identity other;
  const char *who, *difference = NULL;
  uint64_t check;
  ee_status status = EE_OK;
  journal_kind kind = read_header(&reader, &other, &who, &check, &arena);
  if (kind == JOURNAL_OF_RUN) difference = ee_run_identity_difference(identity, &other, &arena);
  if (kind == JOURNAL_OTHER) {
    status = ee_error_set(error, EE_ERROR_SYSTEM, "'%s' is not the journal of a run and is not overwritten: move it",
                          self->journal);
  } else if (resume && kind == JOURNAL_DAMAGED && reader.failure == 0) { /* unreached: a read fails: make faults */
    status = ee_error_set(error, EE_ERROR_RULES,
                          "'%s' is damaged, so that nothing can go on from it (without --resume the run begins again)",
                          self->journal);
  } else if (resume && kind == JOURNAL_FORMAT) {
    status = ee_error_set(error, EE_ERROR_RULES,
                          "'%s' is of %s; evalengine %s reads format %d (without --resume the run begins "
                          "again)",
                          self->journal, who, EE_VERSION, FORMAT);
  } else if (resume && difference != NULL) {
    status = ee_error_set(error, EE_ERROR_RULES, "'%s' is of a run with %s (without --resume the run begins again)",
                          self->part, difference);
  } else if (resume && kind == JOURNAL_OF_RUN) {
    read_checkpoints(self, &reader, check);
    check_rows(self);
  }
  if (status == EE_OK && resume && reader.failure != 0) { /* unreached: a read fails: make faults */
    errno = reader.failure;                               /* unreached: as above */
    status = system_error(error, "read", self->journal);  /* unreached: as above */
  }
  ee_arena_fini(&arena);
  ee_buffer_fini(&reader.text);
  return status;
}

/* Opens the journal, which is ours: nobody else has the rows locked. */
static ee_status open_journal(ee_results_file *self, uint64_t rows, ee_error *error) {
  struct stat status;
  bool exists = lstat(self->journal, &status) == 0;
  /* unreached: lstat() fails otherwise: make faults */
  if (!exists && errno != ENOENT) return system_error(error, "open", self->journal);
  if (!exists && rows > 0)
    return ee_error_set(error, EE_ERROR_SYSTEM,
                        "'%s' is not of a run, since there is no '%s', and is not overwritten: move it", self->part,
                        self->journal);
  self->lines = open(self->journal, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (self->lines < 0) return system_error(error, "open", self->journal);
  /* unreached: fstat() of an open file does not fail */
  if (fstat(self->lines, &status) != 0) return system_error(error, "open", self->journal);
  if (S_ISREG(status.st_mode)) return EE_OK;
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot write '%s': it is not a regular file", self->journal);
}

/* Resumes from the rows that exist, or starts. `existed`: a file with `rows` bytes of rows was found. */
static ee_status begin(ee_results_file *self, const ee_run_identity *identity, bool resume, bool existed, uint64_t rows,
                       ee_terminal *terminal, ee_error *error) {
  ee_status status = open_journal(self, rows, error);
  if (status == EE_OK) status = read_journal(self, identity, resume, error);
  if (status != EE_OK) return status;
  if (self->before.count > 0) return go_on(self, terminal, error);
  if (resume)
    note(terminal, "no interrupted run ('%s' %s): starting a new one", self->part,
         existed ? "has no checkpoint" : "does not exist");
  else if (rows > 0)
    note(terminal, "'%s' of an interrupted run is discarded (--resume would have continued it)", self->part);
  return start_new(self, identity, error);
}

/* Opening --------------------------------------------------------------------------------------- */

static char *with_suffix(const char *name, const char *suffix) {
  size_t length = strlen(name), size = length + strlen(suffix) + 1;
  char *result = ee_malloc(size);
  snprintf(result, size, "%s%s", name, suffix);
  return result;
}

static ee_status fail_locked(const ee_results_file *self, ee_error *error) {
  line_reader reader = {.file = open(self->journal, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_run_identity identity;
  const char *who = "";
  uint64_t check;
  if (reader.file >= 0) {
    if (read_header(&reader, &identity, &who, &check, &arena) != JOURNAL_OF_RUN) who = "";
    close(reader.file);
  }
  ee_error_set(error, EE_ERROR_SYSTEM, "another run%s is writing '%s'", who, self->part);
  ee_buffer_fini(&reader.text);
  ee_arena_fini(&arena);
  return EE_ERROR_SYSTEM;
}

/* Whether the open file still has its name: a run that finished while we opened it has renamed it. */
static bool is_named(int descriptor, const char *name) {
  struct stat open_one, named;
  errno = 0;
  /* unreached: another run has just renamed the file */
  return fstat(descriptor, &open_one) == 0 && lstat(name, &named) == 0 && open_one.st_dev == named.st_dev &&
         open_one.st_ino == named.st_ino; /* unreached: another run renames it in between */
}

/* Opens and locks the rows. File systems without locks are used without. */
static ee_status open_rows(ee_results_file *self, mode_t mode, ee_error *error) {
  for (;;) {
    self->rows = open(self->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode);
    if (self->rows < 0)
      return system_error(error, errno == ELOOP ? "open" : "create", errno == ELOOP ? self->part : self->name);
    struct stat status;
    /* unreached: fstat() of an open file does not fail */
    if (fstat(self->rows, &status) != 0) return system_error(error, "open", self->part);
    if (!S_ISREG(status.st_mode))
      return ee_error_set(error, EE_ERROR_SYSTEM, "cannot write '%s': it is not a regular file", self->part);
    int locked;
    /* unreached: a signal while locking */
    while ((locked = flock(self->rows, LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) continue;
    if (locked != 0 && errno == EWOULDBLOCK) return fail_locked(self, error); /* unreached: no locks there */
    if (is_named(self->rows, self->part)) return EE_OK; /* unreached: another run has just renamed it */
    /* unreached: another run has just renamed the file */
    if (errno != 0 && errno != ENOENT) return system_error(error, "open", self->part);
    close(self->rows); /* unreached: as the line before */
  }
}

static ee_status open_directly(ee_results_file *self, bool resume, ee_error *error) {
  if (resume)
    return ee_error_set(error, EE_ERROR_USAGE, "--resume needs rows in a file, and '%s' is not one", self->name);
  return ee_output_open(&self->direct, self->name, error);
}

static ee_status open_all(ee_results_file *self, const ee_run_identity *identity, bool resume, ee_terminal *terminal,
                          ee_error *error) {
  struct stat status;
  bool exists = stat(self->name, &status) == 0;
  if (ee_output_is_open(self->name) || (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
    return open_directly(self, resume, error);
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return system_error(error, "write", self->name);
  }
  self->target = ee_followed_path(self->name);
  if (self->target == NULL && errno == ELOOP) return system_error(error, "open", self->name);
  if (self->target == NULL) return open_directly(self, resume, error);
  self->part = with_suffix(self->target, EE_RESULTS_PART);
  self->journal = with_suffix(self->target, EE_RESULTS_JOURNAL);
  bool existed = access(self->part, F_OK) == 0;
  if (*self->target == '\0') {
    errno = ENOENT;
    return system_error(error, "create", self->name);
  }
  ee_status result = open_rows(self, exists ? status.st_mode & 0777 : 0666, error);
  struct stat rows;
  /* unreached: fstat() of an open file does not fail */
  if (result == EE_OK && fstat(self->rows, &rows) != 0) result = system_error(error, "read", self->part);
  if (result != EE_OK) return result;
  start_hash(self);
  result = begin(self, identity, resume, existed, (uint64_t)rows.st_size, terminal, error);
  if (result != EE_OK && !existed) unlink(self->part);
  return result;
}

ee_results_file *ee_results_file_open(const char *path, const ee_run_identity *identity, bool resume,
                                      ee_terminal *terminal, ee_error *error) {
  ee_results_file *self = ee_calloc(1, sizeof *self);
  *self = (ee_results_file){.name = path, .direct = {.descriptor = -1}, .rows = -1, .lines = -1};
  self->started_ns = self->kept_ns = now_ns();
  if (open_all(self, identity, resume, terminal, error) == EE_OK) return self;
  self->finished = true; /* nothing of what is there is ours */
  ee_results_file_close(self);
  return NULL;
}

const ee_run_place *ee_results_file_from(const ee_results_file *self) {
  return self->before.count > 0 ? &self->from : NULL;
}

/* Restoring ------------------------------------------------------------------------------------- */

enum { LOG_MESSAGE, LOG_FAILED, LOG_COLLECTED };

/* The members of an entry of the log after its kind. */
static const ee_value *member_at(const ee_value *entry, size_t number) {
  const ee_value *at = ee_value_child(entry);
  while (at != NULL && number-- > 0) at = ee_value_next(at);
  return at;
}

static uint64_t count_at(const ee_value *entry, size_t number) {
  int64_t whole;
  const ee_value *member = member_at(entry, number);
  /* unreached: its checksum was right */
  return member != NULL && ee_value_whole(member, &whole) && whole >= 0 ? (uint64_t)whole : 0;
}

static ee_status restore_entry(const ee_value *entry, const ee_results_listener *listener, ee_arena *arena, bool *good,
                               ee_error *error) {
  ee_str text = read_bytes(member_at(entry, 1), arena), file = read_bytes(member_at(entry, 2), arena);
  uint64_t kind = count_at(entry, 0);
  /* unreached: its checksum was right */
  *good = ee_type_of(entry) == EE_ARRAY && text.data != NULL && (kind == LOG_COLLECTED || file.data != NULL);
  if (!*good) return EE_OK; /* unreached: its checksum was right */
  if (kind == LOG_COLLECTED) return listener->collected(listener->user, text, error);
  if (kind == LOG_FAILED) {
    listener->failed(listener->user, text, file.data, count_at(entry, 3));
    return EE_OK;
  }
  ee_error message;
  ee_error_at(&message, (ee_status)count_at(entry, 5), file.data, (size_t)count_at(entry, 3),
              (size_t)count_at(entry, 4), "%s", text.data);
  listener->message(listener->user, &message);
  return EE_OK;
}

static ee_status restore_log(const ee_value *log, const ee_results_listener *listener, ee_arena *arena, bool *good,
                             ee_error *error) {
  ee_status status = EE_OK;
  for (const ee_value *entry = ee_value_child(log); entry != NULL && *good && status == EE_OK;
       entry = ee_value_next(entry))
    status = restore_entry(entry, listener, arena, good, error);
  return status;
}

static bool restore_totals(ee_totals *totals, const ee_value *value) {
  ee_totals part;
  ee_state_line line;
  ee_totals_init(&part, totals->plan);
  ee_state_read(&line, value);
  ee_totals_state(&line, &part);
  bool good = ee_state_close(&line);
  if (good) ee_totals_merge(totals, &part); /* unreached: its checksum was right */
  ee_totals_fini(&part);
  return good;
}

/* The rows from byte `from` to `to`, in pieces of whole lines. */
static ee_status restore_rows(ee_results_file *self, uint64_t from, uint64_t to, const ee_results_listener *listener,
                              ee_error *error) {
  line_reader reader = {.file = self->rows, .at = (off_t)from};
  ee_status status = EE_OK;
  ee_buffer piece = {0};
  ee_str line;
  off_t place;
  bool failed = false;
  while (from < to && status == EE_OK && next_line(&reader, &line, &place, &failed)) {
    ee_buffer_add_str(&piece, line);
    from += line.length;
    if (piece.length < CHUNK && from < to) continue;
    status = listener->rows(listener->user, piece.data, piece.length, error);
    ee_buffer_clear(&piece);
  }
  if (failed) status = system_error(error, "read", self->part); /* unreached: a read fails: make faults */
  ee_buffer_fini(&piece);
  ee_buffer_fini(&reader.text);
  return status;
}

static ee_status restore_checkpoint(ee_results_file *self, size_t number, ee_totals *totals,
                                    const ee_results_listener *listener, ee_error *error) {
  const checkpoint *at = &self->before.items[number];
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer text = {0};
  ee_status status = EE_OK;
  char *room = ee_buffer_reserve(&text, at->length);
  for (ssize_t got; text.length < at->length; text.length += (size_t)got) {
    got = read_at(self->lines, room + text.length, at->length - text.length, at->line + (off_t)text.length);
    if (got < 0) status = system_error(error, "read", self->journal); /* unreached: a read fails: make faults */
    if (got <= 0) break;                                              /* unreached: as the line before */
  }
  const ee_value *object = ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, NULL);
  const ee_value *log = ee_value_member(object, EE_STR("log"), NULL);
  bool good = status == EE_OK && ee_type_of(log) == EE_ARRAY && /* unreached: its checksum was right */
              restore_totals(totals, ee_value_member(object, EE_STR("totals"), NULL));
  if (good) status = restore_log(log, listener, &arena, &good, error); /* unreached: its checksum was right */
  if (!good && status == EE_OK)                                        /* unreached: its checksum was right */
    status = ee_error_set(error, EE_ERROR_RULES,
                          "'%s' makes no sense to this program (without --resume the run begins again)", self->journal);
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
  uint64_t from = number > 0 ? self->before.items[number - 1].rows : 0;
  /* unreached: its checksum was right */
  return status == EE_OK ? restore_rows(self, from, at->rows, listener, error) : status;
}

ee_status ee_results_file_restore(ee_results_file *self, ee_totals *totals, const ee_results_listener *listener,
                                  ee_error *error) {
  ee_status status = EE_OK;
  for (size_t i = 0; i < self->before.count && status == EE_OK; i++)
    status = restore_checkpoint(self, i, totals, listener, error);
  return status;
}

/* Writing --------------------------------------------------------------------------------------- */

ee_status ee_results_file_write(ee_results_file *self, const char *data, size_t length, ee_error *error) {
  if (self->target == NULL) return ee_output_write(&self->direct, data, length, error);
  if (!ee_write_whole(self->rows, data, length)) return system_error(error, "write", self->part);
  ee_running_hash_add(self->hash, data, length);
  self->written += length;
  if (self->written - self->started < SYNC_STEP) return EE_OK;
  ee_start_sync(self->rows, self->started, self->written - self->started);
  self->started = self->written;
  return EE_OK;
}

static void begin_entry(ee_results_file *self, int kind, ee_str text) {
  ee_buffer_addf(&self->log, "%s[%d,", self->log.length > 0 ? "," : "", kind);
  add_bytes(&self->log, text);
}

void ee_results_file_add_message(ee_results_file *self, const ee_error *message) {
  begin_entry(self, LOG_MESSAGE, ee_str_from(message->message));
  ee_buffer_add_char(&self->log, ',');
  add_bytes(&self->log, ee_str_from(message->file));
  ee_buffer_addf(&self->log, ",%zu,%zu,%d]", message->line, message->column, (int)message->status);
}

void ee_results_file_add_failed(ee_results_file *self, ee_str id, const char *file, uint64_t line) {
  begin_entry(self, LOG_FAILED, id);
  ee_buffer_add_char(&self->log, ',');
  add_bytes(&self->log, ee_str_from(file));
  ee_buffer_addf(&self->log, ",%" PRIu64 "]", line);
}

void ee_results_file_add_collected(ee_results_file *self, ee_str row) {
  begin_entry(self, LOG_COLLECTED, row);
  ee_buffer_add_char(&self->log, ']');
}

static bool is_due(const ee_results_file *self, uint64_t now) {
  uint64_t interval = SHORTEST, share = (now - self->started_ns) / SHARE_OF_RUN;
  if (share > interval) interval = share;     /* unreached: a run of 50 seconds */
  if (interval > LONGEST) interval = LONGEST; /* unreached: a run of 100 minutes */
  if (self->cost_ns * TIMES_COST > interval) interval = self->cost_ns * TIMES_COST;
  return now - self->kept_ns >= interval || self->log.length > LOG_LIMIT;
}

/* Both files, rows first: a checkpoint refers to rows. */
/* unreached: fsync() fails: make faults */
static bool sync_both(const ee_results_file *self) { return ee_sync_file(self->rows) && ee_sync_file(self->lines); }

static ee_status write_checkpoint(ee_results_file *self, ee_totals *since, ee_error *error) {
  ee_buffer *line = &self->line;
  ee_buffer_clear(line);
  add_checkpoint(line, &self->now);
  ee_buffer_add_text(line, ",\"log\":[");
  ee_buffer_add(line, self->log.data, self->now.log);
  ee_buffer_add_text(line, "],\"totals\":");
  ee_state_line state;
  ee_state_write(&state, line);
  ee_totals_state(&state, since);
  ee_state_close(&state);
  uint64_t check = ee_checked_line_end(line, 0, self->seed);
  /* unreached: the disk is full: make faults */
  if (!append_line(self) || !sync_both(self)) return system_error(error, "write", self->journal);
  self->seed = check;
  size_t left = self->log.length - self->now.log;
  if (left > 0) memmove(self->log.data, self->log.data + self->now.log, left);
  self->log.length -= self->now.log;
  self->now.log = 0;
  self->kept = self->now;
  self->checkpoints++;
  return EE_OK;
}

ee_status ee_results_file_checkpoint(ee_results_file *self, const ee_run_place *place, ee_totals *since, bool last,
                                     bool *kept, ee_error *error) {
  *kept = false;
  if (self->target == NULL || self->broken) return EE_OK;
  /* At the end, what was written after the last commit belongs to a block that was not committed. */
  if (!last) self->now = (committed){*place, self->written, ee_running_hash_value(self->hash), self->log.length};
  uint64_t now = now_ns();
  bool any = self->now.place.records > self->kept.place.records || self->now.place.errors > self->kept.place.errors;
  if (!any || (!last && !is_due(self, now))) return EE_OK;
  ee_status status = write_checkpoint(self, since, error);
  *kept = status == EE_OK;
  self->kept_ns = now_ns();
  self->cost_ns = self->kept_ns - now;
  return status;
}

/* The end --------------------------------------------------------------------------------------- */

ee_status ee_results_file_finish(ee_results_file *self, ee_error *error) {
  if (self->target == NULL) {
    self->finished = true;
    return ee_output_close(&self->direct, true, error);
  }
  /* unreached: a failing call: make faults */
  if (!ee_sync_file(self->rows) || !ee_rename_durably(self->part, self->target))
    return system_error(error, "write", self->name); /* unreached: as the line before */
  /* A run that is ended here leaves a journal without rows, which the next one replaces. */
  unlink(self->journal);
  self->finished = true;
  return EE_OK;
}

/* Of a run that judged nothing there is nothing to keep. */
static bool can_be_resumed(const ee_results_file *self) { return self->checkpoints > 0 && self->kept.place.cases > 0; }

const char *ee_results_file_part(const ee_results_file *self) { return can_be_resumed(self) ? self->part : NULL; }

uint64_t ee_results_file_cases(const ee_results_file *self) { return self->kept.place.cases; }

void ee_results_file_close(ee_results_file *self) {
  if (self == NULL) return;
  if (!self->finished && self->target != NULL && !can_be_resumed(self)) {
    /* Removed while they are locked; whoever waits for the lock sees that they have no names any more. */
    unlink(self->journal);
    unlink(self->part);
  }
  if (self->rows >= 0) close(self->rows);
  if (self->lines >= 0) close(self->lines);
  ee_output_close(&self->direct, false, NULL);
  ee_running_hash_free(self->hash);
  ee_buffer_fini(&self->log);
  ee_buffer_fini(&self->line);
  EE_LIST_FINI(&self->before);
  ee_free(self->part);
  ee_free(self->journal);
  ee_free(self->target);
  ee_free(self);
}
