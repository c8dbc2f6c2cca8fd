/* profile.c: the walk over a case's documents, and what one value adds to its path. */
#include "infer/profile.h"

#include <math.h>
#include <stdlib.h>

#include "data/json/json_writer.h"
#include "prim/date.h"
#include "prim/normalize.h"
#include "prim/number.h"

/* Bytes of an example, and of a text that is looked at as a number, a date or a placeholder. */
#define EXAMPLE_SHOWN 60
#define SHORT_TEXT 100
/* Paths of one case that only one side has and that are compared with those of the other side. */
#define ONE_SIDED 64
#define RENAMINGS 20000
/* The document for the rule test: scalars, and bytes of JSON. */
#define SAMPLE_SCALARS 60
#define SAMPLE_BYTES 3000
/* A reading is given up once it failed for this many values and read less than half. */
#define GIVE_UP_AFTER 200
/* Pairs of dates of a path that are compared to find out their order. */
#define DATES_COMPARED 500

static bool is_scalar(const ee_value *value) {
  ee_type type = ee_type_of(value);
  return type != EE_ARRAY && type != EE_OBJECT;
}

/* Nodes ---------------------------------------------------------------------------------------- */

static ee_profile_node *new_node(ee_profile *profile, ee_profile_node *parent, ee_str key, bool is_element) {
  ee_profile_node *node = EE_NEW(&profile->arena, ee_profile_node);
  node->parent = parent;
  node->is_element = is_element;
  node->key = (ee_str){ee_arena_copy(&profile->arena, key.length > 0 ? key.data : "", key.length), key.length};
  node->depth = parent != NULL ? parent->depth + 1 : 0;
  node->number = profile->nodes.count;
  *EE_LIST_ADD(&profile->nodes, NULL) = node;
  if (parent == NULL) return node;
  if (parent->last != NULL)
    parent->last->next = node;
  else
    parent->first = node;
  parent->last = node;
  parent->members++;
  return node;
}

/* The member `key` of `parent`, or its elements. NULL when it would be one too many. `hint` is where it is if documents
 * have their keys in one order. */
static ee_profile_node *find_node(ee_profile *profile, ee_profile_node *parent, ee_str key, bool is_element,
                                  ee_profile_node *hint) {
  if (hint != NULL && hint->is_element == is_element && ee_str_equal(hint->key, key)) return hint;
  uint64_t hash = ee_hash_bytes(key.data, key.length, ee_hash_mix(parent->number * 2 + is_element + 1));
  size_t at = 0, number;
  while (ee_hash_index_next(&profile->index, hash, &at, &number)) {
    ee_profile_node *node = profile->nodes.items[number];
    if (node->parent == parent && node->is_element == is_element && ee_str_equal(node->key, key)) return node;
  }
  if (profile->nodes.count >= EE_PROFILE_PATHS || parent->depth >= EE_PROFILE_DEPTH) {
    parent->capped = true;
    return NULL;
  }
  ee_profile_node *node = new_node(profile, parent, key, is_element);
  ee_hash_index_add(&profile->index, hash, node->number);
  return node;
}

void ee_profile_init(ee_profile *profile) {
  *profile = (ee_profile){0};
  ee_arena_init(&profile->arena, 0);
  profile->root = new_node(profile, NULL, EE_STR(""), false);
  profile->record = new_node(profile, NULL, EE_STR(""), false);
}

void ee_profile_fini(ee_profile *profile) {
  EE_LIST_FINI(&profile->nodes);
  EE_LIST_FINI(&profile->renamings);
  ee_hash_index_fini(&profile->index);
  ee_hash_index_fini(&profile->renaming_index);
  ee_arena_fini(&profile->arena);
}

uint64_t ee_value_profile_count(const ee_value_profile *values) {
  return values != NULL ? values->present - values->empty : 0;
}

static void add_path(const ee_profile_node *node, const ee_profile_node *base, ee_path_text *text) {
  if (node == base || node->parent == NULL) return;
  add_path(node->parent, base, text);
  if (node->is_element)
    ee_path_text_add_all(text);
  else
    ee_path_text_add_key(text, node->key);
}

ee_str ee_profile_path(const ee_profile_node *node, const ee_profile_node *base, ee_arena *arena) {
  ee_path_text text = {.arena = arena};
  add_path(node, base, &text);
  return text.data != NULL ? ee_path_text_get(&text) : EE_STR("");
}

/* Placeholders --------------------------------------------------------------------------------- */

/* In folded case. The first ones mean "no value" wherever they are; the others may be values of a field of texts. */
static const char *const sure_placeholders[] = {
    "n/a", "n.a.", "not available", "not applicable", "not specified", "not provided", "not found", "null", NULL};
static const char *const possible_placeholders[] = {"na",           "none", "nil", "nan", "undefined",
                                                    "unknown",      "-",    "--",  "---", "\xe2\x80\x93",
                                                    "\xe2\x80\x94", "?",    ".",   NULL};

static bool is_listed(ee_str text, const char *const *list) {
  for (; *list != NULL; list++)
    if (ee_str_is(text, *list)) return true;
  return false;
}

/* Counts a text that means "no value"; false if `text` is not one. */
static bool add_placeholder(ee_profile *profile, ee_profile_node *node, ee_str text) {
  /* They begin with one of these, which few other texts do. */
  if (text.length == 0 || text.length > 16 || memchr("nNuU-.?\xe2", text.data[0], 8) == NULL) return false;
  char folded[16];
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    folded[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
  }
  ee_str key = {folded, text.length};
  bool sure = is_listed(key, sure_placeholders);
  if (!sure && !is_listed(key, possible_placeholders)) return false;
  for (size_t i = 0; i < node->placeholder_count; i++) {
    ee_placeholder *known = &node->placeholders[i];
    if (!ee_str_equal(known->text, text)) continue;
    known->count++;
    return true;
  }
  if (node->placeholder_count == EE_PROFILE_PLACEHOLDERS) return false;
  node->placeholders[node->placeholder_count++] = (ee_placeholder){
      .text = {ee_arena_copy(&profile->arena, text.data, text.length), text.length}, .count = 1, .sure = sure};
  return true;
}

/* Examples ------------------------------------------------------------------------------------- */

static ee_example make_example(ee_profile *profile, const ee_value *value, ee_str id) {
  ee_buffer text;
  ee_buffer_init(&text);
  if (ee_type_of(value) == EE_STRING && value->length > EXAMPLE_SHOWN) {
    ee_str whole = ee_value_text(value);
    ee_json_write_string(&text, (ee_str){whole.data, ee_utf8_cut(whole, EXAMPLE_SHOWN - 3)});
    text.length--;
    ee_buffer_add_text(&text, "...\"");
  } else {
    ee_json_write_value(&text, value);
    if (text.length > EXAMPLE_SHOWN + 2) {
      text.length = ee_utf8_cut((ee_str){text.data, text.length}, EXAMPLE_SHOWN - 3);
      ee_buffer_add_text(&text, "...");
    }
  }
  size_t id_length = ee_utf8_cut(id, EXAMPLE_SHOWN);
  ee_example example = {{ee_arena_copy(&profile->arena, text.data, text.length), text.length},
                        {ee_arena_copy(&profile->arena, id.length > 0 ? id.data : "", id_length), id_length}};
  ee_buffer_fini(&text);
  return example;
}

/* Remembers the value among the different ones. */
static void note_distinct(ee_profile *profile, ee_value_profile *part, const ee_value *value, ee_str id) {
  if (part->distinct == EE_PROFILE_DISTINCT) return;
  uint64_t hash = ee_value_hash(value);
  for (size_t i = 0; i < part->distinct; i++)
    if (part->distinct_hashes[i] == hash) return;
  if (part->distinct < EE_PROFILE_EXAMPLES) part->examples[part->distinct] = make_example(profile, value, id);
  part->distinct_hashes[part->distinct++] = hash;
}

/* Readings ------------------------------------------------------------------------------------- */

/* What one value is, as far as readings go: a bit for each that reads it. */
typedef struct read_value {
  unsigned bits;
  ee_str digits; /* of a plain number */
} read_value;

#define BIT(reading) (1u << (reading))
#define NUMBERS                                                                                                        \
  (BIT(EE_READING_POINT) | BIT(EE_READING_COMMA) | BIT(EE_READING_MONEY_POINT) | BIT(EE_READING_MONEY_COMMA))

static bool has_digit(ee_str text) {
  for (size_t i = 0; i < text.length; i++)
    if (text.data[i] >= '0' && text.data[i] <= '9') return true;
  return false;
}

/* The readings that are still worth trying for the values of `part`. */
static unsigned live_readings(const ee_value_profile *part) {
  uint64_t count = ee_value_profile_count(part);
  unsigned live = 0;
  for (unsigned i = 0; i < EE_READINGS; i++)
    if (count < GIVE_UP_AFTER || part->read[i] * 2 >= count) live |= BIT(i);
  return live;
}

static unsigned read_dates(ee_str text) {
  unsigned bits = 0, orders = ee_date_orders(text);
  ee_date_readings clear;
  if (orders == 0) return 0;
  bool one_order = (orders & (orders - 1)) == 0;
  if (one_order || ee_date_read(text, &(ee_date_rules){0}, &clear) == 1) bits |= BIT(EE_READING_DATE);
  if (orders & EE_DATE_DMY) bits |= BIT(EE_READING_DMY);
  if (orders & EE_DATE_MDY) bits |= BIT(EE_READING_MDY);
  if (orders & EE_DATE_YMD) bits |= BIT(EE_READING_YMD);
  return bits;
}

static read_value read_text(ee_str text, unsigned live, ee_arena *arena) {
  read_value result = {0};
  if (text.length > SHORT_TEXT || live == 0 || !has_digit(text)) return result;
  /* What the plain forms read, those of money read, too. */
  static const struct {
    ee_reading reading;
    ee_number_format format;
  } numbers[] = {
      {EE_READING_POINT, {.decimal = '.'}},
      {EE_READING_COMMA, {.decimal = ','}},
      {EE_READING_MONEY_POINT, {.decimal = '.', .money = true}},
      {EE_READING_MONEY_COMMA, {.decimal = ',', .money = true}},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    double value;
    ee_str digits;
    if (i >= 2 && (result.bits & BIT(numbers[i - 2].reading)) != 0) {
      result.bits |= BIT(numbers[i].reading);
      continue;
    }
    if ((live & BIT(numbers[i].reading)) == 0) continue;
    if (!ee_number_parse(text, numbers[i].format, arena, &value, &digits) || !isfinite(value)) continue;
    if (result.bits == 0) result.digits = digits;
    result.bits |= BIT(numbers[i].reading);
  }
  if ((live & ~NUMBERS) != 0) result.bits |= read_dates(text);
  return result;
}

/* Counts what the readings read; the first value that one does not read is its example. */
static void count_readings(ee_profile *profile, ee_value_profile *part, unsigned bits, const ee_value *value,
                           ee_str id) {
  ee_example example = {{NULL, 0}, {NULL, 0}};
  for (unsigned i = 0; i < EE_READINGS; i++) {
    if ((bits & BIT(i)) != 0) {
      part->read[i]++;
    } else if (part->unread[i].text.data == NULL) {
      if (example.text.data == NULL) example = make_example(profile, value, id);
      part->unread[i] = example;
    }
  }
}

/* Scalars -------------------------------------------------------------------------------------- */

/* Counts the digits after the point of a plain decimal text; an exponent counts as very many. */
static void note_decimals(ee_value_profile *part, ee_str digits) {
  const char *point = memchr(digits.data, '.', digits.length);
  bool exponent = memchr(digits.data, 'e', digits.length) != NULL || memchr(digits.data, 'E', digits.length) != NULL;
  size_t decimals = 0;
  if (point != NULL) decimals = digits.length - (size_t)(point + 1 - digits.data);
  if (exponent) decimals = ee_decimal_is_whole(digits) ? 0 : 99;
  while (!exponent && decimals > 0 && point[decimals] == '0') decimals--;
  if (decimals > 0) part->fractions++;
  if (point != NULL && !exponent) decimals = digits.length - (size_t)(point + 1 - digits.data);
  if (decimals > part->decimals) part->decimals = (unsigned)decimals;
}

/* A telephone number: digits with signs between them. */
static bool is_phone(ee_str text) {
  if ((text.data[0] < '0' || text.data[0] > '9') && text.data[0] != '+' && text.data[0] != '(') return false;
  size_t digits = 0, signs = 0;
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    if (c >= '0' && c <= '9')
      digits++;
    else if (strchr("+-()/ ", c) != NULL && c != '\0')
      signs++;
    else
      return false;
  }
  return digits >= 7 && digits <= 15 && signs > 0;
}

static bool is_address(ee_str text) {
  const char *at = memchr(text.data, '@', text.length);
  if (at != NULL) return at > text.data && memchr(at, '.', text.length - (size_t)(at - text.data)) != NULL;
  return (text.length > 7 && memcmp(text.data, "http://", 7) == 0) ||
         (text.length > 8 && memcmp(text.data, "https://", 8) == 0) ||
         (text.length > 4 && memcmp(text.data, "www.", 4) == 0);
}

/* A date of ISO 8601, whole or without its day or month. */
static bool is_iso_date(ee_str text) {
  static const char shape[] = "dddd-dd-dd";
  if (text.length != 4 && text.length != 7 && text.length != 10) return false;
  for (size_t i = 0; i < text.length; i++) {
    bool digit = text.data[i] >= '0' && text.data[i] <= '9';
    if (shape[i] == 'd' ? !digit : text.data[i] != '-') return false;
  }
  if (text.length == 10) return ee_date_looks_like(text);
  int month = text.length == 7 ? (text.data[5] - '0') * 10 + text.data[6] - '0' : 1;
  return month >= 1 && month <= 12;
}

static void note_shape(ee_value_profile *part, ee_str text) {
  size_t words = 0, digits = 0;
  bool in_word = false, lower = false;
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    bool space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!space && !in_word) words++;
    in_word = !space;
    digits += c >= '0' && c <= '9';
    lower = lower || (c >= 'a' && c <= 'z');
  }
  part->bytes += text.length;
  part->words += words;
  if (text.length > part->longest) part->longest = text.length;
  if (text.length < part->shortest || part->shortest == 0) part->shortest = text.length;
  part->one_word += words == 1;
  part->with_digit += digits > 0;
  part->with_lower += lower;
  part->digits_only += digits == text.length;
  part->iso_dates += is_iso_date(text);
  part->leading_zero += digits == text.length && text.length > 1 && text.data[0] == '0';
  if (digits > 0 && text.length <= SHORT_TEXT) part->phones += is_phone(text);
  if (words == 1) part->addresses += is_address(text);
}

static void add_string(ee_profile *profile, ee_value_profile *part, const ee_value *value, ee_str id, ee_arena *arena) {
  ee_str text = ee_str_trim(ee_value_text(value));
  read_value read = read_text(text, live_readings(part), arena);
  count_readings(profile, part, read.bits, value, id);
  if (read.digits.data != NULL) note_decimals(part, read.digits);
  note_shape(part, text);
}

static void add_number(ee_profile *profile, ee_value_profile *part, const ee_value *value, ee_str id) {
  char text[32];
  count_readings(profile, part, isfinite(ee_value_number(value)) ? NUMBERS : 0, value, id);
  note_decimals(part, ee_value_number_text(value, text));
}

/* Arrays --------------------------------------------------------------------------------------- */

static bool is_point(const ee_value *value) {
  if (ee_type_of(value) != EE_ARRAY || ee_value_count(value) != 2) return false;
  const ee_value *x = ee_value_child(value);
  return ee_type_of(x) == EE_NUMBER && ee_type_of(ee_value_next(x)) == EE_NUMBER;
}

static void note_box(ee_value_profile *part, const ee_value *array) {
  double n[4];
  const ee_value *at = ee_value_child(array);
  for (int i = 0; i < 4; i++, at = ee_value_next(at)) {
    n[i] = ee_value_number(at);
    if (!isfinite(n[i]) || fabs(n[i]) > 1e9) return;
  }
  part->boxes_by_corner += n[2] > n[0] && n[3] > n[1];
  part->boxes_by_size += n[2] > 0 && n[3] > 0;
}

static void add_array(ee_value_profile *part, const ee_value *array) {
  size_t count = ee_value_count(array);
  if (count == 0) {
    part->empty_containers++;
    part->empty_arrays++;
    return;
  }
  bool numbers = true, scalars = true, objects = true, points = true;
  for (const ee_value *at = ee_value_child(array); at != NULL; at = ee_value_next(at)) {
    ee_type type = ee_type_of(at);
    numbers = numbers && type == EE_NUMBER;
    scalars = scalars && is_scalar(at);
    objects = objects && (type == EE_OBJECT || type == EE_NULL);
    points = points && is_point(at);
  }
  part->arrays_of_numbers += numbers;
  part->arrays_of_scalars += scalars;
  part->arrays_of_objects += objects;
  part->polygons += points && count >= 3;
  if (numbers && count == 4) note_box(part, array);
  if (count > part->longest_array) part->longest_array = count;
  if (count < part->shortest_array || part->shortest_array == 0) part->shortest_array = count;
}

/* The walk ------------------------------------------------------------------------------------- */

/* A value at a path that only one side of the case may have. */
typedef struct leaf {
  ee_profile_node *node;
  const ee_value *value;
} leaf;

typedef struct walk {
  ee_profile *profile;
  ee_profile_part part;
  const ee_case *current;
  ee_arena *arena;            /* scratch */
  const ee_value *skipped[2]; /* of a record: what is not one of its own members */
  unsigned depth_limit;
  size_t scalars;
  struct {
    EE_LIST(leaf);
  } leaves;
} walk;

static void add_value(walk *self, ee_profile_node *node, const ee_value *value);

static void add_members(walk *self, ee_profile_node *node, const ee_value *value) {
  bool is_array = ee_type_of(value) == EE_ARRAY;
  ee_profile_node *hint = node->first;
  for (const ee_value *at = ee_value_child(value); at != NULL; at = ee_value_next(at)) {
    if (at == self->skipped[0] || at == self->skipped[1]) continue;
    ee_profile_node *child = find_node(self->profile, node, is_array ? EE_STR("") : ee_value_key(at), is_array, hint);
    if (child == NULL) {
      self->profile->left_out++;
      continue;
    }
    hint = is_array ? child : child->next;
    add_value(self, child, at);
  }
}

static void add_one(walk *self, ee_profile_node *node, const ee_value *value, bool is_answer);

/* Adds a value, or each of several correct answers. */
static void add_value(walk *self, ee_profile_node *node, const ee_value *value) {
  const ee_value *answers = ee_value_any_of(value);
  if (answers != NULL) node->several[self->part]++;
  if (answers == NULL || self->part == EE_PROFILE_CANDIDATE) {
    add_one(self, node, value, false);
    return;
  }
  for (const ee_value *at = ee_value_child(answers); at != NULL; at = ee_value_next(at)) {
    node->answers++;
    node->answer_arrays += ee_type_of(at) == EE_ARRAY;
    add_one(self, node, at, true);
  }
}

static void add_one(walk *self, ee_profile_node *node, const ee_value *value, bool is_answer) {
  ee_profile *profile = self->profile;
  if (node->parts[self->part] == NULL) node->parts[self->part] = EE_NEW(&profile->arena, ee_value_profile);
  ee_value_profile *part = node->parts[self->part];
  ee_str id = ee_case_base(self->current);
  ee_type type = ee_type_of(value);
  part->present++;
  bool none = ee_value_is_empty(value, NULL);
  if (!none && type == EE_STRING) none = add_placeholder(profile, node, ee_str_trim(ee_value_text(value)));
  if (none) {
    part->empty++;
    return;
  }
  part->types[type]++;
  node->stamps[self->part] = profile->cases;
  if (self->part == EE_PROFILE_EXPECTED) node->current = value;
  if (is_scalar(value)) {
    self->scalars++;
    note_distinct(profile, part, value, id);
    if (self->leaves.count < EE_PROFILE_PATHS) *EE_LIST_ADD(&self->leaves, self->arena) = (leaf){node, value};
  } else if (part->examples[0].text.length <= 2) { /* none, [] or {} */
    part->examples[0] = make_example(profile, value, id);
  }
  ee_arena_mark mark = ee_arena_get_mark(self->arena);
  switch (type) {
  case EE_STRING:
    add_string(profile, part, value, id, self->arena);
    ee_arena_rewind(self->arena, mark);
    break;
  case EE_NUMBER: add_number(profile, part, value, id); break;
  case EE_ARRAY: add_array(part, value); break;
  case EE_OBJECT: part->empty_containers += ee_value_count(value) == 0; break;
  default: count_readings(profile, part, 0, value, id); break;
  }
  bool inside = type == EE_ARRAY || (type == EE_OBJECT && !is_answer);
  if (inside && node->depth < self->depth_limit) add_members(self, node, value);
}

/* The order of day and month ------------------------------------------------------------------- */

static bool read_date_as(ee_str text, unsigned order, int64_t *day) {
  ee_date_readings dates;
  if (ee_date_read(text, &(ee_date_rules){.order = order}, &dates) != 1) return false;
  *day = ee_date_days(&dates.dates[0]);
  return true;
}

/* If the expected date is ambiguous, the candidate's date may show which order is meant. */
static void compare_dates(ee_profile_node *node, const ee_value *candidate) {
  if (node->dates_compared == DATES_COMPARED) return;
  node->dates_compared++;
  if (ee_type_of(node->current) != EE_STRING || ee_type_of(candidate) != EE_STRING) return;
  ee_str a = ee_value_text(node->current), b = ee_value_text(candidate);
  int64_t dmy, mdy, other_dmy, other_mdy;
  if (a.length > SHORT_TEXT || b.length > SHORT_TEXT || !has_digit(a) || !has_digit(b)) return;
  if (!read_date_as(a, EE_DATE_DMY, &dmy) || !read_date_as(a, EE_DATE_MDY, &mdy) || dmy == mdy) return;
  if (!read_date_as(b, EE_DATE_DMY, &other_dmy) || !read_date_as(b, EE_DATE_MDY, &other_mdy)) return;
  node->equal_as_dmy += dmy == other_dmy && mdy != other_mdy;
  node->equal_as_mdy += mdy == other_mdy && dmy != other_dmy;
}

static void compare_all_dates(const walk *candidate) {
  uint64_t now = candidate->profile->cases;
  for (size_t i = 0; i < candidate->leaves.count; i++) {
    ee_profile_node *node = candidate->leaves.items[i].node;
    const ee_value_profile *part = node->parts[EE_PROFILE_EXPECTED];
    if (node->stamps[EE_PROFILE_EXPECTED] != now || node->is_element || part->read[EE_READING_DMY] == 0) continue;
    compare_dates(node, candidate->leaves.items[i].value);
  }
}

/* Other names ---------------------------------------------------------------------------------- */

/* A hash that values share which differ in form only: 8.2 and "RM 8.20", "05/09/2016" and "2016-09-05", "Ann B." and
 * "ANN B". 0: a value that is too common to compare (true, an empty text). */
static uint64_t hash_of_meaning(const ee_value *value, ee_arena *arena) {
  ee_type type = ee_type_of(value);
  double number = type == EE_NUMBER ? ee_value_number(value) : 0;
  ee_str text = type == EE_STRING ? ee_str_trim(ee_value_text(value)) : EE_STR("");
  if (type != EE_NUMBER && type != EE_STRING) return 0;
  bool is_number = type == EE_NUMBER ||
                   (text.length <= SHORT_TEXT && has_digit(text) &&
                    ee_number_parse(text, (ee_number_format){.decimal = '.', .money = true}, arena, &number, NULL));
  if (is_number) {
    number += 0.0; /* -0 is 0 */
    return ee_hash_bytes(&number, sizeof number, 1);
  }
  ee_date_readings dates;
  if (text.length <= SHORT_TEXT && has_digit(text) && ee_date_read(text, &(ee_date_rules){0}, &dates) > 0) {
    /* Day and month in any order. */
    const int key[] = {dates.dates[0].year, dates.dates[0].month * dates.dates[0].day,
                       dates.dates[0].month + dates.dates[0].day};
    return ee_hash_bytes(key, sizeof key, 2);
  }
  static const uint8_t forms[] = {EE_NORMAL_CASEFOLD, EE_NORMAL_ALNUM};
  ee_str plain = ee_normalize(text, forms, 2, arena);
  return plain.length > 0 ? ee_hash_bytes(plain.data, plain.length, 3) : 0;
}

static void add_renaming(ee_profile *profile, ee_profile_node *expected, ee_profile_node *candidate) {
  uint64_t hash = ee_hash_mix(expected->number * EE_PROFILE_PATHS + candidate->number + 1);
  size_t at = 0, number;
  ee_renaming *found = NULL;
  while (found == NULL && ee_hash_index_next(&profile->renaming_index, hash, &at, &number)) {
    ee_renaming *known = &profile->renamings.items[number];
    if (known->expected == expected && known->candidate == candidate) found = known;
  }
  if (found == NULL) {
    if (profile->renamings.count == RENAMINGS) return;
    ee_hash_index_add(&profile->renaming_index, hash, profile->renamings.count);
    found = EE_LIST_ADD(&profile->renamings, NULL);
    *found = (ee_renaming){.expected = expected, .candidate = candidate};
  }
  if (found->stamp == profile->cases) return;
  found->stamp = profile->cases;
  found->equal++;
}

/* Keeps the leaves whose path the other side of this case lacks, and counts them, once a path. */
static void keep_one_sided(walk *self, ee_profile_part other) {
  size_t kept = 0;
  uint64_t now = self->profile->cases;
  for (size_t i = 0; i < self->leaves.count; i++) {
    ee_profile_node *node = self->leaves.items[i].node;
    if (node->stamps[other] == now) continue;
    bool again = node->lacking_stamp == now;
    node->lacking_stamp = now;
    if (!again) node->lacking[other]++;
    self->leaves.items[kept++] = self->leaves.items[i];
  }
  self->leaves.count = kept;
}

static void compare_one_sided(walk *expected, walk *candidate) {
  keep_one_sided(expected, EE_PROFILE_CANDIDATE);
  keep_one_sided(candidate, EE_PROFILE_EXPECTED);
  size_t rows = expected->leaves.count, columns = candidate->leaves.count;
  if (rows == 0 || columns == 0) return;
  if (rows > ONE_SIDED) rows = ONE_SIDED;
  if (columns > ONE_SIDED) columns = ONE_SIDED;
  uint64_t hashes[ONE_SIDED];
  for (size_t i = 0; i < columns; i++) hashes[i] = hash_of_meaning(candidate->leaves.items[i].value, candidate->arena);
  for (size_t i = 0; i < rows; i++) {
    uint64_t hash = hash_of_meaning(expected->leaves.items[i].value, expected->arena);
    for (size_t j = 0; hash != 0 && j < columns; j++)
      if (hashes[j] == hash)
        add_renaming(expected->profile, expected->leaves.items[i].node, candidate->leaves.items[j].node);
  }
}

/* Cases ---------------------------------------------------------------------------------------- */

/* Counts root members that are the case's id. */
static void note_ids(ee_profile *profile, const ee_case *current) {
  if (ee_type_of(current->expected) != EE_OBJECT) return;
  ee_profile_node *hint = profile->root->first;
  for (const ee_value *at = ee_value_child(current->expected); at != NULL; at = ee_value_next(at)) {
    char text[32];
    bool same = ee_type_of(at) == EE_STRING   ? ee_str_equal(ee_value_text(at), ee_case_base(current))
                : ee_type_of(at) == EE_NUMBER ? ee_str_equal(ee_value_number_text(at, text), ee_case_base(current))
                                              : false;
    if (!same) continue;
    ee_profile_node *node = find_node(profile, profile->root, ee_value_key(at), false, hint);
    if (node != NULL) node->equal_to_id++;
  }
}

/* The key of the member of `record` that is `value`, or a string that is `text`; data NULL: none. The member `other`
 * is another part of the record, whose text may be the same. */
static ee_str key_of(const ee_value *record, const ee_value *value, ee_str text, ee_str other) {
  for (const ee_value *at = ee_type_of(record) == EE_OBJECT ? ee_value_child(record) : NULL; at != NULL;
       at = ee_value_next(at)) {
    char number[32];
    ee_str own = ee_type_of(at) == EE_STRING   ? ee_value_text(at)
                 : ee_type_of(at) == EE_NUMBER ? ee_value_number_text(at, number)
                                               : (ee_str){NULL, 0};
    if (other.data != NULL && ee_str_equal(ee_value_key(at), other)) continue;
    if (at == value || (own.data != NULL && text.data != NULL && ee_str_equal(own, text))) return ee_value_key(at);
  }
  return (ee_str){NULL, 0};
}

/* The same for a document; one that was read from a text has its members nowhere in the record: then the first string
 * with a bracket. */
static ee_str key_of_document(const ee_value *record, const ee_value *document, ee_str text, ee_str other) {
  ee_str key = key_of(record, document, text, other);
  const ee_value *first = document != NULL ? ee_value_child(document) : NULL;
  if (key.data != NULL || ee_type_of(record) != EE_OBJECT || first == NULL) return key;
  if (ee_type_of(document) == EE_OBJECT && ee_value_member(record, ee_value_key(first), NULL) != NULL) return key;
  for (const ee_value *at = ee_value_child(record); at != NULL; at = ee_value_next(at)) {
    if (ee_type_of(at) != EE_STRING || (other.data != NULL && ee_str_equal(ee_value_key(at), other))) continue;
    ee_str own = ee_value_text(at);
    if (memchr(own.data, '{', own.length) != NULL || memchr(own.data, '[', own.length) != NULL) return ee_value_key(at);
  }
  return key;
}

static ee_str keep(ee_profile *profile, ee_str text) {
  if (text.data == NULL) return text;
  return (ee_str){ee_arena_copy(&profile->arena, text.data, text.length), text.length};
}

/* Remembers under which keys the first case has its parts. */
static void note_members(ee_profile *profile, const ee_case *current) {
  const ee_value *truth = current->truth != NULL ? current->truth : current->record;
  const ee_str none = {NULL, 0};
  profile->unnamed = current->unnamed;
  if (!current->unnamed) {
    profile->id_key = keep(profile, key_of(current->record, NULL, ee_case_base(current), none));
    profile->expected_id_key = keep(profile, key_of(truth, NULL, ee_case_base(current), none));
  }
  /* A number may be a string in the record. */
  char number[32];
  ee_str text = ee_type_of(current->expected) == EE_NUMBER ? ee_value_number_text(current->expected, number) : none;
  profile->expected_key = keep(profile, key_of_document(truth, current->expected, text, profile->expected_id_key));
  profile->candidate_key = keep(profile, key_of_document(current->record, current->candidate, current->candidate_text,
                                                         truth == current->record ? profile->expected_key : none));
}

/* Keeps the expected document if it is the best one for a test so far: with many values, but short. */
static void keep_sample(ee_profile *profile, const ee_case *current, size_t scalars) {
  if (scalars <= profile->sample_values || scalars > SAMPLE_SCALARS) return;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_json_write_value(&text, current->expected);
  if (text.length <= SAMPLE_BYTES) {
    profile->sample = ee_value_copy(&profile->arena, current->expected);
    profile->sample_id =
        (ee_str){ee_arena_copy(&profile->arena, current->id.data, current->id.length), current->id.length};
    profile->sample_values = scalars;
  }
  ee_buffer_fini(&text);
}

void ee_profile_add(void *user, const ee_case *current, ee_arena *arena) {
  ee_profile *profile = user;
  if (current->expected == NULL) return;
  if (profile->cases++ == 0) note_members(profile, current);
  const ee_value *whole = current->expected, *documents = ee_value_any_of(whole);
  ee_case one;
  if (documents != NULL && ee_value_count(documents) > 0) {
    profile->several++;
    one = *current;
    ee_case_take_document(&one, ee_value_child(documents), NULL, arena);
    current = &one;
  }
  profile->documents += current->expected == current->record;
  profile->candidates += current->candidate != NULL;
  walk expected = {.profile = profile,
                   .part = EE_PROFILE_EXPECTED,
                   .current = current,
                   .arena = arena,
                   .depth_limit = EE_PROFILE_DEPTH};
  walk candidate = expected;
  candidate.part = EE_PROFILE_CANDIDATE;
  add_value(&expected, profile->root, current->expected);
  if (current->candidate != NULL) {
    add_value(&candidate, profile->root, current->candidate);
    compare_all_dates(&candidate);
    compare_one_sided(&expected, &candidate);
  }
  note_ids(profile, current);
  keep_sample(profile, current, expected.scalars);
  if (whole == current->record) return;
  walk record = expected;
  record.leaves.count = record.leaves.capacity = 0;
  record.leaves.items = NULL;
  record.depth_limit = 2;
  record.skipped[0] = whole;
  record.skipped[1] = current->candidate;
  add_value(&record, profile->record, current->record);
}
