/* The jail of --jail, from inside: a child process goes in by the options of a command line, as the program does, and
 * tries to get out (ways_out.lua). */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/jailed.h"
#include "cli/options.h"

#ifdef EE_WITH_SECCOMP
#include "raw_state.h"

/* Attempts that must at least have been made and refused. */
#define ENOUGH 160

typedef struct place {
  char root[64], names[16][160]; /* the names are here */
  size_t count;
  const char *data, *rules, *rule_file, *outputs, *results, *secret, *hidden, *link;
} place;

static const char *name_in(place *p, const char *folder, const char *name) {
  assert_true(p->count < sizeof p->names / sizeof *p->names);
  char *text = p->names[p->count++];
  int length = snprintf(text, sizeof *p->names, "%s/%s", folder, name);
  assert_true(length > 0 && length < (int)sizeof *p->names);
  return text;
}

static const char *folder_in(place *p, const char *folder, const char *name) {
  const char *made = name_in(p, folder, name);
  assert_int_equal(mkdir(made, 0777), 0);
  return made;
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void make_place(place *p) {
  *p = (place){.root = "/tmp/evalengine-jail-XXXXXX"};
  assert_non_null(mkdtemp(p->root));
  p->rules = folder_in(p, p->root, "rules");
  p->outputs = folder_in(p, p->root, "outputs");
  p->hidden = folder_in(p, p->root, "hidden");
  folder_in(p, p->hidden, "folder");
  folder_in(p, p->outputs, "folder");
  p->data = name_in(p, folder_in(p, p->root, "data"), "data.jsonl");
  p->rule_file = name_in(p, p->rules, "rules.lua");
  p->results = name_in(p, p->outputs, "rows.jsonl");
  p->secret = name_in(p, p->hidden, "secret.txt");
  p->link = name_in(p, p->outputs, "link");
  write_file(p->data, "data\n");
  write_file(p->rule_file, "return {}\n");
  write_file(p->secret, "secret\n");
  write_file(name_in(p, p->outputs, "old.txt"), "old\n");
  assert_int_equal(symlink(p->secret, p->link), 0);
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where) {
  (void)about, (void)type, (void)where;
  return remove(path);
}

static void remove_place(const place *p) { nftw(p->root, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

/* In the child: goes in as the command line says; ends with 77 where that is impossible. */
static void enter(const place *p, const char *const *more) {
  const char *arguments[24] = {"evalengine", p->rule_file, p->data, "--results", p->results, "--jail"};
  int count = 6;
  for (; *more != NULL; more++) arguments[count++] = *more;
  ee_options options;
  ee_error error = {0};
  ee_status status = ee_options_parse(count, (char **)(uintptr_t)arguments, &options, &error);
  if (status == EE_OK) status = ee_jailed_enter(&options, &error);
  if (status == EE_OK) return;
  fprintf(stderr, "%s\n", error.message);
  _exit(strstr(error.message, "needs") != NULL ? EE_TEST_SKIPPED : 1);
}

/* Runs `inside` in a child in the jail. Returns its wait status; its standard output is in `text`. */
static int in_jail(const place *p, const char *const *more, int (*inside)(const place *p), char *text, size_t size) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    enter(p, more);
    int status = inside(p);
    fflush(NULL);
    _exit(status);
  }
  close(ends[1]);
  size_t length = 0;
  ssize_t got;
  while (length + 1 < size && (got = read(ends[0], text + length, size - 1 - length)) > 0) length += (size_t)got;
  text[length] = '\0';
  close(ends[0]);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static const char *const nothing_more[] = {NULL};

static int do_nothing(const place *p) {
  (void)p;
  return 0;
}

/* Without a jail on this machine the file is skipped. */
static int look_for_jail(void **state) {
  (void)state;
  place p;
  char text[256];
  make_place(&p);
  int status = in_jail(&p, nothing_more, do_nothing, text, sizeof text);
  remove_place(&p);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != EE_TEST_SKIPPED) return 0;
  printf("skipped: no jail on this machine\n");
  exit(EE_TEST_SKIPPED);
}

/* Ways out --------------------------------------------------------------------------------------- */

static bool with_network, with_programs;

static void set_text(lua_State *L, const char *name, const char *value) {
  lua_pushstring(L, value);
  lua_setfield(L, -2, name);
}

static void set_flag(lua_State *L, const char *name, bool value) {
  lua_pushboolean(L, value);
  lua_setfield(L, -2, name);
}

/* The script was read before the jail was entered: it is no part of the jail's files. */
static char script[32768];

static int try_ways_out(const place *p) {
  lua_State *L = raw_state_new();
  lua_newtable(L);
  set_text(L, "data", p->data);
  set_text(L, "rules", p->rules);
  set_text(L, "outputs", p->outputs);
  set_text(L, "secret", p->secret);
  set_text(L, "hidden", p->hidden);
  set_text(L, "link", p->link);
  set_flag(L, "network", with_network);
  set_flag(L, "programs", with_programs);
  lua_pushinteger(L, getppid());
  lua_setfield(L, -2, "parent");
  lua_setglobal(L, "at");
  if (luaL_loadstring(L, script) == LUA_OK && lua_pcall(L, 0, 0, 0) == LUA_OK) return 0;
  printf("BROKEN script: %s\n", lua_tostring(L, -1));
  return 1;
}

static void read_script(void) {
  FILE *file = fopen(test_project_path("tests/jail/ways_out.lua"), "r");
  assert_non_null(file);
  size_t length = fread(script, 1, sizeof script - 1, file);
  assert_true(length > 0 && length < sizeof script - 1);
  script[length] = '\0';
  fclose(file);
}

static void expect_text(const char *path, const char *expected) {
  char text[64] = "";
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_non_null(fgets(text, sizeof text, file));
  fclose(file);
  assert_string_equal(text, expected);
}

static size_t count_lines(const char *text, const char *start) {
  size_t count = 0, length = strlen(start);
  for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
    at += *at == '\n';
    if (strncmp(at, start, length) == 0) count++;
    if (*at == '\0') break;
  }
  return count;
}

/* Returns how many were refused. */
static size_t expect_no_way_out(const char *const *more) {
  static char text[65536];
  place p;
  make_place(&p);
  read_script();
  int status = in_jail(&p, more, try_ways_out, text, sizeof text);
  bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0 && count_lines(text, "OUT ") == 0 &&
              count_lines(text, "BROKEN ") == 0 && count_lines(text, "works ") == 7;
  size_t refused = count_lines(text, "refused "), absent = count_lines(text, "absent ");
  if (!good) fputs(text, stderr);
  print_message("%zu attempts refused, %zu impossible on this machine\n", refused, absent);
  assert_true(good);
  /* None of the attempts left a trace. */
  expect_text(p.secret, "secret\n");
  expect_text(p.data, "data\n");
  expect_text(p.results, "{}\n");
  remove_place(&p);
  return refused;
}

static void finds_no_way_out(void **state) {
  (void)state;
  with_network = with_programs = false;
  assert_true(expect_no_way_out(nothing_more) >= ENOUGH);
}

static void finds_no_way_out_with_network(void **state) {
  (void)state;
  static const char *const more[] = {"--allow-network", NULL};
  with_network = true, with_programs = false;
  assert_true(expect_no_way_out(more) >= ENOUGH - 20);
}

static void finds_no_way_out_with_programs(void **state) {
  (void)state;
  static const char *const more[] = {"--allow-programs", NULL};
  with_network = false, with_programs = true;
  assert_true(expect_no_way_out(more) >= ENOUGH - 40);
}

/* Programs in the jail --------------------------------------------------------------------------- */

/* Runs a shell command; its exit status. */
static int run_shell(const char *command) {
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

static int use_programs(const place *p) {
  char command[512];
  printf("echo %d\n", run_shell("true"));
  snprintf(command, sizeof command, "cat %s >/dev/null 2>&1", p->data);
  printf("data %d\n", run_shell(command));
  snprintf(command, sizeof command, "cat %s >/dev/null 2>&1", p->secret);
  printf("secret %d\n", run_shell(command) != 0);
  snprintf(command, sizeof command, "(echo x > %s/x) 2>/dev/null", p->hidden);
  printf("writes %d\n", run_shell(command) != 0);
  snprintf(command, sizeof command, "(echo x > %s/x) 2>/dev/null", p->rules);
  printf("rules %d\n", run_shell(command) != 0);
  snprintf(command, sizeof command, "cp /bin/true %s/program && %s/program 2>/dev/null", p->outputs, p->outputs);
  printf("own %d\n", run_shell(command) != 0);
  return 0;
}

/* A program that was started there is in the jail itself. */
static void programs_are_inside(void **state) {
  (void)state;
  static const char *const more[] = {"--allow-programs", NULL};
  char text[1024];
  place p;
  make_place(&p);
  int status = in_jail(&p, more, use_programs, text, sizeof text);
  assert_int_equal(status, 0);
  assert_string_equal(text, "echo 0\ndata 0\nsecret 1\nwrites 1\nrules 1\nown 1\n");
  remove_place(&p);
}

/* Limits ----------------------------------------------------------------------------------------- */

/* Takes memory until it is refused; the megabytes it got. */
static int take_memory(const place *p) {
  (void)p;
  static char *volatile block; /* volatile: clang leaves out memory that nobody looks at */
  size_t got = 0;
  for (; got < 512 && (block = malloc(1 << 20)) != NULL; got++) memset(block, 1, 1 << 20);
  printf("%s\n", got < 512 ? "refused" : "unlimited");
  return 0;
}

static void memory_is_limited(void **state) {
  (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip();
#endif
  static const char *const more[] = {"--jail-memory", "256", NULL};
  static const char *const none[] = {"--jail-memory", "0", NULL};
  char text[64];
  place p;
  make_place(&p);
  assert_int_equal(in_jail(&p, more, take_memory, text, sizeof text), 0);
  assert_string_equal(text, "refused\n");
  assert_int_equal(in_jail(&p, none, take_memory, text, sizeof text), 0);
  assert_string_equal(text, "unlimited\n");
  remove_place(&p);
}

static int burn(const place *p) {
  for (volatile bool on = p != NULL; on;) continue;
  return 0;
}

/* Status 5, not a signal. */
static void processor_time_is_limited(void **state) {
  (void)state;
  static const char *const more[] = {"--jail-cpu", "1", NULL};
  char text[64];
  place p;
  make_place(&p);
  int status = in_jail(&p, more, burn, text, sizeof text);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 5);
  remove_place(&p);
}

/* Environment and descriptors -------------------------------------------------------------------- */

static const char *key_in_memory;
static int left_open;

static int look_around(const place *p) {
  (void)p;
  const char *path = getenv("PATH"), *key = getenv("TEST_API_KEY");
  printf("%s %s %s %s\n", path != NULL ? "path" : "", key != NULL ? key : "no key",
         strcmp(key_in_memory, "s3cr3t") == 0 ? "in memory" : "erased",
         fcntl(left_open, F_GETFD) < 0 ? "closed" : "open");
  return 0;
}

static void keys_and_descriptors_stay_outside(void **state) {
  (void)state;
  static const char *const network[] = {"--allow-network", NULL};
  char text[64];
  place p;
  make_place(&p);
  setenv("TEST_API_KEY", "s3cr3t", 1);
  key_in_memory = getenv("TEST_API_KEY");
  left_open = fcntl(STDIN_FILENO, F_DUPFD, 40);
  assert_true(left_open >= 40);
  assert_int_equal(in_jail(&p, nothing_more, look_around, text, sizeof text), 0);
  assert_string_equal(text, "path no key erased closed\n");
  assert_int_equal(in_jail(&p, network, look_around, text, sizeof text), 0);
  assert_string_equal(text, "path s3cr3t in memory closed\n");
  unsetenv("TEST_API_KEY");
  close(left_open);
  remove_place(&p);
}

/* Options ---------------------------------------------------------------------------------------- */

static void missing_paths_are_errors(void **state) {
  (void)state;
  const char *arguments[] = {"evalengine", "rules/invoice.lua", "samples/invoices.jsonl",
                             "--jail",     "--jail-read",       "no/such/path"};
  ee_options options;
  ee_error error = {0};
  assert_int_equal(ee_options_parse(6, (char **)(uintptr_t)arguments, &options, &error), EE_OK);
  ee_jail jail;
  assert_int_equal(ee_jailed_plan(&options, &jail, &error), EE_ERROR_SYSTEM);
  assert_string_equal(error.message, "cannot open 'no/such/path' of --jail-read: No such file or directory");
  ee_options_fini(&options);
  const char *lonely[] = {"evalengine", "rules/invoice.lua", "samples/invoices.jsonl", "--jail-cpu", "3"};
  assert_int_equal(ee_options_parse(5, (char **)(uintptr_t)lonely, &options, &error), EE_ERROR_USAGE);
  assert_string_equal(error.message, "--jail-cpu needs --jail");
  ee_options_fini(&options);
}

/* Descriptors ------------------------------------------------------------------------------------ */

/* In a child that may have `limit` descriptors: what the way in says. */
static void enter_with_descriptors(const place *p, unsigned limit, char *text, size_t size) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const char *arguments[] = {"evalengine", p->rule_file, p->data, "--jail"};
    ee_options options;
    ee_error error = {0};
    struct rlimit before, now;
    dup2(ends[1], STDOUT_FILENO);
    for (int i = STDERR_FILENO + 1; i < 100; i++) close(i);
    getrlimit(RLIMIT_NOFILE, &before);
    now = (struct rlimit){.rlim_cur = limit, .rlim_max = before.rlim_max};
    ee_status status = ee_options_parse(4, (char **)(uintptr_t)arguments, &options, &error);
    setrlimit(RLIMIT_NOFILE, &now);
    if (status == EE_OK) status = ee_jailed_enter(&options, &error);
    setrlimit(RLIMIT_NOFILE, &before);
    printf("%d %s", (int)status, error.message);
    fflush(NULL);
    _exit(0);
  }
  close(ends[1]);
  ssize_t got = read(ends[0], text, size - 1);
  text[got > 0 ? got : 0] = '\0';
  close(ends[0]);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

/* A path that cannot be opened now could be opened later, and would then be refused: the program does not begin. */
static void used_up_descriptors_are_errors(void **state) {
  (void)state;
  char text[300], wanted[300];
  place p;
  make_place(&p);
  enter_with_descriptors(&p, 3, text, sizeof text);
  assert_string_equal(text, "5 --jail: libseccomp cannot make the filter (export): Too many open files");
  /* With one more each time, until the filter is made but no path can be opened. */
  snprintf(wanted, sizeof wanted, "5 --jail: cannot open '%s': Too many open files", p.rule_file);
  bool said = false;
  for (unsigned limit = 4; limit < 32 && !said; limit++) {
    enter_with_descriptors(&p, limit, text, sizeof text);
    said = strcmp(text, wanted) == 0;
    if (!said) assert_non_null(strstr(text, "Too many open files"));
  }
  assert_true(said);
  remove_place(&p);
}

EE_TEST_FILE(look_for_jail, NULL, cmocka_unit_test(finds_no_way_out), cmocka_unit_test(finds_no_way_out_with_network),
             cmocka_unit_test(finds_no_way_out_with_programs), cmocka_unit_test(programs_are_inside),
             cmocka_unit_test(memory_is_limited), cmocka_unit_test(processor_time_is_limited),
             cmocka_unit_test(keys_and_descriptors_stay_outside), cmocka_unit_test(missing_paths_are_errors),
             cmocka_unit_test(used_up_descriptors_are_errors));

#else

/* This build has no jail, and says so. */
static void build_refuses(void **state) {
  (void)state;
  ee_jail jail = {.network = false};
  ee_error error = {0};
  assert_int_equal(ee_jail_enter(&jail, &error), EE_ERROR_SYSTEM);
  assert_non_null(strstr(error.message, "libseccomp"));
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(build_refuses));

#endif
