/* line_items_print.c: ee.line_items as `evalengine check` shows it. */
#include "judge/line_items/line_items.h"
#include "judge/pairing/pairs.h"
#include "prim/number.h"

static void print_column(const ee_item_columns *columns, uint32_t column, ee_buffer *out) {
  const ee_item_column *item = &columns->items[column];
  ee_buffer_add_str(out, item->path != NULL ? item->path->text : item->key);
}

/* What greedy and optimal go by. */
static void print_similarity(const ee_line_items *items, ee_buffer *out) {
  const ee_match_rule *rule = &items->match;
  if (rule->similarity_function != EE_NO_FUNCTION) {
    ee_buffer_add_text(out, "similarity function  (calls Lua)");
  } else if (items->match_score_fields) {
    ee_buffer_add_text(out, "the score fields");
  }
  for (size_t i = 0; i < rule->field_count && !items->match_score_fields; i++) {
    const ee_match_field *field = &rule->fields[i];
    if (i > 0) ee_buffer_add_text(out, ", ");
    if (field->field == NULL) {
      print_column(&items->columns, field->expected_column, out);
      continue;
    }
    ee_field_print(field->field, out);
    if (ee_field_calls_script(field->field)) ee_buffer_add_text(out, "  (calls Lua)");
  }
  char threshold[32];
  ee_double_format_short(rule->threshold, 6, threshold);
  bool optimal = rule->method == EE_MATCH_OPTIMAL;
  ee_buffer_addf(out, ", threshold %s, method %s", threshold, optimal ? "optimal" : "greedy");
  if (optimal && rule->max_pairs != EE_PAIRS_DEFAULT_MAX)
    ee_buffer_addf(out, ", max_pairs %llu", (unsigned long long)rule->max_pairs);
}

/* Appends the lines of `text`, each two columns further in. */
static void add_indented(const ee_buffer *text, ee_buffer *out) {
  for (size_t from = 0; from < text->length;) {
    const char *end = memchr(text->data + from, '\n', text->length - from);
    size_t length = end == NULL ? text->length - from : (size_t)(end - (text->data + from)) + 1;
    ee_buffer_add_text(out, "  ");
    ee_buffer_add(out, text->data + from, length);
    from += length;
  }
}

static void print_method(const ee_line_items *items, ee_buffer *out) {
  switch (items->match.method) {
  case EE_MATCH_GREEDY:
  case EE_MATCH_OPTIMAL: print_similarity(items, out); break;
  case EE_MATCH_INDEX: ee_buffer_add_text(out, "method index"); break;
  case EE_MATCH_KEY:
    ee_buffer_add_text(out, "method key, ");
    if (items->match.key_function != EE_NO_FUNCTION) {
      ee_buffer_add_text(out, "function  (calls Lua)");
    } else {
      print_column(&items->columns, items->match.key_column, out);
    }
    break;
  }
}

static void print_list(const ee_line_items *items, ee_buffer *out) {
  ee_buffer_addf(out, "  list %.*s", (int)items->path->text.length, items->path->text.data);
  if (items->name.length > 0) ee_buffer_addf(out, ", fields %.*s.*", (int)items->name.length, items->name.data);
  ee_buffer_add_text(out, "\n  match ");
  print_method(items, out);
  ee_buffer_add_char(out, '\n');
  if (items->compare_methods) ee_buffer_add_text(out, "  compares greedy with optimal\n");
  ee_field_list_print(&items->list, out);
  if (items->automatic != NULL) ee_buffer_add_text(out, "  every key of the items  auto\n");
  for (size_t i = 0; i < items->nested_count; i++) {
    ee_buffer inside;
    ee_buffer_init(&inside);
    print_list(&items->nested[i], &inside);
    add_indented(&inside, out);
    ee_buffer_fini(&inside);
  }
}

void ee_line_items_print(const ee_judge *judge, ee_buffer *out) { print_list(judge->data, out); }
