/* watch.c: `evalengine watch`: evaluates again whenever rules or data are saved, and prints what changed.
 *
 * Every run is a child process, so that nothing of a rule file that is broken, or does not end, is left. Its rows go to
 * a temporary file, which is compared with that of the last run that came to its end. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

#include "base/hash_index.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/row_reader.h"
#include "cli/terminal.h"
#include "judge/rule_text/rule_document.h"
#include "report/comparison.h"

/* Milliseconds between two looks at the files: without inotify, and with it (some file systems report nothing). */
#define POLLED_MS 300
#define NOTIFIED_MS 2000
/* A file that is being written must stay as it is for so long. */
#define SETTLED_MS 60
/* Files below folders that are watched, and how deep they are. */
#define FILES_LIMIT 5000
#define DEPTH_LIMIT 4
/* Of rule files: bytes that are searched for names, names that are looked up, bytes of a name. */
#define TEXT_BYTES ((size_t)1 << 20)
#define NAMES_LIMIT 2000
#define NAME_BYTES 200

/* A file as it was: which one, how large, when it was changed. Of a missing file the stamp is 0. */
typedef struct watched_file {
  char *path;
  uint64_t stamp;
} watched_file;

typedef struct watched_files {
  EE_LIST(watched_file);
} watched_files;

typedef struct watch {
  const ee_options *options;
  ee_terminal terminal;
  const volatile sig_atomic_t *interrupted;
  char folder[PATH_MAX];       /* of the rows */
  char rows[2][PATH_MAX + 16]; /* of the last run, and of the next one; by `last` */
  int last;
  bool any;      /* a run came to its end */
  bool closed;   /* nobody reads what is printed */
  uint64_t runs; /* started */
  watched_files files;
  int notify; /* of inotify; -1: not watched by the kernel */
} watch;

/* Files ------------------------------------------------------------------------------------------ */

/* Editors replace files: another inode is a change, too. */
static uint64_t stamp_of(const struct stat *file) {
  const int64_t parts[] = {(int64_t)file->st_ino, (int64_t)file->st_size, (int64_t)file->st_mtim.tv_sec,
                           (int64_t)file->st_mtim.tv_nsec};
  return ee_hash_bytes(parts, sizeof parts, 0) | 1;
}

static void add_file(watched_files *files, const char *path, uint64_t stamp) {
  for (size_t i = 0; i < files->count; i++)
    if (files->items[i].stamp == stamp && strcmp(files->items[i].path, path) == 0) return;
  watched_file *file = EE_LIST_ADD(files, NULL);
  size_t bytes = strlen(path) + 1;
  file->path = memcpy(ee_malloc(bytes), path, bytes);
  file->stamp = stamp;
}

static void free_files(watched_files *files) {
  for (size_t i = 0; i < files->count; i++) ee_free(files->items[i].path);
  EE_LIST_FINI(files);
}

static bool ends_in(const char *name, const char *suffix) {
  size_t length = strlen(name), end = strlen(suffix);
  return length > end && strcmp(name + length - end, suffix) == 0;
}

/* Adds the files of a folder, and of those below it. */
static void add_folder(watched_files *files, const char *folder, int depth) {
  DIR *open = depth < DEPTH_LIMIT ? opendir(folder) : NULL;
  if (open == NULL) return;
  for (const struct dirent *entry; (entry = readdir(open)) != NULL && files->count < FILES_LIMIT;) {
    char path[PATH_MAX];
    struct stat file;
    if (entry->d_name[0] == '.') continue;
    bool here = strcmp(folder, ".") == 0; /* as the command line names files */
    int length = snprintf(path, sizeof path, "%s%s%s", here ? "" : folder, here ? "" : "/", entry->d_name);
    if (length < 0 || (size_t)length >= sizeof path || stat(path, &file) != 0) continue;
    if (S_ISDIR(file.st_mode))
      add_folder(files, path, depth + 1);
    else if (S_ISREG(file.st_mode))
      add_file(files, path, stamp_of(&file));
  }
  closedir(open);
}

static void add_named(watched_files *files, const char *path) {
  struct stat file;
  if (path == NULL) return;
  bool there = stat(path, &file) == 0;
  if (there && S_ISDIR(file.st_mode))
    add_folder(files, path, 0);
  else
    add_file(files, path, there ? stamp_of(&file) : 0);
}

/* The folder of `path`, in `folder`. */
static void folder_of(const char *path, char folder[PATH_MAX]) {
  const char *slash = strrchr(path, '/');
  size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
  if (length >= PATH_MAX) length = 0;
  memcpy(folder, path, length);
  folder[length] = '\0';
  if (length == 0) strcpy(folder, ".");
}

/* The file that `name`, a text in quotes in a file of `folder`, may mean: a module ("a.b": a/b.lua) or a file as it is.
 * Modules that `required` names are watched before they exist. */
static void add_mentioned(watched_files *files, const char *folder, ee_str name, bool required) {
  char path[PATH_MAX], module[NAME_BYTES + 1];
  struct stat file;
  if (name.length == 0 || name.length > NAME_BYTES || memchr(name.data, '\n', name.length) != NULL) return;
  const char *base = strcmp(folder, ".") == 0 ? "" : folder, *slash = *base == '\0' ? "" : "/";
  memcpy(module, name.data, name.length);
  module[name.length] = '\0';
  int length = name.data[0] == '/' ? snprintf(path, sizeof path, "%s", module)
                                   : snprintf(path, sizeof path, "%s%s%s", base, slash, module);
  if (length > 0 && (size_t)length < sizeof path && stat(path, &file) == 0 && S_ISREG(file.st_mode))
    add_file(files, path, stamp_of(&file));
  for (char *at = module; *at != '\0'; at++)
    if (*at == '.') *at = '/';
  length = snprintf(path, sizeof path, "%s%s%s.lua", base, slash, module);
  if (length < 0 || (size_t)length >= sizeof path) return;
  bool there = stat(path, &file) == 0 && S_ISREG(file.st_mode);
  if (there || required) add_file(files, path, there ? stamp_of(&file) : 0);
}

static bool comes_after_require(ee_str text, size_t at) {
  static const char word[] = "require";
  while (at > 0 && strchr(" (\t", text.data[at - 1]) != NULL) at--;
  return at >= sizeof word - 1 && memcmp(text.data + at - (sizeof word - 1), word, sizeof word - 1) == 0;
}

/* Whether a file is rules in YAML or JSON; of JSON only small files are looked at, since there may be many of data. */
static bool is_document(const char *path) {
  struct stat file;
  bool json = ends_in(path, ".json"), found;
  if (json && (stat(path, &file) != 0 || (size_t)file.st_size > TEXT_BYTES)) return false;
  return ee_is_rule_document_file(path, &found, &(ee_error){0}) == EE_OK && found;
}

static bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c != '\0' && strchr("_-./", c));
}

/* The same of a document of rules, in which names need no quotes. */
static void add_words(watched_files *files, const char *folder, ee_str all) {
  for (size_t at = 0, names = 0; at < all.length && names < NAMES_LIMIT; names++) {
    while (at < all.length && !is_name_character(all.data[at])) at++;
    size_t start = at;
    while (at < all.length && is_name_character(all.data[at])) at++;
    bool key = at < all.length && all.data[at] == ':';
    if (!key) add_mentioned(files, folder, (ee_str){all.data + start, at - start}, false);
  }
}

/* Adds the files that a rule file or a data set names in quotes: modules, other rule files, schemas. A text in quotes
 * that is not the name of a file adds nothing. */
static void add_mentions(watched_files *files, const char *path) {
  char *text = ee_malloc(TEXT_BYTES), folder[PATH_MAX];
  FILE *file = fopen(path, "r");
  folder_of(path, folder);
  ee_str all = {text, file != NULL ? fread(text, 1, TEXT_BYTES, file) : 0};
  if (is_document(path)) add_words(files, folder, all);
  for (size_t at = 0, names = 0; at < all.length && names < NAMES_LIMIT; at++) {
    if (all.data[at] != '"' && all.data[at] != '\'') continue;
    const char *end = memchr(all.data + at + 1, all.data[at], all.length - at - 1);
    const char *line = memchr(all.data + at + 1, '\n', all.length - at - 1);
    if (end == NULL || (line != NULL && line < end)) continue;
    ee_str name = {all.data + at + 1, (size_t)(end - all.data) - at - 1};
    add_mentioned(files, folder, name, comes_after_require(all, at));
    at += name.length + 1;
    names++;
  }
  if (file != NULL) fclose(file);
  ee_free(text);
}

/* Everything that is named on the command line, and what the rules name. */
static void list_files(const watch *self, watched_files *files) {
  const ee_options *options = self->options;
  for (size_t i = 0; i < options->operand_count; i++) add_named(files, options->operands[i]);
  add_named(files, options->expected);
  add_named(files, options->config);
  if (ends_in(options->operands[0], ".yaml") || ee_names_rules(options, options->operands[0]))
    add_mentions(files, options->operands[0]);
  for (size_t i = 0; i < files->count && files->count < FILES_LIMIT; i++)
    if (i > 0 && (ends_in(files->items[i].path, ".lua") || is_document(files->items[i].path)))
      add_mentions(files, files->items[i].path);
  /* Files that the run itself writes must not start another run. */
  size_t kept = 0;
  for (size_t i = 0; i < files->count; i++) {
    if (options->output != NULL && ee_output_is_same_file(files->items[i].path, options->output))
      ee_free(files->items[i].path);
    else
      files->items[kept++] = files->items[i];
  }
  files->count = kept;
}

/* NULL: it is not among them. `guess` is where it probably is. */
static const watched_file *find_file(const watched_files *files, const char *path, size_t guess) {
  if (guess < files->count && strcmp(files->items[guess].path, path) == 0) return &files->items[guess];
  for (size_t i = 0; i < files->count; i++)
    if (strcmp(files->items[i].path, path) == 0) return &files->items[i];
  return NULL;
}

/* The first file that is not as it was; NULL: none. */
static const char *first_change(const watched_files *before, const watched_files *now) {
  for (size_t i = 0; i < now->count; i++) {
    const watched_file *file = find_file(before, now->items[i].path, i);
    if (file == NULL || file->stamp != now->items[i].stamp) return now->items[i].path;
  }
  for (size_t i = 0; i < before->count; i++)
    if (find_file(now, before->items[i].path, i) == NULL) return before->items[i].path;
  return NULL;
}

/* Waiting ---------------------------------------------------------------------------------------- */

#ifdef __linux__
#define EVENTS (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB)

/* Watches the folders of the files, not the files: an editor replaces them. A folder that is watched already stays so.
 */
static void notify_folders(watch *self) {
  if (self->notify < 0) self->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  char folder[PATH_MAX], before[PATH_MAX] = "";
  for (size_t i = 0; self->notify >= 0 && i < self->files.count; i++) {
    folder_of(self->files.items[i].path, folder);
    if (strcmp(folder, before) != 0) inotify_add_watch(self->notify, folder, EVENTS);
    strcpy(before, folder);
  }
}

static void drain(int descriptor) {
  char events[4096];
  while (read(descriptor, events, sizeof events) > 0) continue;
}
#else
static void notify_folders(watch *self) { (void)self; }
static void drain(int descriptor) { (void)descriptor; }
#endif

/* Sleeps until something may have changed, or nobody reads standard output any more: a pipe whose reader is gone is in
 * error. */
static void sleep_until_event(watch *self, int timeout_ms) {
  struct pollfd descriptors[] = {{.fd = STDOUT_FILENO}, {.fd = self->notify, .events = POLLIN}};
  if (poll(descriptors, 2, timeout_ms) <= 0) return; /* a negative descriptor is passed over */
  if (descriptors[1].revents != 0) drain(self->notify);
  self->closed = self->closed || (descriptors[0].revents & POLLERR) != 0;
}

/* Waits until a file has changed and all stay as they are for a moment. In `*name` the file; false: interrupted, or
 * closed. */
static bool wait_for_change(watch *self, char name[PATH_MAX]) {
  int interval = self->notify >= 0 ? NOTIFIED_MS : POLLED_MS; /* unreached: no inotify: make faults */
  while (!ee_flag_is_set(self->interrupted) && !self->closed) {
    watched_files now = {0};
    list_files(self, &now);
    const char *changed = first_change(&self->files, &now);
    if (changed == NULL) {
      free_files(&now);
      sleep_until_event(self, interval);
      continue;
    }
    snprintf(name, PATH_MAX, "%s", changed);
    for (bool settled = false; !settled && !ee_flag_is_set(self->interrupted);) {
      poll(NULL, 0, SETTLED_MS);
      watched_files later = {0};
      list_files(self, &later);
      settled = first_change(&now, &later) == NULL;
      free_files(&now);
      now = later;
    }
    free_files(&self->files);
    self->files = now;
    notify_folders(self);
    return !ee_flag_is_set(self->interrupted);
  }
  return false;
}

/* Signals ---------------------------------------------------------------------------------------- */

/* Whose rows a signal removes; NULL in a child. */
static watch *volatile ended;

static void remove_rows(const watch *self) {
  if (self->folder[0] == '\0') return;
  unlink(self->rows[0]);
  unlink(self->rows[1]);
  rmdir(self->folder);
}

/* SIGTERM, and SIGHUP of a terminal that is closed, end the program as they do without this. */
static void on_end(int number) {         /* unreached: a signal ends the program before it writes its counters */
  if (ended != NULL) remove_rows(ended); /* unreached: as the line before */
  signal(number, SIG_DFL);               /* unreached: as the line before */
  raise(number);                         /* unreached: as the line before */
}

static void handle_ends(watch *self) {
  static const int numbers[] = {SIGTERM, SIGHUP};
  ended = self;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction before;
    if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* unreached: each signal is known */
      sigaction(numbers[i], &(struct sigaction){.sa_handler = on_end}, NULL);
  }
}

/* Runs ------------------------------------------------------------------------------------------- */

/* In the child. The first run prints its report; later ones do so only to a file, and print errors alone. */
static int evaluate(const watch *self) {
  ee_options options = *self->options;
  options.command = ee_evaluation_of(&options);
  /* Nobody resumes this run: no FILE.part. */
  int rows = open(self->rows[1 - self->last], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  char name[32];
  snprintf(name, sizeof name, "/dev/fd/%d", rows);
  options.results = rows >= 0 ? name : self->rows[1 - self->last]; /* unreached: a failing open(): make faults */
  if (self->any) {
    options.quiet = true;
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO); /* unreached: /dev/null is there */
  }
  return ee_command_evaluate(&options); // cppcheck-suppress resourceLeak; closed as the child ends
}

/* The exit status of an evaluation; a signal that ended it counts as EE_ERROR_SYSTEM. */
static int run(watch *self) {
  fflush(NULL);
  self->runs++;
  unlink(self->rows[1 - self->last]);
  pid_t child = fork();
  if (child == 0) {
    ended = NULL;
    int status = evaluate(self);
    fflush(NULL);
    _exit(status);
  }
  if (child < 0) return EE_ERROR_SYSTEM; /* unreached: a failing fork(): make faults */
  int status;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue; /* unreached: a signal while waiting */
  return WIFEXITED(status) ? WEXITSTATUS(status) : EE_ERROR_SYSTEM;  /* unreached: somebody kills the child */
}

/* What changed ----------------------------------------------------------------------------------- */

/* unreached: rows that the child wrote can be read */
static void ignore(void *user, const ee_error *error) { (void)user, (void)error; }

static ee_status read_rows(const watch *self, int number, ee_comparison *comparison, ee_side side, ee_error *error) {
  const char *file = self->rows[number];
  ee_row_reader reader;
  ee_status status = ee_row_reader_open(&reader, &file, 1, self->interrupted, ignore, NULL, error);
  reader.lean = true;
  ee_stored_row row;
  bool done = false;
  while (status == EE_OK && (status = ee_row_reader_next(&reader, &row, &done, error)) == EE_OK && !done)
    ee_comparison_add(comparison, side, &row);
  ee_row_reader_close(&reader);
  return status;
}

/* Prints `text` at once, and frees it. */
static void print(watch *self, ee_buffer *text) {
  ee_error error = {0};
  self->closed = ee_output_write_all(NULL, text, &error) != EE_OK || self->closed;
  ee_buffer_fini(text);
}

/* Prints a line of our own; `name` may be any bytes. */
static void say(watch *self, const char *format, const char *name, uint64_t number) {
  ee_buffer line, clean;
  ee_buffer_init(&line);
  ee_buffer_init(&clean);
  ee_one_line(&clean, ee_str_from(name), EE_STR(""), PATH_MAX);
  ee_buffer_addf(&line, format, ee_buffer_terminate(&clean), number);
  ee_buffer_fini(&clean);
  print(self, &line);
}

/* Between the last run and the one that has just ended. */
static void print_change(watch *self) {
  ee_comparison *comparison =
      ee_comparison_new(&(ee_comparison_options){.common = true, .force = true, .names = {"before", "now"}});
  ee_buffer text;
  ee_buffer_init(&text);
  ee_error error = {0};
  ee_status status = read_rows(self, self->last, comparison, EE_SIDE_BASE, &error);
  /* unreached: rows that the child wrote */
  if (status == EE_OK) status = read_rows(self, 1 - self->last, comparison, EE_SIDE_NEW, &error);
  if (status == EE_OK) status = ee_comparison_finish(comparison, &error); /* unreached: rows that the child wrote */
  if (status != EE_OK)
    ee_terminal_fail(&self->terminal, &error); /* unreached: rows that the child wrote */
  else if (!ee_comparison_digest(comparison, &text))
    ee_buffer_add_text(&text, "  nothing changed\n");
  print(self, &text);
  ee_comparison_free(comparison);
}

/* A run and what it changed. Returns an exit status if watching ends with it, else -1. */
static int run_once(watch *self) {
  int status = run(self);
  if (ee_flag_is_set(self->interrupted) || status == EE_EXIT_INTERRUPTED) return EE_EXIT_INTERRUPTED;
  if (status == EE_ERROR_USAGE || status == EE_EXIT_CLOSED_PIPE) return status;
  if (status == EE_ERROR_RULES || status == EE_ERROR_SYSTEM || access(self->rows[1 - self->last], R_OK) != 0) {
    say(self, "  no result: waiting for a change%s\n", "", 0);
    return -1;
  }
  if (self->any) print_change(self);
  self->any = true;
  self->last = 1 - self->last;
  return -1;
}

/* The command ------------------------------------------------------------------------------------ */

static ee_status check_options(const watch *self, ee_error *error) {
  const ee_options *options = self->options;
  if (options->results != NULL)
    return ee_error_set(error, EE_ERROR_USAGE, "--results does not apply to 'watch': rows are those of a single run");
  for (size_t i = 0; i < options->operand_count; i++)
    if (strcmp(options->operands[i], "-") == 0)
      return ee_error_set(error, EE_ERROR_USAGE, "'watch' cannot read standard input again: name a file");
  return EE_OK;
}

static ee_status make_folder(watch *self, ee_error *error) {
  const char *parent = getenv("TMPDIR");
  if (parent == NULL || *parent == '\0') parent = "/tmp";
  int length = snprintf(self->folder, sizeof self->folder, "%s/evalengine-watch-XXXXXX", parent);
  if (length < 0 || (size_t)length >= sizeof self->folder || mkdtemp(self->folder) == NULL) {
    self->folder[0] = '\0';
    return ee_error_set(error, EE_ERROR_SYSTEM, "cannot make a temporary folder for rows (see TMPDIR): %s",
                        strerror(errno));
  }
  for (int i = 0; i < 2; i++) snprintf(self->rows[i], sizeof self->rows[i], "%s/%d.jsonl", self->folder, i);
  return EE_OK;
}

static void close_all(watch *self) {
  remove_rows(self);
  if (self->notify >= 0) close(self->notify);
  free_files(&self->files);
}

int ee_command_watch(const ee_options *options) {
  watch self = {.options = options, .notify = -1};
  ee_error error = {0};
  ee_terminal_init(&self.terminal, options);
  self.interrupted = ee_interrupt_watch();
  ee_status status = check_options(&self, &error);
  if (status == EE_OK) status = make_folder(&self, &error);
  int result = (int)status;
  if (status != EE_OK) {
    ee_terminal_fail(&self.terminal, &error);
    close_all(&self);
    return result;
  }
  handle_ends(&self);
  list_files(&self, &self.files);
  notify_folders(&self);
  result = run_once(&self);
  if (result < 0) say(&self, "watching %2$" PRIu64 " files%1$s\n", "", (uint64_t)self.files.count);
  char changed[PATH_MAX];
  while (result < 0 && !self.closed && wait_for_change(&self, changed)) {
    say(&self, "run %2$" PRIu64 ": %1$s changed\n", changed, self.runs + 1);
    result = run_once(&self);
  }
  ended = NULL;
  close_all(&self);
  return self.closed ? EE_EXIT_CLOSED_PIPE : result < 0 ? EE_EXIT_INTERRUPTED : result;
}
