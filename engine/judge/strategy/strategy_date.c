/* strategy_date.c: dates, whatever format each side writes them in. */
#include <math.h>

#include "judge/strategy/strategy.h"
#include "prim/date.h"

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
    {.name = NULL},
};

typedef struct date_data {
  ee_date_rules rules;
  double tolerance_days;
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

static void date_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  date_data *data = EE_NEW(builder->arena, date_data);
  compile_formats(builder, node, data);
  if (ee_rule_node_get(node, "order").type != EE_RULE_NONE) {
    data->rules.order = 1u << ee_option_choice(node, "order", "DMY|MDY|YMD", "DMY");
  }
  data->tolerance_days = ee_option_number(node, "tolerance_days", 0);
  strategy->data = data;
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

static ee_reason trouble(const ee_value *value, size_t readings, bool is_expected) {
  if (ee_type_of(value) != EE_STRING && ee_type_of(value) != EE_NUMBER) {
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

static void date_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                         const ee_value *candidate, ee_comparison *result) {
  (void)context;
  const date_data *data = strategy->data;
  ee_date_readings x, y;
  if (read_date(data, expected, &x) == 0) {
    ee_comparison_fail(result, trouble(expected, 0, true));
    return;
  }
  if (read_date(data, candidate, &y) == 0) {
    ee_comparison_fail(result, trouble(candidate, 0, false));
    return;
  }
  ee_reason reason;
  size_t matches = count_matches(data, &x, &y, &reason);
  if (matches == 0) {
    ee_comparison_miss(result, reason);
  } else if (matches == x.count * y.count || same_orders_match(data, &x, &y)) {
    ee_comparison_match(result);
  } else {
    bool is_expected = x.count > 1;
    ee_comparison_fail(result, trouble(is_expected ? expected : candidate, 2, is_expected));
  }
}

/* The date as ISO 8601, where the text is another. */
static const ee_value *as_read(const ee_value *value, const char *iso, ee_arena *arena) {
  bool same = ee_type_of(value) == EE_STRING && ee_str_is(ee_value_text(value), iso);
  return same ? NULL : ee_value_new_string(arena, ee_str_from(iso));
}

/* "|2024-03-04 - 2024-03-07| = 3 days > 0 days". */
static void date_explain(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                         const ee_value *candidate, const ee_comparison *result, ee_explanation *how) {
  const date_data *data = strategy->data;
  ee_arena *arena = context->arena;
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
  ee_date_match(&x.dates[0], &y.dates[0], data->tolerance_days, &how->value);
  ee_explanation_decide(how, ee_arena_printf(arena, "|%s - %s|", left, right), EE_LIMIT_MAX, result->matched, arena);
}

/* Reading -------------------------------------------------------------------------------------- */

/* An ambiguous date is not read either: it is compared only where every reading gives the same verdict. */
static bool date_reads(const ee_strategy *strategy, ee_document_side document, const ee_value *value,
                       ee_arena *scratch) {
  (void)document, (void)scratch;
  ee_date_readings readings;
  return read_date(strategy->data, value, &readings) == 1;
}

static bool reads_in_order(const ee_strategy *strategy, unsigned order, const ee_value *value) {
  date_data data = *(const date_data *)strategy->data;
  data.rules.order = 1u << order;
  ee_date_readings readings;
  return read_date(&data, value, &readings) == 1;
}

static bool reads_dmy(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  (void)scratch;
  return reads_in_order(strategy, 0, value);
}

static bool reads_mdy(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  (void)scratch;
  return reads_in_order(strategy, 1, value);
}

static bool reads_ymd(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  (void)scratch;
  return reads_in_order(strategy, 2, value);
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
    .remedies = date_remedies,
    .reads_one = "a date in a known format",
    .reads_many = "dates in a known format",
};
