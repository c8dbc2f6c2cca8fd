/* coco_boxes.c: an image's objects and detections as numbers, read from the texts that go into its record. */
#include <math.h>
#include <string.h>

#include "data/coco/coco_inside.h"
#include "data/files/image_boxes.h"
#include "data/json/json_scan.h"
#include "data/json/value.h"
#include "data/json/value_hash.h"
#include "prim/normalize.h"
#include "prim/number.h"

/* Numbers -------------------------------------------------------------------------------------- */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Whether the eight bytes at `at`, which can be read, are digits; then `*number` is what they say. Of a number and what
 * follows it only digits begin with four bits 0011. Digits are joined in pairs, pairs in fours, and these. */
static inline bool read_eight(const char *at, uint64_t *number) {
  const uint64_t zeros = UINT64_C(0x3030303030303030);
  uint64_t word;
  memcpy(&word, at, 8);
  const uint64_t halves = UINT64_C(0xf0f0f0f0f0f0f0f0);
  if ((word & halves) != zeros) return false;
  word -= zeros;
  word = word * 10 + (word >> 8);
  word = (((word & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064)) +
          (((word >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001))) >>
         32;
  *number = word;
  return true;
}
#else
static inline bool read_eight(const char *at, uint64_t *number) {
  (void)at, (void)number;
  return false;
}
#endif

/* Bytes after the texts of a side that can be read. */
#define READ_AHEAD 16
/* Exact, as are whole numbers up to 2^53, so that one division rounds correctly. */
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

/* Reads the usual coordinate, of up to 8 digits with a point among them, without a loop whose end has to be guessed.
 * NULL for any other number. */
static inline const char *read_short_number(const char *at, double *value) {
#if defined(EE_JSON_SSE2)
  __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
  __m128i digits = _mm_cmplt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8(80)), _mm_set1_epi8(-118)); /* '0' + 80 is -128 */
  unsigned others = ~(unsigned)_mm_movemask_epi8(digits); /* with bits above the vector */
  unsigned whole = (unsigned)__builtin_ctz(others);
  if (at[whole] != '.') return NULL;
  unsigned places = (unsigned)__builtin_ctz(others & (others - 1)) - whole - 1;
  const char *after = at + whole + 1 + places;
  if (whole + places > 8 || *after == 'e' || *after == 'E') return NULL;
  uint64_t front, back;
  memcpy(&front, at, 8);
  memcpy(&back, at + whole + 1, 8);
  front = front << (64 - 8 * whole) >> (8 * places); /* the first digit is the lowest byte */
  back <<= 64 - 8 * places;
  *value = (double)ee_json_eight_digits(front | back, 8) / powers[places];
  return after;
#else
  (void)at, (void)value;
  return NULL;
#endif
}

/* Reads the number at `at`, which is valid and not the end of the text, as a document's reader does. Returns what
 * follows it. */
__attribute__((always_inline)) static inline const char *read_number(const char *at, double *value) {
  const char *after = read_short_number(at, value);
  if (after != NULL) return after;
  const char *start = at, *point = NULL;
  uint64_t digits = 0;
  at += *at == '-';
  const char *first = at;
  while (ee_json_is_digit(*at)) digits = digits * 10 + (uint64_t)(*at++ - '0');
  size_t places = 0;
  if (*at == '.') {
    point = ++at;
    bool is_long = ee_json_is_digit(at[1]) && ee_json_is_digit(at[2]);
    for (uint64_t eight; is_long && at - point < 16 && read_eight(at, &eight); at += 8)
      digits = digits * 100000000 + eight;
    while (ee_json_is_digit(*at)) digits = digits * 10 + (uint64_t)(*at++ - '0');
    places = (size_t)(at - point);
  }
  bool is_short = at - first <= 19 && digits <= UINT64_C(1) << 53 && *at != 'e' && *at != 'E';
  if (is_short) {
    double magnitude = places > 0 ? (double)digits / powers[places] : (double)digits;
    *value = *start == '-' ? -magnitude : magnitude;
    return at;
  }
  while (ee_json_is_digit(*at) || *at == 'e' || *at == 'E' || *at == '+' || *at == '-') at++;
  *value = ee_decimal_to_double((ee_str){start, (size_t)(at - start)});
  return at;
}

/* Reads a box. False when it has an error, which the text's way reports. */
static inline bool read_box(const char *at, double box[4]) {
  for (size_t i = 0; i < 4; i++) at = read_number(at + 1, &box[i]); /* after '[' or ',' */
  double sum = (box[0] - box[0]) + (box[1] - box[1]) + (box[2] - box[2]) + (box[3] - box[3]);
  return sum == 0 && box[2] >= 0 && box[3] >= 0; /* the sum is NaN where one is not finite */
}

/* Classes -------------------------------------------------------------------------------------- */

/* The categories of an image, in a hash table whose keys are their numbers. */
typedef struct class_table {
  const ee_coco *coco;
  ee_boxes_class *classes;
  uint32_t *categories; /* of the classes */
  size_t count;
  uint32_t *slots; /* a class plus 1; 0: free */
  uint32_t mask;
} class_table;

static class_table new_table(const ee_coco *coco, size_t items, ee_arena *arena) {
  size_t most = items < coco->categories.count ? items : coco->categories.count, slots = 2;
  while (slots < 2 * most) slots *= 2;
  return (class_table){.coco = coco,
                       .classes = ee_arena_alloc(arena, most * sizeof(ee_boxes_class)),
                       .categories = ee_arena_alloc(arena, most * sizeof(uint32_t)),
                       .slots = EE_NEW_ARRAY(arena, uint32_t, slots),
                       .mask = (uint32_t)slots - 1};
}

static uint32_t class_of(class_table *table, uint32_t category) {
  uint32_t at = category & table->mask;
  for (; table->slots[at] != 0; at = (at + 1) & table->mask)
    if (table->categories[table->slots[at] - 1] == category) return table->slots[at] - 1;
  const ee_coco_category *added = &table->coco->categories.items[category];
  table->classes[table->count] =
      (ee_boxes_class){.name = {table->coco->classes.data + added->class_name, added->class_length},
                       .hash = added->class_hash,
                       .number = (double)added->id};
  table->categories[table->count] = category;
  table->slots[at] = (uint32_t)++table->count;
  return (uint32_t)table->count - 1;
}

/* Items ---------------------------------------------------------------------------------------- */

/* What an object has besides its box and category. */
typedef struct object_rest {
  double area, id;
  bool has_area, has_id, crowd, ignore;
  uint64_t hash, members; /* of these members: their sum and number */
} object_rest;

/* Reads a number or a boolean, which sets `*flag`. */
static const char *read_flag(const char *at, bool *flag, uint64_t *hash, bool *good) {
  if (*at == 't' || *at == 'f') {
    *flag = *at == 't';
    *hash = ee_hash_of_word(*flag ? EE_TRUE : EE_FALSE);
    return at + (*flag ? 4 : 5);
  }
  double number;
  at = read_number(at, &number);
  *good = *good && isfinite(number);
  *flag = number != 0;
  *hash = ee_hash_of_number(number);
  return at;
}

/* Reads the members after the category, as ee_coco_add_item() wrote them. False for a number that is not finite. */
static bool read_rest(const ee_coco *coco, ee_str text, object_rest *rest) {
  static const unsigned char head_lengths[EE_COCO_MEMBERS] = {[EE_COCO_AREA] = sizeof ",\"area\":" - 1,
                                                              [EE_COCO_ISCROWD] = sizeof ",\"iscrowd\":" - 1,
                                                              [EE_COCO_IGNORE] = sizeof ",\"ignore\":" - 1,
                                                              [EE_COCO_ID] = sizeof ",\"id\":" - 1};
  *rest = (object_rest){.hash = 0};
  bool good = true;
  const char *at = text.data, *end = text.data + text.length;
  while (at < end) {
    ee_coco_member member = at[2] == 'a'   ? EE_COCO_AREA
                            : at[3] == 's' ? EE_COCO_ISCROWD
                            : at[3] == 'g' ? EE_COCO_IGNORE
                                           : EE_COCO_ID;
    uint64_t hash;
    at += head_lengths[member];
    if (member == EE_COCO_ISCROWD || member == EE_COCO_IGNORE) {
      at = read_flag(at, member == EE_COCO_ISCROWD ? &rest->crowd : &rest->ignore, &hash, &good);
    } else {
      double *number = member == EE_COCO_AREA ? &rest->area : &rest->id;
      *(member == EE_COCO_AREA ? &rest->has_area : &rest->has_id) = true;
      at = read_number(at, number);
      good = good && isfinite(*number);
      hash = ee_hash_of_number(*number);
    }
    rest->hash += ee_hash_of_member(coco->key_hashes[member], hash);
    rest->members++;
  }
  return good;
}

/* The parts of an item's text. */
static ee_str box_text(const ee_coco_side *side, const ee_coco_item *item) {
  return (ee_str){side->text.data + item->text, item->box_length};
}
static ee_str rest_text(const ee_coco_side *side, const ee_coco_item *item) {
  return (ee_str){side->text.data + item->text + item->box_length, item->rest_length};
}

/* Reads the objects and their hash. False when one has something to report. */
static bool read_objects(const ee_coco *coco, size_t image, class_table *table, ee_arena *arena,
                         ee_image_boxes *boxes) {
  const ee_coco_side *side = &coco->objects;
  const uint32_t *order = side->order + side->first[image];
  uint64_t image_hash =
      ee_hash_of_member(coco->key_hashes[EE_COCO_IMAGE_ID], ee_hash_of_number((double)coco->images.items[image]));
  uint64_t list_hash = EE_SEED_ARRAY;
  for (size_t i = 0; i < boxes->object_count; i++) {
    const ee_coco_item *item = &side->items[order[i]];
    ee_ap_object *object = &boxes->objects[i];
    object_rest rest;
    *object = (ee_ap_object){.category = class_of(table, item->category)};
    bool good = read_box(box_text(side, item).data, object->box) && read_rest(coco, rest_text(side, item), &rest);
    if (!good) return false;
    object->area = rest.has_area ? rest.area : object->box[2] * object->box[3];
    object->crowd = rest.crowd;
    object->ignored = rest.ignore;
    object->blank = rest.has_id && rest.id == 0;
    if (rest.has_id && boxes->object_ids == NULL)
      boxes->object_ids = EE_NEW_ARRAY(arena, uint64_t, boxes->object_count);
    if (rest.has_id) boxes->object_ids[i] = ee_hash_of_number(rest.id);
    uint64_t box_hash = EE_SEED_ARRAY;
    for (size_t k = 0; k < 4; k++) box_hash = ee_hash_add_element(box_hash, ee_hash_of_number(object->box[k]));
    rest.hash += ee_hash_of_member(coco->key_hashes[EE_COCO_BBOX], ee_hash_end_array(box_hash, 4)) + image_hash +
                 coco->categories.items[item->category].members_hash;
    list_hash = ee_hash_add_element(list_hash, ee_hash_end_object(rest.hash, rest.members + 4));
  }
  boxes->expected_hash = ee_hash_end_array(list_hash, boxes->object_count);
  return true;
}

static bool read_detections(const ee_coco *coco, size_t image, class_table *table, ee_image_boxes *boxes) {
  const ee_coco_side *side = &coco->detections;
  const uint32_t *order = side->order + side->first[image];
  for (size_t i = 0; i < boxes->detection_count; i++) {
    const ee_coco_item *item = &side->items[order[i]];
    ee_ap_detection *detection = &boxes->detections[i];
    detection->image = 0;
    detection->category = class_of(table, item->category);
    if (!read_box(box_text(side, item).data, detection->box) || item->rest_length == 0) return false;
    read_number(rest_text(side, item).data + strlen(",\"score\":"), &detection->score);
    if (!isfinite(detection->score)) return false;
  }
  return true;
}

/* Images --------------------------------------------------------------------------------------- */

void ee_coco_ready_boxes(ee_coco *coco, const ee_str *names) {
  coco->has_boxes = true;
  for (ee_coco_member member = 0; member < EE_COCO_MEMBERS; member++)
    coco->key_hashes[member] = ee_key_hash(ee_str_from(ee_coco_member_names[member]));
  ee_arena arena;
  ee_arena_init(&arena, 0);
  uint64_t nothing = ee_value_hash(NULL), key = ee_key_hash(EE_STR("category"));
  for (size_t i = 0; i < coco->categories.count && coco->has_boxes; i++) {
    ee_coco_category *category = &coco->categories.items[i];
    uint64_t hash = ee_value_hash(ee_value_new_string(&arena, names[i]));
    coco->has_boxes = hash != nothing && ee_nfc(names[i], &arena).data == names[i].data;
    category->class_name = coco->classes.length;
    category->class_length = names[i].length;
    category->class_hash = ee_hash_bytes(names[i].data, names[i].length, 0);
    category->members_hash = ee_hash_of_member(key, hash) + ee_hash_of_member(coco->key_hashes[EE_COCO_CATEGORY_ID],
                                                                              ee_hash_of_number((double)category->id));
    ee_buffer_add_str(&coco->classes, names[i]);
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
  /* A number ends where other text follows, and is read many bytes at a time. */
  memset(ee_buffer_reserve(&coco->objects.text, READ_AHEAD), 0, READ_AHEAD);
  memset(ee_buffer_reserve(&coco->detections.text, READ_AHEAD), 0, READ_AHEAD);
}

bool ee_coco_make_boxes(const void *user, uint64_t number, ee_arena *arena, ee_image_boxes *boxes) {
  const ee_coco *coco = user;
  if (!coco->has_boxes) return false;
  size_t image = (size_t)number;
  *boxes = (ee_image_boxes){.object_count = coco->objects.first[image + 1] - coco->objects.first[image],
                            .detection_count = coco->detections.first[image + 1] - coco->detections.first[image]};
  boxes->objects = ee_arena_alloc(arena, boxes->object_count * sizeof *boxes->objects);
  boxes->detections = ee_arena_alloc(arena, boxes->detection_count * sizeof *boxes->detections);
  class_table table = new_table(coco, boxes->object_count + boxes->detection_count, arena);
  bool good = read_objects(coco, image, &table, arena, boxes) && read_detections(coco, image, &table, boxes);
  char digits[EE_COCO_ID_SIZE];
  ee_str id = ee_coco_id_text(coco->images.items[image], digits);
  boxes->id = (ee_str){ee_arena_copy(arena, id.data, id.length), id.length};
  boxes->classes = table.classes;
  boxes->class_count = table.count;
  return good;
}
