/* bench_startup.c: milliseconds from the start of the program to its end, beside those of a program that does nothing.
 *
 *   bench_startup PROGRAM RULES DATA
 *
 * The commands take turns, so that what else the machine does falls on all of them. The clock and the processor's time
 * (of all threads) of each, by median; their differences to `true` are what this program adds. */
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "clock.h"

enum { ROUNDS = 200, COMMANDS = 5 };

typedef struct command {
  const char *name;
  const char *const *words;
  double clock_ms[ROUNDS], processor_ms[ROUNDS];
} command;

static double ms(struct timeval time) { return (double)time.tv_sec * 1e3 + (double)time.tv_usec * 1e-3; }

static void run_once(command *self, int round) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  double start = now_s();
  pid_t child;
  int status = 0;
  struct rusage usage;
  if (posix_spawnp(&child, self->words[0], &actions, NULL, (char **)(uintptr_t)self->words, NULL) != 0 ||
      wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) > 1) { /* 1: a gate of the rules failed */
    fprintf(stderr, "bench_startup: %s failed\n", self->words[0]);
    exit(1);
  }
  self->clock_ms[round] = (now_s() - start) * 1e3;
  self->processor_ms[round] = ms(usage.ru_utime) + ms(usage.ru_stime);
  posix_spawn_file_actions_destroy(&actions);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: bench_startup PROGRAM RULES DATA\n");
    return 2;
  }
  const char *program = argv[1], *rules = argv[2], *data = argv[3];
  static command commands[COMMANDS];
  const char *const nothing[] = {"true", NULL}, *const version[] = {program, "--version", NULL};
  const char *const check[] = {program, "check", rules, "-q", NULL}, *const one[] = {program, rules, data, "-q", NULL};
  const char *const judge[] = {program, rules, data, "-q", "-j1", NULL};
  commands[0] = (command){.name = "true", .words = nothing};
  commands[1] = (command){.name = "--version", .words = version};
  commands[2] = (command){.name = "check", .words = check};
  commands[3] = (command){.name = "one case", .words = one};
  commands[4] = (command){.name = "one case, -j1", .words = judge};
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < COMMANDS; i++) run_once(&commands[i], round);
  printf("start-up: %d rounds of each, medians; in brackets what is added to `true`\n", ROUNDS);
  double clock_base = 0, processor_base = 0;
  for (int i = 0; i < COMMANDS; i++) {
    double clock = sort_for_median(commands[i].clock_ms, ROUNDS),
           processor = sort_for_median(commands[i].processor_ms, ROUNDS);
    if (i == 0) clock_base = clock, processor_base = processor;
    printf("  %-20s %5.2f ms (%+.2f), %.2f ms of a processor (%+.2f)\n", commands[i].name, clock, clock - clock_base,
           processor, processor - processor_base);
  }
  return 0;
}
