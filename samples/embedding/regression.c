/* regression.c: a test program in C that fails where answers got worse.
 *
 *   cc regression.c $(pkg-config --cflags --libs evalengine) -o regression
 *   ./regression RULES DATA.jsonl MIN_SCORE
 *
 * Judges a whole file, prints the cases that do not pass while they are judged, then the report. Exit status 1 if the mean
 * score is below MIN_SCORE. */
#include <evalengine.h>
#include <stdio.h>
#include <stdlib.h>

static void print_message(void *user, const ee_error *error) {
  (void)user;
  fprintf(stderr, "%s:%zu: %s\n", error->file, error->line, error->message);
}

/* A row is JSON; what is printed here is its beginning. */
static int print_row(void *user, const char *row, size_t length) {
  size_t *count = user;
  ++*count;
  if (*count <= 2) printf("case %zu: %.*s...\n", *count, length < 60 ? (int)length : 60, row);
  return 0; /* go on */
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: regression RULES DATA.jsonl MIN_SCORE\n");
    return 2;
  }
  ee_rules *rules = ee_rules_load(argv[1], print_message, NULL);
  if (rules == NULL) return 3;
  char gate[64];
  snprintf(gate, sizeof gate, "mean_score=%s", argv[3]);
  const char *arguments[] = {"--fail-under", gate}, *files[] = {argv[2]};
  size_t cases = 0;
  ee_evaluate_options options = {.size = sizeof options,
                                 .arguments = arguments,
                                 .argument_count = 2,
                                 .on_case = print_row,
                                 .on_message = print_message,
                                 .user = &cases};
  ee_error error;
  ee_result *result = ee_evaluate(rules, files, 1, &options, &error);
  ee_rules_free(rules);
  if (result == NULL) return (int)error.status;
  const char *report;
  const char *shown[] = {"--section", "gates"};
  int status = ee_result_status(result);
  printf("%zu cases, mean score %.3f, %lu failed\n", cases, ee_result_mean_score(result),
         (unsigned long)ee_result_count(result, EE_COUNT_FAILED));
  if (ee_result_report(result, "table", shown, 2, &report, NULL, &error) == EE_OK) fputs(report, stdout);
  ee_result_free(result);
  return status;
}
