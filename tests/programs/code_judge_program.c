/* code_judge_program.c: a program that tests call, as a judge by the code_judge protocol or as one that misbehaves.
 *
 *   code_judge_program judge          one payload on standard input, one answer
 *   code_judge_program lines          a payload a line, an answer a line
 *   code_judge_program MANNER [ARG]   does that, without having read anything
 *
 * A judge takes two equal answers for right, and does what a candidate answer "do MANNER" says. It is no part of what
 * is tested and knows nothing of the project. Whatever waits ends by itself in the end, so that a failed test leaves
 * nothing behind. */
#include <cjson/cJSON.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGEST_LIFE 60 /* seconds */

static const char *argument = "";

static void wait_for_ever(void) {
  for (;;) pause();
}

static void print(const char *text) {
  fputs(text, stdout);
  fflush(stdout);
}

/* Manners -------------------------------------------------------------------------------------- */

static void do_crash(void) {
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
}

static void do_exit(void) {
  fputs("warming up\nTraceback:\n  ValueError: x\n\n", stderr);
  exit(3);
}

static void do_quit(void) { exit(0); }

/* Output without end; ARG bytes when it is given. */
static void do_flood(void) {
  static char block[65536];
  memset(block, 'x', sizeof block);
  size_t left = *argument != '\0' ? strtoull(argument, NULL, 10) : SIZE_MAX;
  while (left > 0) {
    size_t size = left < sizeof block ? left : sizeof block;
    if (fwrite(block, 1, size, stdout) != size) exit(1);
    left -= size;
  }
  fflush(stdout);
}

static void do_complain(void) {
  for (int i = 0; i < 50000; i++) fprintf(stderr, "%d bottles of beer on the wall\r", i);
  fputs("\n \xC3\xA4rger \x01\xFF \n\n", stderr);
  exit(4);
}

static void do_long_complaint(void) {
  for (int i = 0; i < 1000; i++) fputs("\xE2\x82\xAC", stderr);
  exit(5);
}

static void do_close(void) {
  fclose(stdout);
  close(1);
  wait_for_ever();
}

/* Leaves a process behind that keeps the pipes open, in a session of its own where ARG is "session", and tells its
 * number. */
static void do_fork(void) {
  pid_t other = fork();
  if (other == 0) {
    if (strcmp(argument, "session") == 0) {
      setsid();
      alarm(10);
    }
    wait_for_ever();
  }
  printf("{\"score\": 1, \"details\": {\"left\": %d}}\n", (int)other);
  fflush(stdout);
  _exit(0);
}

static void do_leave_group(void) {
  /* The group of whoever started it. */
  setpgid(0, getpgid(getppid()));
  wait_for_ever();
}

static void do_cat(void) {
  char text[65536];
  size_t size;
  while ((size = fread(text, 1, sizeof text, stdin)) > 0) fwrite(text, 1, size, stdout);
  fflush(stdout);
}

/* Answers before it has read all of the first line, and gives that too. */
static void do_answer_first(void) {
  getchar();
  print("early\n");
  do_cat();
}

static void do_cat_lines(void) {
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0) print(line);
  free(line);
}

/* Two lines for one. */
static void do_cat_twice(void) {
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0) {
    printf("%s%s", line, line);
    fflush(stdout);
  }
  free(line);
}

static void do_blank_lines(void) {
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0) {
    printf("\r\n\n  %.*s\r\n\n", (int)strcspn(line, "\n"), line);
    fflush(stdout);
  }
  free(line);
}

/* What it was started with: folder, arguments, open descriptors, whether it leads its group, signals. */
static void do_facts(void) {
  char folder[4096];
  printf("%s|%s|", getcwd(folder, sizeof folder), argument);
  DIR *list = opendir("/proc/self/fd");
  int own = dirfd(list);
  for (int descriptor = 0; descriptor < 4096; descriptor++) {
    if (descriptor != own && fcntl(descriptor, F_GETFD) >= 0) printf("%d ", descriptor);
  }
  closedir(list);
  struct sigaction action;
  sigset_t blocked;
  sigaction(SIGPIPE, NULL, &action);
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  printf("|%s|%s|%s\n", getpgrp() == getpid() ? "leads" : "follows",
         action.sa_handler == SIG_DFL ? "default" : "ignored",
         sigismember(&blocked, SIGPIPE) || sigismember(&blocked, SIGUSR1) ? "blocked" : "open");
  fflush(stdout);
}

/* An answer that tells where it runs. */
static void do_where(void) {
  char folder[4096];
  printf("{\"score\": 1, \"reasoning\": \"%s %s\"}\n", getcwd(folder, sizeof folder), argument);
  fflush(stdout);
}

/* Answers when another process has come to the folder ARG too. */
static void do_meet(void) {
  char name[4096];
  snprintf(name, sizeof name, "%s/%d", argument, (int)getpid());
  close(open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  for (;;) {
    DIR *list = opendir(argument);
    if (list == NULL) exit(1);
    int entries = 0;
    while (readdir(list) != NULL) entries++;
    closedir(list);
    if (entries >= 4) break; /* . and .. among them */
    usleep(1000);
  }
  print("{\"score\": 1}\n");
}

static void do_bad(void) { print("Thinking...\n"); }
static void do_list(void) { print("{\"score\": 1, \"details\": [1]}\n"); }
static void do_last(void) {
  print("{\"score\": 1}\n");
  exit(0);
}
/* An answer and a line that nobody asked for, at once or a little later. */
static void do_twice(void) { print("{\"score\": 1}\nfinished\n"); }
static void do_later(void) {
  print("{\"score\": 1}\n");
  usleep(500);
  print("finished\n");
}
/* An answer, and blank lines without end. */
static void do_blanks(void) {
  static char block[65536];
  memset(block, '\n', sizeof block);
  print("{\"score\": 1}\n");
  while (write(1, block, sizeof block) > 0) continue;
}
static void do_half(void) {
  printf("{\"score\": ");
  fflush(stdout);
  _exit(0);
}
static void do_number(void) { print("{\"score\": 1.5}\n"); }

static const struct {
  const char *name;
  void (*run)(void);
} manners[] = {
    {"crash", do_crash},
    {"exit", do_exit},
    {"quit", do_quit},
    {"hang", wait_for_ever},
    {"flood", do_flood},
    {"complain", do_complain},
    {"long-complaint", do_long_complaint},
    {"close", do_close},
    {"fork", do_fork},
    {"leave-group", do_leave_group},
    {"cat", do_cat},
    {"answer-first", do_answer_first},
    {"cat-lines", do_cat_lines},
    {"cat-twice", do_cat_twice},
    {"blank-lines", do_blank_lines},
    {"facts", do_facts},
    {"where", do_where},
    {"meet", do_meet},
    {"bad", do_bad},
    {"list", do_list},
    {"half", do_half},
    {"last", do_last},
    {"number", do_number},
    {"twice", do_twice},
    {"later", do_later},
    {"blanks", do_blanks},
};

static bool misbehave(const char *name) {
  for (size_t i = 0; i < sizeof manners / sizeof *manners; i++) {
    if (strcmp(manners[i].name, name) != 0) continue;
    manners[i].run();
    return true;
  }
  return false;
}

/* The judge ------------------------------------------------------------------------------------ */

static const char *text_of(const cJSON *payload, const char *name) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(payload, name);
  return cJSON_IsString(value) ? value->valuestring : "";
}

/* One payload, one answer on one line; the details have the payload itself and how many this process has judged. */
static void judge(const char *text) {
  static int judged = 0;
  cJSON *payload = cJSON_Parse(text);
  if (payload == NULL) {
    fputs("no payload\n", stderr);
    exit(2);
  }
  const char *candidate = text_of(payload, "candidate_answer"), *expected = text_of(payload, "reference_answer");
  if (strncmp(candidate, "do ", 3) == 0 && misbehave(candidate + 3)) {
    cJSON_Delete(payload);
    return;
  }
  bool right = strcmp(candidate, expected) == 0;
  const char *id = text_of(payload, "id");
  cJSON *answer = cJSON_CreateObject();
  cJSON_AddNumberToObject(answer, "score", right ? 1 : 0.25);
  cJSON *hits = cJSON_AddArrayToObject(answer, "hits"), *misses = cJSON_AddArrayToObject(answer, "misses");
  cJSON_AddItemToArray(right ? hits : misses, cJSON_CreateString(id));
  cJSON_AddStringToObject(answer, "reasoning", right ? "the same" : "not the same");
  cJSON *details = cJSON_AddObjectToObject(answer, "details");
  cJSON *counts = cJSON_AddObjectToObject(cJSON_AddObjectToObject(details, "metrics"), "answer");
  cJSON_AddNumberToObject(counts, right ? "tp" : "fn", 1);
  if (strcmp(argument, "count") == 0) cJSON_AddNumberToObject(details, "judged", ++judged);
  cJSON_AddItemToObject(details, "payload", payload);
  char *line = cJSON_PrintUnformatted(answer);
  print(line);
  print("\n");
  free(line);
  cJSON_Delete(answer);
}

static void judge_all_input(void) {
  size_t length = 0, capacity = 1 << 16;
  char *text = malloc(capacity + 1);
  size_t got;
  while (text != NULL && (got = fread(text + length, 1, capacity - length, stdin)) > 0) {
    length += got;
    if (length == capacity) text = realloc(text, (capacity *= 2) + 1);
  }
  if (text == NULL) exit(1);
  text[length] = '\0';
  judge(text);
  free(text);
}

static void judge_lines(void) {
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0) judge(line);
  free(line);
}

int main(int count, char **arguments) {
  alarm(LONGEST_LIFE);
  if (count < 2) return 2;
  if (count > 2) argument = arguments[2];
  if (strcmp(arguments[1], "judge") == 0) {
    judge_all_input();
  } else if (strcmp(arguments[1], "lines") == 0) {
    judge_lines();
  } else if (!misbehave(arguments[1])) {
    return 2;
  }
  return 0;
}
