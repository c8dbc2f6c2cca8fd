/* coco.c: COCO's images, categories, objects and detections, and one record for each image.
 *
 * Of each object and detection the text is kept that goes into its record, so that writing a record is copying. */
#include "data/coco/coco.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/coco/coco_inside.h"
#include "data/json/json_writer.h"

/* Ids ------------------------------------------------------------------------------------------ */

#define EE_COCO_UNKNOWN SIZE_MAX

/* The number of `id`, or EE_COCO_UNKNOWN. ee_hash_mix() is a bijection, so equal hashes are equal ids. */
size_t ee_coco_find_id(const ee_hash_index *index, int64_t id) {
  size_t at = 0, number;
  return ee_hash_index_next(index, ee_hash_mix((uint64_t)id), &at, &number) ? number : EE_COCO_UNKNOWN;
}

/* Gives `id` the number `number`; false when it has a number. */
bool ee_coco_add_id(ee_hash_index *index, int64_t id, size_t number) {
  if (ee_coco_find_id(index, id) != EE_COCO_UNKNOWN) return false;
  ee_hash_index_add(index, ee_hash_mix((uint64_t)id), number);
  return true;
}
/* Lifetime ------------------------------------------------------------------------------------- */

static void free_side(ee_coco_side *side) {
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
  ee_buffer_fini(&coco->classes);
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

/* Text that is copied whole, whatever its length, because it is shorter than a call of memcpy() is worth. */
typedef struct short_text {
  char text[16];
  size_t length;
} short_text;
#define SHORT(text)                                                                                                    \
  { text, sizeof(text) - 1 }
#define SHORTEST_COPY sizeof((short_text){.length = 0}.text)

/* Copies whole pieces of SHORTEST_COPY bytes, so that it may write that many more; `end`: of what can be read. */
static inline char *put(char *out, ee_str text, const char *end) {
  if ((size_t)(end - text.data) >= text.length + SHORTEST_COPY) {
    for (size_t i = 0; i < text.length; i += SHORTEST_COPY) memcpy(out + i, text.data + i, SHORTEST_COPY);
  } else {
    memcpy(out, text.data, text.length);
  }
  return out + text.length;
}

static inline char *put_short(char *out, const short_text *text) {
  memcpy(out, text->text, SHORTEST_COPY);
  return out + text->length;
}

/* The members that follow the category in a record, in this order. */
static const struct {
  ee_coco_member member;
  short_text head;
} rest[] = {
    {EE_COCO_SCORE, SHORT(",\"score\":")},     {EE_COCO_AREA, SHORT(",\"area\":")},
    {EE_COCO_ISCROWD, SHORT(",\"iscrowd\":")}, {EE_COCO_IGNORE, SHORT(",\"ignore\":")},
    {EE_COCO_ID, SHORT(",\"id\":")},
};
enum { REST = sizeof rest / sizeof *rest };

ee_coco_item *ee_coco_add_item(ee_coco_side *side, const ee_coco_entry *entry) {
  size_t size = 64 + SHORTEST_COPY;
  for (size_t i = 0; i < 4; i++) size += entry->box[i].length;
  for (size_t i = 0; i < REST; i++) size += entry->values[rest[i].member].length;
  if (size > UINT32_MAX || side->count == UINT32_MAX) ee_out_of_memory();
  char *start = ee_buffer_reserve(&side->text, size), *out = start;
  for (size_t i = 0; i < 4; i++) {
    *out++ = i == 0 ? '[' : ',';
    out = put(out, entry->box[i], entry->end);
  }
  *out++ = ']';
  ee_coco_item *item = EE_LIST_ADD(side, NULL);
  *item = (ee_coco_item){.text = side->text.length, .box_length = (uint32_t)(out - start)};
  for (size_t i = 0; i < REST; i++) {
    ee_str value = entry->values[rest[i].member];
    if (value.data == NULL) continue;
    out = put(put_short(out, &rest[i].head), value, entry->end);
  }
  item->rest_length = (uint32_t)(out - start) - item->box_length;
  side->text.length += (size_t)(out - start);
  return item;
}

/* Sorts the items by image; those of one image keep their order. */
void ee_coco_sort_side(ee_coco_side *side, size_t image_count) {
  side->first = ee_calloc(image_count + 2, sizeof *side->first);
  side->order = ee_calloc(side->count + 1, sizeof *side->order);
  /* During the second loop, first[i + 1] is where the next item of image i goes; after it, where image i ends. */
  for (size_t i = 0; i < side->count; i++) side->first[side->items[i].image + 2]++;
  for (size_t i = 2; i < image_count + 2; i++) side->first[i] += side->first[i - 1];
  for (size_t i = 0; i < side->count; i++) side->order[side->first[side->items[i].image + 1]++] = (uint32_t)i;
}
/* Categories ----------------------------------------------------------------------------------- */

/* Adds a category; false when its id exists. */
bool ee_coco_add_category(ee_coco *coco, int64_t id, ee_str name) {
  if (!ee_coco_add_id(&coco->category_index, id, coco->categories.count)) return false;
  if (coco->categories.count == UINT32_MAX) ee_out_of_memory();
  *EE_LIST_ADD(&coco->categories, NULL) =
      (ee_coco_category){.id = id, .name = coco->names.length, .name_length = name.length};
  ee_buffer_add_str(&coco->names, name);
  return true;
}

/* The number of the category `id`, or EE_COCO_UNKNOWN. A file without "categories" has all of them: a new one is called
 * "category 17". */
size_t ee_coco_category_number(ee_coco *coco, int64_t id) {
  size_t number = ee_coco_find_id(&coco->category_index, id);
  if (number != EE_COCO_UNKNOWN || coco->declared) return number;
  char name[40];
  int length = snprintf(name, sizeof name, "category %" PRId64, id);
  ee_coco_add_category(coco, id, (ee_str){name, (size_t)length});
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
void ee_coco_name_categories(ee_coco *coco) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t count = coco->categories.count;
  ee_str *names = EE_NEW_ARRAY(&arena, ee_str, count + 1);
  bool *with_id = EE_NEW_ARRAY(&arena, bool, count + 1);
  for (size_t i = 0; i < count; i++) {
    const ee_coco_category *category = &coco->categories.items[i];
    names[i] =
        category->name_length > 0 ? (ee_str){coco->names.data + category->name, category->name_length} : EE_STR("");
  }
  make_names_unique(coco, &arena, names, with_id);
  for (size_t i = 0; i < count; i++) {
    ee_coco_category *category = &coco->categories.items[i];
    category->fragment = coco->fragments.length;
    ee_buffer_add_text(&coco->fragments, ",\"category\":");
    ee_json_write_string(&coco->fragments, names[i]);
    ee_buffer_addf(&coco->fragments, ",\"category_id\":%" PRId64, category->id);
    category->fragment_length = coco->fragments.length - category->fragment;
  }
  ee_coco_ready_boxes(coco, names);
  ee_arena_fini(&arena);
}
/* Records -------------------------------------------------------------------------------------- */

ee_str ee_coco_id_text(int64_t id, char digits[EE_COCO_ID_SIZE]) {
  uint64_t left = id < 0 ? 0 - (uint64_t)id : (uint64_t)id;
  char *end = digits + EE_COCO_ID_SIZE, *at = end;
  do {
    *--at = (char)('0' + left % 10);
    left /= 10;
  } while (left > 0);
  if (id < 0) *--at = '-';
  return (ee_str){at, (size_t)(end - at)};
}

static const short_text box_head = SHORT("{\"bbox\":");

/* Items of an image may lie anywhere: those that come soon after the one at `place` in `order` are fetched into the
 * processor's cache, and the texts of those that come next. */
static inline void fetch_item(const ee_coco_side *side, size_t place) {
  enum { NEXT = 4, SOON = 8 };
  if (place + SOON >= side->count) return;
  __builtin_prefetch(&side->items[side->order[place + SOON]]);
  __builtin_prefetch(side->text.data + side->items[side->order[place + NEXT]].text);
}

/* Appends an image's items, each followed by `image_id` (empty: none), after which SHORTEST_COPY bytes can be read. */
static void write_items(const ee_coco *coco, const ee_coco_side *side, size_t image, ee_str image_id, ee_buffer *text) {
  uint32_t end = side->first[image + 1];
  if (side->first[image] == end) return; // no item has a text where no image has one
  const char *texts_end = side->text.data + side->text.length;
  const char *fragments_end = coco->fragments.data + coco->fragments.length;
  for (uint32_t i = side->first[image]; i < end; i++) {
    fetch_item(side, i);
    const ee_coco_item *item = &side->items[side->order[i]];
    const ee_coco_category *category = &coco->categories.items[item->category];
    const char *source = side->text.data + item->text;
    size_t size =
        2 * SHORTEST_COPY + item->box_length + category->fragment_length + item->rest_length + image_id.length + 2;
    char *start = ee_buffer_reserve(text, size), *out = start;
    out = put_short(out, &box_head);
    out = put(out, (ee_str){source, item->box_length}, texts_end);
    out = put(out, (ee_str){coco->fragments.data + category->fragment, category->fragment_length}, fragments_end);
    out = put(out, (ee_str){source + item->box_length, item->rest_length}, texts_end);
    if (image_id.length > 0) out = put(out, image_id, image_id.data + image_id.length + SHORTEST_COPY);
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
  static const char key[] = ",\"image_id\":";
  char digits[EE_COCO_ID_SIZE], image_id[sizeof key - 1 + EE_COCO_ID_SIZE + SHORTEST_COPY] = {0};
  ee_str id = ee_coco_id_text(coco->images.items[image], digits);
  memcpy(image_id, key, sizeof key - 1);
  memcpy(image_id + sizeof key - 1, id.data, id.length);
  ee_buffer_add_text(text, "{\"id\":");
  ee_buffer_add_str(text, id);
  ee_buffer_add_text(text, ",\"expected\":[");
  write_items(coco, &coco->objects, image, (ee_str){image_id, sizeof key - 1 + id.length}, text);
  ee_buffer_add_text(text, "],\"candidate\":[");
  write_items(coco, &coco->detections, image, EE_STR(""), text);
  ee_buffer_add_text(text, "]}");
  return true;
}
