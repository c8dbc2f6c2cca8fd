/* coco_entry.c: reading an entry step by step, and what is wrong with a member. */
#include "data/coco/coco_entry.h"

#include <string.h>

/* Keys ----------------------------------------------------------------------------------------- */

const char *const ee_coco_member_names[EE_COCO_MEMBERS] = {"id",   "image_id", "category_id", "bbox", "score",
                                                           "area", "iscrowd",  "ignore",      "name"};

#define IS(member) (memcmp(key.data, member, sizeof(member) - 1) == 0)

/* The member that a key means, or EE_COCO_MEMBERS. */
static ee_coco_member find_member(ee_str key) {
  switch (key.length) {
  case 2:
    if (IS("id")) return EE_COCO_ID;
    break;
  case 4:
    if (IS("bbox")) return EE_COCO_BBOX;
    if (IS("area")) return EE_COCO_AREA;
    if (IS("name")) return EE_COCO_NAME;
    break;
  case 5:
    if (IS("score")) return EE_COCO_SCORE;
    break;
  case 6:
    if (IS("ignore")) return EE_COCO_IGNORE;
    break;
  case 7:
    if (IS("iscrowd")) return EE_COCO_ISCROWD;
    break;
  case 8:
    if (IS("image_id")) return EE_COCO_IMAGE_ID;
    break;
  case 11:
    if (IS("category_id")) return EE_COCO_CATEGORY_ID;
    break;
  default: break;
  }
  if (memchr(key.data, '\\', key.length) == NULL) return EE_COCO_MEMBERS;
  for (ee_coco_member member = 0; member < EE_COCO_MEMBERS; member++)
    if (ee_json_key_is(key, ee_coco_member_names[member])) return member;
  return EE_COCO_MEMBERS;
}

/* Steps ---------------------------------------------------------------------------------------- */

static void keep_step(ee_coco_layout *layout, size_t step, ee_str text, ee_coco_member member) {
  if (step >= EE_COCO_STEPS || text.length > EE_COCO_STEP_BYTES) return;
  memcpy(layout->steps[step].text, text.data, text.length);
  layout->steps[step].mask = (uint32_t)((UINT64_C(1) << text.length) - 1);
  layout->steps[step].length = (uint8_t)text.length;
  layout->steps[step].member = (uint8_t)member;
}

/* Whether the text at `at` begins with that of the step. */
static inline bool is_step(const ee_coco_layout *layout, size_t step, const char *at, const char *end) {
  if (step >= EE_COCO_STEPS || layout->steps[step].length == 0) return false;
  const char *text = layout->steps[step].text;
#if defined(EE_JSON_SSE2)
  if (end - at < EE_COCO_STEP_BYTES) return false;
  __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)at),
                               _mm_loadu_si128((const __m128i *)(const void *)text));
  __m128i high = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(at + 16)),
                                _mm_loadu_si128((const __m128i *)(const void *)(text + 16)));
  uint32_t same = (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
  return (~same & layout->steps[step].mask) == 0;
#else
  size_t length = layout->steps[step].length;
  return (size_t)(end - at) > length && memcmp(at, text, length) == 0;
#endif
}

/* The length of the number at `at`, which may have a sign but no exponent, where more text follows; 0 for any other
 * text. */
static inline size_t number_length(const char *at, const char *end) {
  size_t sign = at < end && *at == '-', length = ee_json_plain_number_length(at + sign, end);
  return length > 0 ? sign + length : 0;
}

/* Most values follow at once. */
static inline const char *skip_space(const char *at, const char *end) {
  return at < end && (unsigned char)*at > ' ' ? at : ee_json_skip_space(at, end);
}

/* Reads `[n,n,n,n]` at `at`; NULL when the value is anything else. */
static const char *read_any_box(const char *at, const char *end, ee_str box[4]) {
  for (size_t i = 0; i < 4; i++) {
    ee_json_number number;
    const char *mistake, *mistake_at;
    at = ee_json_skip_space(at, end);
    if (at == end || *at != (i == 0 ? '[' : ',')) return NULL;
    at = ee_json_skip_space(at + 1, end);
    if (at == end || (*at != '-' && !ee_json_is_digit(*at))) return NULL;
    const char *after = ee_json_read_number(at, end, &number, &mistake, &mistake_at);
    if (after == NULL) return NULL;
    box[i] = (ee_str){at, (size_t)(after - at)};
    at = after;
  }
  at = ee_json_skip_space(at, end);
  return at < end && *at == ']' ? at + 1 : NULL;
}

/* The same; the usual box, with numbers that number_length() knows and at most one space before each, at once. */
static inline const char *read_box(const char *start, const char *end, ee_str box[4]) {
  const char *at = start;
  for (size_t i = 0; i < 4; i++) {
    if (end - at < 2 || *at != (i == 0 ? '[' : ',')) return read_any_box(start, end, box);
    at += 1 + (at[1] == ' ');
    size_t length = number_length(at, end);
    if (length == 0) return read_any_box(start, end, box);
    box[i] = (ee_str){at, length};
    at += length; /* before the end: a number of this kind is followed by more text */
  }
  return *at == ']' ? at + 1 : read_any_box(start, end, box);
}

/* Goes to the value of the next member, as ee_json_next_member(); `*member` is set unless `*done`. */
static inline const char *find_value(ee_json_scan *scan, const char *at, ee_coco_layout *layout, size_t step,
                                     ee_coco_member *member, bool *done) {
  *done = false;
  if (is_step(layout, step, at, scan->end)) {
    *member = layout->steps[step].member;
    return skip_space(at + layout->steps[step].length, scan->end);
  }
  ee_str key;
  const char *value = ee_json_next_member(scan, at, step == 0, &key, done);
  if (value == NULL || *done) return value;
  *member = find_member(key);
  keep_step(layout, step, (ee_str){at, (size_t)(value - at)}, *member);
  return value;
}

const char *ee_coco_read_entry(ee_json_scan *scan, const char *at, ee_coco_layout *layout, ee_coco_entry *entry,
                               bool *is_object) {
  for (size_t i = 0; i < EE_COCO_MEMBERS; i++) entry->values[i] = (ee_str){NULL, 0};
  entry->boxed = false;
  entry->end = scan->end;
  at = ee_json_skip_space(at, scan->end);
  *is_object = at < scan->end && *at == '{';
  if (!*is_object) return ee_json_skip_value(scan, at);
  at++;
  for (size_t step = 0;; step++) {
    if (step > 0 && at < scan->end && *at == '}') return at + 1;
    ee_coco_member member;
    bool done;
    const char *value = at = find_value(scan, at, layout, step, &member, &done), *after;
    if (at == NULL || done) return at;
    if (member == EE_COCO_BBOX) {
      after = read_box(at, scan->end, entry->box);
      entry->boxed = after != NULL;
    } else {
      size_t length = number_length(at, scan->end);
      after = length > 0 ? at + length : NULL;
    }
    at = after != NULL ? after : ee_json_skip_value(scan, at);
    if (at == NULL) return NULL;
    if (member == EE_COCO_MEMBERS) continue;
    bool is_null = *value == 'n';
    entry->values[member] = is_null ? (ee_str){NULL, 0} : (ee_str){value, (size_t)(at - value)};
  }
}
