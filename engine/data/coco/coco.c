/* coco.c: reads COCO's annotations and results, and writes one record for each image.
 *
 * The lists of a file of annotations may come in any order, so annotations wait with their ids until all images and
 * categories are known. Detections find their image and category as they are read. Of each entry the text is kept that
 * goes into its record, so that writing a record is copying. */
#include "data/coco/coco.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "data/files/byte_source.h"
#include "data/files/capped_errors.h"
#include "data/files/dataset.h"
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"
#include "data/json/json_writer.h"

/* The members of an entry (an image, category, annotation or detection) that are used. Others, such as segmentations
 * and file names, are checked as JSON and skipped. */
typedef enum coco_member {
  MEMBER_ID,
  MEMBER_IMAGE_ID,
  MEMBER_CATEGORY_ID,
  MEMBER_BBOX,
  MEMBER_SCORE,
  MEMBER_AREA,
  MEMBER_ISCROWD,
  MEMBER_IGNORE,
  MEMBER_NAME,
  MEMBER_COUNT
} coco_member;

typedef struct coco_entry {
  ee_str values[MEMBER_COUNT]; /* source texts, borrowed; data NULL: missing or null. The last of duplicate keys */
  ee_str box[4];               /* the four numbers of bbox, when `boxed` */
  bool boxed;                  /* bbox is an array of four numbers */
} coco_entry;

/* An object or detection. Its text has two parts: the box, then the members that follow the category in the record,
 * each with a comma before it. */
typedef struct coco_item {
  size_t text; /* offset in the side's text */
  uint32_t box_length, rest_length;
  uint32_t image;    /* in ascending order of ids */
  uint32_t category; /* in order of appearance */
} coco_item;

/* All objects, or all detections. */
typedef struct coco_side {
  ee_buffer text;
  EE_LIST(coco_item); /* in the order of the files */
  uint32_t *order;    /* items by image */
  uint32_t *first;    /* [images + 1] in `order` */
} coco_side;

typedef struct coco_category {
  int64_t id;
  size_t name, name_length;         /* in `names` */
  size_t fragment, fragment_length; /* in `fragments`: its members in a record */
} coco_category;

struct ee_coco {
  char *file; /* of annotations */
  struct {
    EE_LIST(int64_t); /* ids, ascending; in the order of the file while it is read */
  } images;
  ee_hash_index image_index; /* by id */
  struct {
    EE_LIST(coco_category);
  } categories;
  ee_hash_index category_index;
  bool declared; /* there is a list "categories"; entries of other categories are left out */
  ee_buffer names, fragments;
  coco_side objects, detections;
  ee_coco_counts counts;
  size_t next_image;
};

/* Ids ------------------------------------------------------------------------------------------ */

#define UNKNOWN SIZE_MAX

/* The number of `id`, or UNKNOWN. ee_hash_mix() is a bijection, so equal hashes are equal ids. */
static size_t find_id(const ee_hash_index *index, int64_t id) {
  size_t at = 0, number;
  return ee_hash_index_next(index, ee_hash_mix((uint64_t)id), &at, &number) ? number : UNKNOWN;
}

/* Gives `id` the number `number`; false when it has a number. */
static bool add_id(ee_hash_index *index, int64_t id, size_t number) {
  if (find_id(index, id) != UNKNOWN) return false;
  ee_hash_index_add(index, ee_hash_mix((uint64_t)id), number);
  return true;
}

/* Entries -------------------------------------------------------------------------------------- */

typedef enum member_type {
  TYPE_WHOLE,  /* required: a whole number, which goes to *number */
  TYPE_BOX,    /* required: four numbers */
  TYPE_TEXT,   /* a string; asked only of what is there */
  TYPE_NUMBER, /* a number or absent */
  TYPE_FLAG    /* a number, a boolean or absent */
} member_type;

static const char *const member_names[MEMBER_COUNT] = {"id",   "image_id", "category_id", "bbox", "score",
                                                       "area", "iscrowd",  "ignore",      "name"};

#define IS(member) (memcmp(key.data, member, sizeof(member) - 1) == 0)

/* The member that a key means, or MEMBER_COUNT. */
static coco_member find_member(ee_str key) {
  switch (key.length) {
  case 2:
    if (IS("id")) return MEMBER_ID;
    break;
  case 4:
    if (IS("bbox")) return MEMBER_BBOX;
    if (IS("area")) return MEMBER_AREA;
    if (IS("name")) return MEMBER_NAME;
    break;
  case 5:
    if (IS("score")) return MEMBER_SCORE;
    break;
  case 6:
    if (IS("ignore")) return MEMBER_IGNORE;
    break;
  case 7:
    if (IS("iscrowd")) return MEMBER_ISCROWD;
    break;
  case 8:
    if (IS("image_id")) return MEMBER_IMAGE_ID;
    break;
  case 11:
    if (IS("category_id")) return MEMBER_CATEGORY_ID;
    break;
  default: break;
  }
  if (memchr(key.data, '\\', key.length) == NULL) return MEMBER_COUNT;
  for (coco_member member = 0; member < MEMBER_COUNT; member++)
    if (ee_json_key_is(key, member_names[member])) return member;
  return MEMBER_COUNT;
}

/* What is between the values of an entry, `, "bbox": `, is mostly the same in the whole file. */
typedef struct entry_layout {
  struct {
    char text[30]; /* from the previous value, or from the '{', to this one */
    uint8_t length, member;
  } steps[16]; /* of the entries that were read last, in their order; length 0: none */
} entry_layout;
enum { STEPS = sizeof((entry_layout){0}).steps / sizeof *(entry_layout){0}.steps };

static void keep_step(entry_layout *layout, size_t step, ee_str text, coco_member member) {
  if (step >= STEPS || text.length > sizeof layout->steps->text) return;
  memcpy(layout->steps[step].text, text.data, text.length);
  layout->steps[step].length = (uint8_t)text.length;
  layout->steps[step].member = (uint8_t)member;
}

/* Reads `[n,n,n,n]` at `at`; NULL when the value is anything else. */
static const char *read_box(const char *at, const char *end, ee_str box[4]) {
  for (size_t i = 0; i < 4; i++) {
    ee_json_number number;
    const char *mistake, *mistake_at;
    at = ee_json_skip_space(at, end);
    if (at == end || *at != (i == 0 ? '[' : ',')) return NULL;
    at = ee_json_skip_space(at + 1, end);
    if (at == end || (*at != '-' && !ee_json_is_digit(*at))) return NULL;
    size_t plain = ee_json_plain_number_length(at, end);
    const char *after = plain > 0 ? at + plain : ee_json_read_number(at, end, &number, &mistake, &mistake_at);
    if (after == NULL) return NULL;
    box[i] = (ee_str){at, (size_t)(after - at)};
    at = after;
  }
  at = ee_json_skip_space(at, end);
  return at < end && *at == ']' ? at + 1 : NULL;
}

/* Goes to the value of the next member, as ee_json_next_member(); `*member` is set unless `*done`. */
static inline const char *find_value(ee_json_scan *scan, const char *at, entry_layout *layout, size_t step,
                                     coco_member *member, bool *done) {
  *done = false;
  size_t length = step < STEPS ? layout->steps[step].length : 0;
  if (length > 0 && (size_t)(scan->end - at) > length && memcmp(at, layout->steps[step].text, length) == 0) {
    *member = layout->steps[step].member;
    return ee_json_skip_space(at + length, scan->end);
  }
  ee_str key;
  const char *value = ee_json_next_member(scan, at, step == 0, &key, done);
  if (value == NULL || *done) return value;
  *member = find_member(key);
  keep_step(layout, step, (ee_str){at, (size_t)(value - at)}, *member);
  return value;
}

/* Reads the value at `at` (after white space) into `entry`. A value that is not an object is skipped. Returns what
 * follows it, or NULL with the mistake in `scan`. */
static const char *read_entry(ee_json_scan *scan, const char *at, entry_layout *layout, coco_entry *entry,
                              bool *is_object) {
  *entry = (coco_entry){.boxed = false};
  at = ee_json_skip_space(at, scan->end);
  *is_object = at < scan->end && *at == '{';
  if (!*is_object) return ee_json_skip_value(scan, at);
  at++;
  for (size_t step = 0;; step++) {
    coco_member member;
    bool done;
    const char *value = at = find_value(scan, at, layout, step, &member, &done), *after;
    if (at == NULL || done) return at;
    if (member == MEMBER_BBOX) {
      after = read_box(at, scan->end, entry->box);
      entry->boxed = after != NULL;
    } else {
      size_t plain = ee_json_plain_number_length(at, scan->end);
      after = plain > 0 ? at + plain : NULL;
    }
    at = after != NULL ? after : ee_json_skip_value(scan, at);
    if (at == NULL) return NULL;
    if (member == MEMBER_COUNT) continue;
    bool is_null = *value == 'n';
    entry->values[member] = is_null ? (ee_str){NULL, 0} : (ee_str){value, (size_t)(at - value)};
  }
}

static bool is_number(ee_str text) { return text.data[0] == '-' || ee_json_is_digit(text.data[0]); }

/* What is wrong with `member`, or NULL. `number` is for TYPE_WHOLE. */
static const char *check_member(const coco_entry *entry, coco_member member, member_type type, int64_t *number) {
  ee_str value = entry->values[member];
  bool present = value.data != NULL;
  switch (type) { /* unreached: all are listed */
  case TYPE_WHOLE:
    if (!present) return "is missing";
    return ee_json_whole_number(value, number) ? NULL : "is not a whole number of at most 18 digits";
  case TYPE_BOX:
    if (!present) return "is missing";
    return entry->boxed ? NULL : "is not an array of four numbers";
  case TYPE_TEXT: return value.data[0] == '"' ? NULL : "is not a string";
  case TYPE_NUMBER: return !present || is_number(value) ? NULL : "is not a number";
  case TYPE_FLAG:
    return !present || is_number(value) || value.data[0] == 't' || value.data[0] == 'f' ? NULL : "is not a number";
  }
  return NULL; /* unreached: all types are above */
}

/* Lifetime ------------------------------------------------------------------------------------- */

static void free_side(coco_side *side) {
  ee_buffer_fini(&side->text);
  EE_LIST_FINI(side);
  ee_free(side->order);
  ee_free(side->first);
}

void ee_coco_free(ee_coco *coco) {
  if (coco == NULL) return;
  ee_free(coco->file);
  EE_LIST_FINI(&coco->images);
  EE_LIST_FINI(&coco->categories);
  ee_hash_index_fini(&coco->image_index);
  ee_hash_index_fini(&coco->category_index);
  ee_buffer_fini(&coco->names);
  ee_buffer_fini(&coco->fragments);
  free_side(&coco->objects);
  free_side(&coco->detections);
  ee_free(coco);
}

ee_coco_counts ee_coco_count(const ee_coco *coco) {
  ee_coco_counts counts = coco->counts;
  counts.images = coco->images.count;
  counts.annotations = coco->objects.count;
  counts.detections = coco->detections.count;
  return counts;
}

/* Items ---------------------------------------------------------------------------------------- */

/* Most are numbers, which are shorter than a call of memcpy() is worth. */
static inline char *put(char *out, const char *data, size_t length) {
  if (length - 4 <= 4) {
    memcpy(out, data, 4);
    memcpy(out + length - 4, data + length - 4, 4);
  } else if (length - 8 <= 8) {
    memcpy(out, data, 8);
    memcpy(out + length - 8, data + length - 8, 8);
  } else {
    memcpy(out, data, length);
  }
  return out + length;
}

/* The members that follow the category in a record, in this order. */
static const struct {
  coco_member member;
  ee_str head;
} rest[] = {
    {MEMBER_SCORE, {",\"score\":", 9}},    {MEMBER_AREA, {",\"area\":", 8}}, {MEMBER_ISCROWD, {",\"iscrowd\":", 11}},
    {MEMBER_IGNORE, {",\"ignore\":", 10}}, {MEMBER_ID, {",\"id\":", 6}},
};
enum { REST = sizeof rest / sizeof *rest };

/* Adds an entry's text as an item; its image and category are set later. */
static coco_item *add_item(coco_side *side, const coco_entry *entry) {
  size_t size = 64;
  for (size_t i = 0; i < 4; i++) size += entry->box[i].length;
  for (size_t i = 0; i < REST; i++) size += entry->values[rest[i].member].length;
  if (size > UINT32_MAX || side->count == UINT32_MAX) ee_out_of_memory();
  char *start = ee_buffer_reserve(&side->text, size), *out = start;
  for (size_t i = 0; i < 4; i++) {
    *out++ = i == 0 ? '[' : ',';
    out = put(out, entry->box[i].data, entry->box[i].length);
  }
  *out++ = ']';
  coco_item *item = EE_LIST_ADD(side, NULL);
  *item = (coco_item){.text = side->text.length, .box_length = (uint32_t)(out - start)};
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

/* Sorts the items by image; those of one image keep their order. */
static void sort_by_image(coco_side *side, size_t image_count) {
  side->first = ee_calloc(image_count + 2, sizeof *side->first);
  side->order = ee_calloc(side->count + 1, sizeof *side->order);
  /* During the second loop, first[i + 1] is where the next item of image i goes; after it, where image i ends. */
  for (size_t i = 0; i < side->count; i++) side->first[side->items[i].image + 2]++;
  for (size_t i = 2; i < image_count + 2; i++) side->first[i] += side->first[i - 1];
  for (size_t i = 0; i < side->count; i++) side->order[side->first[side->items[i].image + 1]++] = (uint32_t)i;
}

/* Categories ----------------------------------------------------------------------------------- */

/* Adds a category; false when its id exists. */
static bool add_category(ee_coco *coco, int64_t id, ee_str name) {
  if (!add_id(&coco->category_index, id, coco->categories.count)) return false;
  if (coco->categories.count == UINT32_MAX) ee_out_of_memory();
  *EE_LIST_ADD(&coco->categories, NULL) =
      (coco_category){.id = id, .name = coco->names.length, .name_length = name.length};
  ee_buffer_add_str(&coco->names, name);
  return true;
}

/* The number of the category `id`, or UNKNOWN. A file without "categories" has all of them: a new one is called
 * "category 17". */
static size_t category_number(ee_coco *coco, int64_t id) {
  size_t number = find_id(&coco->category_index, id);
  if (number != UNKNOWN || coco->declared) return number;
  char name[40];
  int length = snprintf(name, sizeof name, "category %" PRId64, id);
  add_category(coco, id, (ee_str){name, (size_t)length});
  return coco->categories.count - 1;
}

typedef struct named {
  ee_str name;
  size_t number;
} named;

static int compare_names(const void *left, const void *right) {
  const named *a = left, *b = right;
  int order = ee_str_compare(a->name, b->name);
  return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

/* Makes names unique: where several categories have one name, each gets its id as well. A name with an id may equal
 * another category's plain name, so this repeats until nothing changes. */
static void make_names_unique(ee_coco *coco, ee_arena *arena, ee_str *names, bool *with_id) {
  size_t count = coco->categories.count;
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
        int tail = snprintf(name + names[number].length, 32, " (%" PRId64 ")", coco->categories.items[number].id);
        names[number] = (ee_str){name, names[number].length + (size_t)tail};
        with_id[number] = changed = true;
      }
    }
  }
  ee_free(sorted);
}

/* Writes the members that describe each category in a record. */
static void make_fragments(ee_coco *coco) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t count = coco->categories.count;
  ee_str *names = EE_NEW_ARRAY(&arena, ee_str, count + 1);
  bool *with_id = EE_NEW_ARRAY(&arena, bool, count + 1);
  for (size_t i = 0; i < count; i++) {
    const coco_category *category = &coco->categories.items[i];
    names[i] =
        category->name_length > 0 ? (ee_str){coco->names.data + category->name, category->name_length} : EE_STR("");
  }
  make_names_unique(coco, &arena, names, with_id);
  for (size_t i = 0; i < count; i++) {
    coco_category *category = &coco->categories.items[i];
    category->fragment = coco->fragments.length;
    ee_buffer_add_text(&coco->fragments, ",\"category\":");
    ee_json_write_string(&coco->fragments, names[i]);
    ee_buffer_addf(&coco->fragments, ",\"category_id\":%" PRId64, category->id);
    category->fragment_length = coco->fragments.length - category->fragment;
  }
  ee_arena_fini(&arena);
}

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
  entry_layout layouts[LISTS];
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

static void report_member(annotation_reader *r, int list, const char *at, coco_member member, const char *error) {
  uint64_t line, column;
  find_place(r, at, &line, &column);
  ee_capped_errors_add(&r->errors, line, column, "'%s' of this %s %s", member_names[member], entry_names[list], error);
}

static void report_duplicate(annotation_reader *r, int list, const char *at, int64_t id) {
  uint64_t line, column;
  find_place(r, at, &line, &column);
  ee_capped_errors_add(&r->errors, line, column, "duplicate id %" PRId64 " in '%s', the first one counts", id,
                       list_names[list]);
}

static void read_image(annotation_reader *r, const coco_entry *entry, const char *at) {
  ee_coco *coco = r->coco;
  int64_t id = 0;
  const char *error = check_member(entry, MEMBER_ID, TYPE_WHOLE, &id);
  if (error != NULL) {
    report_member(r, IMAGES, at, MEMBER_ID, error);
    return;
  }
  if (add_id(&coco->image_index, id, coco->images.count))
    *EE_LIST_ADD(&coco->images, NULL) = id;
  else
    report_duplicate(r, IMAGES, at, id);
}

static void read_category(annotation_reader *r, const coco_entry *entry, const char *at) {
  int64_t id = 0;
  const char *error = check_member(entry, MEMBER_ID, TYPE_WHOLE, &id);
  if (error != NULL) {
    report_member(r, CATEGORIES, at, MEMBER_ID, error);
    return;
  }
  /* Many files have no names; the id is the name then. */
  ee_str name = ee_str_from(ee_arena_printf(&r->arena, "%" PRId64, id));
  if (entry->values[MEMBER_NAME].data != NULL) {
    error = check_member(entry, MEMBER_NAME, TYPE_TEXT, NULL);
    if (error != NULL)
      report_member(r, CATEGORIES, at, MEMBER_NAME, error);
    else
      name = ee_value_text(ee_json_read(&r->arena, entry->values[MEMBER_NAME], NULL, NULL));
  }
  if (!add_category(r->coco, id, name)) report_duplicate(r, CATEGORIES, at, id);
  ee_arena_reset(&r->arena, 0);
}

/* What is wrong with an annotation, in `*member`; NULL when nothing is. Fills the ids of `pending`. */
static const char *check_annotation(const coco_entry *entry, pending_ids *pending, coco_member *member) {
  static const struct {
    coco_member member;
    member_type type;
  } checks[] = {{MEMBER_BBOX, TYPE_BOX},
                {MEMBER_AREA, TYPE_NUMBER},
                {MEMBER_ISCROWD, TYPE_FLAG},
                {MEMBER_IGNORE, TYPE_FLAG},
                {MEMBER_ID, TYPE_NUMBER}};
  *member = MEMBER_IMAGE_ID;
  const char *error = check_member(entry, *member, TYPE_WHOLE, &pending->image);
  if (error != NULL) return error;
  *member = MEMBER_CATEGORY_ID;
  error = check_member(entry, *member, TYPE_WHOLE, &pending->category);
  for (size_t i = 0; i < sizeof checks / sizeof *checks && error == NULL; i++) {
    *member = checks[i].member;
    error = check_member(entry, *member, checks[i].type, NULL);
  }
  return error;
}

static void read_annotation(annotation_reader *r, coco_entry *entry, const char *at) {
  pending_ids pending = {.image = 0};
  find_place(r, at, &pending.line, &pending.column);
  coco_member member;
  const char *error = check_annotation(entry, &pending, &member);
  if (error != NULL) {
    report_member(r, ANNOTATIONS, at, member, error);
    return;
  }
  entry->values[MEMBER_SCORE] = (ee_str){NULL, 0};
  coco_side *objects = &r->coco->objects;
  add_item(objects, entry);
  *EE_LIST_ADD(&r->pending, NULL) = pending;
}

static void add_entry(annotation_reader *r, int list, coco_entry *entry, bool is_object, const char *at) {
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
    coco_entry entry;
    start = at = ee_json_next_element(&r->scan, at, first, &done);
    if (at != NULL && !done) at = read_entry(&r->scan, at, &r->layouts[list], &entry, &is_object);
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
  for (size_t i = 0; i < coco->images.count; i++) add_id(&coco->image_index, coco->images.items[i], i);
}

/* Sets the images and categories of objects; drops objects of unknown images or categories. */
static void place_objects(annotation_reader *r) {
  ee_coco *coco = r->coco;
  coco_side *objects = &coco->objects;
  size_t kept = 0;
  for (size_t i = 0; i < objects->count; i++) {
    const pending_ids *pending = &r->pending.items[i];
    size_t image = find_id(&coco->image_index, pending->image);
    size_t category = category_number(coco, pending->category);
    if (image == UNKNOWN) {
      ee_capped_errors_add(&r->errors, pending->line, pending->column,
                           "image %" PRId64 " of this annotation is not in 'images'", pending->image);
      continue;
    }
    if (category == UNKNOWN) {
      ee_capped_errors_add(&r->errors, pending->line, pending->column,
                           "category %" PRId64 " of this annotation is not in 'categories'", pending->category);
      continue;
    }
    coco_item item = objects->items[i];
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
  entry_layout layout;
  ee_capped_errors errors;
  unknown_ids images, categories;
  int64_t last_image; /* mostly, detections of one image follow each other */
  size_t last_number;
} result_reader;

static size_t find_image(result_reader *r, int64_t id) {
  if (id != r->last_image || r->last_number == UNKNOWN) {
    r->last_image = id;
    r->last_number = find_id(&r->coco->image_index, id);
  }
  return r->last_number;
}

static void note_unknown(const result_reader *r, unknown_ids *unknown, int64_t id, const ee_record_span *span) {
  unknown->detections++;
  size_t number = find_id(&unknown->index, id);
  if (number == UNKNOWN) {
    number = unknown->count;
    add_id(&unknown->index, id, number);
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

static void add_detection(result_reader *r, coco_entry *entry, const ee_record_span *span) {
  int64_t image = 0, category = 0;
  coco_member member = MEMBER_IMAGE_ID;
  const char *error = check_member(entry, member, TYPE_WHOLE, &image);
  if (error == NULL) error = check_member(entry, member = MEMBER_CATEGORY_ID, TYPE_WHOLE, &category);
  if (error == NULL) error = check_member(entry, member = MEMBER_BBOX, TYPE_BOX, NULL);
  if (error == NULL) error = check_member(entry, member = MEMBER_SCORE, TYPE_NUMBER, NULL);
  if (error != NULL) {
    ee_capped_errors_add(&r->errors, span->line, span->column, "'%s' of this detection %s", member_names[member],
                         error);
    return;
  }
  size_t image_number = find_image(r, image);
  if (image_number == UNKNOWN) {
    note_unknown(r, &r->images, image, span);
    return;
  }
  size_t class_number = category_number(r->coco, category);
  if (class_number == UNKNOWN) {
    note_unknown(r, &r->categories, category, span);
    return;
  }
  /* pycocotools computes these for results and ignores the file's. */
  entry->values[MEMBER_AREA] = entry->values[MEMBER_ISCROWD] = entry->values[MEMBER_IGNORE] = entry->values[MEMBER_ID] =
      (ee_str){NULL, 0};
  coco_item *item = add_item(&r->coco->detections, entry);
  item->image = (uint32_t)image_number;
  item->category = (uint32_t)class_number;
}

static void read_detection(result_reader *r, const ee_block *block, const ee_record_span *span) {
  ee_str text = {block->text.data + span->offset, span->length};
  coco_entry entry;
  bool is_object;
  /* With more text after it the last number is read faster. Only an entry that ends in its record is taken so. */
  size_t more = block->text.length - span->offset - span->length;
  ee_json_scan scan = ee_json_scan_of((ee_str){text.data, text.length + (more < 32 ? more : 32)});
  const char *at = read_entry(&scan, scan.start, &r->layout, &entry, &is_object);
  bool inside = at != NULL && at <= text.data + text.length;
  scan = ee_json_scan_of(text);
  if (!inside) at = read_entry(&scan, scan.start, &r->layout, &entry, &is_object);
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
  result_reader r = {.coco = coco, .errors = {.list = errors}, .last_number = UNKNOWN};
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
  sort_by_image(&coco->objects, coco->images.count);
  sort_by_image(&coco->detections, coco->images.count);
  make_fragments(coco);
  coco->next_image = 0;
  return EE_OK;
}

/* Records -------------------------------------------------------------------------------------- */

#define BOX_HEAD "{\"bbox\":"

/* Appends an image's items, each followed by `image_id` (empty: none). */
static void write_items(const ee_coco *coco, const coco_side *side, size_t image, ee_str image_id, ee_buffer *text) {
  uint32_t end = side->first[image + 1];
  for (uint32_t i = side->first[image]; i < end; i++) {
    const coco_item *item = &side->items[side->order[i]];
    const coco_category *category = &coco->categories.items[item->category];
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
  if (coco->next_image == coco->images.count) return false;
  size_t image = coco->next_image++;
  char image_id[48];
  int length = snprintf(image_id, sizeof image_id, ",\"image_id\":%" PRId64, coco->images.items[image]);
  ee_buffer_addf(text, "{\"id\":%" PRId64 ",\"expected\":[", coco->images.items[image]);
  write_items(coco, &coco->objects, image, (ee_str){image_id, (size_t)length}, text);
  ee_buffer_add_text(text, "],\"candidate\":[");
  write_items(coco, &coco->detections, image, EE_STR(""), text);
  ee_buffer_add_text(text, "]}");
  return true;
}
