/* coco_truth.c: reading a file of annotations.
 *
 * Its lists may stand in any order, so that annotations wait with their ids until all images and categories are known.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/coco/coco_parts.h"
#include "data/files/byte_source.h"
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"

enum { IMAGES, ANNOTATIONS, CATEGORIES, LISTS };
static const char *const list_names[LISTS] = {"images", "annotations", "categories"};
static const char *const entry_names[LISTS] = {"image", "annotation", "category"};

/* The file is read in pieces of so many bytes. */
#define READ_SIZE ((size_t)256 * 1024)

/* Of an annotation, until the whole file is read. */
typedef struct pending {
  int64_t image, category;
  uint64_t line, column;
} pending;

typedef struct truth_reader {
  ee_coco *coco;
  ee_byte_source *source;
  ee_buffer *text;    /* what was read and is not done with */
  uint64_t text_byte; /* its place in the file */
  bool at_end;        /* no more will come */
  ee_status status;   /* of the source, when it failed */
  ee_error failure;
  ee_json_scan scan; /* of the text */
  ee_capped_errors told;
  bool seen[LISTS];
  pending *waiting; /* one an object */
  size_t waiting_capacity;
  ee_arena arena; /* of a category's name */
  /* Lines are counted on from the last place that was asked for; places of the file. */
  uint64_t counted, line_byte, line;
} truth_reader;

/* Line and column (from 1, in bytes) of a place that is not before the last one. */
static void find_place(truth_reader *r, const char *at, uint64_t *line, uint64_t *column) {
  const char *text = r->text->data, *from = text + (r->counted - r->text_byte), *newline;
  while (from < at && (newline = memchr(from, '\n', (size_t)(at - from))) != NULL) {
    from = newline + 1;
    r->line++;
    r->line_byte = r->text_byte + (uint64_t)(from - text);
  }
  if (from < at) from = at;
  r->counted = r->text_byte + (uint64_t)(from - text);
  *line = r->line;
  *column = r->text_byte + (uint64_t)(at - text) - r->line_byte + 1;
}

/* Whether the file is known to be one of COCO's before its end. */
static bool is_sure(const truth_reader *r) { return r->seen[IMAGES] && r->seen[ANNOTATIONS]; }

/* Drops what stands before `keep`, when it will not be asked for again, and reads as much as is left, at least a block.
 * Returns where `keep` is now; NULL when there was no more, or it cannot be read. */
static const char *get_more(truth_reader *r, const char *keep) {
  if (r->at_end) return NULL;
  ee_buffer *text = r->text;
  size_t kept = keep != NULL ? (size_t)(keep - text->data) : 0;
  if (is_sure(r) && kept > 0) {
    uint64_t line, column;
    find_place(r, keep, &line, &column);
    text->length -= kept;
    memmove(text->data, keep, text->length);
    r->text_byte += kept;
    kept = 0;
  }
  size_t wanted = text->length - kept > READ_SIZE ? text->length - kept : READ_SIZE, got = 1;
  for (size_t sum = 0; sum < wanted && got > 0; sum += got) {
    char *room = ee_buffer_reserve(text, wanted - sum);
    r->status = ee_byte_source_read(r->source, room, wanted - sum, &got, &r->failure);
    if (r->status != EE_OK) {
      r->at_end = true;
      return NULL;
    }
    text->length += got;
  }
  r->at_end = got == 0;
  r->scan = ee_json_scan_of((ee_str){text->data, text->length});
  return text->data + kept;
}

/* Whether what was taken up to `behind` (NULL: nothing, for a mistake) may go on in text that was not read yet; a
 * number does not say where it ends. */
static bool may_go_on(const truth_reader *r, const char *behind) {
  if (r->at_end) return false;
  return behind != NULL ? behind == r->scan.end : r->scan.cut;
}

/* Tells what is wrong with a member of an entry. */
static void tell_member(truth_reader *r, int list, const char *at, ee_coco_member member, const char *trouble) {
  uint64_t line, column;
  find_place(r, at, &line, &column);
  ee_capped_errors_add(&r->told, line, column, "'%s' of this %s %s", ee_coco_member_names[member], entry_names[list],
                       trouble);
}

static void tell_duplicate(truth_reader *r, int list, const char *at, int64_t id) {
  uint64_t line, column;
  find_place(r, at, &line, &column);
  ee_capped_errors_add(&r->told, line, column, "duplicate id %" PRId64 " in '%s', the first one counts", id,
                       list_names[list]);
}

/* Entries -------------------------------------------------------------------------------------- */

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
  const char *trouble = ee_coco_entry_check(entry, EE_COCO_ID, EE_COCO_WHOLE, &id);
  if (trouble != NULL) {
    tell_member(r, CATEGORIES, at, EE_COCO_ID, trouble);
    return;
  }
  /* Classes go by their ids, and many files have no names: the id is one then. */
  ee_str name = ee_str_from(ee_arena_printf(&r->arena, "%" PRId64, id));
  if (entry->values[EE_COCO_NAME].data != NULL) {
    trouble = ee_coco_entry_check(entry, EE_COCO_NAME, EE_COCO_TEXT, NULL);
    if (trouble != NULL)
      tell_member(r, CATEGORIES, at, EE_COCO_NAME, trouble);
    else
      name = ee_value_text(ee_json_read(&r->arena, entry->values[EE_COCO_NAME], NULL, NULL));
  }
  if (!ee_coco_add_category(r->coco, id, name)) tell_duplicate(r, CATEGORIES, at, id);
  ee_arena_reset(&r->arena, 0);
}

/* The first trouble of an annotation; `*member` has it. */
static const char *check_annotation(const ee_coco_entry *entry, pending *waiting, ee_coco_member *member) {
  static const struct {
    ee_coco_member member;
    ee_coco_want want;
  } checks[] = {{EE_COCO_BBOX, EE_COCO_BOX},
                {EE_COCO_AREA, EE_COCO_NUMBER},
                {EE_COCO_ISCROWD, EE_COCO_FLAG},
                {EE_COCO_IGNORE, EE_COCO_FLAG},
                {EE_COCO_ID, EE_COCO_NUMBER}};
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
  pending waiting = {.image = 0};
  find_place(r, at, &waiting.line, &waiting.column);
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

/* The file ------------------------------------------------------------------------------------- */

static void add_entry(truth_reader *r, int list, ee_coco_entry *entry, bool is_object, const char *at) {
  if (!is_object) {
    uint64_t line, column;
    find_place(r, at, &line, &column);
    ee_capped_errors_add(&r->told, line, column, "this %s is no object", entry_names[list]);
  } else if (list == IMAGES) {
    add_image(r, entry, at);
  } else if (list == CATEGORIES) {
    add_category(r, entry, at);
  } else {
    add_annotation(r, entry, at);
  }
}

/* Reads one of the lists, from behind its '['. */
static const char *read_list(truth_reader *r, int list, const char *at) {
  for (bool first = true;;) {
    const char *from = at, *start;
    bool done = false, is_object;
    ee_coco_entry entry;
    start = at = ee_json_next_element(&r->scan, at, first, &done);
    if (at != NULL && !done) at = ee_coco_entry_read(&r->scan, at, &entry, &is_object);
    if (!done && may_go_on(r, at)) {
      at = get_more(r, from);
      if (at == NULL) return NULL;
      continue;
    }
    if (at == NULL || done) return at;
    add_entry(r, list, &entry, is_object, start);
    first = false;
  }
}

static int find_list(ee_str key) {
  int list = 0;
  while (list < LISTS && !ee_json_key_is(key, list_names[list])) list++;
  return list;
}

/* Reads the object that is the file, from behind its '{'. */
static const char *read_object(truth_reader *r, const char *at) {
  for (bool first = true;;) {
    const char *from = at;
    ee_str key;
    bool done = false;
    int list = LISTS;
    at = ee_json_next_member(&r->scan, at, first, &key, &done);
    if (at != NULL && done) return at;
    if (at != NULL && at < r->scan.end && *at == '[') list = find_list(key);
    if (at != NULL && list == LISTS) at = ee_json_skip_value(&r->scan, at);
    if (list == LISTS && may_go_on(r, at)) {
      at = get_more(r, from);
      if (at == NULL) return NULL;
      continue;
    }
    if (list < LISTS && r->seen[list]) return ee_json_scan_fail(&r->scan, key.data - 1, "this list stands twice");
    if (list < LISTS) {
      r->seen[list] = true;
      at = read_list(r, list, at + 1);
    }
    if (at == NULL) return NULL;
    first = false;
  }
}

/* Whether there is nothing but white space from `at` on. */
static bool is_end(truth_reader *r, const char *at) {
  do {
    at = ee_json_skip_space(at, r->scan.end);
  } while (at == r->scan.end && (at = get_more(r, at)) != NULL);
  if (at != NULL) ee_json_scan_fail(&r->scan, at, "text after the document");
  return at == NULL && r->status == EE_OK;
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

/* Gives objects their images and categories; those of an image or category that is not declared are left out. */
static void settle_objects(truth_reader *r) {
  ee_coco *coco = r->coco;
  ee_coco_side *objects = &coco->objects;
  size_t kept = 0;
  for (size_t i = 0; i < objects->count; i++) {
    const pending *waiting = &r->waiting[i];
    size_t image = ee_coco_map_find(&coco->image_map, waiting->image);
    size_t category = ee_coco_category_number(coco, waiting->category);
    if (image == EE_COCO_NOWHERE) {
      ee_capped_errors_add(&r->told, waiting->line, waiting->column,
                           "image %" PRId64 " of this annotation is not in 'images'", waiting->image);
      continue;
    }
    if (category == EE_COCO_NOWHERE) {
      ee_capped_errors_add(&r->told, waiting->line, waiting->column,
                           "category %" PRId64 " of this annotation is not in 'categories'", waiting->category);
      continue;
    }
    ee_coco_item item = objects->items[i];
    item.image = (uint32_t)image;
    item.category = (uint32_t)category;
    objects->items[kept++] = item;
  }
  objects->count = kept;
}

/* Whether what was read is one of COCO's files: both lists that make one, or one of them and the categories, or entries
 * that are COCO's annotations; a broken file may have come to any of them. */
static bool is_coco(const truth_reader *r, bool whole) {
  bool any = r->seen[IMAGES] || r->seen[ANNOTATIONS];
  if (r->text_byte > 0) return true;
  if (!whole) return any || r->seen[CATEGORIES];
  return is_sure(r) || (any && (r->seen[CATEGORIES] || r->coco->objects.count > 0));
}

/* The mistake that ended the reading. */
static ee_status fail(truth_reader *r, ee_error *error) {
  if (r->status != EE_OK) {
    if (error != NULL) *error = r->failure;
    return r->status;
  }
  uint64_t line, column;
  find_place(r, r->scan.mistake_at, &line, &column);
  return ee_error_at(error, EE_ERROR_DATA, r->told.file, (size_t)line, (size_t)column, "%s", r->scan.mistake);
}

/* Makes of the lists what records are made of. */
static ee_status finish(truth_reader *r, ee_error *error) {
  const char *file = r->told.file;
  for (int list = IMAGES; list <= ANNOTATIONS; list++)
    if (!r->seen[list])
      return ee_error_at(error, EE_ERROR_DATA, file, 0, 0, "no list '%s' in this COCO file", list_names[list]);
  if (r->coco->image_count == 0) return ee_error_at(error, EE_ERROR_DATA, file, 0, 0, "no image in 'images'");
  number_images(r->coco);
  r->coco->declared = r->seen[CATEGORIES];
  if (!r->seen[CATEGORIES])
    ee_capped_errors_warn(&r->told, 0, 0, "no list 'categories': categories are called by their ids");
  settle_objects(r);
  ee_capped_errors_end(&r->told, "entries");
  r->coco->counts.truths_in_error = r->told.count;
  return EE_OK;
}

/* Goes to the first byte that is no white space; NULL when there is none. */
static const char *find_start(truth_reader *r) {
  const char *at = get_more(r, NULL);
  if (at == NULL) return NULL;
  if (r->text->length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) {
    at += 3;
    r->counted = r->line_byte = 3; /* a byte order mark is no column */
  }
  for (;;) {
    at = ee_json_skip_space(at, r->scan.end);
    if (at < r->scan.end) return at;
    at = get_more(r, at);
    if (at == NULL) return NULL;
  }
}

ee_status ee_coco_read(ee_byte_source *source, const char *file, ee_buffer *text, ee_coco **coco, ee_error_list *errors,
                       ee_error *error) {
  *coco = NULL;
  truth_reader r = {.source = source, .text = text, .told = {.list = errors, .file = file}, .line = 1};
  const char *at = find_start(&r);
  if (at == NULL || *at != '{') return EE_OK;
  size_t told_before = errors->count, name_size = strlen(file) + 1;
  r.coco = ee_calloc(1, sizeof *r.coco);
  r.coco->file = memcpy(ee_malloc(name_size), file, name_size);
  ee_arena_init(&r.arena, 4096);
  at = read_object(&r, at + 1);
  bool whole = at != NULL;
  /* More objects behind it: lines, of which the first one looks like COCO's. */
  bool alone = !whole || is_end(&r, at);
  ee_status status = EE_OK;
  if (is_coco(&r, whole) && (alone || r.text_byte > 0)) {
    status = whole && alone ? finish(&r, error) : fail(&r, error);
    if (status == EE_OK) *coco = r.coco;
  } else {
    errors->count = told_before; /* they are about something else */
  }
  if (*coco == NULL) ee_coco_free(r.coco);
  ee_arena_fini(&r.arena);
  free(r.waiting);
  return status;
}
