/* rule_test_text.c: a test of the rule file with one document of the data. */
#include <string.h>

#include "base/error.h"
#include "data/json/json_equal.h"
#include "data/json/json_writer.h"
#include "infer/rules_text.h"
#include "judge/rule_text/lua_text.h"

/* Documents ------------------------------------------------------------------------------------ */

/* The value without nulls and empty containers, which Lua tables cannot hold; NULL if nothing is left. */
static ee_value *without_empty(ee_arena *arena, const ee_value *value) {
  ee_type type = ee_type_of(value);
  if (type == EE_NULL) return NULL;
  if (type != EE_ARRAY && type != EE_OBJECT) return ee_value_copy(arena, value);
  ee_value *copy = ee_value_new(arena, type);
  for (const ee_value *at = ee_value_child(value); at != NULL; at = ee_value_next(at)) {
    ee_value *child = without_empty(arena, at);
    if (child == NULL) continue;
    if (type == EE_ARRAY)
      ee_value_append(copy, child);
    else
      ee_value_set(arena, copy, ee_value_key(at), child);
  }
  return ee_value_count(copy) > 0 ? copy : NULL;
}

/* The value at `path`, of keys only, in objects; in an array "0" would be an index, and is not what was described. */
static const ee_value *get(const ee_value *root, ee_str path, ee_arena *arena) {
  const ee_path *parsed = ee_path_parse(arena, path, NULL);
  const ee_value *at = parsed != NULL ? root : NULL;
  for (size_t i = 0; at != NULL && i < parsed->count; i++)
    at = ee_type_of(at) == EE_OBJECT ? ee_value_member(at, parsed->steps[i].key, arena) : NULL;
  return at;
}

/* Puts `value` at `path`, of keys only, in objects that are made where they lack. */
static void put(ee_value *root, ee_str path, const ee_value *value, ee_arena *arena) {
  const ee_path *parsed = ee_path_parse(arena, path, NULL);
  if (parsed == NULL) return;
  ee_value *at = root;
  for (size_t i = 0; i < parsed->count; i++) {
    ee_str key = parsed->steps[i].key;
    ee_value *child = (ee_value *)(uintptr_t)ee_value_member(at, key, arena);
    if (i + 1 == parsed->count) {
      if (child == NULL) ee_value_set(arena, at, key, ee_value_copy(arena, value));
      return;
    }
    if (child == NULL) {
      child = ee_value_new(arena, EE_OBJECT);
      ee_value_set(arena, at, key, child);
    }
    if (ee_type_of(child) != EE_OBJECT) return;
    at = child;
  }
}

/* The array of several correct answers that an expected value holds; NULL: it is the only one. */
static const ee_value *answers_of(const ee_choice *choice, const ee_value *value) {
  if (!choice->alternatives) return NULL;
  const ee_value *answers = ee_value_any_of(value);
  bool arrays = strcmp(choice->strategy, "set") != 0; /* a set is one answer */
  return answers == NULL && arrays && ee_type_of(value) == EE_ARRAY ? value : answers;
}

static ee_value *judged_part(const ee_choice *items, size_t count, const ee_value *document, bool candidate,
                             ee_arena *arena);

static ee_value *judged_parts(const ee_choice *choice, const ee_value *array, bool candidate, ee_arena *arena) {
  ee_value *copy = ee_value_new(arena, EE_ARRAY);
  for (const ee_value *at = ee_value_child(array); at != NULL; at = ee_value_next(at))
    ee_value_append(copy, judged_part(choice->inner, choice->inner_count, at, candidate, arena));
  return copy;
}

/* What the rules judge of the document, without what does not fit them; for a `candidate` under its names, and with the
 * first of several right answers. */
static ee_value *judged_part(const ee_choice *items, size_t count, const ee_value *document, bool candidate,
                             ee_arena *arena) {
  ee_value *part = ee_value_new(arena, EE_OBJECT);
  for (size_t i = 0; i < count; i++) {
    const ee_choice *choice = &items[i];
    const ee_value *value = choice->kind != EE_CHOICE_NOT_JUDGED ? get(document, choice->path, arena) : NULL;
    bool list = choice->kind == EE_CHOICE_ITEMS || choice->kind == EE_CHOICE_BOXES;
    if (value == NULL || (list && ee_type_of(value) != EE_ARRAY)) continue;
    ee_str path = candidate && choice->candidate.data != NULL ? choice->candidate : choice->path;
    const ee_value *answers = answers_of(choice, value);
    if (candidate && answers != NULL) value = ee_value_child(answers);
    if (value == NULL) continue;
    if (choice->kind == EE_CHOICE_ITEMS) value = judged_parts(choice, value, candidate, arena);
    put(part, path, value, arena);
  }
  return part;
}

/* Whether candidates write a right answer in another way. */
static bool differs(const ee_choice *items, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (items[i].candidate.data != NULL || items[i].alternatives || differs(items[i].inner, items[i].inner_count))
      return true;
  return false;
}

/* Text ------------------------------------------------------------------------------------------- */

/* `local function NAME() return VALUE end`; as JSON where Lua has no table for it. */
static void add_document(ee_buffer *out, const char *name, const ee_value *value) {
  ee_buffer_addf(out, "local function %s()\n  return ", name);
  size_t start = out->length;
  if (!ee_lua_text_value(out, value, 2)) {
    out->length = start;
    ee_buffer json;
    ee_buffer_init(&json);
    ee_json_write_value(&json, value);
    ee_lua_text_string(out, (ee_str){json.data, json.length});
    ee_buffer_fini(&json);
  }
  ee_buffer_add_text(out, "\nend\n\n");
}

/* Whether all values of a field could be read; of a list, those of one of its fields: a missing item is then noticed.
 */
static bool is_sure(const ee_choice *choice) {
  if (choice->kind == EE_CHOICE_NOT_JUDGED || choice->doubt != NULL) return false;
  for (size_t i = 0; i < choice->inner_count; i++)
    if (is_sure(&choice->inner[i])) return true;
  return choice->inner_count == 0;
}

/* A value that no strategy takes for `value`. */
static ee_value *other_value(const ee_value *value, ee_arena *arena) {
  switch (ee_type_of(value)) {
  case EE_TRUE: return ee_value_new_bool(arena, false);
  case EE_FALSE: return ee_value_new_bool(arena, true);
  case EE_NUMBER: return ee_value_new_number(arena, ee_value_number(value) > 0 ? -1 : 4711);
  case EE_STRING:
    return ee_value_new_string(arena, ee_str_is(ee_value_text(value), "something else") ? EE_STR("4711 is not it")
                                                                                        : EE_STR("something else"));
  default: return NULL;
  }
}

/* Whether the answers are of one type, and `other`, which may be NULL, differs from all of them: it does not if they
 * are true and false. */
static bool is_wrong(const ee_value *answers, const ee_value *other) {
  for (const ee_value *at = ee_value_child(answers); at != NULL; at = ee_value_next(at)) {
    if (ee_type_of(at) != ee_type_of(ee_value_child(answers)) || ee_value_is_empty(at, NULL)) return false;
    if (other != NULL && ee_json_equal(at, other)) return false;
  }
  return true;
}

/* The first field of the document whose value can be changed, and is read. */
static const ee_choice *find_field(const ee_choices *choices, const ee_value *document, ee_arena *arena) {
  for (size_t i = 0; i < choices->count; i++) {
    const ee_choice *choice = &choices->items[i];
    if (!is_sure(choice)) continue;
    const ee_value *value = get(document, choice->path, arena);
    const ee_value *answers = answers_of(choice, value);
    if (answers != NULL && !is_wrong(answers, other_value(ee_value_child(answers), arena))) continue;
    if (!ee_value_is_empty(value, NULL)) return choice;
  }
  return NULL;
}

/* A copy of `answer` with another value for `choice`; an array is removed. */
static ee_value *change(const ee_value *answer, const ee_choice *choice, ee_arena *arena) {
  ee_str path = choice->candidate.data != NULL ? choice->candidate : choice->path;
  const ee_path *parsed = ee_path_parse(arena, path, NULL);
  ee_value *copy = ee_value_copy(arena, answer), *object = copy;
  for (size_t i = 0; i + 1 < parsed->count; i++)
    object = (ee_value *)(uintptr_t)ee_value_member(object, parsed->steps[i].key, arena);
  ee_str key = parsed->steps[parsed->count - 1].key;
  ee_value *changed = ee_value_new(arena, EE_OBJECT);
  for (const ee_value *at = ee_value_child(object); at != NULL; at = ee_value_next(at)) {
    bool found = ee_str_equal(ee_value_key(at), key);
    ee_value *value = found ? other_value(at, arena) : ee_value_copy(arena, at);
    if (value != NULL) ee_value_set(arena, changed, ee_value_key(at), value);
  }
  /* The copy's object gets the other members. */
  object->json.child = changed->json.child;
  object->length = changed->length;
  object->index = changed->index;
  return copy;
}

/* One line of text for a comment or a name of a test. */
static void add_line(ee_buffer *out, const char *format, ee_str text) {
  ee_buffer line;
  ee_buffer_init(&line);
  ee_one_line(&line, text, EE_STR(""), 60);
  ee_buffer_addf(out, format, ee_buffer_terminate(&line));
  ee_buffer_fini(&line);
}

void ee_rule_test_text_write(const ee_choices *choices, const ee_profile *profile, const char *rules, const char *test,
                             ee_arena *scratch, ee_buffer *out) {
  add_line(out, "-- Tests of %s: ", ee_str_from(rules));
  add_line(out, "evalengine test %s\n", ee_str_from(test));
  ee_buffer_add_text(out, "local rules = load_rules ");
  ee_lua_text_string(out, ee_str_from(rules));
  ee_buffer_add_text(out, "\n\n");
  bool is_object = ee_type_of(profile->sample) == EE_OBJECT;
  const ee_value *document = is_object ? without_empty(scratch, profile->sample) : NULL;
  if (document != NULL)
    document = without_empty(scratch, judged_part(choices->items, choices->count, document, false, scratch));
  const ee_choice *field = document != NULL ? find_field(choices, document, scratch) : NULL;
  if (field == NULL) {
    ee_buffer_add_text(out, "describe(\"the rules\", function()\n"
                            "  it(\"load\", function() expect(rules ~= nil):is_true() end)\n"
                            "end)\n");
    return;
  }
  bool other = differs(choices->items, choices->count);
  const ee_value *answer = other ? judged_part(choices->items, choices->count, document, true, scratch) : document;
  add_line(out, "-- The expected document of case '%s'.\n", profile->sample_id);
  add_document(out, "expected", document);
  if (other) {
    ee_buffer_add_text(out, "-- The same document as candidates write it.\n");
    add_document(out, "right", answer);
  }
  add_line(out, "-- An answer with one mistake, in %s.\n", field->path);
  add_document(out, "wrong", change(answer, field, scratch));
  ee_buffer_add_text(out,
                     "describe(\"a document\", function()\n  it(\"scores 1 when the answer is right\", function()\n"
                     "    local result = rules:judge { expected = expected(), candidate = ");
  ee_buffer_addf(out, "%s() }\n", other ? "right" : "expected");
  ee_buffer_add_text(out, "    expect(result.misses):equals {}\n    expect(result.score):equals(1)\n  end)\n\n"
                          "  it(\"scores less when one value is wrong\", function()\n"
                          "    local result = rules:judge { expected = expected(), candidate = wrong() }\n"
                          "    expect(#result.misses > 0):is_true()\n"
                          "    expect(result.score < 1):is_true()\n  end)\nend)\n");
}
