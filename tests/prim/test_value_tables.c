/* test_value_tables.c: the tables of rules/manual/strategies.md that say how strings are read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prim/date.h"
#include "support/arena.h"

/* The cells of a row "| a | b | c |", in place; false for another line. */
static bool read_row(char *line, char *cells[3]) {
  char *at = line;
  for (int i = 0; i < 3; i++) {
    if (strncmp(at, "| ", 2) != 0) return false;
    cells[i] = at + 2;
    at = strstr(cells[i], " |");
    if (at == NULL) return false;
    *at++ = '\0';
  }
  return true;
}

/* Calls `check` with each row of the table under `heading`, its first line, and returns their number. */
static int read_table(const char *heading, void (*check)(char *cells[3])) {
  FILE *page = fopen("rules/manual/strategies.md", "r");
  assert_non_null(page);
  char line[500];
  int count = 0;
  bool inside = false;
  while (fgets(line, sizeof line, page) != NULL) {
    char *cells[3];
    if (strncmp(line, heading, strlen(heading)) == 0) {
      inside = true;
    } else if (inside && line[0] != '|') {
      break;
    } else if (inside && strncmp(line, "|---", 4) != 0) {
      if (!read_row(line, cells)) fail_msg("no row of three cells: %s", line);
      check(cells);
      count++;
    }
  }
  fclose(page);
  return count;
}

static void check_date(char *cells[3]) {
  ee_date_rules rules = {0};
  if (strcmp(cells[1], "DMY") == 0) rules.order = EE_DATE_DMY;
  if (strcmp(cells[1], "MDY") == 0) rules.order = EE_DATE_MDY;
  if (strcmp(cells[1], "YMD") == 0) rules.order = EE_DATE_YMD;
  ee_date_readings readings;
  size_t count = ee_date_read(ee_str_from(cells[0]), &rules, &readings);
  char got[40] = "ambiguous";
  if (count == 0) strcpy(got, "not read");
  if (count == 1) ee_date_format_iso(&readings.dates[0], got);
  if (strncmp(cells[2], got, strlen(got)) != 0) fail_msg("'%s' by %s is %s", cells[0], cells[1], got);
}

static void reads_dates_as_the_manual_says(void **state) {
  (void)state;
  assert_true(read_table("| string | `order` | date |", check_date) > 25);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(reads_dates_as_the_manual_says));
