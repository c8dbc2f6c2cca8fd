/* strategy_date.c: dates, whatever format each side writes them in. */
#include <math.h>

#include "judge/strategy/strategy.h"
#include "prim/date.h"

static const ee_option date_options[] = {
    {.name = "formats",
     .type = EE_OPTION_TEXTS,
     .default_text = "ISO 8601, \"DD-MMM-YYYY\", \"DD MMM YYYY\", \"MMM D, YYYY\"",
     .help = "The formats of both sides, tried in this order: YYYY YY MM M DD D MMM MMMM HH mm ss "
             "SSS A Z and [literal]."},
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
  const ee_date_format *const *formats;
  size_t count;
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
      formats[data->count++] = format;
    } else {
      ee_compile_error(builder, node, "bad date format '%.*s': %s", (int)item->text.length, item->text.data, why);
    }
  }
  data->formats = formats;
}

static void date_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  date_data *data = EE_NEW(builder->arena, date_data);
  compile_formats(builder, node, data);
  data->tolerance_days = ee_option_number(node, "tolerance_days", 0);
  strategy->data = data;
}

typedef enum read_status { READ_OK, READ_UNPARSEABLE, READ_AMBIGUOUS, READ_NO_TEXT } read_status;

static read_status read_date(const date_data *data, const ee_value *value, ee_date *date) {
  if (ee_type_of(value) != EE_STRING) return READ_NO_TEXT;
  switch (ee_date_parse(ee_value_text(value), data->formats, data->count, date)) {
  case EE_DATE_OK: return READ_OK;
  case EE_DATE_AMBIGUOUS: return READ_AMBIGUOUS;
  case EE_DATE_UNPARSEABLE: break;
  }
  return READ_UNPARSEABLE;
}

static ee_reason expected_trouble(read_status status) {
  switch (status) {
  case READ_AMBIGUOUS: return EE_REASON_OF("ambiguous expected date");
  case READ_NO_TEXT: return EE_REASON_OF("expected date is not a string");
  default: return EE_REASON_OF("unparseable expected date");
  }
}

static ee_reason candidate_trouble(read_status status) {
  switch (status) {
  case READ_AMBIGUOUS: return EE_REASON_OF("ambiguous candidate date");
  case READ_NO_TEXT: return EE_REASON_OF("candidate date is not a string");
  default: return EE_REASON_OF("unparseable candidate date");
  }
}

static void date_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                         const ee_value *candidate, ee_comparison *result) {
  (void)context;
  const date_data *data = strategy->data;
  ee_date expected_date, candidate_date;
  double distance = 0;
  read_status status = read_date(data, expected, &expected_date);
  if (status != READ_OK) {
    ee_comparison_fail(result, expected_trouble(status));
  } else if ((status = read_date(data, candidate, &candidate_date)) != READ_OK) {
    ee_comparison_fail(result, candidate_trouble(status));
  } else if (ee_date_match(&expected_date, &candidate_date, data->tolerance_days, &distance)) {
    ee_comparison_match(result);
  } else {
    ee_comparison_miss(result, (ee_reason){.kind = EE_REASON_DATE_DIFFERS, .first = distance});
  }
}

const ee_strategy_type ee_date_strategy = {
    .name = "date",
    .help = "dates of the same day or moment, by declared formats",
    .options = date_options,
    .threshold = 1,
    .equal_matches = true,
    .compile = date_compile,
    .compare = date_compare,
};
