/* html_reader.h: reads pages of HTML as the viewer does, with nothing of the writer's code: own base64, zlib, cJSON. */
#ifndef EE_TESTS_REPORT_HTML_HTML_READER_H
#define EE_TESTS_REPORT_HTML_HTML_READER_H

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif

/* The inside of the next element that begins with `start` ("<script ... id=\"ee-run\">" without ">"), after `*at`.
 * Moves
 * `*at`, and copies the start tag to `tag` (of 300 bytes). NULL if there is none; free() the result. */
static inline char *next_element(const char **at, const char *start, char *tag) {
  const char *found = strstr(*at, start);
  if (found == NULL) return NULL;
  const char *open = strchr(found, '>'), *end = strstr(found, "</script>");
  assert_non_null(open);
  assert_non_null(end);
  assert_true(open - found < 299);
  memcpy(tag, found, (size_t)(open - found));
  tag[open - found] = '\0';
  *at = end;
  return strndup(open + 1, (size_t)(end - open - 1));
}

static inline size_t tag_number(const char *tag, const char *name) {
  const char *found = strstr(tag, name);
  assert_non_null(found);
  return strtoul(found + strlen(name) + 2, NULL, 10);
}

static inline unsigned base64_digit(char c) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *found = strchr(digits, c);
  assert_true(c != '\0' && found != NULL);
  return (unsigned)(found - digits);
}

/* Appends the bytes. */
static inline void read_base64(const char *text, ee_buffer *out) {
  size_t length = strlen(text);
  assert_int_equal(length % 4, 0);
  for (size_t i = 0; i < length; i += 4) {
    unsigned pads = (text[i + 3] == '=' ? 1u : 0u) + (text[i + 2] == '=' ? 1u : 0u), bits = 0;
    assert_true(pads == 0 || i + 4 == length);
    for (size_t k = 0; k < 4; k++) bits = bits << 6 | (k < 4 - pads ? base64_digit(text[i + k]) : 0);
    for (unsigned k = 0; k < 3 - pads; k++) ee_buffer_add_char(out, (char)(bits >> (16 - 8 * k) & 255));
  }
}

/* The JSON of a part or a chunk; cJSON_Delete() it. */
static inline cJSON *read_packed(const char *tag, const char *text) {
  cJSON *tree;
#ifdef EE_WITH_ZLIB
  assert_non_null(strstr(tag, "data-encoding=\"deflate\""));
  ee_buffer packed = {0}, json = {0};
  read_base64(text, &packed);
  z_stream zip = {.next_in = (Bytef *)packed.data, .avail_in = (uInt)packed.length};
  assert_int_equal(inflateInit2(&zip, -15), Z_OK);
  int status = Z_OK;
  while (status == Z_OK) {
    zip.next_out = (Bytef *)ee_buffer_reserve(&json, 1 << 16);
    zip.avail_out = 1 << 16;
    status = inflate(&zip, Z_NO_FLUSH);
    json.length += (1 << 16) - zip.avail_out;
  }
  assert_int_equal(status, Z_STREAM_END);
  assert_int_equal(zip.avail_in, 0);
  inflateEnd(&zip);
  tree = cJSON_ParseWithOpts(ee_buffer_terminate(&json), NULL, 1);
  ee_buffer_fini(&packed);
  ee_buffer_fini(&json);
#else
  assert_non_null(strstr(tag, "data-encoding=\"json\""));
  assert_null(strchr(text, '<'));
  tree = cJSON_ParseWithOpts(text, NULL, 1);
#endif
  assert_non_null(tree);
  return tree;
}

/* What a page holds. `cases` is one array of all chunks. Columns of the parts are joined. */
typedef struct read_page {
  cJSON *run, *names, *cases, *ids, *scores, *misses, *changes, *before, *slices;
  ee_buffer verdicts;
} read_page;

/* Moves the elements of array member `name` of `from` to `to`. */
static inline void move_all(cJSON *to, cJSON *from, const char *name) {
  cJSON *array = name != NULL ? cJSON_GetObjectItemCaseSensitive(from, name) : from, *item;
  while (array != NULL && (item = cJSON_DetachItemFromArray(array, 0)) != NULL) cJSON_AddItemToArray(to, item);
}

static inline cJSON *read_json_element(const char *page, const char *start) {
  char tag[300], *text = next_element(&page, start, tag);
  if (text == NULL) return NULL;
  assert_null(strchr(text, '<'));
  cJSON *tree = cJSON_ParseWithOpts(text, NULL, 1);
  assert_non_null(tree);
  free(text);
  return tree;
}

static inline read_page page_read(const char *page) {
  read_page result = {.cases = cJSON_CreateArray(),
                      .ids = cJSON_CreateArray(),
                      .scores = cJSON_CreateArray(),
                      .misses = cJSON_CreateArray(),
                      .changes = cJSON_CreateArray(),
                      .before = cJSON_CreateArray(),
                      .slices = cJSON_CreateArray()};
  result.run = read_json_element(page, "<script type=\"application/json\" id=\"ee-run\"");
  result.names = read_json_element(page, "<script type=\"application/json\" id=\"ee-index\"");
  char tag[300], *text;
  const char *at = page;
  size_t count = 0;
  while ((text = next_element(&at, "<script type=\"text/plain\" class=\"ee-chunk\"", tag)) != NULL) {
    cJSON *rows = read_packed(tag, text);
    assert_int_equal(tag_number(tag, "data-first"), count);
    assert_int_equal(tag_number(tag, "data-count"), cJSON_GetArraySize(rows));
    count += (size_t)cJSON_GetArraySize(rows);
    move_all(result.cases, rows, NULL);
    cJSON_Delete(rows);
    free(text);
  }
  size_t indexed = 0;
  for (at = page; (text = next_element(&at, "<script type=\"text/plain\" class=\"ee-part\"", tag)) != NULL;
       free(text)) {
    cJSON *part = read_packed(tag, text);
    size_t size = tag_number(tag, "data-count");
    assert_int_equal(tag_number(tag, "data-first"), indexed);
    const char *const columns[] = {"ids", "scores", "misses"};
    for (size_t i = 0; i < 3; i++)
      assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(part, columns[i])), size);
    const char *verdicts = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(part, "verdicts"));
    assert_int_equal(strlen(verdicts), size);
    ee_buffer_add_text(&result.verdicts, verdicts);
    const cJSON *slice;
    size_t number = 0;
    cJSON_ArrayForEach(slice, cJSON_GetObjectItemCaseSensitive(part, "slices")) {
      assert_int_equal(cJSON_GetArraySize(slice), size);
      cJSON *to = cJSON_GetArrayItem(result.slices, (int)number);
      if (to == NULL) cJSON_AddItemToArray(result.slices, to = cJSON_CreateArray());
      while ((size_t)cJSON_GetArraySize(to) < indexed) cJSON_AddItemToArray(to, cJSON_CreateNumber(-1));
      move_all(to, (cJSON *)(uintptr_t)slice, NULL);
      number++;
    }
    move_all(result.ids, part, "ids");
    move_all(result.scores, part, "scores");
    move_all(result.misses, part, "misses");
    move_all(result.changes, part, "changes");
    move_all(result.before, part, "scores_before");
    indexed += size;
    cJSON_Delete(part);
  }
  assert_int_equal(indexed, count);
  return result;
}

static inline void page_free(read_page *page) {
  cJSON *trees[] = {page->run,    page->names,   page->cases,  page->ids,   page->scores,
                    page->misses, page->changes, page->before, page->slices};
  for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) cJSON_Delete(trees[i]);
  ee_buffer_fini(&page->verdicts);
}

#endif
