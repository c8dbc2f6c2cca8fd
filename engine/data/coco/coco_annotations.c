/* coco_annotations.c: reads COCO's annotations.
 *
 * The lists of a file of annotations may come in any order, so annotations wait with their ids until all images and
 * categories are known. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/coco/coco_entry.h"
#include "data/coco/coco_inside.h"
#include "data/files/byte_source.h"
#include "data/files/capped_errors.h"
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"

/* Annotations ---------------------------------------------------------------------------------- */

enum { IMAGES, ANNOTATIONS, CATEGORIES, LISTS };
static const char *const list_names[LISTS] = {"images", "annotations", "categories"};
static const char *const entry_names[LISTS] = {"image", "annotation", "category"};

/* Bytes that are read at a time. */
#define READ_SIZE ((size_t)256 * 1024)

/* The ids of an annotation until the whole file is read. */
typedef struct pending_ids {
  int64_t image, category;
  uint64_t line, column;
} pending_ids;

typedef struct annotation_reader {
  ee_coco *coco;
  ee_byte_source *source;
  ee_buffer *text;    /* read and not yet used */
  uint64_t text_byte; /* offset of `text` in the file */
  bool at_end;        /* of the source */
  ee_status status;   /* of the source */
  ee_error failure;
  ee_json_scan scan; /* of the text */
  ee_coco_layout layouts[LISTS];
  ee_capped_errors errors;
  bool seen[LISTS];
  struct {
    EE_LIST(pending_ids); /* one for each object */
  } pending;
  ee_arena arena; /* for a category's name */
  /* Offsets in the file: up to `counted` lines are counted; `line` begins at `line_byte`. */
  uint64_t counted, line_byte, line;
} annotation_reader;

/* Line and column (from 1, in bytes) of `at`, which must not be before the `at` of an earlier call. */
static void find_place(annotation_reader *r, const char *at, uint64_t *line, uint64_t *column) {
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

/* Whether what was read so far is enough to know that this is a COCO file. */
static bool is_sure(const annotation_reader *r) { return r->seen[IMAGES] && r->seen[ANNOTATIONS]; }

/* Reads more text: as much as there is from `keep` on, and at least READ_SIZE. What precedes `keep` is dropped once the
 * file is known to be COCO's. Returns where `keep` is now; NULL at the end of the source or when it cannot be read. */
static const char *get_more(annotation_reader *r, const char *keep) {
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

/* Whether the value that ends at `end` (NULL: a mistake) may continue in text that was not read yet. A number may
 * continue wherever the text ends. */
static bool may_continue(const annotation_reader *r, const char *end) {
  if (r->at_end) return false;
  return end != NULL ? end == r->scan.end : r->scan.cut;
}

static void report_member(annotation_reader *r, int list, const char *at, ee_coco_member member, const char *error) {
  uint64_t line, column;
  find_place(r, at, &line, &column);
  ee_capped_errors_add(&r->errors, line, column, "'%s' of this %s %s", ee_coco_member_names[member], entry_names[list],
                       error);
}

static void report_duplicate(annotation_reader *r, int list, const char *at, int64_t id) {
  uint64_t line, column;
  find_place(r, at, &line, &column);
  ee_capped_errors_add(&r->errors, line, column, "duplicate id %" PRId64 " in '%s', the first one counts", id,
                       list_names[list]);
}

static void read_image(annotation_reader *r, const ee_coco_entry *entry, const char *at) {
  ee_coco *coco = r->coco;
  int64_t id = 0;
  const char *error = ee_coco_check_member(entry, EE_COCO_ID, EE_COCO_WHOLE, &id);
  if (error != NULL) {
    report_member(r, IMAGES, at, EE_COCO_ID, error);
    return;
  }
  if (ee_coco_add_id(&coco->image_index, id, coco->images.count))
    *EE_LIST_ADD(&coco->images, NULL) = id;
  else
    report_duplicate(r, IMAGES, at, id);
}

static void read_category(annotation_reader *r, const ee_coco_entry *entry, const char *at) {
  int64_t id = 0;
  const char *error = ee_coco_check_member(entry, EE_COCO_ID, EE_COCO_WHOLE, &id);
  if (error != NULL) {
    report_member(r, CATEGORIES, at, EE_COCO_ID, error);
    return;
  }
  /* Many files have no names; the id is the name then. */
  ee_str name = ee_str_from(ee_arena_printf(&r->arena, "%" PRId64, id));
  if (entry->values[EE_COCO_NAME].data != NULL) {
    error = ee_coco_check_member(entry, EE_COCO_NAME, EE_COCO_TEXT, NULL);
    if (error != NULL)
      report_member(r, CATEGORIES, at, EE_COCO_NAME, error);
    else
      name = ee_value_text(ee_json_read(&r->arena, entry->values[EE_COCO_NAME], NULL, NULL));
  }
  if (!ee_coco_add_category(r->coco, id, name)) report_duplicate(r, CATEGORIES, at, id);
  ee_arena_reset(&r->arena, 0);
}

/* What is wrong with an annotation, in `*member`; NULL when nothing is. Fills the ids of `pending`. */
static const char *check_annotation(const ee_coco_entry *entry, pending_ids *pending, ee_coco_member *member) {
  const char *error = ee_coco_check_member(entry, *member = EE_COCO_IMAGE_ID, EE_COCO_WHOLE, &pending->image);
  if (error == NULL)
    error = ee_coco_check_member(entry, *member = EE_COCO_CATEGORY_ID, EE_COCO_WHOLE, &pending->category);
  if (error == NULL) error = ee_coco_check_member(entry, *member = EE_COCO_BBOX, EE_COCO_BOX, NULL);
  if (error == NULL) error = ee_coco_check_member(entry, *member = EE_COCO_AREA, EE_COCO_NUMBER, NULL);
  if (error == NULL) error = ee_coco_check_member(entry, *member = EE_COCO_ISCROWD, EE_COCO_FLAG, NULL);
  if (error == NULL) error = ee_coco_check_member(entry, *member = EE_COCO_IGNORE, EE_COCO_FLAG, NULL);
  if (error == NULL) error = ee_coco_check_member(entry, *member = EE_COCO_ID, EE_COCO_NUMBER, NULL);
  return error;
}

static void read_annotation(annotation_reader *r, ee_coco_entry *entry, const char *at) {
  pending_ids pending = {.image = 0};
  find_place(r, at, &pending.line, &pending.column);
  ee_coco_member member;
  const char *error = check_annotation(entry, &pending, &member);
  if (error != NULL) {
    report_member(r, ANNOTATIONS, at, member, error);
    return;
  }
  entry->values[EE_COCO_SCORE] = (ee_str){NULL, 0};
  ee_coco_side *objects = &r->coco->objects;
  ee_coco_add_item(objects, entry);
  *EE_LIST_ADD(&r->pending, NULL) = pending;
}

static void add_entry(annotation_reader *r, int list, ee_coco_entry *entry, bool is_object, const char *at) {
  if (!is_object) {
    uint64_t line, column;
    find_place(r, at, &line, &column);
    ee_capped_errors_add(&r->errors, line, column, "this %s is not an object", entry_names[list]);
  } else if (list == IMAGES) {
    read_image(r, entry, at);
  } else if (list == CATEGORIES) {
    read_category(r, entry, at);
  } else {
    read_annotation(r, entry, at);
  }
}

/* Reads one of the lists; `at` follows its '['. */
static const char *read_list(annotation_reader *r, int list, const char *at) {
  for (bool first = true;;) {
    const char *from = at, *start;
    bool done = false, is_object;
    ee_coco_entry entry;
    start = at = ee_json_next_element(&r->scan, at, first, &done);
    if (at != NULL && !done) at = ee_coco_read_entry(&r->scan, at, &r->layouts[list], &entry, &is_object);
    if (!done && may_continue(r, at)) {
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

/* Reads the file's object; `at` follows its '{'. */
static const char *read_object(annotation_reader *r, const char *at) {
  for (bool first = true;;) {
    const char *from = at;
    ee_str key;
    bool done = false;
    int list = LISTS;
    at = ee_json_next_member(&r->scan, at, first, &key, &done);
    if (at != NULL && done) return at;
    if (at != NULL && at < r->scan.end && *at == '[') list = find_list(key);
    if (at != NULL && list == LISTS) at = ee_json_skip_value(&r->scan, at);
    if (list == LISTS && may_continue(r, at)) {
      at = get_more(r, from);
      if (at == NULL) return NULL;
      continue;
    }
    if (list < LISTS && r->seen[list]) return ee_json_scan_fail(&r->scan, key.data - 1, "this array occurs twice");
    if (list < LISTS) {
      r->seen[list] = true;
      at = read_list(r, list, at + 1);
    }
    if (at == NULL) return NULL;
    first = false;
  }
}

/* Whether only white space is left from `at` on. */
static bool is_end(annotation_reader *r, const char *at) {
  do {
    at = ee_json_skip_space(at, r->scan.end);
  } while (at == r->scan.end && (at = get_more(r, at)) != NULL);
  if (at != NULL) ee_json_scan_fail(&r->scan, at, "text after the document");
  return at == NULL && r->status == EE_OK; /* unreached: a read that fails here: make faults */
}

static int compare_ids(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

/* Numbers images by ascending id. */
static void number_images(ee_coco *coco) {
  bool ascending = true;
  for (size_t i = 1; i < coco->images.count && ascending; i++)
    ascending = coco->images.items[i - 1] < coco->images.items[i];
  if (ascending) return;
  qsort(coco->images.items, coco->images.count, sizeof *coco->images.items, compare_ids);
  ee_hash_index_clear(&coco->image_index);
  for (size_t i = 0; i < coco->images.count; i++) ee_coco_add_id(&coco->image_index, coco->images.items[i], i);
}

/* Sets the images and categories of objects; drops objects of unknown images or categories. */
static void place_objects(annotation_reader *r) {
  ee_coco *coco = r->coco;
  ee_coco_side *objects = &coco->objects;
  size_t kept = 0;
  for (size_t i = 0; i < objects->count; i++) {
    const pending_ids *pending = &r->pending.items[i];
    size_t image = ee_coco_find_id(&coco->image_index, pending->image);
    size_t category = ee_coco_category_number(coco, pending->category);
    if (image == EE_COCO_UNKNOWN) {
      ee_capped_errors_add(&r->errors, pending->line, pending->column,
                           "image %" PRId64 " of this annotation is not in 'images'", pending->image);
      continue;
    }
    if (category == EE_COCO_UNKNOWN) {
      ee_capped_errors_add(&r->errors, pending->line, pending->column,
                           "category %" PRId64 " of this annotation is not in 'categories'", pending->category);
      continue;
    }
    ee_coco_item item = objects->items[i];
    item.image = (uint32_t)image;
    item.category = (uint32_t)category;
    objects->items[kept++] = item;
  }
  objects->count = kept;
}

/* Whether this is a COCO file: it has images and annotations, or one of them with categories or with valid annotations.
 * A broken file (`whole` false) needs only one of the lists. */
static bool is_coco(const annotation_reader *r, bool whole) {
  bool any = r->seen[IMAGES] || r->seen[ANNOTATIONS];
  if (r->text_byte > 0) return true;
  if (!whole) return any || r->seen[CATEGORIES];
  return is_sure(r) || (any && (r->seen[CATEGORIES] || r->coco->objects.count > 0));
}

static ee_status fail(annotation_reader *r, ee_error *error) {
  if (r->status != EE_OK) return ee_error_set(error, r->status, "%s", r->failure.message);
  uint64_t line, column;
  find_place(r, r->scan.mistake_at, &line, &column);
  return ee_error_at(error, EE_ERROR_DATA, r->errors.file, (size_t)line, (size_t)column, "%s", r->scan.mistake);
}

static ee_status finish(annotation_reader *r, ee_error *error) {
  const char *file = r->errors.file;
  for (int list = IMAGES; list <= ANNOTATIONS; list++)
    if (!r->seen[list])
      return ee_error_at(error, EE_ERROR_DATA, file, 0, 0, "no array '%s' in this COCO file", list_names[list]);
  if (r->coco->images.count == 0) return ee_error_at(error, EE_ERROR_DATA, file, 0, 0, "no image in 'images'");
  number_images(r->coco);
  r->coco->declared = r->seen[CATEGORIES];
  if (!r->seen[CATEGORIES])
    ee_capped_errors_warn(&r->errors, 0, 0, "no array 'categories': categories are named by their ids");
  place_objects(r);
  ee_capped_errors_end(&r->errors, "entries");
  r->coco->counts.truths_in_error = r->errors.count;
  return EE_OK;
}

/* The first byte that is not white space, or NULL. */
static const char *find_start(annotation_reader *r) {
  const char *at = get_more(r, NULL);
  if (at == NULL) return NULL;
  if (r->text->length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) {
    at += 3;
    r->counted = r->line_byte = 3; /* the byte order mark does not count as a column */
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
  annotation_reader r = {.source = source, .text = text, .errors = {.list = errors, .file = file}, .line = 1};
  const char *at = find_start(&r);
  if (at == NULL || *at != '{') return EE_OK;
  size_t errors_before = errors->count, name_size = strlen(file) + 1;
  r.coco = ee_calloc(1, sizeof *r.coco);
  r.coco->file = memcpy(ee_malloc(name_size), file, name_size);
  ee_arena_init(&r.arena, 4096);
  at = read_object(&r, at + 1);
  bool whole = at != NULL;
  /* If more follows, the file is JSONL whose first record looks like COCO. */
  bool alone = !whole || is_end(&r, at);
  ee_status status = EE_OK;
  if (is_coco(&r, whole) && (alone || r.text_byte > 0)) {
    status = whole && alone ? finish(&r, error) : fail(&r, error);
    if (status == EE_OK) *coco = r.coco;
  } else {
    errors->count = errors_before; /* not a COCO file: its entries are not errors */
  }
  if (*coco == NULL) ee_coco_free(r.coco);
  ee_arena_fini(&r.arena);
  EE_LIST_FINI(&r.pending);
  return status;
}
