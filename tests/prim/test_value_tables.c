/* test_value_tables.c: the tables of rules/manual/strategies.md that say how strings are read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prim/date.h"
#include "prim/number.h"
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

static void check_number(char *cells[3]) {
  ee_str symbols[] = {ee_number_symbol(EE_STR("kg"), &arena), ee_number_symbol(EE_STR("2 x"), &arena)};
  ee_number_format format = {.decimal = strstr(cells[1], "decimal = \",\"") != NULL ? ',' : '.'};
  format.money = strstr(cells[1], "\"money\"") != NULL;
  format.percent = strstr(cells[1], "\"percent\"") != NULL;
  if (strstr(cells[1], "symbols") != NULL) format.symbols = symbols, format.symbol_count = 2;
  double value = 0;
  char got[40] = "not read";
  if (ee_number_parse(ee_str_from(cells[0]), format, &arena, &value, NULL)) sprintf(got, "%.17g", value);
  if (strcmp(got, "not read") == 0 ? strcmp(cells[2], got) != 0 : strtod(cells[2], NULL) != value)
    fail_msg("'%s' with %s is %s", cells[0], cells[1], got);
}

static void reads_numbers_as_the_manual_says(void **state) {
  (void)state;
  assert_true(read_table("| string | options | number |", check_number) > 20);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(reads_dates_as_the_manual_says),
             cmocka_unit_test(reads_numbers_as_the_manual_says));
