/* strategy_date.c: dates, whatever format each side writes them in: also those that lack parts, and ranges. */
#include <math.h>

#include "judge/strategy/strategy.h"
#include "prim/date.h"
#include "prim/date_partial.h"
#include "prim/edit.h"
#include "prim/number.h"
#include "prim/special.h"

#define SCORES "match|linear|exponential"
typedef enum date_score { SCORE_MATCH, SCORE_LINEAR, SCORE_EXPONENTIAL } date_score;
#define PARTIALS "none|equal|expected|common"
typedef enum partial_rule { PARTIAL_NONE, PARTIAL_EQUAL, PARTIAL_EXPECTED, PARTIAL_COMMON } partial_rule;
#define RANGES "none|days|ends"
typedef enum range_rule { RANGE_NONE, RANGE_DAYS, RANGE_ENDS } range_rule;

static const ee_option date_options[] = {
    {.name = "formats",
     .type = EE_OPTION_TEXTS,
     .default_text = "every form with one meaning: 2024-03-04, 20240304, 2024.03.04, 13/03/2024, 4-MAR-2024, 4 March "
                     "2024, Mar 4, 2024",
     .help = "The formats of both sides, tried in this order: YYYY YY MM M DD D MMM MMMM HH mm ss "
             "SSS A Z and [literal]; or \"excel\", Excel's serial numbers."},
    {.name = "order",
     .type = EE_OPTION_CHOICE,
     .default_text = "none",
     .help = "The order of day, month and year on both sides, with any separators, number of digits, month names and "
             "times. 'formats' are tried before it.",
     .choices = "DMY|MDY|YMD"},
    {.name = "tolerance_days",
     .type = EE_OPTION_NUMBER,
     .default_text = "0",
     .unit = "days",
     .help = "The largest distance that matches, inclusive.",
     .min = 0,
     .max = INFINITY},
    {.name = "score",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"match\"",
     .help = "What a miss scores: \"match\" 0; \"linear\" max(0, 1 - days/scale); \"exponential\" exp(-days/scale).",
     .choices = SCORES},
    {.name = "scale",
     .type = EE_OPTION_NUMBER,
     .default_text = "none",
     .unit = "days",
     .help = "The distance at which \"linear\" reaches 0, and \"exponential\" 1/e.",
     .min = 0,
     .max = INFINITY},
    {.name = "partial",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"none\"",
     .help =
         "Dates that lack the day, the month or the year (2025, March 2025, 2025-03, 14 March): \"equal\": both must "
         "have the same parts; \"expected\": those of the expected date are compared, and the candidate must have "
         "them; \"common\": those that both have. \"none\": they are not read.",
     .choices = PARTIALS},
    {.name = "range",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"none\"",
     .help = "Ranges of dates (2025-01-03 to 2025-01-10, 2025-01-03/2025-01-10, arrays of two, objects with start and "
             "end): \"days\" scores the days in common / the days of both; \"ends\": both ends must match. A date is a "
             "range of one day, with 'partial' a month or year all its days. \"none\": they are not read.",
     .choices = RANGES},
    {.name = NULL},
};

typedef struct date_data {
  ee_date_rules rules;
  double tolerance_days;
  date_score score;
  double scale; /* days; 0: none */
  partial_rule partial;
  range_rule range;
} date_data;

static void compile_formats(ee_plan_builder *builder, const ee_rule_node *node, date_data *data) {
  ee_rule_value list = ee_rule_node_get(node, "formats");
  if (list.type != EE_RULE_TABLE) return;
  size_t count = list.node->item_count;
  if (count == 0) {
    ee_compile_error(builder, node, "option 'formats' of ee.date is an empty array");
    return;
  }
  const ee_date_format **formats = EE_NEW_ARRAY(builder->arena, const ee_date_format *, count);
  for (size_t i = 0; i < count; i++) {
    const ee_rule_value *item = &list.node->items[i];
    if (item->type != EE_RULE_TEXT) continue; /* reported */
    const char *why = "";
    const ee_date_format *format = ee_date_format_compile(item->text, builder->arena, &why);
    if (format != NULL) {
      formats[data->rules.format_count++] = format;
    } else {
      ee_compile_error(builder, node, "bad date format '%.*s': %s", (int)item->text.length, item->text.data, why);
    }
  }
  data->rules.formats = formats;
}

static void check_combination(ee_plan_builder *builder, const ee_rule_node *node, const date_data *data) {
  bool has_scale = ee_rule_node_get(node, "scale").type != EE_RULE_NONE;
  if (data->score != SCORE_MATCH && !(data->scale > 0))
    ee_compile_error(builder, node, "a graded score of ee.date needs option 'scale', a number of days above 0");
  else if (data->score == SCORE_MATCH && has_scale)
    ee_compile_error(builder, node, "option 'scale' of ee.date belongs to score = \"linear\" and \"exponential\"");
  if (data->range != RANGE_NONE && data->score != SCORE_MATCH)
    ee_compile_error(builder, node, "ee.date must have 'range' or a graded 'score', not both");
  if (data->range == RANGE_DAYS && data->tolerance_days > 0)
    ee_compile_error(builder, node, "range = \"days\" of ee.date has no tolerance_days; give a 'threshold'");
}

static void date_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  date_data *data = EE_NEW(builder->arena, date_data);
  compile_formats(builder, node, data);
  if (ee_rule_node_get(node, "order").type != EE_RULE_NONE) {
    data->rules.order = 1u << ee_option_choice(node, "order", "DMY|MDY|YMD", "DMY");
  }
  data->tolerance_days = ee_option_number(node, "tolerance_days", 0);
  data->score = (date_score)ee_option_choice(node, "score", SCORES, "match");
  data->scale = ee_option_number(node, "scale", 0);
  data->partial = (partial_rule)ee_option_choice(node, "partial", PARTIALS, "none");
  data->range = (range_rule)ee_option_choice(node, "range", RANGES, "none");
  check_combination(builder, node, data);
  strategy->data = data;
  strategy->graded = data->score != SCORE_MATCH || data->range == RANGE_DAYS;
}

/* Two texts that are ambiguous in the same way, such as 2/1/2016 and 02/01/2016, or 2/1/16: whatever order both are
 * written in, they match. An order that reads only one of them is not that of both. */
static bool same_orders_match(const date_data *data, const ee_date_readings *a, const ee_date_readings *b) {
  bool any = false;
  for (size_t i = 0; i < a->count; i++) {
    for (size_t j = 0; j < b->count; j++) {
      if ((a->orders[i] & b->orders[j]) == 0) continue;
      if (!ee_date_match(&a->dates[i], &b->dates[j], data->tolerance_days, NULL)) return false;
      any = true;
    }
  }
  return any;
}

/* The day as YYYYMMDD. */
static double day_number(const ee_date *date) { return date->year * 10000 + date->month * 100 + date->day; }

/* The number of pairs of readings that match; `*reason` is about the nearest two. */
static size_t count_matches(const date_data *data, const ee_date_readings *a, const ee_date_readings *b,
                            ee_reason *reason) {
  size_t count = 0;
  *reason = (ee_reason){.kind = EE_REASON_DATE_DIFFERS, .first = INFINITY};
  for (size_t i = 0; i < a->count; i++) {
    for (size_t j = 0; j < b->count; j++) {
      double days;
      count += ee_date_match(&a->dates[i], &b->dates[j], data->tolerance_days, &days);
      if (!(days < reason->first)) continue;
      reason->first = days;
      reason->second = day_number(&a->dates[i]);
      reason->third = day_number(&b->dates[j]);
    }
  }
  return count;
}

static ee_reason trouble(const date_data *data, const ee_value *value, size_t readings, bool is_expected) {
  ee_type type = ee_type_of(value);
  bool can_be = type == EE_STRING || type == EE_NUMBER || (data->range != RANGE_NONE && type >= EE_ARRAY);
  if (!can_be) {
    return is_expected ? EE_REASON_OF("expected date is not a string") : EE_REASON_OF("candidate date is not a string");
  }
  if (readings > 0)
    return is_expected ? EE_REASON_OF("ambiguous expected date") : EE_REASON_OF("ambiguous candidate date");
  return is_expected ? EE_REASON_OF("unparseable expected date") : EE_REASON_OF("unparseable candidate date");
}

/* A number is read as the text of its digits; without formats only eight digits are a date: 20250304. */
static size_t read_date(const date_data *data, const ee_value *value, ee_date_readings *readings) {
  readings->count = 0;
  if (ee_type_of(value) == EE_STRING) return ee_date_read(ee_value_text(value), &data->rules, readings);
  if (ee_type_of(value) != EE_NUMBER) return 0;
  char number[32];
  ee_str text = ee_value_number_text(value, number);
  ee_date_rules rules = data->rules;
  if (text.length != 8 || memchr(text.data, '.', 8) != NULL) {
    if (rules.format_count == 0) return 0;
    rules.order = 0;
  }
  return ee_date_read(text, &rules, readings);
}

/* A date that lacks parts. False where the option does not read them. */
static bool read_partial(const date_data *data, const ee_value *value, ee_partial_date *date) {
  char number[32];
  ee_type type = ee_type_of(value);
  if (data->partial == PARTIAL_NONE || (type != EE_STRING && type != EE_NUMBER)) return false;
  ee_str text = type == EE_STRING ? ee_value_text(value) : ee_value_number_text(value, number);
  return ee_partial_date_read(text, date);
}

/* Ranges ----------------------------------------------------------------------------------------- */

/* Days since 1970-01-01, both in the range. */
typedef struct day_range {
  int64_t first, last;
} day_range;

/* The ranges that a value may mean, by the orders of day, month and year. */
typedef struct range_readings {
  day_range ranges[3];
  size_t count;
} range_readings;

static int64_t day_of(int year, int month, int day) {
  return ee_date_days(&(ee_date){.year = year, .month = month, .day = day});
}

static void add_range(range_readings *all, day_range range) {
  if (range.last < range.first) return;
  for (size_t i = 0; i < all->count; i++)
    if (all->ranges[i].first == range.first && all->ranges[i].last == range.last) return;
  all->ranges[all->count++] = range;
}

/* One end, or a range of its own: a day, or a month or year that `partial` reads. By order: `ranges[i]` of order i has
 * its bit in the result. */
static unsigned read_end(const date_data *data, const ee_value *value, day_range ranges[3]) {
  ee_date_readings dates;
  ee_partial_date partial;
  unsigned orders = 0;
  read_date(data, value, &dates);
  for (size_t k = 0; k < dates.count; k++) {
    int64_t day = ee_date_days(&dates.dates[k]);
    for (size_t i = 0; i < 3; i++)
      if ((dates.orders[k] & 1u << i) != 0) ranges[i] = (day_range){day, day};
    orders |= dates.orders[k];
  }
  if (orders != 0 || !read_partial(data, value, &partial) || partial.year == 0) return orders;
  int first = partial.month > 0 ? partial.month : 1, last = partial.month > 0 ? partial.month : 12;
  for (size_t i = 0; i < 3; i++)
    ranges[i] =
        (day_range){day_of(partial.year, first, 1), day_of(partial.year, last, ee_days_of_month(partial.year, last))};
  return EE_DATE_ANY_ORDER;
}

/* From the first day of `from` to the last of `to`, both by the same order. */
static void add_ends(const date_data *data, const ee_value *from, const ee_value *to, range_readings *all) {
  day_range first[3], last[3];
  unsigned orders = read_end(data, from, first);
  if (orders != 0) orders &= read_end(data, to, last);
  for (size_t i = 0; i < 3; i++)
    if ((orders & 1u << i) != 0) add_range(all, (day_range){first[i].first, last[i].last});
}

static ee_value text_value(ee_str text) {
  ee_value value = {.json.type = cJSON_String};
  memcpy(&value.json.valuestring, &text.data, sizeof text.data); /* read only; as strategy.c does it */
  value.length = (uint32_t)text.length;
  return value;
}

/* A longer text is not a range. */
#define RANGE_TEXT_LIMIT 200

/* "A to B", "from A until B", "A - B", "A/B": the first place at which both parts are dates. */
static void read_range_text(const date_data *data, ee_str text, range_readings *all) {
  static const char *const words[] = {" to ",  " until ",        " till ",         " through ", " thru ",       " and ",
                                      " bis ", " \xe2\x80\x93 ", " \xe2\x80\x94 ", " - ",       "\xe2\x80\x93", "..",
                                      "/"};
  text = ee_str_trim(text);
  if (text.length > RANGE_TEXT_LIMIT) return;
  static const char *const before[] = {"from ", "between ", "von ", "From ", "Between ", "Von "};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
    size_t length = strlen(before[i]);
    if (text.length <= length || memcmp(text.data, before[i], length) != 0) continue;
    text = (ee_str){text.data + length, text.length - length};
    break;
  }
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i]);
    for (size_t at = 1; at + length < text.length; at++) {
      if (memcmp(text.data + at, words[i], length) != 0) continue;
      ee_value from = text_value((ee_str){text.data, at});
      ee_value to = text_value((ee_str){text.data + at + length, text.length - at - length});
      add_ends(data, &from, &to, all);
      if (all->count > 0) return;
    }
  }
}

/* The members of an object that are its ends. */
static void read_range_object(const date_data *data, const ee_value *object, ee_arena *arena, range_readings *all) {
  static const char *const names[][2] = {{"start", "end"},         {"from", "to"},   {"start_date", "end_date"},
                                         {"startDate", "endDate"}, {"begin", "end"}, {"first", "last"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const ee_value *from = ee_value_member(object, ee_str_from(names[i][0]), arena);
    const ee_value *to = ee_value_member(object, ee_str_from(names[i][1]), arena);
    if (from == NULL || to == NULL) continue;
    add_ends(data, from, to, all);
    return;
  }
}

/* Returns the number of readings. */
static size_t read_range(const date_data *data, const ee_value *value, ee_arena *arena, range_readings *all) {
  all->count = 0;
  day_range alone[3];
  unsigned orders = 0;
  switch (ee_type_of(value)) {
  case EE_ARRAY: {
    const ee_value *first = ee_value_child(value);
    if (first == NULL || ee_value_count(value) > 2) return 0;
    add_ends(data, first, ee_value_count(value) == 2 ? ee_value_next(first) : first, all);
    break;
  }
  case EE_OBJECT: read_range_object(data, value, arena, all); break;
  case EE_STRING:
  case EE_NUMBER:
    orders = read_end(data, value, alone);
    for (size_t i = 0; i < 3; i++)
      if ((orders & 1u << i) != 0) add_range(all, alone[i]);
    if (all->count == 0 && ee_type_of(value) == EE_STRING) read_range_text(data, ee_value_text(value), all);
    break;
  default: break;
  }
  return all->count;
}

static int64_t days_in(day_range range) { return range.last - range.first + 1; }

static int64_t days_in_common(day_range a, day_range b) {
  int64_t first = a.first > b.first ? a.first : b.first, last = a.last < b.last ? a.last : b.last;
  return last < first ? 0 : last - first + 1;
}

/* How far the ends are apart, the larger distance. */
static double ends_apart(day_range a, day_range b) {
  return fmax(fabs((double)(a.first - b.first)), fabs((double)(a.last - b.last)));
}

static void compare_ranges(const ee_strategy *strategy, day_range expected, day_range candidate,
                           ee_comparison *result) {
  const date_data *data = strategy->data;
  if (data->range == RANGE_ENDS) {
    double apart = ends_apart(expected, candidate);
    if (ee_within_tolerance(apart, 0, data->tolerance_days, false))
      ee_comparison_match(result);
    else
      ee_comparison_miss(result, (ee_reason){.kind = EE_REASON_ABOVE,
                                             .first = apart,
                                             .second = data->tolerance_days,
                                             .text = EE_STR("days between the ends")});
    return;
  }
  int64_t common = days_in_common(expected, candidate);
  int64_t all = days_in(expected) + days_in(candidate) - common;
  double share = (double)common / (double)all;
  *result = (ee_comparison){.score = share, .similarity = share};
  result->matched = ee_ratio_reaches((size_t)common, (size_t)all, strategy->threshold);
  if (!result->matched)
    result->reason = (ee_reason){
        .kind = EE_REASON_BELOW, .first = share, .second = strategy->threshold, .text = EE_STR("share of common days")};
}

static void compare_as_ranges(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                              const ee_value *candidate, ee_comparison *result) {
  const date_data *data = strategy->data;
  const ee_value *const values[2] = {expected, candidate};
  range_readings readings[2];
  for (size_t i = 0; i < 2; i++) {
    if (read_range(data, values[i], context->arena, &readings[i]) == 1) continue;
    ee_comparison_fail(result, trouble(data, values[i], readings[i].count, i == 0));
    return;
  }
  compare_ranges(strategy, readings[0].ranges[0], readings[1].ranges[0], result);
}

/* Dates that lack parts --------------------------------------------------------------------------- */

static ee_partial_date whole_date(const ee_date *date) {
  return (ee_partial_date){.year = date->year, .month = date->month, .day = date->day};
}

/* Whether `b` has all parts that `a` has. */
static bool has_parts_of(const ee_partial_date *a, const ee_partial_date *b) {
  return (a->year == 0 || b->year != 0) && (a->month == 0 || b->month != 0) && (a->day == 0 || b->day != 0);
}

/* Compares the parts that both have. */
static bool same_parts(const ee_partial_date *a, const ee_partial_date *b) {
  if (a->year != 0 && b->year != 0 && a->year != b->year) return false;
  if (a->month != 0 && b->month != 0 && a->month != b->month) return false;
  return a->day == 0 || b->day == 0 || a->day == b->day;
}

/* NONE: they match. */
static ee_reason compare_parts(partial_rule rule, const ee_partial_date *expected, const ee_partial_date *candidate) {
  bool any = (expected->year != 0 && candidate->year != 0) || (expected->month != 0 && candidate->month != 0);
  if (!any) return EE_REASON_OF("both dates have no part in common");
  if (!same_parts(expected, candidate)) return (ee_reason){.kind = EE_REASON_VALUE_MISMATCH};
  if (rule != PARTIAL_COMMON && !has_parts_of(expected, candidate))
    return EE_REASON_OF("candidate date lacks a part of the expected date");
  if (rule == PARTIAL_EQUAL && !has_parts_of(candidate, expected))
    return EE_REASON_OF("candidate date has a part that the expected date lacks");
  return (ee_reason){0};
}

/* The dates of a value, whole ones by every reading or a partial one. */
typedef struct date_parts {
  ee_partial_date dates[3];
  size_t count;
} date_parts;

static date_parts parts_of(const date_data *data, const ee_value *value, const ee_date_readings *readings) {
  date_parts parts = {.count = readings->count};
  for (size_t i = 0; i < readings->count; i++) parts.dates[i] = whole_date(&readings->dates[i]);
  if (parts.count == 0 && read_partial(data, value, &parts.dates[0])) parts.count = 1;
  return parts;
}

/* At least one side lacks parts or is not a date. If one has several readings, all must agree. */
static void compare_partial(const date_data *data, const ee_value *expected, const ee_value *candidate,
                            const ee_date_readings *x, const ee_date_readings *y, ee_comparison *result) {
  date_parts parts[2] = {parts_of(data, expected, x), parts_of(data, candidate, y)};
  for (size_t i = 0; i < 2; i++) {
    if (parts[i].count > 0) continue;
    ee_comparison_fail(result, trouble(data, i == 0 ? expected : candidate, 0, i == 0));
    return;
  }
  size_t matches = 0;
  ee_reason reason = {0};
  for (size_t i = 0; i < parts[0].count; i++) {
    for (size_t k = 0; k < parts[1].count; k++) {
      ee_reason why = compare_parts(data->partial, &parts[0].dates[i], &parts[1].dates[k]);
      matches += why.kind == EE_REASON_NONE;
      if (why.kind != EE_REASON_NONE) reason = why;
    }
  }
  if (matches == parts[0].count * parts[1].count)
    ee_comparison_match(result);
  else if (matches == 0)
    ee_comparison_miss(result, reason);
  else
    ee_comparison_fail(result, trouble(data, parts[0].count > 1 ? expected : candidate, 2, parts[0].count > 1));
}

/* Comparing -------------------------------------------------------------------------------------- */

/* What dates that do not match score. */
static double score_of(const date_data *data, double days) {
  switch (data->score) {
  case SCORE_LINEAR: return fmax(0, 1 - days / data->scale);
  case SCORE_EXPONENTIAL: return fmin(ee_exp(-(days / data->scale)), 0x1.fffffffffffffp-1);
  default: return 0;
  }
}

static void date_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                         const ee_value *candidate, ee_comparison *result) {
  const date_data *data = strategy->data;
  if (data->range != RANGE_NONE) {
    compare_as_ranges(strategy, context, expected, candidate, result);
    return;
  }
  ee_date_readings x, y;
  size_t x_count = read_date(data, expected, &x), y_count = read_date(data, candidate, &y);
  if (data->partial != PARTIAL_NONE && (x_count == 0 || y_count == 0)) {
    compare_partial(data, expected, candidate, &x, &y, result);
    return;
  }
  if (x_count == 0) {
    ee_comparison_fail(result, trouble(data, expected, 0, true));
    return;
  }
  if (y_count == 0) {
    ee_comparison_fail(result, trouble(data, candidate, 0, false));
    return;
  }
  ee_reason reason;
  size_t matches = count_matches(data, &x, &y, &reason);
  if (matches == 0) {
    ee_comparison_miss(result, reason);
    if (data->score == SCORE_MATCH || x_count > 1 || y_count > 1) return;
    result->score = result->similarity = score_of(data, reason.first);
    if (strategy->threshold < 1 && ee_score_reaches(result->score, strategy->threshold)) {
      result->matched = true;
      result->reason = (ee_reason){.kind = EE_REASON_NONE};
    }
  } else if (matches == x.count * y.count || same_orders_match(data, &x, &y)) {
    ee_comparison_match(result);
  } else {
    bool is_expected = x.count > 1;
    ee_comparison_fail(result, trouble(data, is_expected ? expected : candidate, 2, is_expected));
  }
}

/* The date as ISO 8601, where the text is another. */
static const ee_value *as_read(const ee_value *value, const char *iso, ee_arena *arena) {
  bool same = ee_type_of(value) == EE_STRING && ee_str_is(ee_value_text(value), iso);
  return same ? NULL : ee_value_new_string(arena, ee_str_from(iso));
}

static void iso_of(int64_t day, char out[40]) {
  /* From a year that is at most one off. */
  ee_date date = {.year = (int)(1970 + day / 365), .month = 1, .day = 1};
  if (date.year > 9999) date.year = 9999;
  while (day_of(date.year, 1, 1) > day) date.year--;
  while (date.month < 12 && day_of(date.year, date.month + 1, 1) <= day) date.month++;
  date.day = (int)(day - day_of(date.year, date.month, 1)) + 1;
  ee_date_format_iso(&date, out);
}

/* "2025-01-03/2025-01-10". */
static const ee_value *range_as_read(const ee_value *value, const char *first, const char *last, ee_arena *arena) {
  const char *text = strcmp(first, last) == 0 ? first : ee_arena_printf(arena, "%s/%s", first, last);
  return as_read(value, text, arena);
}

/* "6/(8 + 6 - 6) = 0.75 < 1"; of ends "max(|2025-01-03 - 2025-01-04|, |...|) = 1 day > 0 days". */
static void explain_ranges(const ee_strategy *strategy, ee_arena *arena, const ee_value *expected,
                           const ee_value *candidate, const ee_comparison *result, ee_explanation *how) {
  const date_data *data = strategy->data;
  range_readings x, y;
  if (read_range(data, expected, arena, &x) != 1 || read_range(data, candidate, arena, &y) != 1) return;
  day_range a = x.ranges[0], b = y.ranges[0];
  char texts[4][40];
  const int64_t days[4] = {a.first, a.last, b.first, b.last};
  for (size_t i = 0; i < 4; i++) iso_of(days[i], texts[i]);
  how->expected = range_as_read(expected, texts[0], texts[1], arena);
  how->candidate = range_as_read(candidate, texts[2], texts[3], arena);
  const char *expression;
  if (data->range == RANGE_ENDS) {
    how->measure = "days";
    how->value = ends_apart(a, b);
    how->threshold = data->tolerance_days;
    expression = ee_arena_printf(arena, "max(|%s - %s|, |%s - %s|)", texts[0], texts[2], texts[1], texts[3]);
    ee_explanation_decide(how, expression, EE_LIMIT_MAX, result->matched, arena);
    return;
  }
  long long common = (long long)days_in_common(a, b);
  how->measure = "common days";
  how->value = result->similarity;
  expression =
      ee_arena_printf(arena, "%lld/(%lld + %lld - %lld)", common, (long long)days_in(a), (long long)days_in(b), common);
  ee_explanation_decide(how, expression, EE_LIMIT_MIN, result->matched, arena);
}

/* "|2024-03-04 - 2024-03-07| = 3 days > 0 days"; then "; score max(0, 1 - 3/30) = 0.9". */
static void date_explain(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                         const ee_value *candidate, const ee_comparison *result, ee_explanation *how) {
  const date_data *data = strategy->data;
  ee_arena *arena = context->arena;
  if (data->range != RANGE_NONE) {
    explain_ranges(strategy, arena, expected, candidate, result, how);
    return;
  }
  ee_date_readings x, y;
  /* Of an ambiguous date every reading decides alike: there is not one distance. */
  if (read_date(data, expected, &x) != 1 || read_date(data, candidate, &y) != 1) return;
  /* Where one has no time the days are compared. */
  if (!x.dates[0].has_time || !y.dates[0].has_time) x.dates[0].has_time = y.dates[0].has_time = false;
  char left[40], right[40];
  ee_date_format_iso(&x.dates[0], left);
  ee_date_format_iso(&y.dates[0], right);
  how->expected = as_read(expected, left, arena);
  how->candidate = as_read(candidate, right, arena);
  how->threshold = data->tolerance_days;
  how->measure = "days";
  bool within = ee_date_match(&x.dates[0], &y.dates[0], data->tolerance_days, &how->value);
  ee_explanation_decide(how, ee_arena_printf(arena, "|%s - %s|", left, right), EE_LIMIT_MAX, within, arena);
  if (data->score == SCORE_MATCH || within) return;
  const char *days = ee_formula_operand(how->value, arena), *scale = ee_formula_operand(data->scale, arena);
  const char *score = data->score == SCORE_LINEAR ? ee_arena_printf(arena, "max(0, 1 - %s/%s)", days, scale)
                                                  : ee_arena_printf(arena, "exp(-(%s/%s))", days, scale);
  how->formula = ee_str_from(ee_arena_printf(arena, "%.*s; score %s = %s", EE_STR_ARG(how->formula), score,
                                             ee_formula_result(result->score, arena)));
}

/* Reading -------------------------------------------------------------------------------------- */

/* An ambiguous date is not read either: it is compared only where every reading gives the same verdict. */
static bool date_reads(const ee_strategy *strategy, ee_document_side document, const ee_value *value,
                       ee_arena *scratch) {
  (void)document;
  const date_data *data = strategy->data;
  ee_date_readings readings;
  range_readings ranges;
  ee_partial_date partial;
  if (data->range != RANGE_NONE) return read_range(data, value, scratch, &ranges) == 1;
  size_t count = read_date(data, value, &readings);
  return count == 1 || (count == 0 && read_partial(data, value, &partial));
}

static bool reads_somehow(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  const date_data *data = strategy->data;
  ee_date_readings readings;
  range_readings ranges;
  return data->range != RANGE_NONE ? read_range(data, value, scratch, &ranges) > 0
                                   : read_date(data, value, &readings) > 0;
}

static bool reads_in_order(const ee_strategy *strategy, unsigned order, const ee_value *value, ee_arena *scratch) {
  date_data data = *(const date_data *)strategy->data;
  data.rules.order = 1u << order;
  ee_date_readings readings;
  range_readings ranges;
  if (data.range != RANGE_NONE) return read_range(&data, value, scratch, &ranges) == 1;
  return read_date(&data, value, &readings) == 1;
}

static bool reads_dmy(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  return reads_in_order(strategy, 0, value, scratch);
}

static bool reads_mdy(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  return reads_in_order(strategy, 1, value, scratch);
}

static bool reads_ymd(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  return reads_in_order(strategy, 2, value, scratch);
}

static const ee_remedy date_remedies[] = {
    {"order = \"DMY\"", reads_dmy},
    {"order = \"MDY\"", reads_mdy},
    {"order = \"YMD\"", reads_ymd},
    {.option = NULL},
};

const ee_strategy_type ee_date_strategy = {
    .name = "date",
    .help = "equal when both are the same day or moment, in any usual form",
    .options = date_options,
    .threshold = 1,
    .equal_matches = true,
    .compile = date_compile,
    .compare = date_compare,
    .explain = date_explain,
    .reads = date_reads,
    .reads_somehow = reads_somehow,
    .remedies = date_remedies,
    .reads_one = "a date in a known format",
    .reads_many = "dates in a known format",
};
