/* fuzz_date.c: dates as documents have them, by formats and by the order of day, month and year.
 *
 * The first byte chooses the order, the first line is a format, the rest a text. What is read is in the calendar,
 * equals itself, and is read back from ISO 8601. */
#include "fuzz/fuzz.h"
#include "prim/date_order.h"

static void check_date(const ee_date *date) {
  fuzz_require(ee_date_is_valid(date));
  char text[40];
  size_t length = ee_date_format_iso(date, text);
  fuzz_require(length < sizeof text && text[length] == '\0');
  ee_date again;
  fuzz_require(ee_date_parse((ee_str){text, length}, NULL, 0, &again) == EE_DATE_OK);
  fuzz_require(ee_date_days(&again) == ee_date_days(date) && again.has_time == date->has_time);
  double distance = -1;
  fuzz_require(ee_date_match(date, date, 0, &distance) && distance == 0);
  fuzz_require(ee_date_match(date, &again, 0, &distance));
  fuzz_require(ee_date_days(date) >= -719162 && ee_date_days(date) <= 2932896);
}

static void check_readings(ee_str text, const ee_date_rules *rules) {
  ee_date_readings readings;
  size_t count = ee_date_read(text, rules, &readings);
  fuzz_require(count <= 3 && count == readings.count);
  for (size_t i = 0; i < count; i++) check_date(&readings.dates[i]);
}

static void check_orders(ee_str text) {
  ee_date_by_order result;
  unsigned orders = ee_date_read_by_order(text, EE_DATE_ANY_ORDER, &result);
  fuzz_require(orders == result.orders && orders <= EE_DATE_ANY_ORDER);
  for (unsigned i = 0; i < 3; i++) {
    if ((orders >> i & 1) == 0) continue;
    check_date(&result.dates[i]);
    ee_date_by_order one;
    fuzz_require(ee_date_read_by_order(text, 1u << i, &one) == 1u << i);
    fuzz_require(ee_date_days(&one.dates[i]) == ee_date_days(&result.dates[i]));
  }
  fuzz_require((ee_date_orders(text) & ~orders) == 0);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  fuzz_source source = fuzz_source_of(data, size);
  uint8_t choice = fuzz_byte(&source);
  ee_str line = fuzz_utf8(fuzz_line(&source)), text = fuzz_utf8(fuzz_rest(&source));
  const char *why = NULL;
  const ee_date_format *format = ee_date_format_compile(line, &arena, &why);
  fuzz_require((format == NULL) == (why != NULL));
  ee_date_rules rules = {.order = choice % 4 == 3 ? 0 : 1u << choice % 4};
  check_readings(text, &rules);
  if (format != NULL) {
    rules.formats = &format;
    rules.format_count = 1;
    check_readings(text, &rules);
    ee_date date;
    if (ee_date_parse(text, &format, 1, &date) == EE_DATE_OK) check_date(&date);
  }
  ee_date date;
  ee_date_status status = ee_date_parse(text, NULL, 0, &date);
  if (status == EE_DATE_OK) check_date(&date);
  if (ee_date_looks_like(text)) fuzz_require(status == EE_DATE_OK);
  check_orders(text);
  fuzz_require(ee_month_named(text) >= 0 && ee_month_named(text) <= 12);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(256)
