/* nested_records.c: finds the records of a document without building a tree. */
#include "data/files/nested_records.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "data/files/file_shape.h"
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"

/* Arrays that a message names. */
#define ARRAYS_SHOWN 5

static const char *const usual_names[] = {"results",    "records",     "data",     "rows",    "cases",     "evalcases",
                                          "eval_cases", "tests",       "examples", "samples", "instances", "docs",
                                          "documents",  "predictions", "outputs",  "answers", "responses", NULL};

/* Walking -------------------------------------------------------------------------------------- */

/* The members of an object or the elements of an array. */
typedef struct walk {
  ee_json_scan *scan;
  const char *at; /* after the last value */
  bool is_object, any;
} walk;

static walk walk_into(ee_json_scan *scan, const char *value) {
  return (walk){.scan = scan, .at = value + 1, .is_object = *value == '{'};
}

/* The next value, and its key in an object; NULL at the end and at a mistake, which `scan` has. */
static const char *step(walk *w, ee_str *key, const char **end) {
  bool done;
  const char *value = w->is_object ? ee_json_next_member(w->scan, w->at, !w->any, key, &done)
                                   : ee_json_next_element(w->scan, w->at, !w->any, &done);
  if (value == NULL || done) {
    w->at = value;
    return NULL;
  }
  w->any = true;
  w->at = *end = ee_json_skip_value(w->scan, value);
  return *end != NULL ? value : NULL;
}

/* Its first bracket: the text is of an object or array, which may be broken. */
static const char *start_of(ee_json_scan *scan) {
  const char *at = ee_json_skip_space(scan->start, scan->end);
  assert(at < scan->end && (*at == '{' || *at == '['));
  return at;
}

static bool is_array_of_objects(ee_json_scan *scan, const char *value) {
  if (*value != '[') return false;
  walk elements = walk_into(scan, value);
  ee_str ignored;
  const char *element, *end;
  while ((element = step(&elements, &ignored, &end)) != NULL)
    if (*element != '{') return false;
  return elements.any;
}

/* The text of a key, decoded. */
static ee_str decode_key(ee_str key, ee_arena *arena) {
  if (memchr(key.data, '\\', key.length) == NULL) return key;
  const ee_value *text = ee_json_read(arena, (ee_str){key.data - 1, key.length + 2}, NULL, NULL);
  return text != NULL ? ee_value_text(text) : key; /* unreached: the scanner found no mistake in the key */
}

/* What an object has in it ---------------------------------------------------------------------- */

/* Which parts of a record the keys of an object name. */
static ee_record_keys keys_of(ee_json_scan *scan, const char *object, const ee_record_paths *paths) {
  ee_record_keys found = {.id = false};
  walk members = walk_into(scan, object);
  ee_str key;
  const char *end;
  while (step(&members, &key, &end) != NULL) ee_record_keys_add(&found, key, paths);
  return found;
}

typedef struct overview {
  ee_record_keys parts;
  size_t members, objects, arrays; /* arrays of objects */
  size_t likely;                   /* arrays that seem to hold records */
  size_t with_id;                  /* arrays whose first object has an id */
  const char *array;               /* the last one */
  size_t keys, different_keys;     /* of all members that are objects */
  bool answers_in_all;             /* objects have an expected value or a candidate each */
} overview;

/* Counts the keys of the object that no other one had. */
static void count_keys(overview *o, ee_json_scan *scan, const char *object, ee_hash_index *seen,
                       const ee_record_paths *paths) {
  ee_record_keys found = {.id = false};
  walk members = walk_into(scan, object);
  ee_str key;
  const char *end;
  while (step(&members, &key, &end) != NULL) {
    uint64_t hash = ee_hash_bytes(key.data, key.length, 0);
    size_t at = 0, number;
    o->keys++;
    ee_record_keys_add(&found, key, paths);
    if (ee_hash_index_next(seen, hash, &at, &number)) continue; /* a false hit does no harm */
    ee_hash_index_add(seen, hash, o->different_keys++);
  }
  o->answers_in_all = o->answers_in_all && ee_record_keys_have_answer(&found);
}

static bool has_usual_name(ee_str key) {
  for (const char *const *name = usual_names; *name != NULL; name++)
    if (ee_json_key_is(key, *name)) return true;
  return false;
}

static overview look_over(ee_json_scan *scan, const char *object, const ee_record_paths *paths) {
  overview o = {.answers_in_all = true};
  ee_hash_index seen = {.arena = NULL};
  walk members = walk_into(scan, object);
  ee_str key;
  const char *value, *end;
  while ((value = step(&members, &key, &end)) != NULL) {
    o.members++;
    ee_record_keys_add(&o.parts, key, paths);
    if (*value == '{') {
      o.objects++;
      count_keys(&o, scan, value, &seen, paths);
    } else if (is_array_of_objects(scan, value)) {
      o.arrays++;
      o.array = value;
      const char *first = ee_json_skip_space(value + 1, scan->end);
      ee_record_keys keys = keys_of(scan, first, paths);
      o.likely += has_usual_name(key) || ee_record_keys_have_answer(&keys);
      o.with_id += keys.id;
    }
  }
  ee_hash_index_fini(&seen);
  return o;
}

static bool is_by_id(const overview *o) {
  if (o->members < 2 || o->objects < o->members) return false;
  if (o->answers_in_all) return true;
  /* The share of the objects that a key occurs in, on average. */
  return o->keys * 2 > o->different_keys * o->objects;
}

/* The value at the path, or NULL. */
static const char *go_to(ee_json_scan *scan, const char *at, const ee_path *path, ee_arena *arena) {
  for (size_t i = 0; i < path->count && at != NULL; i++) {
    const ee_step *wanted = &path->steps[i];
    if (*at != '{' && *at != '[') return NULL;
    walk w = walk_into(scan, at);
    ee_str key;
    const char *end;
    for (uint32_t number = 0; (at = step(&w, &key, &end)) != NULL; number++) {
      if (w.is_object ? wanted->kind != EE_STEP_INDEX && ee_str_equal(decode_key(key, arena), wanted->key)
                      : wanted->kind != EE_STEP_KEY && number == wanted->index)
        break;
    }
  }
  return at;
}

static void list_name(ee_buffer *out, ee_str outer, ee_str key, size_t number) {
  if (number > ARRAYS_SHOWN) return;
  ee_buffer_add_text(out, number > 1 ? ", '" : "'");
  if (number == ARRAYS_SHOWN) {
    out->length -= 1;
    ee_buffer_add_text(out, "...");
    return;
  }
  if (outer.data != NULL) ee_buffer_addf(out, "%.*s.", (int)ee_utf8_cut(outer, 60), outer.data);
  ee_buffer_addf(out, "%.*s'", (int)ee_utf8_cut(key, 60), key.data);
}

/* Appends the names of the arrays of objects in the document, one level deep, as a list for messages: 'train',
 * 'data.b'; returns their number. */
static size_t list_arrays(ee_str document, ee_buffer *out) {
  ee_json_scan scan = ee_json_scan_of(document);
  const char *root = start_of(&scan), *value, *end, *inner;
  size_t count = 0;
  walk members = walk_into(&scan, root);
  ee_str key = {NULL, 0}, inner_key = {NULL, 0};
  while ((value = step(&members, &key, &end)) != NULL) {
    if (is_array_of_objects(&scan, value)) list_name(out, (ee_str){NULL, 0}, key, ++count);
    if (*value != '{') continue;
    walk below = walk_into(&scan, value);
    while ((inner = step(&below, &inner_key, &end)) != NULL)
      if (is_array_of_objects(&scan, inner)) list_name(out, key, inner_key, ++count);
  }
  return count;
}

/* Deciding ------------------------------------------------------------------------------------- */

static ee_nesting fail_unclear(ee_str document, const ee_path_list *records, ee_error *error) {
  ee_buffer names;
  ee_buffer_init(&names);
  size_t count = list_arrays(document, &names);
  const char *list = count > 0 ? ee_buffer_terminate(&names) : "none";
  if (records->count > 0)
    ee_error_set(error, EE_ERROR_DATA, "no array or object of records at '%.*s'; arrays of objects: %s",
                 (int)ee_utf8_cut(records->items[0]->text, 100), records->items[0]->text.data, list);
  else
    ee_error_set(error, EE_ERROR_DATA,
                 "several arrays of objects (%s): choose with --records PATH ('$': the whole file is one record)",
                 list);
  ee_buffer_fini(&names);
  return EE_NESTING_UNCLEAR;
}

/* "$" */
static bool is_whole(const ee_path *path) { return path->count == 0; }

/* `*place`: the array or object. */
static ee_nesting decide(ee_str document, const ee_record_paths *paths, bool only_there, const char **place,
                         ee_error *error) {
  ee_json_scan scan = ee_json_scan_of(document);
  const char *root = start_of(&scan);
  const ee_path_list *records = &paths->records;
  if (*root == '[') return EE_NESTING_DOCUMENT; /* otherwise it would be an array of records */
  for (size_t i = 0; i < records->count; i++) {
    if (is_whole(records->items[i])) break;
    ee_arena arena;
    ee_arena_init(&arena, 0);
    *place = go_to(&scan, root, records->items[i], &arena);
    ee_arena_fini(&arena);
    scan.mistake = NULL;
    if (*place == NULL || (**place != '[' && **place != '{')) continue;
    if (ee_json_skip_value(&scan, root) == NULL) return EE_NESTING_NONE; /* broken: its reader reports it */
    return **place == '[' ? EE_NESTING_LIST : EE_NESTING_BY_ID;
  }
  if (only_there) return EE_NESTING_NONE;
  overview o = look_over(&scan, root, paths);
  if (scan.mistake != NULL) return EE_NESTING_NONE;
  bool is_record = o.parts.id || ee_record_keys_have_answer(&o.parts);
  bool whole = records->count > 0 && is_whole(records->items[0]); /* and not a part of it */
  bool divided = !is_record && !whole;
  if (divided && is_by_id(&o)) {
    *place = root;
    return EE_NESTING_BY_ID;
  }
  /* Beside other members, an array of another name than the one that was asked for is not taken in its place. */
  if (divided && o.arrays == 1 && (o.members == 1 || (o.likely == 1 && records->count == 0))) {
    *place = o.array;
    return EE_NESTING_LIST;
  }
  if (divided && (records->count > 0 || (o.arrays > 1 && o.likely + o.with_id > 0)))
    return fail_unclear(document, records, error);
  return is_record ? EE_NESTING_NONE : EE_NESTING_DOCUMENT;
}

ee_nesting ee_nested_records_find(ee_nested_records *nested, ee_buffer *text, const ee_record_span *span,
                                  const ee_record_paths *paths, bool only_there, ee_error *error) {
  const char *place = NULL;
  ee_str document = {text->data + span->offset, span->length};
  ee_nesting nesting = decide(document, paths, only_there, &place, error);
  *nested = (ee_nested_records){.nesting = EE_NESTING_NONE};
  if (nesting != EE_NESTING_LIST && nesting != EE_NESTING_BY_ID) return nesting;
  *nested = (ee_nested_records){.nesting = nesting,
                                .text = *text,
                                .start = span->offset,
                                .length = span->length,
                                .at = (size_t)(place - text->data) + 1,
                                .placed = span->offset,
                                .line = span->line,
                                .column = span->column,
                                .byte = span->byte - span->offset};
  ee_buffer_init(text);
  return nesting;
}

ee_array_use ee_array_use_find(ee_str head, const ee_record_paths *paths, bool in_directory, bool *complete) {
  *complete = true;
  if (paths->records.count > 0 && is_whole(paths->records.items[0])) return EE_ARRAY_DOCUMENT;
  if (!in_directory) return EE_ARRAY_OF_RECORDS;
  size_t mark = ee_mark_length(head);
  ee_json_scan scan = ee_json_scan_of((ee_str){head.data + mark, head.length - mark});
  const char *root = start_of(&scan);
  bool done;
  const char *first = ee_json_next_element(&scan, root + 1, true, &done);
  if (done) return EE_ARRAY_EMPTY;
  if (first == scan.end) { /* the array's first byte is the last one so far */
    *complete = false;
    return EE_ARRAY_OF_RECORDS;
  }
  if (*first != '{') return EE_ARRAY_DOCUMENT;
  ee_record_keys keys = keys_of(&scan, first, paths);
  *complete = !scan.cut;
  return keys.id || ee_record_keys_have_answer(&keys) ? EE_ARRAY_OF_RECORDS : EE_ARRAY_DOCUMENT;
}

/* Handing out ---------------------------------------------------------------------------------- */

/* Moves the known place forward to `at`. */
static void find_place(ee_nested_records *n, size_t at) {
  for (const char *newline; (newline = memchr(n->text.data + n->placed, '\n', at - n->placed)) != NULL;) {
    n->placed = (size_t)(newline - n->text.data) + 1;
    n->line += 1;
    n->column = 1;
  }
  n->column += at - n->placed;
  n->placed = at;
}

bool ee_nested_records_fill(ee_nested_records *n, size_t max_bytes, ee_block *block) {
  ee_json_scan scan = ee_json_scan_of((ee_str){n->text.data + n->start, n->length});
  walk w = {.scan = &scan, .at = n->text.data + n->at, .is_object = n->nesting == EE_NESTING_BY_ID, .any = n->any};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t before = block->text.length;
  ee_str key = {NULL, 0};
  const char *value, *end;
  while (block->text.length - before < max_bytes) {
    if ((value = step(&w, &key, &end)) == NULL) break;
    size_t start = (size_t)(value - n->text.data);
    find_place(n, start);
    ee_record_span span = {.offset = block->text.length,
                           .length = (size_t)(end - value),
                           .line = n->line,
                           .column = n->column,
                           .byte = n->byte + start};
    ee_buffer_add(&block->text, value, span.length);
    if (w.is_object) {
      ee_str id = decode_key(key, &arena);
      span.id = block->text.length;
      span.id_length = id.length;
      ee_buffer_add_str(&block->text, id);
    }
    ee_block_add(block, span);
    n->at = (size_t)(end - n->text.data);
  }
  n->any = w.any;
  ee_arena_fini(&arena);
  return block->count > 0;
}

void ee_nested_records_fini(ee_nested_records *nested) {
  ee_buffer_fini(&nested->text);
  *nested = (ee_nested_records){.nesting = EE_NESTING_NONE};
}
