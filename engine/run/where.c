/* where.c: conditions of --where on the members of a case's record. */
#include "run/where.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "base/list.h"
#include "data/json/json_writer.h"
#include "prim/number.h"
#include "run/survey.h"

/* Values that are named, and bytes of each. */
#define VALUES_SHOWN 10
#define VALUE_SHOWN 40

ee_status ee_where_parse(ee_arena *arena, const char *text, ee_where *where, ee_error *error) {
  int depth = 0;
  size_t length = 0;
  for (; text[length] != '\0' && (depth > 0 || text[length] != '='); length++)
    depth += (text[length] == '[') - (text[length] == ']');
  if (text[length] == '\0' || length == 0)
    return ee_error_set(error, EE_ERROR_USAGE, "--where must be PATH=VALUE or PATH!=VALUE, got '%s'", text);
  *where = (ee_where){.value = ee_str_from(text + length + 1), .excludes = text[length - 1] == '!'};
  ee_error cause = {0};
  where->path = ee_record_path_parse(arena, (ee_str){text, length - where->excludes}, &cause);
  if (where->path != NULL) return EE_OK;
  return ee_error_set(error, EE_ERROR_USAGE, "bad path in --where '%s': %s", text, cause.message);
}

/* A scalar as text; containers as JSON. */
static ee_str text_of(const ee_value *value, ee_arena *arena) {
  switch (ee_type_of(value)) {
  case EE_MISSING:
  case EE_NULL: return EE_STR("(missing)");
  case EE_FALSE: return EE_STR("false");
  case EE_TRUE: return EE_STR("true");
  case EE_STRING: return ee_value_text(value);
  case EE_NUMBER: return ee_record_id_text(value, arena);
  default: break;
  }
  ee_buffer out;
  ee_buffer_init(&out);
  ee_json_write_value(&out, value);
  ee_str text = {ee_arena_copy(arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return text;
}

static bool is_equal(const ee_value *value, ee_str wanted, ee_arena *arena) {
  if (ee_str_equal(text_of(value, arena), wanted)) return true;
  if (ee_type_of(value) != EE_NUMBER) return false;
  double number;
  char digits[32];
  return ee_number_parse(wanted, (ee_number_format){.decimal = '.'}, arena, &number, NULL) &&
         ee_decimal_compare(ee_value_number_text(value, digits), wanted) == 0;
}

static bool has_value(const ee_where *where, const ee_case *current, ee_arena *arena) {
  const ee_value *value = ee_case_get(current, where->path, arena);
  if (ee_type_of(value) != EE_ARRAY) return is_equal(value, where->value, arena);
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item))
    if (is_equal(item, where->value, arena)) return true;
  return false;
}

/* Whether the case has one of the wanted values at the path of entry `at`. */
static bool has_one(const ee_where *list, size_t count, size_t at, const ee_case *current, ee_arena *arena) {
  for (size_t i = at; i < count; i++)
    if (!list[i].excludes && ee_str_equal(list[i].path->text, list[at].path->text) &&
        has_value(&list[i], current, arena))
      return true;
  return false;
}

/* Whether the entry `at` is the first one for its path. */
static bool is_first(const ee_where *list, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (!list[i].excludes && ee_str_equal(list[i].path->text, list[at].path->text)) return false;
  return !list[at].excludes;
}

bool ee_where_keeps(const ee_where *list, size_t count, const ee_case *current, ee_arena *arena) {
  for (size_t i = 0; i < count; i++) {
    if (list[i].excludes && has_value(&list[i], current, arena)) return false;
    if (is_first(list, i) && !has_one(list, count, i, current, arena)) return false;
  }
  return true;
}

bool ee_case_choice_keeps(const ee_case_choice *choice, const ee_case *current, ee_arena *arena) {
  bool chosen = choice->only_count == 0;
  for (size_t i = 0; i < choice->only_count && !chosen; i++)
    chosen = ee_glob_match(choice->only[i], ee_case_base(current));
  return chosen && ee_where_keeps(choice->where, choice->where_count, current, arena) &&
         (choice->wants == NULL || choice->wants(choice->user, current));
}

/* Explaining ----------------------------------------------------------------------------------- */

typedef struct value_count {
  ee_str text;
  uint64_t cases;
} value_count;

/* The values at one path. */
typedef struct gathering {
  bool chosen; /* some case has one of the wanted values */
  bool more;   /* there are more values than `values` has room for */
  value_count values[VALUES_SHOWN];
  size_t value_count;
} gathering;

typedef struct gatherings {
  const ee_where *list;
  size_t count;
  gathering *items; /* one a condition; of the first of a path only */
  ee_arena *arena;  /* of the texts */
  const ee_dataset *dataset;
  uint64_t most, cases;
  volatile sig_atomic_t enough; /* `most` bytes have been read, and there are more */
} gatherings;

static void count_value(gathering *g, ee_str text, ee_arena *arena) {
  text.length = ee_utf8_cut(text, VALUE_SHOWN);
  for (size_t i = 0; i < g->value_count; i++) {
    if (!ee_str_equal(g->values[i].text, text)) continue;
    g->values[i].cases++;
    return;
  }
  g->more = g->more || g->value_count == VALUES_SHOWN;
  if (g->value_count == VALUES_SHOWN) return;
  g->values[g->value_count++] = (value_count){{ee_arena_copy(arena, text.data, text.length), text.length}, 1};
}

static void gather(void *user, const ee_case *current, ee_arena *arena) {
  gatherings *all = user;
  uint64_t taken, total;
  ee_dataset_progress(all->dataset, &taken, &total);
  if (taken > all->most && taken < total) all->enough = 1;
  all->cases++;
  for (size_t i = 0; i < all->count; i++) {
    if (!is_first(all->list, i)) continue;
    gathering *g = &all->items[i];
    g->chosen = g->chosen || has_one(all->list, all->count, i, current, arena);
    const ee_value *value = ee_case_get(current, all->list[i].path, arena);
    bool is_array = ee_type_of(value) == EE_ARRAY;
    if (!is_array) count_value(g, text_of(value, arena), all->arena);
    for (const ee_value *item = is_array ? ee_value_child(value) : NULL; item != NULL; item = ee_value_next(item))
      count_value(g, text_of(item, arena), all->arena);
  }
}

/* `none`: "no case has". */
static const char *describe(const char *none, const ee_where *where, const gathering *g, ee_arena *arena) {
  if (g->value_count == 1 && ee_str_is(g->values[0].text, "(missing)"))
    return ee_arena_printf(arena, "%s '%.*s'", none, EE_STR_ARG(where->path->text));
  const char *text = "";
  for (size_t i = 0; i < g->value_count; i++)
    text = ee_arena_printf(arena, "%s%s'%.*s' (%" PRIu64 ")", text, i > 0 ? ", " : "", EE_STR_ARG(g->values[i].text),
                           g->values[i].cases);
  return ee_arena_printf(arena, "%s %.*s=%.*s: '%.*s' is %s%s", none, EE_STR_ARG(where->path->text),
                         EE_STR_ARG(where->value), EE_STR_ARG(where->path->text), text, g->more ? ", ..." : "");
}

const char *ee_where_explain(const ee_where *list, size_t count, ee_dataset *dataset, uint64_t most,
                             ee_expected_set *expected, const ee_record_paths *paths, ee_arena *arena) {
  gatherings all = {.list = list,
                    .count = count,
                    .items = EE_NEW_ARRAY(arena, gathering, count),
                    .arena = arena,
                    .dataset = dataset,
                    .most = most};
  ee_dataset_set_interrupt(dataset, &all.enough);
  ee_status status = ee_survey(dataset, expected, paths, NULL, gather, &all, NULL);
  ee_dataset_set_interrupt(dataset, NULL);
  if (status != EE_OK) return NULL;
  const char *none =
      all.enough ? ee_arena_printf(arena, "none of the first %" PRIu64 " cases has", all.cases) : "no case has";
  for (size_t i = 0; i < count; i++)
    if (is_first(list, i) && !all.items[i].chosen) return describe(none, &list[i], &all.items[i], arena);
  return NULL;
}
