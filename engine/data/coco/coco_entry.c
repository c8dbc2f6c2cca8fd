/* coco_entry.c: the members of an entry, found by the length of their keys. */
#include "data/coco/coco_entry.h"

#include "data/json/json_scan.h"

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

/* Reads `[n,n,n,n]` at `at`; NULL, without a mistake, when the value is anything else. */
static const char *read_box(const char *at, const char *end, ee_str box[4]) {
  for (size_t i = 0; i < 4; i++) {
    ee_json_number number;
    const char *mistake, *mistake_at;
    at = ee_json_skip_space(at, end);
    if (at == end || *at != (i == 0 ? '[' : ',')) return NULL;
    at = ee_json_skip_space(at + 1, end);
    if (at == end || (*at != '-' && !ee_json_is_digit(*at))) return NULL;
    const char *behind = ee_json_read_number(at, end, &number, &mistake, &mistake_at);
    if (behind == NULL) return NULL;
    box[i] = (ee_str){at, (size_t)(behind - at)};
    at = behind;
  }
  at = ee_json_skip_space(at, end);
  return at < end && *at == ']' ? at + 1 : NULL;
}

const char *ee_coco_entry_read(ee_json_scan *scan, const char *at, ee_coco_entry *entry, bool *is_object) {
  *entry = (ee_coco_entry){.boxed = false};
  at = ee_json_skip_space(at, scan->end);
  *is_object = at < scan->end && *at == '{';
  if (!*is_object) return ee_json_skip_value(scan, at);
  at++;
  for (bool first = true;; first = false) {
    ee_str key;
    bool done;
    at = ee_json_next_member(scan, at, first, &key, &done);
    if (at == NULL || done) return at;
    ee_coco_member member = find_member(key);
    const char *value = at;
    const char *box = member == EE_COCO_BBOX ? read_box(at, scan->end, entry->box) : NULL;
    at = box != NULL ? box : ee_json_skip_value(scan, at);
    if (at == NULL) return NULL;
    if (member == EE_COCO_MEMBERS) continue;
    bool is_null = *value == 'n';
    entry->values[member] = is_null ? (ee_str){NULL, 0} : (ee_str){value, (size_t)(at - value)};
    if (member == EE_COCO_BBOX) entry->boxed = box != NULL;
  }
}

static bool is_number(ee_str text) { return text.data[0] == '-' || ee_json_is_digit(text.data[0]); }

const char *ee_coco_entry_check(const ee_coco_entry *entry, ee_coco_member member, ee_coco_want want, int64_t *number) {
  ee_str value = entry->values[member];
  bool there = value.data != NULL;
  switch (want) {
  case EE_COCO_WHOLE:
    if (!there) return "is missing";
    return ee_json_whole_number(value, number) ? NULL : "is no whole number of at most 18 digits";
  case EE_COCO_BOX:
    if (!there) return "is missing";
    return entry->boxed ? NULL : "is no list of four numbers";
  case EE_COCO_TEXT:
    if (!there) return "is missing";
    return value.data[0] == '"' ? NULL : "is no text";
  case EE_COCO_NUMBER: return !there || is_number(value) ? NULL : "is no number";
  case EE_COCO_FLAG:
    return !there || is_number(value) || value.data[0] == 't' || value.data[0] == 'f' ? NULL : "is no number";
  }
  return NULL;
}
