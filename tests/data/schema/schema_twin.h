/* schema_twin.h: JSON Schema, slowly and to the letter: an interpreter of the keywords over cJSON trees.
 *
 * Independent of the engine: nothing is compiled, remembered or sorted; numbers are hundredths, patterns are five that
 * are known by heart. Only for schemas that test_json_schema_twin.c makes. */
#ifndef EE_TESTS_DATA_SCHEMA_TWIN_H
#define EE_TESTS_DATA_SCHEMA_TWIN_H

#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is violated, "PLACE KEYWORD" each. */
typedef struct twin_list {
  char items[4096][200];
  size_t count;
} twin_list;

typedef struct twin {
  const cJSON *root;
  twin_list *list; /* NULL: not asked for */
} twin;

/* Places of random documents are short. */
static inline const char *twin_print(char out[200], const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline const char *twin_print(char out[200], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(out, 200, format, arguments);
  va_end(arguments);
  if (length >= 200) abort();
  return out;
}

static inline void twin_add(twin *self, const char *place, const char *keyword, const char *name) {
  if (self->list == NULL || self->list->count == 4096) return;
  twin_print(self->list->items[self->list->count++], "%s %s/%s", place, keyword, name);
}

static inline long long twin_hundredths(const cJSON *number) { return llround(number->valuedouble * 100); }

static inline size_t twin_characters(const char *text) {
  size_t count = 0;
  for (; *text != '\0'; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
  return count;
}

static inline bool twin_matches(const char *pattern, const char *text) {
  size_t length = strlen(text);
  if (strcmp(pattern, "^a") == 0) return text[0] == 'a';
  if (strcmp(pattern, "b$") == 0) return length > 0 && text[length - 1] == 'b';
  if (strcmp(pattern, "^[ab]*$") == 0) return strspn(text, "ab") == length;
  if (strcmp(pattern, "^.{2}$") == 0) return twin_characters(text) == 2;
  if (strcmp(pattern, "c|ab") == 0) return strchr(text, 'c') != NULL || strstr(text, "ab") != NULL;
  abort();
}

static inline bool twin_equal(const cJSON *a, const cJSON *b) {
  if ((a->type & 0xff) != (b->type & 0xff)) return false;
  if (cJSON_IsNumber(a)) return twin_hundredths(a) == twin_hundredths(b);
  if (cJSON_IsString(a)) return strcmp(a->valuestring, b->valuestring) == 0;
  if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b)) return false;
  for (const cJSON *x = a->child, *y = b->child; x != NULL; x = x->next, y = y->next) {
    const cJSON *other = cJSON_IsObject(a) ? cJSON_GetObjectItemCaseSensitive(b, x->string) : y;
    if (other == NULL || !twin_equal(x, other)) return false;
  }
  return true;
}

static inline bool twin_has_type(const char *name, const cJSON *value) {
  if (strcmp(name, "null") == 0) return cJSON_IsNull(value);
  if (strcmp(name, "boolean") == 0) return cJSON_IsBool(value);
  if (strcmp(name, "number") == 0) return cJSON_IsNumber(value);
  if (strcmp(name, "integer") == 0) return cJSON_IsNumber(value) && twin_hundredths(value) % 100 == 0;
  if (strcmp(name, "string") == 0) return cJSON_IsString(value);
  if (strcmp(name, "array") == 0) return cJSON_IsArray(value);
  return strcmp(name, "object") == 0 && cJSON_IsObject(value);
}

static inline bool twin_fits(twin *self, const cJSON *schema, const cJSON *value, const char *place,
                             const char *keyword);

/* Whether it fits, without telling why not. */
static inline bool twin_asks(twin *self, const cJSON *schema, const cJSON *value) {
  twin quiet = {self->root, NULL};
  return twin_fits(&quiet, schema, value, "", "");
}

static inline const cJSON *twin_get(const cJSON *object, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* "KEYWORD/NAME", or "KEYWORD/NAME/REST". */
static inline const char *twin_below(char out[200], const char *keyword, const char *name, const char *rest) {
  return twin_print(out, "%s/%s%s%s", keyword, name, rest != NULL ? "/" : "", rest != NULL ? rest : "");
}

static inline bool twin_values(twin *self, const cJSON *k, const cJSON *value, const char *place, const char *keyword) {
  bool good = true;
  if (strcmp(k->string, "type") == 0) {
    good = cJSON_IsString(k) && twin_has_type(k->valuestring, value);
    for (const cJSON *t = cJSON_IsArray(k) ? k->child : NULL; t != NULL; t = t->next)
      good = good || twin_has_type(t->valuestring, value);
  } else if (strcmp(k->string, "const") == 0) {
    good = twin_equal(k, value);
  } else if (strcmp(k->string, "enum") == 0) {
    good = false;
    for (const cJSON *v = k->child; v != NULL; v = v->next) good = good || twin_equal(v, value);
  } else if (cJSON_IsNumber(value)) {
    long long x = twin_hundredths(value), y = cJSON_IsNumber(k) ? twin_hundredths(k) : 0;
    if (strcmp(k->string, "minimum") == 0) good = x >= y;
    if (strcmp(k->string, "maximum") == 0) good = x <= y;
    if (strcmp(k->string, "exclusiveMinimum") == 0) good = x > y;
    if (strcmp(k->string, "exclusiveMaximum") == 0) good = x < y;
    if (strcmp(k->string, "multipleOf") == 0) good = x % y == 0;
  } else if (cJSON_IsString(value)) {
    if (strcmp(k->string, "minLength") == 0) good = (double)twin_characters(value->valuestring) >= k->valuedouble;
    if (strcmp(k->string, "maxLength") == 0) good = (double)twin_characters(value->valuestring) <= k->valuedouble;
    if (strcmp(k->string, "pattern") == 0) good = twin_matches(k->valuestring, value->valuestring);
  } else if (cJSON_IsArray(value)) {
    if (strcmp(k->string, "minItems") == 0) good = cJSON_GetArraySize(value) >= k->valuedouble;
    if (strcmp(k->string, "maxItems") == 0) good = cJSON_GetArraySize(value) <= k->valuedouble;
    if (strcmp(k->string, "uniqueItems") == 0 && cJSON_IsTrue(k)) {
      for (const cJSON *x = value->child; x != NULL; x = x->next)
        for (const cJSON *y = x->next; y != NULL; y = y->next) good = good && !twin_equal(x, y);
    }
  } else if (cJSON_IsObject(value)) {
    if (strcmp(k->string, "minProperties") == 0) good = cJSON_GetArraySize(value) >= k->valuedouble;
    if (strcmp(k->string, "maxProperties") == 0) good = cJSON_GetArraySize(value) <= k->valuedouble;
    if (strcmp(k->string, "required") == 0) {
      for (const cJSON *name = k->child; name != NULL; name = name->next)
        good = good && twin_get(value, name->valuestring) != NULL;
    }
  }
  if (!good) twin_add(self, place, keyword, k->string);
  return good;
}

static inline bool twin_combining(twin *self, const cJSON *schema, const cJSON *k, const cJSON *value,
                                  const char *place, const char *keyword) {
  bool good = true;
  char below[200], index[200];
  int fitting = 0, number = 0;
  if (strcmp(k->string, "allOf") == 0) {
    for (const cJSON *s = k->child; s != NULL; s = s->next) {
      twin_print(index, "%d", number++);
      good = twin_fits(self, s, value, place, twin_below(below, keyword, "allOf", index)) && good;
    }
    return good;
  }
  if (strcmp(k->string, "$ref") == 0) {
    const char *name = k->valuestring + strlen("#/$defs/");
    bool root = strcmp(k->valuestring, "#") == 0;
    const cJSON *target = root ? self->root : twin_get(twin_get(self->root, "$defs"), name);
    return twin_fits(self, target, value, place, root ? "" : twin_below(below, "", "$defs", name));
  }
  if (strcmp(k->string, "if") == 0) {
    if (twin_get(schema, "then") == NULL && twin_get(schema, "else") == NULL) return true;
    const char *chosen = twin_asks(self, k, value) ? "then" : "else";
    const cJSON *then = twin_get(schema, chosen);
    return then == NULL || twin_fits(self, then, value, place, twin_below(below, keyword, chosen, NULL));
  }
  if (strcmp(k->string, "anyOf") == 0 || strcmp(k->string, "oneOf") == 0) {
    for (const cJSON *s = k->child; s != NULL; s = s->next) fitting += twin_asks(self, s, value);
    good = strcmp(k->string, "anyOf") == 0 ? fitting > 0 : fitting == 1;
  }
  if (strcmp(k->string, "not") == 0) good = !twin_asks(self, k, value);
  if (!good) twin_add(self, place, keyword, k->string);
  return good;
}

static inline bool twin_array(twin *self, const cJSON *schema, const cJSON *k, const cJSON *value, const char *place,
                              const char *keyword) {
  bool good = true;
  char below[200], at[200], index[200];
  const cJSON *prefix = twin_get(schema, "prefixItems");
  int number = 0, fitting = 0, count = prefix != NULL ? cJSON_GetArraySize(prefix) : 0;
  for (const cJSON *v = value->child; v != NULL; v = v->next, number++) {
    twin_print(index, "%d", number);
    twin_print(at, "%s/%d", place, number);
    if (strcmp(k->string, "prefixItems") == 0 && number < count) {
      twin_below(below, keyword, "prefixItems", index);
      good = twin_fits(self, cJSON_GetArrayItem(k, number), v, at, below) && good;
    }
    if (strcmp(k->string, "items") == 0 && number >= count)
      good = twin_fits(self, k, v, at, twin_below(below, keyword, "items", NULL)) && good;
    if (strcmp(k->string, "contains") == 0) fitting += twin_asks(self, k, v);
  }
  if (strcmp(k->string, "contains") == 0) {
    const cJSON *least = twin_get(schema, "minContains"), *most = twin_get(schema, "maxContains");
    bool few = fitting < (least != NULL ? least->valuedouble : 1), many = most != NULL && fitting > most->valuedouble;
    good = !few && !many;
    if (!good) twin_add(self, place, keyword, few ? (least != NULL ? "minContains" : "contains") : "maxContains");
  }
  return good;
}

static inline bool twin_is_additional(const cJSON *schema, const char *name) {
  const cJSON *patterns = twin_get(schema, "patternProperties");
  if (twin_get(twin_get(schema, "properties"), name) != NULL) return false;
  for (const cJSON *p = patterns != NULL ? patterns->child : NULL; p != NULL; p = p->next)
    if (twin_matches(p->string, name)) return false;
  return true;
}

static inline bool twin_object(twin *self, const cJSON *schema, const cJSON *k, const cJSON *value, const char *place,
                               const char *keyword) {
  bool good = true;
  char below[200], at[200];
  if (strcmp(k->string, "dependentSchemas") == 0 || strcmp(k->string, "dependentRequired") == 0) {
    for (const cJSON *d = k->child; d != NULL; d = d->next) {
      if (twin_get(value, d->string) == NULL) continue;
      twin_below(below, keyword, k->string, d->string);
      if (k->string[9] == 'S') {
        good = twin_fits(self, d, value, place, below) && good;
        continue;
      }
      bool all = true;
      for (const cJSON *name = d->child; name != NULL; name = name->next)
        all = all && twin_get(value, name->valuestring) != NULL;
      if (!all) twin_add(self, place, twin_below(below, keyword, k->string, NULL), d->string);
      good = good && all;
    }
    return good;
  }
  for (const cJSON *v = value->child; v != NULL; v = v->next) {
    twin_print(at, "%s/%s", place, v->string);
    if (strcmp(k->string, "properties") == 0 && twin_get(k, v->string) != NULL) {
      twin_below(below, keyword, "properties", v->string);
      good = twin_fits(self, twin_get(k, v->string), v, at, below) && good;
    }
    if (strcmp(k->string, "patternProperties") == 0) {
      for (const cJSON *p = k->child; p != NULL; p = p->next) {
        twin_below(below, keyword, "patternProperties", p->string);
        if (twin_matches(p->string, v->string)) good = twin_fits(self, p, v, at, below) && good;
      }
    }
    if (strcmp(k->string, "additionalProperties") == 0 && twin_is_additional(schema, v->string))
      good = twin_fits(self, k, v, at, twin_below(below, keyword, "additionalProperties", NULL)) && good;
    if (strcmp(k->string, "propertyNames") == 0) {
      cJSON *name = cJSON_CreateString(v->string);
      good = twin_fits(self, k, name, at, twin_below(below, keyword, "propertyNames", NULL)) && good;
      cJSON_Delete(name);
    }
  }
  return good;
}

static inline bool twin_fits(twin *self, const cJSON *schema, const cJSON *value, const char *place,
                             const char *keyword) {
  if (cJSON_IsTrue(schema)) return true;
  if (cJSON_IsFalse(schema)) {
    if (self->list != NULL && self->list->count < 4096)
      twin_print(self->list->items[self->list->count++], "%s %s", place, keyword);
    return false;
  }
  bool good = true;
  for (const cJSON *k = schema->child; k != NULL; k = k->next) {
    good = twin_values(self, k, value, place, keyword) && good;
    good = twin_combining(self, schema, k, value, place, keyword) && good;
    if (cJSON_IsArray(value)) good = twin_array(self, schema, k, value, place, keyword) && good;
    if (cJSON_IsObject(value)) good = twin_object(self, schema, k, value, place, keyword) && good;
  }
  return good;
}

#endif
