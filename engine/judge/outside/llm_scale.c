/* llm_scale.c: scales, and verdicts on them. */
#include "judge/outside/llm_scale.h"

#include <math.h>

#include "base/printable.h"
#include "base/work.h"
#include "data/json/json_equal.h"
#include "data/json/json_in_prose.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "judge/measure.h"
#include "prim/normalize.h"
#include "prim/number.h"

/* Bytes of an answer in a message. */
#define SHOWN 60
/* Values in an answer, which bound its memory. */
#define VALUE_LIMIT 100000
/* Bytes of an answer that are searched. */
#define ANSWER_BYTES ((size_t)1 << 20)
/* Units of work of a byte that is read. */
#define WORK_OF_BYTE 8
/* Repairs of an answer: not what is cut off, nor JSON within a string. */
#define REPAIRS                                                                                                        \
  (EE_REPAIRS_ALL & ~(1u << EE_REPAIR_CUT | 1u << EE_REPAIR_DOUBLE_ENCODING | 1u << EE_REPAIR_NOT_A_NUMBER))

/* Scales --------------------------------------------------------------------------------------- */

static void add_number(ee_buffer *out, double number) {
  char text[32];
  ee_buffer_add(out, text, ee_double_format(number, text));
}

static bool compile_numbers(ee_plan_builder *builder, const ee_rule_node *node, const ee_rule_node *list,
                            ee_llm_scale *scale) {
  double *numbers = EE_NEW_ARRAY(builder->arena, double, list->item_count);
  for (size_t i = 0; i < list->item_count; i++) {
    numbers[i] = list->items[i].number;
    if (isfinite(numbers[i]) && (i == 0 || numbers[i] > numbers[i - 1])) continue;
    ee_compile_error(builder, node, "the numbers of option 'scale' of ee.llm must rise, from the worst to the best");
    return false;
  }
  scale->kind = list->item_count == 2 ? EE_LLM_RANGE : EE_LLM_NUMBERS;
  scale->numbers = numbers;
  scale->min = numbers[0];
  scale->max = numbers[list->item_count - 1];
  return true;
}

static ee_str fold(ee_str text, ee_arena *arena) {
  static const uint8_t forms[] = {EE_NORMAL_TRIM, EE_NORMAL_CASEFOLD};
  return ee_normalize(text, forms, sizeof forms, arena);
}

static bool compile_words(ee_plan_builder *builder, const ee_rule_node *node, const ee_rule_node *list,
                          ee_llm_scale *scale) {
  ee_str *words = EE_NEW_ARRAY(builder->arena, ee_str, list->item_count);
  for (size_t i = 0; i < list->item_count; i++) {
    words[i] = ee_str_trim(list->items[i].text);
    bool good = words[i].length > 0 && ee_utf8_valid_prefix(words[i].data, words[i].length) == words[i].length;
    for (size_t k = 0; k < i && good; k++)
      good = !ee_str_equal(fold(words[i], builder->arena), fold(words[k], builder->arena));
    if (good) continue;
    ee_compile_error(builder, node, "the words of option 'scale' of ee.llm must differ, and none may be empty");
    return false;
  }
  scale->kind = EE_LLM_WORDS;
  scale->words = words;
  return true;
}

bool ee_llm_scale_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_llm_scale *scale) {
  *scale = (ee_llm_scale){.kind = EE_LLM_PASS, .count = 2};
  ee_rule_value value = ee_rule_node_get(node, "scale");
  if (value.type != EE_RULE_TABLE) return true; /* any other type was reported */
  const ee_rule_node *list = value.node;
  size_t numbers = 0, words = 0;
  for (size_t i = 0; i < list->item_count; i++) {
    numbers += list->items[i].type == EE_RULE_NUMBER;
    words += list->items[i].type == EE_RULE_TEXT;
  }
  if (list->item_count < 2 || list->item_count > EE_LLM_LEVELS ||
      (numbers < list->item_count && words < list->item_count)) {
    ee_compile_error(
        builder, node,
        "option 'scale' of ee.llm takes two numbers, the worst and the best, or 2 to %d values, all numbers "
        "or all strings, the worst first",
        EE_LLM_LEVELS);
    return false;
  }
  scale->count = list->item_count;
  return numbers > 0 ? compile_numbers(builder, node, list, scale) : compile_words(builder, node, list, scale);
}

static void add_level(const ee_llm_scale *scale, size_t number, bool as_json, ee_buffer *out) {
  if (scale->kind == EE_LLM_NUMBERS)
    add_number(out, scale->numbers[number]);
  else if (as_json)
    ee_json_write_string(out, scale->words[number]);
  else
    ee_add_printable(out, scale->words[number], EE_PRINT_LINE);
}

/* "1, 2 or 3". */
static void add_levels(const ee_llm_scale *scale, bool as_json, ee_buffer *out) {
  for (size_t i = 0; i < scale->count; i++) {
    if (i > 0) ee_buffer_add_text(out, i + 1 < scale->count ? ", " : " or ");
    add_level(scale, i, as_json, out);
  }
}

static void add_range(const ee_llm_scale *scale, ee_buffer *out) {
  ee_buffer_add_text(out, "a number from ");
  add_number(out, scale->min);
  ee_buffer_add_text(out, " to ");
  add_number(out, scale->max);
}

void ee_llm_scale_print(const ee_llm_scale *scale, ee_buffer *out) {
  if (scale->kind == EE_LLM_PASS) {
    ee_buffer_add_text(out, "pass or fail");
  } else if (scale->kind == EE_LLM_RANGE) {
    add_range(scale, out);
  } else {
    add_levels(scale, false, out);
  }
}

const char *ee_llm_scale_member(const ee_llm_scale *scale) { return scale->kind == EE_LLM_PASS ? "pass" : "score"; }

void ee_llm_scale_write_schema(const ee_llm_scale *scale, ee_buffer *out) {
  static const char *const types[] = {
      [EE_LLM_PASS] = "boolean", [EE_LLM_RANGE] = "number", [EE_LLM_NUMBERS] = "number", [EE_LLM_WORDS] = "string"};
  const char *member = ee_llm_scale_member(scale);
  ee_buffer_addf(out, "{\"type\":\"object\",\"properties\":{\"reason\":{\"type\":\"string\"},\"%s\":{\"type\":\"%s\"",
                 member, types[scale->kind]);
  if (scale->kind == EE_LLM_NUMBERS || scale->kind == EE_LLM_WORDS) {
    for (size_t i = 0; i < scale->count; i++) {
      ee_buffer_add_text(out, i == 0 ? ",\"enum\":[" : ",");
      add_level(scale, i, true, out);
    }
    ee_buffer_add_char(out, ']');
  }
  ee_buffer_addf(out, "}},\"required\":[\"reason\",\"%s\"],\"additionalProperties\":false}", member);
}

void ee_llm_scale_write_form(const ee_llm_scale *scale, ee_buffer *out) {
  ee_buffer_addf(out,
                 "Answer with one JSON object and nothing else: {\"reason\": \"one to three sentences\", \"%s\": ...}, "
                 "where \"%s\" is ",
                 ee_llm_scale_member(scale), ee_llm_scale_member(scale));
  if (scale->kind == EE_LLM_PASS) {
    ee_buffer_add_text(out, "true or false");
  } else if (scale->kind == EE_LLM_RANGE) {
    add_range(scale, out);
  } else {
    add_levels(scale, true, out);
  }
  if (scale->kind != EE_LLM_PASS) ee_buffer_add_text(out, ", from the worst to the best");
  ee_buffer_add_char(out, '.');
}

/* Levels --------------------------------------------------------------------------------------- */

size_t ee_llm_scale_levels(const ee_llm_scale *scale) {
  if (scale->kind != EE_LLM_RANGE) return scale->count;
  bool whole = floor(scale->min) == scale->min && floor(scale->max) == scale->max;
  return whole && scale->max - scale->min < EE_LLM_LEVELS ? (size_t)(scale->max - scale->min) + 1 : 2;
}

/* How far along the scale a number of it is, 0 to 1. The ends may be further apart than a double can say. */
static double share_of(const ee_llm_scale *scale, double number) {
  double all = scale->max - scale->min;
  if (isfinite(all)) return (number - scale->min) / all;
  return (number / 2 - scale->min / 2) / (scale->max / 2 - scale->min / 2);
}

/* The score of a level. */
static double score_of(const ee_llm_scale *scale, size_t level) {
  if (scale->kind == EE_LLM_NUMBERS) return share_of(scale, scale->numbers[level]);
  return (double)level / (double)(ee_llm_scale_levels(scale) - 1);
}

size_t ee_llm_scale_level(const ee_llm_scale *scale, double score, double pass) {
  size_t count = ee_llm_scale_levels(scale);
  if (count == 2 && scale->kind != EE_LLM_WORDS) return ee_score_reaches(score, pass);
  size_t best = 0;
  for (size_t i = 1; i < count; i++)
    if (fabs(score_of(scale, i) - score) < fabs(score_of(scale, best) - score)) best = i;
  return best;
}

/* Verdicts ------------------------------------------------------------------------------------- */

static bool read_pass(const ee_value *value, ee_arena *arena, double *score) {
  static const char *const words[2][5] = {{"false", "fail", "failed", "no", NULL},
                                          {"true", "pass", "passed", "yes", NULL}};
  double number;
  if (ee_type_of(value) == EE_TRUE || ee_type_of(value) == EE_FALSE) {
    *score = ee_type_of(value) == EE_TRUE;
    return true;
  }
  if (ee_type_of(value) == EE_STRING) {
    ee_str text = fold(ee_value_text(value), arena);
    for (size_t i = 0; i < 2; i++)
      for (size_t k = 0; words[i][k] != NULL; k++) {
        if (!ee_str_is(text, words[i][k])) continue;
        *score = (double)i;
        return true;
      }
  }
  if (!ee_measure_read_number(value, arena, &number) || (number != 0 && number != 1)) return false;
  *score = number;
  return true;
}

static bool read_number(const ee_llm_scale *scale, const ee_value *value, ee_arena *arena, double *score) {
  double number;
  if (!ee_measure_read_number(value, arena, &number) || !(number >= scale->min && number <= scale->max)) return false;
  bool known = scale->kind == EE_LLM_RANGE;
  for (size_t i = 0; i < scale->count && !known; i++) known = scale->numbers[i] == number;
  *score = share_of(scale, number);
  return known;
}

static bool read_word(const ee_llm_scale *scale, const ee_value *value, ee_arena *arena, double *score) {
  if (ee_type_of(value) != EE_STRING) return false;
  ee_str text = fold(ee_value_text(value), arena);
  for (size_t i = 0; i < scale->count; i++) {
    if (!ee_str_equal(text, fold(scale->words[i], arena))) continue;
    *score = score_of(scale, i);
    return true;
  }
  return false;
}

bool ee_llm_scale_read(const ee_llm_scale *scale, const ee_value *value, ee_arena *arena, double *score) {
  if (scale->kind == EE_LLM_PASS) return read_pass(value, arena, score);
  if (scale->kind == EE_LLM_WORDS) return read_word(scale, value, arena, score);
  return read_number(scale, value, arena, score);
}

/* Answers -------------------------------------------------------------------------------------- */

static ee_str after_thoughts(ee_str text) {
  static const char end[] = "</think>";
  const char *from = text.data, *stop = text.data + text.length;
  for (const char *at = from; (at = memmem(at, (size_t)(stop - at), end, sizeof end - 1)) != NULL;)
    from = at += sizeof end - 1;
  return (ee_str){from, (size_t)(stop - from)};
}

typedef struct twice {
  const char *name;
  bool found;
} twice;

static void on_duplicate(void *user, ee_str key, size_t offset) {
  (void)offset;
  twice *self = user;
  self->found |= ee_str_is(key, self->name);
}

/* The object that `text` begins with, `*end` bytes of it: strict, else with repairs. NULL: it is not one, or has the
 * member `name` twice (`*doubled`). */
static const ee_value *read_object(ee_str text, const char *name, ee_arena *arena, size_t *end, bool *doubled) {
  twice keys = {.name = name};
  ee_json_options options = {.on_duplicate_key = on_duplicate, .user = &keys};
  uint64_t surrogates = 0;
  options.lone_surrogates = &surrogates;
  ee_error ignored;
  *end = ee_json_bracket_extent(text);
  const ee_value *found = ee_json_read(arena, (ee_str){text.data, *end}, &options, &ignored);
  ee_repairs repairs = {{0}};
  if (found == NULL) found = ee_json_lenient_read(arena, text, REPAIRS, end, &repairs);
  if (keys.found) *doubled = true;
  return keys.found ? NULL : found;
}

/* What the search for a verdict has found. */
typedef struct search {
  const ee_value *object, *verdict;
  bool doubled, several;
} search;

static void look_at(search *self, const ee_value *object, const char *name, ee_arena *arena) {
  const ee_value *verdict = ee_value_member(object, ee_str_from(name), arena);
  if (ee_type_of(object) != EE_OBJECT || ee_type_of(verdict) <= EE_NULL) return;
  if (self->verdict != NULL && !ee_json_equal(self->verdict, verdict)) self->several = true;
  if (self->verdict != NULL) return;
  self->object = object;
  self->verdict = verdict;
}

/* Linear: what a bracket encloses is skipped. */
static search find_verdict(ee_str text, const char *name, ee_arena *arena) {
  search self = {.object = NULL};
  for (size_t at = 0; at < text.length;) {
    const char *next = memchr(text.data + at, '{', text.length - at);
    if (next == NULL) break;
    at = (size_t)(next - text.data);
    ee_str rest = {text.data + at, text.length - at};
    if (!ee_json_begins(rest)) {
      at++;
      continue;
    }
    size_t end = 0;
    const ee_value *object = read_object(rest, name, arena, &end, &self.doubled);
    if (object != NULL) look_at(&self, object, name, arena);
    at += end > 0 ? end : 1;
  }
  return self;
}

static const char *shown(ee_str text, ee_arena *arena) {
  ee_buffer out;
  ee_buffer_init(&out);
  ee_one_line(&out, text, EE_STR(""), SHOWN);
  const char *copy = ee_arena_copy(arena, out.data, out.length);
  ee_buffer_fini(&out);
  return copy;
}

static const char *shown_value(const ee_value *value, ee_arena *arena) {
  ee_buffer out;
  ee_buffer_init(&out);
  ee_json_write_value(&out, value);
  const char *copy = shown((ee_str){out.data, out.length}, arena);
  ee_buffer_fini(&out);
  return copy;
}

ee_llm_reading ee_llm_answer_read(const ee_llm_scale *scale, const ee_json_schema *schema, ee_str text, ee_arena *arena,
                                  ee_llm_answer *answer, const char **why) {
  *answer = (ee_llm_answer){.reason = EE_STR("")};
  const char *name = ee_llm_scale_member(scale);
  ee_str said = after_thoughts(text);
  ee_work(ee_work_product(said.length, WORK_OF_BYTE));
  if (said.length > ANSWER_BYTES || ee_json_has_more_values_than(said, VALUE_LIMIT)) {
    *why = "the model's answer is too large";
    return EE_LLM_NOT_JSON;
  }
  search found = find_verdict(said, name, arena);
  if (found.doubled || found.several || found.verdict == NULL) {
    *why = found.doubled   ? ee_arena_printf(arena, "the model's answer has \"%s\" twice", name)
           : found.several ? "the model's answer has several verdicts that differ"
                           : ee_arena_printf(arena, "the model's answer has no JSON object with \"%s\": '%s'", name,
                                             shown(said, arena));
    return EE_LLM_NOT_JSON;
  }
  answer->whole = found.object;
  answer->given = found.verdict;
  const ee_value *reason = ee_value_member(found.object, EE_STR("reason"), arena);
  if (ee_type_of(reason) != EE_STRING) reason = ee_value_member(found.object, EE_STR("reasoning"), arena);
  if (ee_type_of(reason) == EE_STRING) answer->reason = ee_str_trim(ee_value_text(reason));
  if (schema != NULL) {
    ee_schema_result fits;
    ee_json_schema_validate(schema, found.object, arena, &fits);
    if (!fits.valid) {
      *why = fits.count > 0 ? ee_arena_printf(arena, "the model's answer does not fit the schema: %.*s%s%.*s",
                                              EE_STR_ARG(fits.violations[0].place),
                                              fits.violations[0].place.length > 0 ? ": " : "",
                                              EE_STR_ARG(fits.violations[0].message))
                            : "the model's answer does not fit the schema";
      return EE_LLM_NOT_JSON;
    }
  }
  if (ee_llm_scale_read(scale, found.verdict, arena, &answer->score)) return EE_LLM_READ;
  *why = ee_arena_printf(arena, "the model's verdict %s is not on the scale", shown_value(found.verdict, arena));
  return EE_LLM_OFF_SCALE;
}
