/* foreign.c: the table of formats, and what their readers share. */
#include "data/foreign/foreign.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "data/json/json_scan.h"
#include "data/json/json_writer.h"

const char *const ee_foreign_measures[EE_FOREIGN_MEASURES] = {"cost", "latency_ms", "tokens"};

/* COCO's files are joined by data/coco, whatever the option says; the row makes a wrong file an error. */
const ee_foreign_format ee_foreign_coco = {.name = "coco", .what = "annotations of COCO", .coco = true};

const ee_foreign_format *const ee_foreign_formats[] = {
    &ee_foreign_promptfoo,   &ee_foreign_inspect,      &ee_foreign_deepeval,
    &ee_foreign_langextract, &ee_foreign_label_studio, &ee_foreign_agentv,
    &ee_foreign_coco,        &ee_foreign_conll,        NULL};

const ee_foreign_format *ee_foreign_find(ee_str name) {
  for (const ee_foreign_format *const *at = ee_foreign_formats; *at != NULL; at++)
    if (ee_str_is(name, (*at)->name)) return *at;
  return NULL;
}

/* The value at the path "a.b" of a document whose end may be missing. */
static const char *walk_to(ee_json_scan *scan, const char *at, const char *path) {
  while (at < scan->end && *at == '{') {
    size_t length = strcspn(path, ".");
    ee_str key;
    bool done, first = true;
    for (;; first = false) {
      const char *value = ee_json_next_member(scan, first ? at + 1 : at, first, &key, &done);
      if (value == NULL || done) return NULL;
      bool found = key.length == length && memcmp(key.data, path, length) == 0;
      at = found ? value : ee_json_skip_value(scan, value);
      if (at == NULL) return NULL;
      if (found) break;
    }
    if (path[length] == '\0') return at;
    path += length + 1;
  }
  return NULL;
}

/* The first record of a file that begins with `head`; NULL if it is not whole. */
static const ee_value *first_record(ee_str head, const char *array, ee_arena *arena) {
  ee_json_scan scan = ee_json_scan_of(head);
  const char *at = ee_json_skip_space(scan.start, scan.end);
  if (array != NULL) at = at < scan.end ? walk_to(&scan, at, array) : NULL;
  if (at == NULL || at == scan.end) return NULL;
  if (*at == '[') at = ee_json_skip_space(at + 1, scan.end);
  if (at == scan.end || *at != '{') return NULL;
  size_t end;
  ee_error error;
  return ee_json_read_prefix(arena, (ee_str){at, (size_t)(scan.end - at)}, &end, &error);
}

const ee_foreign_format *ee_foreign_guess(ee_str head, ee_arena *arena) {
  for (const ee_foreign_format *const *at = ee_foreign_formats; *at != NULL; at++) {
    if ((*at)->is_text != NULL && (*at)->is_text(head)) return *at;
    if ((*at)->is == NULL) continue;
    const ee_value *record = first_record(head, NULL, arena);
    if (record != NULL && (*at)->is(record)) return *at;
    for (const char *const *path = (*at)->arrays; path != NULL && *path != NULL; path++) {
      record = first_record(head, *path, arena);
      if (record != NULL && (*at)->is(record)) return *at;
    }
  }
  return NULL;
}

/* Records -------------------------------------------------------------------------------------- */

ee_foreign_result ee_foreign_convert(ee_foreign_reading *r, ee_str text, ee_error *error) {
  const ee_foreign_format *format = r->use->format;
  r->start = r->out->length;
  r->id = r->given_id;
  ee_foreign_result result = EE_FOREIGN_RECORD;
  if (format->read_text != NULL) {
    ee_buffer_add_char(r->out, '{');
    result = format->read_text(r, text, error);
  } else {
    const ee_value *record = ee_json_read_data(r->arena, text, NULL);
    if (record == NULL) {
      ee_buffer_add_str(r->out, text);
      return EE_FOREIGN_RECORD;
    }
    ee_buffer_add_char(r->out, '{');
    if (ee_type_of(record) == EE_OBJECT)
      result = format->read(r, record, error);
    else {
      ee_error_set(error, EE_ERROR_DATA, "not %s: a record must be an object, got %s", format->what,
                   ee_value_describe(record));
      result = EE_FOREIGN_BROKEN;
    }
  }
  ee_buffer_add_char(r->out, '}');
  if (result == EE_FOREIGN_RECORD)
    r->seen->records += 1;
  else
    r->out->length = r->start;
  return result;
}

void ee_foreign_add_key(ee_foreign_reading *r, const char *key) {
  if (r->out->length > r->start + 1) ee_buffer_add_char(r->out, ',');
  ee_json_write_string(r->out, ee_str_from(key));
  ee_buffer_add_char(r->out, ':');
}

void ee_foreign_add(ee_foreign_reading *r, const char *key, const ee_value *value) {
  if (value == NULL) return;
  ee_foreign_add_key(r, key);
  ee_json_write_value(r->out, value);
}

void ee_foreign_add_text(ee_foreign_reading *r, const char *key, ee_str text) {
  if (text.data == NULL) return;
  ee_foreign_add_key(r, key);
  ee_json_write_string(r->out, text);
}

void ee_foreign_add_id(ee_foreign_reading *r, const ee_value *id) {
  ee_type type = ee_type_of(id);
  char number[32];
  if (type == EE_STRING && ee_value_count(id) > 0) r->id = ee_value_text(id);
  if (type == EE_NUMBER) {
    ee_str text = ee_value_number_text(id, number);
    r->id = (ee_str){ee_arena_copy(r->arena, text.data, text.length), text.length};
  }
  if (type == EE_NUMBER || type == EE_STRING) ee_foreign_add(r, "id", id);
}

void ee_foreign_add_measure(ee_foreign_reading *r, unsigned bit, const ee_value *number) {
  if (ee_type_of(number) != EE_NUMBER) return;
  size_t which = 0;
  while (bit >> which != 1) which++;
  ee_foreign_add(r, ee_foreign_measures[which], number);
  r->seen->measures |= bit;
}

/* Notes ---------------------------------------------------------------------------------------- */

void ee_foreign_note_record(ee_foreign_reading *r, size_t number) {
  ee_foreign_note *note = &r->seen->notes[number];
  if (note->count++ > 0) return;
  if (r->id.data != NULL)
    snprintf(note->example, sizeof note->example, "case '%.*s'", (int)ee_utf8_cut(r->id, EE_FOREIGN_EXAMPLE - 8),
             r->id.data);
  else
    snprintf(note->example, sizeof note->example, "line %" PRIu64, r->line);
}

const char *ee_foreign_note_text(const ee_foreign_format *format, const ee_foreign_seen *seen, size_t number,
                                 ee_arena *arena) {
  const ee_foreign_note *note = &seen->notes[number];
  if (note->count == 0) return NULL;
  return ee_arena_printf(arena, "%" PRIu64 " record%s of %s: %s (%s%s)", note->count, note->count == 1 ? "" : "s",
                         format->name, format->notes[number], note->count == 1 ? "" : "first ", note->example);
}

void ee_foreign_seen_merge(ee_foreign_seen *into, const ee_foreign_seen *from) {
  for (size_t i = 0; i < EE_FOREIGN_NOTES; i++) {
    if (into->notes[i].count == 0) memcpy(into->notes[i].example, from->notes[i].example, EE_FOREIGN_EXAMPLE);
    into->notes[i].count += from->notes[i].count;
  }
  into->measures |= from->measures;
  into->records += from->records;
}

/* Values --------------------------------------------------------------------------------------- */

const ee_value *ee_foreign_first(const ee_value *object, const char *const *keys) {
  for (; *keys != NULL; keys++) {
    const ee_value *value = ee_value_member(object, ee_str_from(*keys), NULL);
    if (ee_type_of(value) > EE_NULL) return value;
  }
  return NULL;
}

ee_str ee_foreign_content(const ee_value *content, ee_arena *arena) {
  if (ee_type_of(content) == EE_STRING) return ee_value_text(content);
  if (ee_type_of(content) != EE_ARRAY) return (ee_str){NULL, 0};
  ee_buffer text;
  ee_buffer_init(&text);
  bool any = false;
  for (const ee_value *part = ee_value_child(content); part != NULL; part = ee_value_next(part)) {
    const ee_value *piece = ee_value_member(part, EE_STR("text"), NULL);
    if (piece == NULL) piece = ee_value_member(part, EE_STR("value"), NULL);
    if (!ee_str_is(ee_value_get_text(part, "type", ""), "text") || ee_type_of(piece) != EE_STRING) continue;
    if (any) ee_buffer_add_char(&text, '\n');
    ee_buffer_add_str(&text, ee_value_text(piece));
    any = true;
  }
  ee_str result = {any ? ee_arena_copy(arena, text.data, text.length) : NULL, text.length};
  ee_buffer_fini(&text);
  return result;
}

ee_str ee_foreign_last_message(const ee_value *messages, const char *role, ee_arena *arena) {
  const ee_value *last = NULL;
  if (ee_type_of(messages) != EE_ARRAY) return (ee_str){NULL, 0};
  for (const ee_value *message = ee_value_child(messages); message != NULL; message = ee_value_next(message))
    if (ee_str_is(ee_value_get_text(message, "role", ""), role)) last = message;
  return last != NULL ? ee_foreign_content(ee_value_member(last, EE_STR("content"), NULL), arena) : (ee_str){NULL, 0};
}
