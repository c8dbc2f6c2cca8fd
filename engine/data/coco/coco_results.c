/* coco_results.c: reads COCO's results and joins them with the annotations.
 *
 * Images and categories are known by then, so that detections find theirs as they are read. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/runtime.h"
#include "data/coco/coco_entry.h"
#include "data/coco/coco_inside.h"
#include "data/files/capped_errors.h"
#include "data/files/dataset.h"
#include "data/json/json_scan.h"

/* Results -------------------------------------------------------------------------------------- */

/* An image or category that the annotations do not have, and its first detection. */
typedef struct unknown_id {
  int64_t id;
  uint64_t count; /* of detections */
  const char *file;
  uint64_t line, column;
} unknown_id;

typedef struct unknown_ids {
  EE_LIST(unknown_id);
  ee_hash_index index;
  uint64_t detections; /* of all of them */
} unknown_ids;

typedef struct result_reader {
  ee_coco *coco;
  ee_coco_layout layout;
  ee_capped_errors errors;
  unknown_ids images, categories;
  int64_t last_image; /* mostly, detections of one image follow each other */
  size_t last_number;
} result_reader;

static size_t find_image(result_reader *r, int64_t id) {
  if (id != r->last_image || r->last_number == EE_COCO_UNKNOWN) {
    r->last_image = id;
    r->last_number = ee_coco_find_id(&r->coco->image_index, id);
  }
  return r->last_number;
}

static void note_unknown(const result_reader *r, unknown_ids *unknown, int64_t id, const ee_record_span *span) {
  unknown->detections++;
  size_t number = ee_coco_find_id(&unknown->index, id);
  if (number == EE_COCO_UNKNOWN) {
    number = unknown->count;
    ee_coco_add_id(&unknown->index, id, number);
    *EE_LIST_ADD(unknown, NULL) =
        (unknown_id){.id = id, .file = r->errors.file, .line = span->line, .column = span->column};
  }
  unknown->items[number].count++;
}

/* Reports a JSON mistake inside a record. */
static void report_mistake(result_reader *r, const ee_record_span *span, const ee_json_scan *scan) {
  uint64_t line = span->line, before = span->column - 1; /* bytes of the line before `line_start` */
  const char *line_start = scan->start;
  for (const char *at = scan->start; at < scan->mistake_at; at++) {
    if (*at != '\n') continue;
    line++;
    before = 0;
    line_start = at + 1;
  }
  ee_capped_errors_add(&r->errors, line, before + (uint64_t)(scan->mistake_at - line_start) + 1, "%s", scan->mistake);
}

/* The image and the category of a detection, in order; EE_COCO_UNKNOWN: the annotations do not have it. */
typedef struct placed {
  int64_t image_id, category_id;
  size_t image, category;
} placed;

/* What is wrong with a detection, in `*member`; NULL when nothing is. Fills the ids. */
static const char *check_detection(const ee_coco_entry *entry, placed *place, ee_coco_member *member) {
  const char *error = ee_coco_check_member(entry, *member = EE_COCO_IMAGE_ID, EE_COCO_WHOLE, &place->image_id);
  if (error == NULL)
    error = ee_coco_check_member(entry, *member = EE_COCO_CATEGORY_ID, EE_COCO_WHOLE, &place->category_id);
  if (error == NULL) error = ee_coco_check_member(entry, *member = EE_COCO_BBOX, EE_COCO_BOX, NULL);
  if (error == NULL) error = ee_coco_check_member(entry, *member = EE_COCO_SCORE, EE_COCO_NUMBER, NULL);
  return error;
}

/* Fills the rest of `place`; the category only when the image is known. */
static void find_place(result_reader *r, placed *place) {
  place->image = find_image(r, place->image_id);
  place->category =
      place->image == EE_COCO_UNKNOWN ? EE_COCO_UNKNOWN : ee_coco_category_number(r->coco, place->category_id);
}

static void keep_detection(result_reader *r, ee_coco_entry *entry, const placed *place) {
  /* pycocotools computes these for results and ignores the file's. */
  entry->values[EE_COCO_AREA] = entry->values[EE_COCO_ISCROWD] = entry->values[EE_COCO_IGNORE] =
      entry->values[EE_COCO_ID] = (ee_str){NULL, 0};
  ee_coco_item *item = ee_coco_add_item(&r->coco->detections, entry);
  item->image = (uint32_t)place->image;
  item->category = (uint32_t)place->category;
}

/* The ee_element_taker of results: takes the usual detection, which has nothing to report. */
static ee_taking take_detection(void *user, ee_str text, size_t *length) {
  result_reader *r = user;
  ee_coco_entry entry;
  bool is_object;
  ee_json_scan scan = ee_json_scan_of(text);
  const char *end = ee_coco_read_entry(&scan, text.data, &r->layout, &entry, &is_object);
  if (end == NULL && scan.cut) return EE_TAKING_MORE;
  ee_coco_member member;
  placed place;
  if (end == NULL || check_detection(&entry, &place, &member) != NULL) return EE_TAKING_NOT;
  find_place(r, &place);
  if (place.category == EE_COCO_UNKNOWN) return EE_TAKING_NOT;
  keep_detection(r, &entry, &place);
  *length = (size_t)(end - text.data);
  return EE_TAKING_DONE;
}

static void add_detection(result_reader *r, ee_coco_entry *entry, const ee_record_span *span) {
  placed place;
  ee_coco_member member;
  const char *error = check_detection(entry, &place, &member);
  if (error != NULL) {
    ee_capped_errors_add(&r->errors, span->line, span->column, "'%s' of this detection %s",
                         ee_coco_member_names[member], error);
    return;
  }
  find_place(r, &place);
  if (place.image == EE_COCO_UNKNOWN)
    note_unknown(r, &r->images, place.image_id, span);
  else if (place.category == EE_COCO_UNKNOWN)
    note_unknown(r, &r->categories, place.category_id, span);
  else
    keep_detection(r, entry, &place);
}

static void read_detection(result_reader *r, const ee_block *block, const ee_record_span *span) {
  ee_str text = {block->text.data + span->offset, span->length};
  ee_coco_entry entry;
  bool is_object;
  /* With more text after it the last number is read faster. Only an entry that ends in its record is taken so. */
  size_t more = block->text.length - span->offset - span->length;
  ee_json_scan scan = ee_json_scan_of((ee_str){text.data, text.length + (more < 32 ? more : 32)});
  const char *at = ee_coco_read_entry(&scan, scan.start, &r->layout, &entry, &is_object);
  bool inside = at != NULL && at <= text.data + text.length;
  scan = ee_json_scan_of(text);
  if (!inside) at = ee_coco_read_entry(&scan, scan.start, &r->layout, &entry, &is_object);
  if (at != NULL) {
    at = ee_json_skip_space(at, scan.end);
    if (at != scan.end) at = ee_json_scan_fail(&scan, at, "text after the document");
  }
  if (at == NULL) {
    report_mistake(r, span, &scan);
  } else if (!is_object) {
    ee_capped_errors_add(&r->errors, span->line, span->column, "this detection is not an object");
  } else {
    add_detection(r, &entry, span);
  }
}

static void read_block(result_reader *r, const ee_block *block) {
  r->errors.file = block->file;
  for (size_t i = 0; i < block->errors.count; i++) {
    const ee_error *error = &block->errors.items[i];
    if (error->status == EE_OK) {
      ee_capped_errors_warn(&r->errors, error->line, error->column, "%s", error->message);
    } else {
      ee_capped_errors_add(&r->errors, error->line, error->column, "%s", error->message);
    }
  }
  for (size_t i = 0; i < block->count; i++) {
    r->errors.count += block->records[i].unlisted;
    read_detection(r, block, &block->records[i]);
  }
  r->errors.count += block->unlisted;
}

static ee_status read_blocks(result_reader *r, ee_dataset *dataset, ee_error *error) {
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  ee_status status;
  while ((status = ee_dataset_next(dataset, &block, &done, error)) == EE_OK && !done) read_block(r, &block);
  ee_block_fini(&block);
  return status;
}

/* Reports each unknown id once, with the number of its detections. `one` and `all`: "image", "images". */
static void report_unknown(const result_reader *r, unknown_ids *unknown, const char *one, const char *all) {
  ee_capped_errors capped = {.list = r->errors.list};
  for (size_t i = 0; i < unknown->count; i++) {
    const unknown_id *id = &unknown->items[i];
    capped.file = id->file;
    ee_capped_errors_add(&capped, id->line, id->column,
                         "%s %" PRId64 " is not among the %s of '%s' (detections: %" PRIu64 ")", one, id->id, all,
                         r->coco->file, id->count);
  }
  char what[40];
  snprintf(what, sizeof what, "%s of detections", all);
  capped.file = NULL;
  ee_capped_errors_end(&capped, what);
  ee_hash_index_fini(&unknown->index);
  EE_LIST_FINI(unknown);
}

ee_status ee_coco_join(ee_coco *coco, const char *const *files, size_t count, const volatile sig_atomic_t *interrupt,
                       ee_error_list *errors, ee_error *error) {
  ee_dataset *dataset = ee_dataset_open(files, count, error);
  if (dataset == NULL) return EE_ERROR_SYSTEM;
  ee_dataset_set_interrupt(dataset, interrupt);
  result_reader r = {.coco = coco, .errors = {.list = errors}, .last_number = EE_COCO_UNKNOWN};
  ee_dataset_set_taker(dataset, take_detection, &r);
  ee_status status = read_blocks(&r, dataset, error);
  if (status == EE_OK && ee_flag_is_set(interrupt))
    status = ee_error_set(error, EE_ERROR_SYSTEM, "reading the results was interrupted");
  ee_capped_errors_end(&r.errors, "detections");
  report_unknown(&r, &r.images, "image", "images");
  report_unknown(&r, &r.categories, "category", "categories");
  coco->counts.detections_without_image = r.images.detections;
  coco->counts.detections_in_error = r.errors.count + r.categories.detections;
  bool any = coco->detections.count > 0 || r.images.detections > 0 || r.categories.detections > 0;
  if (status == EE_OK && r.errors.count > 0 && !any)
    status = ee_error_set(error, EE_ERROR_DATA,
                          "nothing in '%s' is a COCO detection: { image_id, category_id, bbox, score }", files[0]);
  ee_dataset_close(dataset);
  if (status != EE_OK) return status;
  ee_coco_sort_side(&coco->objects, coco->images.count);
  ee_coco_sort_side(&coco->detections, coco->images.count);
  ee_coco_name_categories(coco);
  coco->next_image = 0;
  return EE_OK;
}
