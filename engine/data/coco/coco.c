/* coco.c: reading results, and writing records.
 *
 * Detections find their image and category as they are read. What is kept of an entry is the text that goes into its
 * record, so that a record is made by copying. */
#include "data/coco/coco.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/coco/coco_parts.h"
#include "data/files/dataset.h"
#include "data/json/json_scan.h"
#include "data/json/json_writer.h"

static void free_side(ee_coco_side *side) {
  ee_buffer_fini(&side->text);
  free(side->items);
  free(side->order);
  free(side->first);
}

void ee_coco_free(ee_coco *coco) {
  if (coco == NULL) return;
  free(coco->file);
  free(coco->images);
  free(coco->categories);
  ee_coco_map_fini(&coco->image_map);
  ee_coco_map_fini(&coco->category_map);
  ee_buffer_fini(&coco->names);
  ee_buffer_fini(&coco->fragments);
  free_side(&coco->objects);
  free_side(&coco->detections);
  free(coco);
}

ee_coco_counts ee_coco_count(const ee_coco *coco) {
  ee_coco_counts counts = coco->counts;
  counts.images = coco->image_count;
  counts.annotations = coco->objects.count;
  counts.detections = coco->detections.count;
  return counts;
}

/* Items ---------------------------------------------------------------------------------------- */

static char *put(char *out, const char *data, size_t length) {
  memcpy(out, data, length);
  return out + length;
}

/* The members behind the category, in this order. */
static const struct {
  ee_coco_member member;
  ee_str head;
} rest[] = {
    {EE_COCO_SCORE, {",\"score\":", 9}},    {EE_COCO_AREA, {",\"area\":", 8}}, {EE_COCO_ISCROWD, {",\"iscrowd\":", 11}},
    {EE_COCO_IGNORE, {",\"ignore\":", 10}}, {EE_COCO_ID, {",\"id\":", 6}},
};
enum { REST = sizeof rest / sizeof *rest };

ee_coco_item *ee_coco_add_item(ee_coco_side *side, const ee_coco_entry *entry) {
  size_t size = 64;
  for (size_t i = 0; i < 4; i++) size += entry->box[i].length;
  for (size_t i = 0; i < REST; i++) size += entry->values[rest[i].member].length;
  /* A number of gigabytes is beyond what any memory here is for. */
  if (size > UINT32_MAX || side->count == UINT32_MAX) ee_out_of_memory();
  if (side->count == side->capacity) {
    side->capacity = side->capacity > 0 ? side->capacity * 2 : 1024;
    side->items = ee_realloc(side->items, side->capacity, sizeof *side->items);
  }
  char *start = ee_buffer_reserve(&side->text, size), *out = start;
  for (size_t i = 0; i < 4; i++) {
    *out++ = i == 0 ? '[' : ',';
    out = put(out, entry->box[i].data, entry->box[i].length);
  }
  *out++ = ']';
  ee_coco_item *item = &side->items[side->count++];
  *item = (ee_coco_item){.text = side->text.length, .box_length = (uint32_t)(out - start)};
  for (size_t i = 0; i < REST; i++) {
    ee_str value = entry->values[rest[i].member];
    if (value.data == NULL) continue;
    out = put(out, rest[i].head.data, rest[i].head.length);
    out = put(out, value.data, value.length);
  }
  item->rest_length = (uint32_t)(out - start) - item->box_length;
  side->text.length += (size_t)(out - start);
  return item;
}

/* Puts the items into the order of their images; those of an image stay in theirs. */
static void sort_by_image(ee_coco_side *side, size_t image_count) {
  side->first = ee_calloc(image_count + 2, sizeof *side->first);
  side->order = ee_calloc(side->count + 1, sizeof *side->order);
  /* While the items are put in, first[i + 1] is where the next one of image i goes: in the end, where they end. */
  for (size_t i = 0; i < side->count; i++) side->first[side->items[i].image + 2]++;
  for (size_t i = 2; i < image_count + 2; i++) side->first[i] += side->first[i - 1];
  for (size_t i = 0; i < side->count; i++) side->order[side->first[side->items[i].image + 1]++] = (uint32_t)i;
}

/* Categories ----------------------------------------------------------------------------------- */

bool ee_coco_add_category(ee_coco *coco, int64_t id, ee_str name) {
  bool added;
  ee_coco_map_add(&coco->category_map, id, coco->category_count, &added);
  if (!added) return false;
  if (coco->category_count == UINT32_MAX) ee_out_of_memory();
  if (coco->category_count == coco->category_capacity) {
    coco->category_capacity = coco->category_capacity > 0 ? coco->category_capacity * 2 : 128;
    coco->categories = ee_realloc(coco->categories, coco->category_capacity, sizeof *coco->categories);
  }
  coco->categories[coco->category_count++] =
      (ee_coco_category){.id = id, .name = coco->names.length, .name_length = name.length};
  ee_buffer_add_str(&coco->names, name);
  return true;
}

size_t ee_coco_category_number(ee_coco *coco, int64_t id) {
  size_t number = ee_coco_map_find(&coco->category_map, id);
  if (number != EE_COCO_NOWHERE || coco->declared) return number;
  char name[40];
  int length = snprintf(name, sizeof name, "category %" PRId64, id);
  ee_coco_add_category(coco, id, (ee_str){name, (size_t)length});
  return coco->category_count - 1;
}

/* A category and the name that it has so far. */
typedef struct named {
  ee_str name;
  size_t number;
} named;

static int compare_names(const void *left, const void *right) {
  const named *a = left, *b = right;
  int order = ee_str_compare(a->name, b->name);
  return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

/* Where several categories have one name, gives each of them its id too. Once with its id, a name is like no other that
 * has one; it may be like a plain one, which then gets its id in the next round. */
static void tell_names_apart(ee_coco *coco, ee_arena *arena, ee_str *names, bool *with_id) {
  size_t count = coco->category_count;
  named *sorted = ee_calloc(count + 1, sizeof *sorted);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < count; i++) sorted[i] = (named){names[i], i};
    qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 0, end; i < count; i = end) {
      for (end = i + 1; end < count && ee_str_equal(sorted[end].name, sorted[i].name);) end++;
      for (size_t k = i; k < end && end - i > 1; k++) {
        size_t number = sorted[k].number;
        if (with_id[number]) continue;
        size_t size = names[number].length + 32;
        char *name = ee_arena_alloc(arena, size);
        if (names[number].length > 0) memcpy(name, names[number].data, names[number].length);
        int tail = snprintf(name + names[number].length, 32, " (%" PRId64 ")", coco->categories[number].id);
        names[number] = (ee_str){name, names[number].length + (size_t)tail};
        with_id[number] = changed = true;
      }
    }
  }
  free(sorted);
}

/* Makes the members that stand for a category in a record. */
static void make_fragments(ee_coco *coco) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t count = coco->category_count;
  ee_str *names = EE_NEW_ARRAY(&arena, ee_str, count + 1);
  bool *with_id = EE_NEW_ARRAY(&arena, bool, count + 1);
  for (size_t i = 0; i < count; i++) {
    const ee_coco_category *category = &coco->categories[i];
    names[i] =
        category->name_length > 0 ? (ee_str){coco->names.data + category->name, category->name_length} : EE_STR("");
  }
  tell_names_apart(coco, &arena, names, with_id);
  for (size_t i = 0; i < count; i++) {
    ee_coco_category *category = &coco->categories[i];
    category->fragment = coco->fragments.length;
    ee_buffer_add_text(&coco->fragments, ",\"category\":");
    ee_json_write_string(&coco->fragments, names[i]);
    ee_buffer_addf(&coco->fragments, ",\"category_id\":%" PRId64, category->id);
    category->fragment_length = coco->fragments.length - category->fragment;
  }
  ee_arena_fini(&arena);
}

/* Results -------------------------------------------------------------------------------------- */

/* An image or a category that the annotations do not declare, and the first detection for it. */
typedef struct unknown_id {
  int64_t id;
  uint64_t count; /* of detections */
  const char *file;
  uint64_t line, column;
} unknown_id;

typedef struct unknown_ids {
  unknown_id *items;
  size_t count, capacity;
  ee_coco_map map;
  uint64_t detections; /* of all */
} unknown_ids;

typedef struct result_reader {
  ee_coco *coco;
  ee_capped_errors told;
  unknown_ids images, categories;
  int64_t last_image; /* most files have an image's detections together */
  size_t last_number;
} result_reader;

static size_t find_image(result_reader *r, int64_t id) {
  if (id != r->last_image || r->last_number == EE_COCO_NOWHERE) {
    r->last_image = id;
    r->last_number = ee_coco_map_find(&r->coco->image_map, id);
  }
  return r->last_number;
}

static void note_unknown(const result_reader *r, unknown_ids *unknown, int64_t id, const ee_record_span *span) {
  unknown->detections++;
  bool added;
  size_t number = ee_coco_map_add(&unknown->map, id, unknown->count, &added);
  if (added) {
    if (unknown->count == unknown->capacity) {
      unknown->capacity = unknown->capacity > 0 ? unknown->capacity * 2 : 16;
      unknown->items = ee_realloc(unknown->items, unknown->capacity, sizeof *unknown->items);
    }
    unknown->items[unknown->count++] =
        (unknown_id){.id = id, .file = r->told.file, .line = span->line, .column = span->column};
  }
  unknown->items[number].count++;
}

/* Tells a mistake at a place inside a record. */
static void tell_mistake(result_reader *r, const ee_record_span *span, const ee_json_scan *scan) {
  uint64_t line = span->line, before = span->column - 1; /* bytes of the line before `line_start` */
  const char *line_start = scan->start;
  for (const char *at = scan->start; at < scan->mistake_at; at++) {
    if (*at != '\n') continue;
    line++;
    before = 0;
    line_start = at + 1;
  }
  ee_capped_errors_add(&r->told, line, before + (uint64_t)(scan->mistake_at - line_start) + 1, "%s", scan->mistake);
}

static void add_detection(result_reader *r, ee_coco_entry *entry, const ee_record_span *span) {
  int64_t image = 0, category = 0;
  ee_coco_member member = EE_COCO_IMAGE_ID;
  const char *trouble = ee_coco_entry_check(entry, member, EE_COCO_WHOLE, &image);
  if (trouble == NULL) trouble = ee_coco_entry_check(entry, member = EE_COCO_CATEGORY_ID, EE_COCO_WHOLE, &category);
  if (trouble == NULL) trouble = ee_coco_entry_check(entry, member = EE_COCO_BBOX, EE_COCO_BOX, NULL);
  if (trouble == NULL) trouble = ee_coco_entry_check(entry, member = EE_COCO_SCORE, EE_COCO_NUMBER, NULL);
  if (trouble != NULL) {
    ee_capped_errors_add(&r->told, span->line, span->column, "'%s' of this detection %s", ee_coco_member_names[member],
                         trouble);
    return;
  }
  size_t number = find_image(r, image);
  if (number == EE_COCO_NOWHERE) {
    note_unknown(r, &r->images, image, span);
    return;
  }
  size_t category_number = ee_coco_category_number(r->coco, category);
  if (category_number == EE_COCO_NOWHERE) {
    note_unknown(r, &r->categories, category, span);
    return;
  }
  /* pycocotools gives results areas, ids and marks of its own. */
  entry->values[EE_COCO_AREA] = entry->values[EE_COCO_ISCROWD] = entry->values[EE_COCO_IGNORE] =
      entry->values[EE_COCO_ID] = (ee_str){NULL, 0};
  ee_coco_item *item = ee_coco_add_item(&r->coco->detections, entry);
  item->image = (uint32_t)number;
  item->category = (uint32_t)category_number;
}

static void read_entry(result_reader *r, const ee_block *block, const ee_record_span *span) {
  ee_json_scan scan = ee_json_scan_of((ee_str){block->text.data + span->offset, span->length});
  ee_coco_entry entry;
  bool is_object;
  const char *at = ee_coco_entry_read(&scan, scan.start, &entry, &is_object);
  if (at != NULL) {
    at = ee_json_skip_space(at, scan.end);
    if (at != scan.end) at = ee_json_scan_fail(&scan, at, "text after the document");
  }
  if (at == NULL) {
    tell_mistake(r, span, &scan);
  } else if (!is_object) {
    ee_capped_errors_add(&r->told, span->line, span->column, "this detection is no object");
  } else {
    add_detection(r, &entry, span);
  }
}

static void read_block(result_reader *r, const ee_block *block) {
  r->told.file = block->file;
  for (size_t i = 0; i < block->errors.count; i++) {
    const ee_error *error = &block->errors.items[i];
    if (error->status == EE_OK) {
      ee_capped_errors_warn(&r->told, error->line, error->column, "%s", error->message);
    } else {
      ee_capped_errors_add(&r->told, error->line, error->column, "%s", error->message);
    }
  }
  for (size_t i = 0; i < block->count; i++) {
    r->told.count += block->records[i].unlisted;
    read_entry(r, block, &block->records[i]);
  }
  r->told.count += block->unlisted;
}

static bool is_set(const volatile sig_atomic_t *flag) {
  return flag != NULL && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
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

/* Tells the first ids that nobody knows, each once; all of their detections are counted. `one` and `all`: "image",
 * "images". */
static void tell_unknown(const result_reader *r, unknown_ids *unknown, const char *one, const char *all) {
  ee_capped_errors told = {.list = r->told.list};
  for (size_t i = 0; i < unknown->count; i++) {
    const unknown_id *id = &unknown->items[i];
    told.file = id->file;
    ee_capped_errors_add(&told, id->line, id->column,
                         "%s %" PRId64 " is not among the %s of '%s' (detections: %" PRIu64 ")", one, id->id, all,
                         r->coco->file, id->count);
  }
  char what[40];
  snprintf(what, sizeof what, "%s of detections", all);
  told.file = NULL;
  ee_capped_errors_end(&told, what);
  ee_coco_map_fini(&unknown->map);
  free(unknown->items);
}

ee_status ee_coco_join(ee_coco *coco, const char *const *files, size_t count, const volatile sig_atomic_t *interrupt,
                       ee_error_list *errors, ee_error *error) {
  ee_dataset *dataset = ee_dataset_open(files, count, error);
  if (dataset == NULL) return EE_ERROR_SYSTEM;
  ee_dataset_set_interrupt(dataset, interrupt);
  result_reader r = {.coco = coco, .told = {.list = errors}, .last_number = EE_COCO_NOWHERE};
  ee_status status = read_blocks(&r, dataset, error);
  if (status == EE_OK && is_set(interrupt))
    status = ee_error_set(error, EE_ERROR_SYSTEM, "reading the results was interrupted");
  ee_capped_errors_end(&r.told, "detections");
  tell_unknown(&r, &r.images, "image", "images");
  tell_unknown(&r, &r.categories, "category", "categories");
  coco->counts.detections_without_image = r.images.detections;
  coco->counts.detections_in_error = r.told.count + r.categories.detections;
  bool any = coco->detections.count > 0 || r.images.detections > 0 || r.categories.detections > 0;
  if (status == EE_OK && r.told.count > 0 && !any)
    status = ee_error_set(error, EE_ERROR_DATA,
                          "nothing in '%s' is a COCO detection: { image_id, category_id, bbox, score }", files[0]);
  ee_dataset_close(dataset);
  if (status != EE_OK) return status;
  sort_by_image(&coco->objects, coco->image_count);
  sort_by_image(&coco->detections, coco->image_count);
  make_fragments(coco);
  coco->next_image = 0;
  return EE_OK;
}

/* Records -------------------------------------------------------------------------------------- */

#define BOX_HEAD "{\"bbox\":"

/* Appends the list of an image's items; `image_id`: with the image in each item. */
static void write_items(const ee_coco *coco, const ee_coco_side *side, size_t image, ee_str image_id, ee_buffer *text) {
  uint32_t end = side->first[image + 1];
  for (uint32_t i = side->first[image]; i < end; i++) {
    const ee_coco_item *item = &side->items[side->order[i]];
    const ee_coco_category *category = &coco->categories[item->category];
    const char *source = side->text.data + item->text;
    size_t size =
        sizeof BOX_HEAD + item->box_length + category->fragment_length + item->rest_length + image_id.length + 2;
    char *start = ee_buffer_reserve(text, size), *out = start;
    out = put(out, BOX_HEAD, sizeof BOX_HEAD - 1);
    out = put(out, source, item->box_length);
    out = put(out, coco->fragments.data + category->fragment, category->fragment_length);
    out = put(out, source + item->box_length, item->rest_length);
    if (image_id.length > 0) out = put(out, image_id.data, image_id.length);
    *out++ = '}';
    *out++ = ',';
    text->length += (size_t)(out - start);
  }
  if (text->data[text->length - 1] == ',') text->length--;
}

bool ee_coco_make_record(void *user, ee_buffer *text) {
  ee_coco *coco = user;
  if (coco->next_image == coco->image_count) return false;
  size_t image = coco->next_image++;
  char image_id[48];
  int length = snprintf(image_id, sizeof image_id, ",\"image_id\":%" PRId64, coco->images[image]);
  ee_buffer_addf(text, "{\"id\":%" PRId64 ",\"expected\":[", coco->images[image]);
  write_items(coco, &coco->objects, image, (ee_str){image_id, (size_t)length}, text);
  ee_buffer_add_text(text, "],\"candidate\":[");
  write_items(coco, &coco->detections, image, EE_STR(""), text);
  ee_buffer_add_text(text, "]}");
  return true;
}
