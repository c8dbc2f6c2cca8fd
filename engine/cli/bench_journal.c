/* bench_journal.c: finished trials as lines of a file that only grows. */
#include "cli/bench_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/memory.h"
#include "data/json/checked_line.h"
#include "data/json/json_reader.h"
#include "report/bench_trial.h"

/* Between two syncs. */
#define SYNC_NS UINT64_C(1000000000)

struct ee_bench_journal {
  char *name; /* owned */
  int descriptor;
  size_t cases, trials, count;
  ee_str *slots; /* cases x trials, row by row; texts in `arena` */
  ee_arena arena;
  ee_buffer header; /* its line, with the newline */
  uint64_t seed;    /* of the checksums of the other lines: they are of this run */
  size_t damaged;   /* lines that were left out */
  ee_buffer line;
  uint64_t synced_ns;
};

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static ee_status system_error(const ee_bench_journal *journal, const char *what, ee_error *error) {
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot %s '%s': %s", what, journal->name, strerror(errno));
}

/* Opening and locking -------------------------------------------------------------------------- */

/* Whether the locked file still has its name: a run that finished while we waited has removed it. errno is 0 if another
 * file has it. */
static bool is_still_named(const ee_bench_journal *journal) {
  struct stat open_one, named;
  errno = 0;
  return fstat(journal->descriptor, &open_one) == 0 && stat(journal->name, &named) == 0 &&
         /* unreached: another run has just removed the file */
         open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

/* A pipe or a device may never end. */
static ee_status check_regular(const ee_bench_journal *journal, ee_error *error) {
  struct stat status;
  /* unreached: fstat() of an open file does not fail */
  if (fstat(journal->descriptor, &status) != 0) return system_error(journal, "open", error);
  if (S_ISREG(status.st_mode)) return EE_OK;
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot write '%s': it is not a regular file", journal->name);
}

static ee_status open_locked(ee_bench_journal *journal, ee_error *error) {
  for (;;) {
    journal->descriptor = open(journal->name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (journal->descriptor < 0) return system_error(journal, "open", error);
    int locked;
    /* unreached: a signal while locking */
    while ((locked = flock(journal->descriptor, LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) continue;
    if (locked != 0) {
      if (errno == EWOULDBLOCK) /* unreached: no locks there */
        return ee_error_set(error, EE_ERROR_SYSTEM, "another process is writing '%s'", journal->name);
      return system_error(journal, "lock", error); /* unreached: no locks there */
    }
    if (is_still_named(journal)) return check_regular(journal, error); /* unreached: another run has just removed it */
    if (errno != 0 && errno != ENOENT) return system_error(journal, "open", error); /* unreached: as the line before */
    close(journal->descriptor);                                                     /* unreached: as the line before */
  }
}

static ee_status write_all(ee_bench_journal *journal, ee_str text, ee_error *error) {
  while (text.length > 0) {
    ssize_t written = write(journal->descriptor, text.data, text.length);
    if (written < 0 && errno == EINTR) continue; /* unreached: a signal during a write */
    if (written < 0) return system_error(journal, "write", error);
    text = (ee_str){text.data + written, text.length - (size_t)written};
  }
  return EE_OK;
}

/* Every journal begins with these two members of the header. */
static ee_str beginning_of(ee_str header) {
  size_t at = 0;
  for (int commas = 0; at < header.length; at++)
    if (header.data[at] == ',' && ++commas == 2) break;
  return (ee_str){header.data, at};
}

/* A file of that name may be anything, even the records of the run: only a journal, or the start of one, is
 * overwritten. */
static ee_status check_overwrite(const ee_bench_journal *journal, ee_str header, ee_error *error) {
  ee_str beginning = beginning_of(header);
  char found[256] = {0};
  size_t wanted = beginning.length < sizeof found ? beginning.length : sizeof found, length = 0;
  while (length < wanted) {
    ssize_t got = pread(journal->descriptor, found + length, wanted - length, (off_t)length);
    if (got < 0 && errno == EINTR) continue;                  /* unreached: a signal during a read */
    if (got < 0) return system_error(journal, "read", error); /* unreached: a read fails: make faults */
    if (got == 0) break;
    length += (size_t)got;
  }
  if (memcmp(found, beginning.data, length) == 0) return EE_OK;
  return ee_error_set(error, EE_ERROR_SYSTEM,
                      "'%s' is not the journal of a run and is not overwritten: move it, or name another --out",
                      journal->name);
}

static ee_status start_new(ee_bench_journal *journal, ee_error *error) {
  ee_str header = {journal->header.data, journal->header.length};
  ee_status status = check_overwrite(journal, header, error);
  if (status != EE_OK) return status;
  if (ftruncate(journal->descriptor, 0) != 0) return system_error(journal, "write", error); /* unreached: make faults */
  return write_all(journal, header, error);
}

/* Reading -------------------------------------------------------------------------------------- */

static ee_status read_all(ee_bench_journal *journal, ee_buffer *text, ee_error *error) {
  for (;;) {
    char *to = ee_buffer_reserve(text, 1u << 16);
    ssize_t got = read(journal->descriptor, to, 1u << 16);
    if (got < 0 && errno == EINTR) continue;                  /* unreached: a signal during a read */
    if (got < 0) return system_error(journal, "read", error); /* unreached: a read fails: make faults */
    if (got == 0) return EE_OK;
    text->length += (size_t)got;
  }
}

/* Reads `prefix` and a whole number from 0 at *at; moves *at past them. */
static bool take_number(ee_str line, size_t *at, const char *prefix, size_t *number) {
  size_t length = strlen(prefix);
  if (line.length - *at < length || memcmp(line.data + *at, prefix, length) != 0) return false;
  *at += length;
  size_t digits = 0;
  *number = 0;
  for (; *at < line.length && line.data[*at] >= '0' && line.data[*at] <= '9' && digits < 18; digits++, ++*at)
    *number = *number * 10 + (size_t)(line.data[*at] - '0');
  return digits > 0;
}

/* Whether a trial has an answer, good or bad. */
static bool has_answer(const ee_value *trial) {
  const ee_value *failure = ee_value_member(trial, EE_STR("failure"), NULL);
  size_t length = strlen(EE_BENCH_NO_ANSWER);
  if (ee_type_of(failure) != EE_STRING || ee_value_text(failure).length < length) return true;
  return memcmp(ee_value_text(failure).data, EE_BENCH_NO_ANSWER, length) != 0;
}

/* {"case":N,"trial":N,"result":{...},"check":"..."}; false for anything else. */
static bool read_line(ee_bench_journal *journal, ee_str line, ee_arena *scratch) {
  static const char result[] = ",\"result\":";
  size_t at = 0, number, trial, length = sizeof result - 1;
  uint64_t check;
  if (ee_checked_line_read(line, journal->seed, &check) != EE_LINE_WHOLE) return false;
  if (!take_number(line, &at, "{\"case\":", &number) || !take_number(line, &at, ",\"trial\":", &trial)) return false;
  if (line.length - at <= length + EE_CHECK_LENGTH || memcmp(line.data + at, result, length) != 0) return false;
  at += length;
  ee_str text = {line.data + at, line.length - at - EE_CHECK_LENGTH};
  if (number >= journal->cases || trial >= journal->trials) return false;
  const ee_value *value = ee_json_read(scratch, text, NULL, NULL);
  bool valid = value != NULL && ee_bench_trial_mistake(value) == NULL, taken = valid && has_answer(value);
  ee_arena_reset(scratch, 0);
  ee_str *slot = &journal->slots[number * journal->trials + trial];
  if (!taken || slot->data != NULL) return valid;
  *slot = (ee_str){ee_arena_copy(&journal->arena, text.data, text.length), text.length};
  journal->count++;
  return true;
}

/* Splits `text` into the header line and the rest; false when the header is incomplete. */
static bool take_header(ee_str text, ee_str *header, ee_str *rest) {
  const char *end = text.length > 0 ? memchr(text.data, '\n', text.length) : NULL;
  if (end == NULL) return false;
  *header = (ee_str){text.data, (size_t)(end - text.data)};
  *rest = (ee_str){end + 1, text.length - header->length - 1};
  return true;
}

/* Says how the header of the journal differs from that of this run. */
static ee_status refuse_header(const ee_bench_journal *journal, ee_str found, ee_arena *scratch, ee_error *error) {
  ee_str own = {journal->header.data, journal->header.length - 1};
  ee_str theirs = ee_value_get_text(ee_json_read(scratch, found, NULL, NULL), "version", "");
  ee_str ours = ee_value_get_text(ee_json_read(scratch, own, NULL, NULL), "version", "");
  if (theirs.length > 0 && !ee_str_equal(theirs, ours))
    return ee_error_set(error, EE_ERROR_RULES,
                        "'%s' is the journal of evalengine %.*s, and this is evalengine %.*s (without --resume the run "
                        "begins again)",
                        journal->name, (int)ee_utf8_cut(theirs, 24), theirs.data, EE_STR_ARG(ours));
  return ee_error_set(error, EE_ERROR_RULES,
                      "'%s' is the journal of another run: its records, mode, trials or provider differ",
                      journal->name);
}

/* Reads the journal. Text after the last complete line is cut off, so that the next trial begins a line. */
static ee_status resume_run(ee_bench_journal *journal, ee_error *error) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  ee_str found = EE_STR(""), rest = EE_STR("");
  ee_status status = read_all(journal, &text, error);
  if (status != EE_OK) goto done;
  if (!take_header((ee_str){text.data, text.length}, &found, &rest)) {
    status = start_new(journal, error);
    goto done;
  }
  uint64_t check;
  if (ee_checked_line_ends(found) && ee_checked_line_read(found, 0, &check) != EE_LINE_WHOLE) {
    status = ee_error_set(error, EE_ERROR_RULES,
                          "'%s' is damaged, so that nothing can go on from it (without --resume the run begins again)",
                          journal->name);
    goto done;
  }
  if (!ee_str_equal(found, (ee_str){journal->header.data, journal->header.length - 1})) {
    status = refuse_header(journal, found, &scratch, error);
    goto done;
  }
  while (rest.length > 0) {
    const char *end = memchr(rest.data, '\n', rest.length);
    if (end == NULL) break;
    size_t length = (size_t)(end - rest.data);
    journal->damaged += !read_line(journal, (ee_str){rest.data, length}, &scratch);
    rest = (ee_str){end + 1, rest.length - length - 1};
  }
  /* unreached: ftruncate() fails: make faults */
  if (rest.length > 0 && ftruncate(journal->descriptor, (off_t)(text.length - rest.length)) != 0)
    status = system_error(journal, "write", error); /* unreached: as the line before */
done:
  ee_arena_fini(&scratch);
  ee_buffer_fini(&text);
  return status;
}

/* The journal ---------------------------------------------------------------------------------- */

ee_bench_journal *ee_bench_journal_open(const char *run_file, ee_str header, size_t cases, size_t trials, bool resume,
                                        ee_error *error) {
  ee_bench_journal *journal = ee_calloc(1, sizeof *journal);
  size_t size = strlen(run_file) + sizeof EE_BENCH_JOURNAL_ENDING;
  journal->name = ee_malloc(size);
  snprintf(journal->name, size, "%s%s", run_file, EE_BENCH_JOURNAL_ENDING);
  journal->cases = cases;
  journal->trials = trials;
  journal->slots = ee_calloc(cases * trials + 1, sizeof *journal->slots);
  journal->synced_ns = now_ns();
  ee_buffer_add(&journal->header, header.data, header.length - 1);
  journal->seed = ee_checked_line_end(&journal->header, 0, 0);
  ee_arena_init(&journal->arena, 1u << 20);
  ee_status status = open_locked(journal, error);
  if (status == EE_OK) status = resume ? resume_run(journal, error) : start_new(journal, error);
  if (status == EE_OK) return journal;
  ee_bench_journal_close(journal, false);
  return NULL;
}

ee_str ee_bench_journal_find(const ee_bench_journal *journal, size_t case_number, size_t trial) {
  return journal->slots[case_number * journal->trials + trial];
}

static ee_status sync_now_and_then(ee_bench_journal *journal, ee_error *error) {
  uint64_t now = now_ns();
  if (now - journal->synced_ns < SYNC_NS) return EE_OK;
  journal->synced_ns = now;
  /* A file system without syncing is not a reason to end a run. */
  /* unreached: fdatasync() fails: make faults */
  if (fdatasync(journal->descriptor) == 0 || errno == EINVAL || errno == ENOSYS || errno == EINTR) return EE_OK;
  return system_error(journal, "write", error); /* unreached: as the line before */
}

ee_status ee_bench_journal_add(ee_bench_journal *journal, size_t case_number, size_t trial, ee_str text,
                               ee_error *error) {
  ee_str *slot = &journal->slots[case_number * journal->trials + trial];
  if (slot->data != NULL) return EE_OK;
  ee_buffer *line = &journal->line;
  ee_buffer_clear(line);
  ee_buffer_addf(line, "{\"case\":%zu,\"trial\":%zu,\"result\":", case_number, trial);
  ee_buffer_add_str(line, text);
  ee_checked_line_end(line, 0, journal->seed);
  ee_status status = write_all(journal, (ee_str){line->data, line->length}, error);
  if (status == EE_OK) status = sync_now_and_then(journal, error);
  if (status != EE_OK) return status;
  *slot = (ee_str){ee_arena_copy(&journal->arena, text.data, text.length), text.length};
  journal->count++;
  return EE_OK;
}

size_t ee_bench_journal_count(const ee_bench_journal *journal) { return journal->count; }

size_t ee_bench_journal_damaged(const ee_bench_journal *journal) { return journal->damaged; }

const char *ee_bench_journal_name(const ee_bench_journal *journal) { return journal->name; }

void ee_bench_journal_close(ee_bench_journal *journal, bool done) {
  if (journal == NULL) return;
  /* Removed while it is locked: whoever opened it meanwhile sees that it has no name any more. */
  if (done) unlink(journal->name);
  if (journal->descriptor >= 0) close(journal->descriptor);
  ee_buffer_fini(&journal->header);
  ee_buffer_fini(&journal->line);
  ee_arena_fini(&journal->arena);
  ee_free(journal->slots);
  ee_free(journal->name);
  ee_free(journal);
}
