/* coco_truth.c: reading a file of annotations.
 *
 * Its lists may stand in any order, so that annotations wait with their ids until all images and categories are known. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/coco_parts.h"
#include "data/json_reader.h"
#include "data/json_token.h"

enum { IMAGES, ANNOTATIONS, CATEGORIES, LISTS };
static const char *const list_names[LISTS] = {"images", "annotations", "categories"};
static const char *const entry_names[LISTS] = {"image", "annotation", "category"};

/* Of an annotation, until the whole file is read. */
typedef struct pending {
  int64_t image, category;
  const char *at;
} pending;

typedef struct truth_reader {
  ee_coco *coco;
  ee_json_scan scan;
  ee_told_errors told;
  bool seen[LISTS];
  pending *waiting; /* one an object */
  size_t waiting_capacity;
  ee_arena arena; /* of a category's name */
  /* Lines are counted on from the last place that was asked for. */
  const char *counted, *line_start;
  uint64_t line;
} truth_reader;

/* Line and column (from 1, in bytes) of a place. */
static void find_place(truth_reader *r, const char *at, uint64_t *line, uint64_t *column) {
  if (at < r->counted) {
    r->counted = r->line_start = r->scan.start;
    r->line = 1;
  }
  const char *newline;
  while ((newline = memchr(r->counted, '\n', (size_t)(at - r->counted))) != NULL) {
    r->line++;
    r->counted = r->line_start = newline + 1;
  }
  r->counted = at;
  *line = r->line;
  *column = (uint64_t)(at - r->line_start) + 1;
}

/* Tells what is wrong with a member of an entry. */
static void tell_member(truth_reader *r, int list, const char *at, ee_coco_member member, const char *trouble) {
  uint64_t line, column;
  find_place(r, at, &line, &column);
  ee_told_errors_add(&r->told, line, column, "'%s' of this %s %s", ee_coco_member_names[member], entry_names[list], trouble);
}

static void tell_duplicate(truth_reader *r, int list, const char *at, int64_t id) {
  uint64_t line, column;
  find_place(r, at, &line, &column);
  ee_told_errors_add(&r->told, line, column, "duplicate id %" PRId64 " in '%s', the first one counts", id, list_names[list]);
}

/* Entries ---------------------------------------------------------------------------------------------------------- */

static void add_image(truth_reader *r, const ee_coco_entry *entry, const char *at) {
  ee_coco *coco = r->coco;
  int64_t id = 0;
  const char *trouble = ee_coco_entry_check(entry, EE_COCO_ID, EE_COCO_WHOLE, &id);
  if (trouble != NULL) {
    tell_member(r, IMAGES, at, EE_COCO_ID, trouble);
    return;
  }
  bool added;
  ee_coco_map_add(&coco->image_map, id, coco->image_count, &added);
  if (!added) {
    tell_duplicate(r, IMAGES, at, id);
    return;
  }
  if (coco->image_count == coco->image_capacity) {
    coco->image_capacity = coco->image_capacity > 0 ? coco->image_capacity * 2 : 1024;
    coco->images = ee_realloc(coco->images, coco->image_capacity, sizeof *coco->images);
  }
  coco->images[coco->image_count++] = id;
}

static void add_category(truth_reader *r, const ee_coco_entry *entry, const char *at) {
  int64_t id = 0;
  ee_coco_member member = EE_COCO_ID;
  const char *trouble = ee_coco_entry_check(entry, member, EE_COCO_WHOLE, &id);
  if (trouble == NULL) trouble = ee_coco_entry_check(entry, member = EE_COCO_NAME, EE_COCO_TEXT, NULL);
  if (trouble != NULL) {
    tell_member(r, CATEGORIES, at, member, trouble);
    return;
  }
  const ee_value *name = ee_json_read(&r->arena, entry->values[EE_COCO_NAME], NULL, NULL);
  if (!ee_coco_add_category(r->coco, id, ee_value_text(name))) tell_duplicate(r, CATEGORIES, at, id);
  ee_arena_reset(&r->arena, 0);
}

/* The first trouble of an annotation; `*member` has it. */
static const char *check_annotation(const ee_coco_entry *entry, pending *waiting, ee_coco_member *member) {
  static const struct {
    ee_coco_member member;
    ee_coco_want want;
  } checks[] = {{EE_COCO_BBOX, EE_COCO_BOX},     {EE_COCO_AREA, EE_COCO_NUMBER}, {EE_COCO_ISCROWD, EE_COCO_FLAG},
                {EE_COCO_IGNORE, EE_COCO_FLAG},  {EE_COCO_ID, EE_COCO_NUMBER}};
  *member = EE_COCO_IMAGE_ID;
  const char *trouble = ee_coco_entry_check(entry, *member, EE_COCO_WHOLE, &waiting->image);
  if (trouble != NULL) return trouble;
  *member = EE_COCO_CATEGORY_ID;
  trouble = ee_coco_entry_check(entry, *member, EE_COCO_WHOLE, &waiting->category);
  for (size_t i = 0; i < sizeof checks / sizeof *checks && trouble == NULL; i++) {
    *member = checks[i].member;
    trouble = ee_coco_entry_check(entry, *member, checks[i].want, NULL);
  }
  return trouble;
}

static void add_annotation(truth_reader *r, ee_coco_entry *entry, const char *at) {
  pending waiting = {.at = at};
  ee_coco_member member;
  const char *trouble = check_annotation(entry, &waiting, &member);
  if (trouble != NULL) {
    tell_member(r, ANNOTATIONS, at, member, trouble);
    return;
  }
  entry->values[EE_COCO_SCORE] = (ee_str){NULL, 0}; /* an object has none */
  ee_coco_side *objects = &r->coco->objects;
  ee_coco_add_item(objects, entry);
  if (objects->count > r->waiting_capacity) {
    r->waiting_capacity = objects->capacity;
    r->waiting = ee_realloc(r->waiting, r->waiting_capacity, sizeof *r->waiting);
  }
  r->waiting[objects->count - 1] = waiting;
}

/* The file ---------------------------------------------------------------------------------------------------------- */

/* Reads one of the lists, whose '[' is at `at`. */
static const char *read_list(truth_reader *r, int list, const char *at) {
  at++;
  for (bool first = true;; first = false) {
    bool done, is_object;
    at = ee_json_next_element(&r->scan, at, first, &done);
    if (at == NULL || done) return at;
    const char *start = at;
    ee_coco_entry entry;
    at = ee_coco_entry_read(&r->scan, at, &entry, &is_object);
    if (at == NULL) return NULL;
    if (!is_object) {
      uint64_t line, column;
      find_place(r, start, &line, &column);
      ee_told_errors_add(&r->told, line, column, "this %s is no object", entry_names[list]);
    } else if (list == IMAGES) {
      add_image(r, &entry, start);
    } else if (list == CATEGORIES) {
      add_category(r, &entry, start);
    } else {
      add_annotation(r, &entry, start);
    }
  }
}

static int find_list(ee_str key) {
  int list = 0;
  while (list < LISTS && !ee_json_key_is(key, list_names[list])) list++;
  return list;
}

/* Reads the object that is the file. */
static const char *read_object(truth_reader *r, const char *at) {
  at++;
  for (bool first = true;; first = false) {
    ee_str key;
    bool done;
    at = ee_json_next_member(&r->scan, at, first, &key, &done);
    if (at == NULL || done) return at;
    int list = find_list(key);
    if (list == LISTS || at == r->scan.end || *at != '[') {
      at = ee_json_skip_value(&r->scan, at);
    } else if (r->seen[list]) {
      return ee_json_scan_fail(&r->scan, key.data - 1, "this list stands twice");
    } else {
      r->seen[list] = true;
      at = read_list(r, list, at);
    }
    if (at == NULL) return NULL;
  }
}

static int compare_ids(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

/* Gives images the numbers that they have in ascending order. */
static void number_images(ee_coco *coco) {
  bool ascending = true;
  for (size_t i = 1; i < coco->image_count && ascending; i++) ascending = coco->images[i - 1] < coco->images[i];
  if (ascending) return;
  qsort(coco->images, coco->image_count, sizeof *coco->images, compare_ids);
  ee_coco_map_fini(&coco->image_map);
  bool added;
  for (size_t i = 0; i < coco->image_count; i++) ee_coco_map_add(&coco->image_map, coco->images[i], i, &added);
}

/* Gives objects their images and categories; those without an image are left out. */
static void settle_objects(truth_reader *r) {
  ee_coco *coco = r->coco;
  ee_coco_side *objects = &coco->objects;
  size_t kept = 0;
  for (size_t i = 0; i < objects->count; i++) {
    const pending *waiting = &r->waiting[i];
    size_t image = ee_coco_map_find(&coco->image_map, waiting->image);
    size_t category = ee_coco_map_find(&coco->category_map, waiting->category);
    uint64_t line = 0, column = 0;
    if (image == EE_COCO_NOWHERE || category == EE_COCO_NOWHERE) find_place(r, waiting->at, &line, &column);
    if (image == EE_COCO_NOWHERE) {
      ee_told_errors_add(&r->told, line, column, "image %" PRId64 " of this annotation is not in 'images'", waiting->image);
      continue;
    }
    if (category == EE_COCO_NOWHERE)
      category = ee_coco_category_number(coco, waiting->category, &r->told, line, column);
    ee_coco_item item = objects->items[i];
    item.image = (uint32_t)image;
    item.category = (uint32_t)category;
    objects->items[kept++] = item;
  }
  objects->count = kept;
}

/* Whether what was read is one of COCO's files: both lists that make one, or one of them and the categories. */
static bool is_coco(const truth_reader *r, const char *at) {
  if (at == NULL) return r->seen[IMAGES] || r->seen[ANNOTATIONS] || r->seen[CATEGORIES];
  if (ee_json_skip_space(at, r->scan.end) != r->scan.end) return false;
  return (r->seen[IMAGES] && r->seen[ANNOTATIONS]) ||
         ((r->seen[IMAGES] || r->seen[ANNOTATIONS]) && r->seen[CATEGORIES]);
}

static ee_status finish(truth_reader *r, const char *behind, ee_error *error) {
  const char *file = r->told.file;
  if (behind == NULL) {
    uint64_t line, column;
    find_place(r, r->scan.mistake_at, &line, &column);
    return ee_error_at(error, EE_ERROR_DATA, file, (size_t)line, (size_t)column, "%s", r->scan.mistake);
  }
  for (int list = IMAGES; list <= ANNOTATIONS; list++)
    if (!r->seen[list]) return ee_error_at(error, EE_ERROR_DATA, file, 0, 0, "no list '%s' in this COCO file", list_names[list]);
  if (r->coco->image_count == 0) return ee_error_at(error, EE_ERROR_DATA, file, 0, 0, "no image in 'images'");
  number_images(r->coco);
  if (!r->seen[CATEGORIES]) ee_told_errors_warn(&r->told, 0, 0, "no list 'categories': categories are called by their ids");
  settle_objects(r);
  ee_told_errors_end(&r->told, "entries");
  r->coco->counts.truths_in_error = r->told.count;
  return EE_OK;
}

ee_status ee_coco_read(ee_str text, const char *file, ee_coco **coco, ee_error_list *errors, ee_error *error) {
  *coco = NULL;
  truth_reader r = {.scan = ee_json_scan_of(text), .told = {.list = errors, .file = file}};
  r.counted = r.line_start = r.scan.start;
  r.line = 1;
  const char *at = r.scan.start;
  if (text.length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) {
    at += 3;
    r.counted = r.line_start = at; /* a byte order mark is no column */
  }
  at = ee_json_skip_space(at, r.scan.end);
  if (at == r.scan.end || *at != '{') return EE_OK;

  size_t told_before = errors->count;
  r.coco = ee_calloc(1, sizeof *r.coco);
  size_t name_size = strlen(file) + 1;
  r.coco->file = memcpy(ee_malloc(name_size), file, name_size);
  ee_arena_init(&r.arena, 4096);
  const char *behind = read_object(&r, at);
  ee_status status = EE_OK;
  if (is_coco(&r, behind)) {
    status = finish(&r, behind, error);
    if (status == EE_OK) *coco = r.coco;
  } else {
    errors->count = told_before; /* they are about something else */
  }
  if (*coco == NULL) ee_coco_free(r.coco);
  ee_arena_fini(&r.arena);
  free(r.waiting);
  return status;
}
