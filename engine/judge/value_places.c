/* value_places.c: the values of two documents in buckets, each read in full when it is first asked for. */
#include "judge/value_places.h"

#include <math.h>

#include "base/hash_index.h"
#include "base/list.h"
#include "base/work.h"
#include "data/json/value.h"
#include "prim/ascii_digit.h"
#include "prim/letter.h"
#include "prim/normalize.h"
#include "prim/number.h"
#include "prim/sort.h"

/* Values of fewer characters or digits are equal too often; longer texts are not searched, and not read as numbers. */
#define TELLING_LENGTH 3
#define LONGEST_SEARCHED 200
#define NUMBER_BYTES 64

/* What is the same in same values ------------------------------------------------------------------ */

/* Whether a text is read as a number. */
static bool read_number(ee_str text, double *number, ee_str *digits, ee_arena *arena) {
  ee_number_format format = {.decimal = '.', .money = true};
  return text.length <= NUMBER_BYTES && ee_next_ascii_digit(text, 0) < text.length &&
         ee_number_parse(text, format, arena, number, digits);
}

/* The text that same values share: a plain decimal text, or a text in lower case with single spaces. Empty for a value
 * that tells nothing. */
static ee_str telling_text(const ee_value *value, bool *is_number, ee_arena *arena) {
  ee_type type = ee_type_of(value);
  *is_number = type == EE_NUMBER;
  if (type != EE_STRING && type != EE_NUMBER) return (ee_str){0};
  ee_str text = *is_number ? ee_value_number_text(value, ee_arena_alloc(arena, 32)) : ee_str_trim(ee_value_text(value));
  if (text.length < TELLING_LENGTH || text.length > LONGEST_SEARCHED) return (ee_str){0};
  ee_str digits = text;
  double number;
  if (!*is_number) *is_number = read_number(text, &number, &digits, arena);
  if (*is_number) {
    /* Zeros do not tell: 100 and 0.00 are everywhere. */
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < digits.length; i++) {
      if (!ee_is_ascii_digit(digits.data[i])) continue;
      count += count > 0 || digits.data[i] != '0';
      if (digits.data[i] != '0') kept = count;
    }
    return kept > 0 && count >= TELLING_LENGTH ? digits : (ee_str){0};
  }
  if (ee_utf8_count(text.data, text.length) < TELLING_LENGTH) return (ee_str){0};
  const uint8_t forms[] = {EE_NORMAL_CASEFOLD, EE_NORMAL_COLLAPSE_SPACE};
  return ee_normalize(text, forms, 2, arena);
}

/* 0 for a value that tells nothing; else the same for same values, and not for others. Rewinds the arena. */
static uint64_t hash_of(const ee_value *value, ee_arena *arena) {
  ee_arena_mark mark = ee_arena_get_mark(arena);
  bool is_number;
  ee_str text = telling_text(value, &is_number, arena);
  uint64_t hash = 0;
  if (text.length > 0)
    hash = (is_number ? ee_hash_mix(ee_decimal_hash(text)) : ee_hash_bytes(text.data, text.length, 1)) | 1;
  ee_arena_rewind(arena, mark);
  return hash;
}

/* Letters of ASCII that other characters fold to: sharp s to ss, the sign of kelvin to k, ligatures to ff, fi, fl, st.
 */
#define LETTER(letter) (1u << ((letter) - 'a'))
#define FOLDED_TO                                                                                                      \
  (LETTER('a') | LETTER('f') | LETTER('h') | LETTER('i') | LETTER('j') | LETTER('k') | LETTER('l') | LETTER('n') |     \
   LETTER('s') | LETTER('t') | LETTER('w') | LETTER('y'))

/* How much of a text a sketch is made of. */
typedef struct sketch_size {
  int letters;     /* the first ones */
  uint64_t digits; /* what a sketch has when it has its digits */
} sketch_size;

static const sketch_size full = {16, UINT64_C(100000000000)}, coarse = {2, 1000};

static bool is_exponent_at(ee_str text, size_t at) {
  at += at < text.length && text.data[at] == '.';
  return at < text.length && (text.data[at] | 0x20) == 'e';
}

/* The first digits of a text, without zeros at both ends and without an exponent; 0: all digits are 0. */
static inline __attribute__((always_inline)) uint64_t sketch_digits(ee_str text, sketch_size size) {
  uint64_t digits = 0, significant = 0;
  for (size_t at = ee_next_ascii_digit(text, 0); at < text.length; at = ee_next_ascii_digit(text, at)) {
    for (; at < text.length && ee_is_ascii_digit(text.data[at]); at++) {
      digits = digits * 10 + (unsigned)(text.data[at] - '0');
      if (text.data[at] != '0') significant = digits;
      if (digits >= size.digits) return significant;
    }
    if (significant != 0 && is_exponent_at(text, at)) break;
  }
  return significant;
}

/* Small letters of Greek from U+03B0 on and of Cyrillic from U+0430 on that no character but their capitals folds to.
 */
#define BIT(first, letter) (UINT64_C(1) << ((letter) - (first)))
#define GREEK                                                                                                          \
  (BIT(0x3B0, 0x3B3) | BIT(0x3B0, 0x3B4) | BIT(0x3B0, 0x3B6) | BIT(0x3B0, 0x3BB) | BIT(0x3B0, 0x3BD) |                 \
   BIT(0x3B0, 0x3BE) | BIT(0x3B0, 0x3BF) | BIT(0x3B0, 0x3C4) | BIT(0x3B0, 0x3C7) | BIT(0x3B0, 0x3C8))
#define NOT_CYRILLIC                                                                                                   \
  (BIT(0x430, 0x432) | BIT(0x430, 0x434) | BIT(0x430, 0x43E) | BIT(0x430, 0x441) | BIT(0x430, 0x442) |                 \
   BIT(0x430, 0x44A))

/* Whether a letter of two bytes, in folded case, is part of a sketch. */
static bool is_sketched(uint32_t folded) {
  if (folded >= 0x430 && folded < 0x450) return (NOT_CYRILLIC >> (folded - 0x430) & 1) == 0;
  if (folded >= 0x3B0 && folded < 0x3D0) return (GREEK >> (folded - 0x3B0) & 1) != 0;
  return folded >= 0x5D0 && ee_letter_is_bare(folded); /* Hebrew, Arabic */
}

/* The first characters that no folding makes of others: most letters and signs of ASCII, letters of Greek, Cyrillic,
 * Hebrew and Arabic, and U+4000 to U+9FFF. */
static inline __attribute__((always_inline)) uint64_t sketch_letters(ee_str text, sketch_size size) {
  uint64_t letters = 1;
  int count = 0;
  for (size_t i = 0; i < text.length && count < size.letters; i++) {
    unsigned c = (unsigned char)text.data[i], lower = c | 0x20, letter = lower - 'a';
    if (c < 0x80) {
      if (c <= ' ' || (letter < 26 && (FOLDED_TO >> letter & 1)) || ee_is_ascii_digit((char)c)) continue;
      letters = letters * 31 + lower;
      count++;
    } else if (c < 0xE0) {
      uint32_t point = 0;
      ee_letter known;
      if (ee_utf8_decode(text.data + i, text.length - i, &point) != 2) continue;
      i++;
      if (!ee_letter_find(point, &known) || !is_sketched(known.folded)) continue;
      letters = letters * 31 + known.folded;
      count++;
    } else if (c >= 0xE4 && c <= 0xE9 && text.length - i >= 3) {
      letters = ((letters * 31 + c) * 31 + (unsigned char)text.data[i + 1]) * 31 + (unsigned char)text.data[i + 2];
      count++;
      i += 2;
    }
  }
  return letters;
}

/* The digits of a text, else its letters. (A number that mixes our digits with those of another script is missed.) */
static inline __attribute__((always_inline)) uint64_t sketch_text(ee_str text, sketch_size size) {
  uint64_t digits = sketch_digits(text, size);
  return digits != 0 ? digits : sketch_letters(text, size) << 1;
}

static const uint64_t powers[] = {1u,          10u,          100u,          1000u,          10000u,
                                  100000u,     1000000u,     10000000u,     100000000u,     1000000000u,
                                  10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000};

/* The digits of the number as sketch_digits() has them, if it has at most 15 of them and 4 decimals. */
static inline __attribute__((always_inline)) bool sketch_double(double number, sketch_size size, uint64_t *sketch) {
  const double unit = 10000, limit = 1e15;
  double magnitude = fabs(number), scaled = magnitude * unit;
  if (!(scaled < limit)) return false;
  uint64_t digits = (uint64_t)(scaled + 0.5);
  if ((double)digits / unit != magnitude) return false;
  if (digits >= 10 * size.digits) {
    /* log10(2) is a little more than 1233/4096: this is the number of digits, or one less. */
    unsigned count = (unsigned)(64 - __builtin_clzll(digits)) * 1233 >> 12;
    unsigned kept = (unsigned)(64 - __builtin_clzll(size.digits)) * 1233 >> 12;
    digits /= powers[count - kept - 1];
    while (digits >= 10 * size.digits) digits /= 10;
  }
  while (digits != 0 && digits % 10 == 0) digits /= 10;
  *sketch = magnitude < 100 && digits < 100 ? 0 : digits; /* two digits tell nothing */
  return true;
}

/* The text that is sketched; empty for most that say nothing. */
static inline ee_str sketched_text(const ee_value *value) {
  if (ee_type_of(value) != EE_STRING) return (ee_str){0};
  ee_str text = ee_value_text(value);
  if (text.length > LONGEST_SEARCHED) text = ee_str_trim(text);
  return text.length >= TELLING_LENGTH && text.length <= LONGEST_SEARCHED ? text : (ee_str){0};
}

/* The same for same values, mostly not for others, for a fraction of hash_of(); 0 for most that tell nothing. That of
 * two values which is the same in full is so in part. */
static inline __attribute__((always_inline)) uint64_t sketch_of(const ee_value *value, sketch_size size) {
  if (ee_type_of(value) == EE_NUMBER) {
    uint64_t sketch;
    if (value->length == 0 && sketch_double(ee_value_number(value), size, &sketch)) return sketch;
    char text[32];
    return sketch_text(ee_value_number_text(value, text), size);
  }
  ee_str text = sketched_text(value);
  return text.length > 0 ? sketch_text(text, size) : 0;
}

static uint64_t full_sketch(const ee_value *value) { return sketch_of(value, full); }
static uint64_t coarse_sketch(const ee_value *value) { return sketch_of(value, coarse); }

/* Both sketches of a value. */
static uint64_t both_sketches(const ee_value *value, uint64_t *coarsely) {
  const ee_str text = sketched_text(value);
  uint64_t digits = text.length > 0 ? sketch_digits(text, full) : full_sketch(value);
  if (text.length > 0 && digits == 0) {
    *coarsely = sketch_letters(text, coarse) << 1;
    return sketch_letters(text, full) << 1;
  }
  *coarsely = digits;
  while (*coarsely >= 10 * coarse.digits) *coarsely /= 10;
  while (*coarsely != 0 && *coarsely % 10 == 0) *coarsely /= 10;
  return digits;
}

/* What is asked for ------------------------------------------------------------------------------- */

/* Whether a number is a double and no more. */
static inline bool is_plain_number(const ee_value *value) {
  return ee_type_of(value) == EE_NUMBER && value->length == 0;
}

static inline size_t bit_of(uint64_t hash) { return (hash * UINT64_C(0x9e3779b97f4a7c15)) >> 54; }

static inline size_t bit_of_number(double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bit_of(bits ^ bits >> 32);
}

/* Where the sketch of a value is kept. */
static inline size_t slot_of(const ee_value *value) {
  return (size_t)((uint64_t)(uintptr_t)value * UINT64_C(0x9e3779b97f4a7c15) >> 57);
}

/* The full sketch of `value`, if it is among those asked for and is still kept, in `*sketch`. */
static inline bool find_sketch(const ee_value_asks *asks, const ee_value *value, uint64_t *sketch) {
  const size_t slot = slot_of(value);
  if (asks == NULL || asks->values[slot] != value || value == NULL) return false;
  *sketch = asks->sketches[slot];
  return true;
}

void ee_value_asks_add(ee_value_asks *asks, const ee_value *value, ee_arena *scratch) {
  uint64_t coarsely, sketch = both_sketches(value, &coarsely);
  if (sketch == 0) return;
  asks->values[slot_of(value)] = value;
  asks->sketches[slot_of(value)] = sketch;
  size_t bit = bit_of(coarsely);
  asks->texts[bit / 64] |= UINT64_C(1) << bit % 64;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  double number = 0;
  ee_str digits;
  bool is_number = is_plain_number(value);
  if (is_number)
    number = ee_value_number(value);
  else if (ee_type_of(value) == EE_STRING && ee_count_ascii_digits(ee_value_text(value)) >= TELLING_LENGTH)
    is_number = read_number(ee_str_trim(ee_value_text(value)), &number, &digits, scratch);
  bit = bit_of_number(number);
  if (is_number) asks->numbers[bit / 64] |= UINT64_C(1) << bit % 64;
  ee_arena_rewind(scratch, mark);
}

/* The full sketch of a value; 0 if it is known that nobody will ask for it. */
static inline uint64_t sketch_if_asked(const ee_value_asks *asks, const ee_value *value) {
  uint64_t sketch;
  if (asks == NULL) return full_sketch(value);
  if (is_plain_number(value)) {
    size_t bit = bit_of_number(ee_value_number(value));
    if ((asks->numbers[bit / 64] >> bit % 64 & 1) == 0) return 0;
  }
  if (find_sketch(asks, value, &sketch)) return sketch;
  if (!is_plain_number(value)) {
    size_t bit = bit_of(coarse_sketch(value));
    if ((asks->texts[bit / 64] >> bit % 64 & 1) == 0) return 0;
  }
  return full_sketch(value);
}

/* Places ------------------------------------------------------------------------------------------- */

static uint64_t step_into(uint64_t place, ee_str key) {
  return ee_hash_mix(place) ^ ee_hash_bytes(key.data, key.length, 2);
}

/* An object or array on the way to a value. */
typedef struct container {
  const struct container *parent; /* NULL: the document */
  const ee_value *value;
} container;

/* The hash of the place of `value` in `inside` (NULL: it is the document). */
static uint64_t place_in(const container *inside, const ee_value *value) {
  if (inside == NULL) return 0;
  bool is_object = ee_type_of(inside->value) == EE_OBJECT;
  return step_into(place_in(inside->parent, inside->value), is_object ? ee_value_key(value) : EE_STR("[*]"));
}

static uint64_t place_of(const ee_finding *finding) {
  uint64_t place = 0;
  const ee_str parts[] = {finding->path, finding->row != EE_NO_ROW ? EE_STR("[0]") : EE_STR(""), finding->field};
  for (size_t i = 0; i < 3; i++) {
    ee_str text = parts[i];
    for (size_t at = 0; at < text.length;) {
      size_t end = at;
      if (text.data[at] == '[') {
        while (end < text.length && text.data[end] != ']') end++;
        place = step_into(place, EE_STR("[*]"));
        at = end + 1;
      } else {
        while (end < text.length && text.data[end] != '.' && text.data[end] != '[') end++;
        if (end > at) place = step_into(place, (ee_str){text.data + at, end - at});
        at = end < text.length && text.data[end] == '.' ? end + 1 : end;
      }
    }
  }
  return place;
}

/* The list ----------------------------------------------------------------------------------------- */

/* How often a value is at a place of the documents. */
typedef struct placed_value {
  uint64_t value, place; /* hashes */
  uint32_t counts[2];    /* by ee_document_side */
} placed_value;

static bool is_before(const placed_value *a, const placed_value *b) {
  return a->value != b->value ? a->value < b->value : a->place < b->place;
}
EE_DEFINE_SORT(sort_values, placed_value, is_before)

/* A value of the documents, in the chain of its bucket. */
typedef struct leaf {
  const struct leaf *next;
  uint64_t sketch;
  const ee_value *value;
  const container *inside;
  bool in[2]; /* by ee_document_side: both documents have it at this place */
} leaf;

/* Values that have been read in full: sorted; no two of the same value and place. */
typedef struct read_values {
  placed_value *items;
  size_t count;
} read_values;

/* The values of some sketches. */
typedef struct bucket {
  const leaf *first;
  const read_values *read; /* NULL: nobody has asked */
} bucket;

struct ee_value_places {
  ee_arena *arena;
  const ee_value_asks *asks; /* NULL: all values are listed */
  struct {
    EE_LIST(leaf);
  } leaves;
  size_t seen, limit;    /* values of the documents, whether or not they are listed */
  uint64_t *may_have[2]; /* by ee_document_side: the bits of all sketches */
  size_t bits;           /* of each, a power of two */
  bucket *buckets;       /* NULL: no value has been found */
  size_t mask;           /* one less than the number of buckets */
  size_t kept;
  struct {
    const ee_value *value;
    uint64_t sketch;
    uint64_t hash; /* hash_of(), if it is known */
    bool hashed;
  } asked[2]; /* the values of the mismatch that was asked about last */
};

static inline void add_leaf(ee_value_places *places, const ee_value *value, const container *inside, bool expected,
                            bool candidate) {
  places->seen += (size_t)expected + candidate;
  const uint64_t sketch = sketch_if_asked(places->asks, value);
  if (sketch == 0) return;
  *EE_LIST_ADD(&places->leaves, places->arena) =
      (leaf){.sketch = sketch, .value = value, .inside = inside, .in = {expected, candidate}};
}

static container *enter(ee_value_places *places, const ee_value *value, const container *inside) {
  container *self = ee_arena_alloc(places->arena, sizeof *self);
  *self = (container){inside, value};
  return self;
}

/* Recursion is bounded by the reader's nesting limit. */
static void add_values(ee_value_places *places, const ee_value *value, ee_document_side document,
                       const container *inside) {
  if (places->seen > places->limit) return;
  if (ee_type_of(value) < EE_ARRAY) {
    add_leaf(places, value, inside, document == EE_EXPECTED, document == EE_CANDIDATE);
    return;
  }
  const container *self = enter(places, value, inside);
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) {
    if (is_plain_number(child))
      add_leaf(places, child, self, document == EE_EXPECTED, document == EE_CANDIDATE);
    else
      add_values(places, child, document, self);
  }
}

/* Whether two values are written in the same way. */
static inline bool is_same_leaf(const ee_value *a, const ee_value *b) {
  if (a->json.type != b->json.type || a->length != b->length) return false;
  if (ee_type_of(a) == EE_STRING) return ee_str_equal(ee_value_text(a), ee_value_text(b));
  return ee_type_of(a) == EE_NUMBER && a->length == 0 && ee_value_number(a) == ee_value_number(b);
}

/* A value that both documents have at one place is listed once: most of an answer is right.
 * Recursion is bounded by the reader's nesting limit. */
static void add_both(ee_value_places *places, const ee_value *expected, const ee_value *candidate,
                     const container *inside) {
  if (places->seen > places->limit) return;
  ee_type type = ee_type_of(expected);
  if (type != ee_type_of(candidate) || (type < EE_ARRAY && !is_same_leaf(expected, candidate))) {
    if (expected != NULL) add_values(places, expected, EE_EXPECTED, inside);
    if (candidate != NULL) add_values(places, candidate, EE_CANDIDATE, inside);
    return;
  }
  if (type < EE_ARRAY) {
    add_leaf(places, expected, inside, true, true);
    return;
  }
  /* The keys on the way, which are the place, are the same in both documents. */
  const container *self = enter(places, expected, inside);
  const ee_value *other = ee_value_child(candidate);
  size_t paired = 0;
  for (const ee_value *one = ee_value_child(expected); one != NULL; one = ee_value_next(one)) {
    const ee_value *partner = other;
    if (type == EE_OBJECT && (other == NULL || !ee_str_equal(ee_value_key(one), ee_value_key(other))))
      partner = ee_value_member(candidate, ee_value_key(one), places->arena);
    if (partner != NULL) {
      paired++;
      other = ee_value_next(partner);
    }
    if (partner != NULL && is_plain_number(one) && is_plain_number(partner) && is_same_leaf(one, partner))
      add_leaf(places, one, self, true, true);
    else
      add_both(places, one, partner, self);
  }
  if (paired == ee_value_count(candidate)) return;
  const container *alone = enter(places, candidate, inside);
  if (type == EE_ARRAY) {
    for (; other != NULL; other = ee_value_next(other)) add_values(places, other, EE_CANDIDATE, alone);
    return;
  }
  for (other = ee_value_child(candidate); other != NULL; other = ee_value_next(other))
    if (ee_value_member(expected, ee_value_key(other), places->arena) == NULL)
      add_values(places, other, EE_CANDIDATE, alone);
}

/* The bits of each document for a value listed: few enough are set that most values that are not there are known not
 * to be. */
#define BITS_A_LEAF 16

static void note_sketches(ee_value_places *places) {
  size_t bits = 64;
  while (bits < BITS_A_LEAF * places->leaves.count) bits *= 2;
  places->bits = bits;
  for (int i = 0; i < 2; i++) places->may_have[i] = EE_NEW_ARRAY(places->arena, uint64_t, bits / 64);
  for (size_t i = 0; i < places->leaves.count; i++) {
    const leaf *one = &places->leaves.items[i];
    size_t bit = ee_hash_mix(one->sketch) & (bits - 1);
    places->may_have[EE_EXPECTED][bit / 64] |= (uint64_t)one->in[EE_EXPECTED] << bit % 64;
    places->may_have[EE_CANDIDATE][bit / 64] |= (uint64_t)one->in[EE_CANDIDATE] << bit % 64;
  }
}

static bool may_have(const ee_value_places *places, uint64_t sketch, ee_document_side document) {
  size_t bit = ee_hash_mix(sketch) & (places->bits - 1);
  return (places->may_have[document][bit / 64] >> bit % 64 & 1) != 0;
}

static bucket *bucket_of(const ee_value_places *places, uint64_t sketch) {
  return &places->buckets[ee_hash_mix(sketch) & places->mask];
}

static void make_buckets(ee_value_places *places) {
  size_t buckets = 8;
  while (buckets < places->leaves.count) buckets *= 2;
  places->buckets = EE_NEW_ARRAY(places->arena, bucket, buckets);
  places->mask = buckets - 1;
  places->kept++;
  for (size_t i = 0; i < places->leaves.count; i++) {
    leaf *one = &places->leaves.items[i];
    bucket *in = bucket_of(places, one->sketch);
    one->next = in->first;
    in->first = one;
  }
}

/* Values for which there is room at once. */
#define USUAL_LEAVES 50

ee_value_places *ee_value_places_new(const ee_case *source, const ee_value_asks *asks, size_t limit, ee_arena *arena) {
  ee_value_places *places = ee_arena_alloc(arena, sizeof *places);
  *places = (ee_value_places){.arena = arena, .asks = asks, .limit = limit};
  EE_LIST_RESERVE(&places->leaves, arena, USUAL_LEAVES);
  add_both(places, source->expected, source->candidate, NULL);
  if (places->seen > limit) return NULL;
  note_sketches(places);
  return places;
}

size_t ee_value_places_kept(const ee_value_places *places) { return places != NULL ? places->kept : 0; }

/* Which of places->asked is about `value` of a mismatch: several questions are about the same two. */
static size_t asked_about(ee_value_places *places, const ee_value *value) {
  for (size_t i = 0; i < 2; i++)
    if (places->asked[i].value == value && value != NULL) return i;
  places->asked[1] = places->asked[0];
  places->asked[0].value = value;
  if (!find_sketch(places->asks, value, &places->asked[0].sketch)) places->asked[0].sketch = full_sketch(value);
  places->asked[0].hashed = false;
  return 0;
}

static uint64_t asked_hash(ee_value_places *places, const ee_value *value) {
  size_t i = asked_about(places, value);
  if (!places->asked[i].hashed) places->asked[i].hash = hash_of(value, places->arena);
  places->asked[i].hashed = true;
  return places->asked[i].hash;
}

/* hash_of() of a listed value: mostly it is one of those asked for. */
static uint64_t leaf_hash(const ee_value_places *places, const ee_value *value) {
  for (size_t i = 0; i < 2; i++) {
    const ee_value *asked = places->asked[i].value;
    if (asked != NULL && places->asked[i].hashed && (asked == value || is_same_leaf(asked, value)))
      return places->asked[i].hash;
  }
  return hash_of(value, places->arena);
}

/* Units of reading a value in full. */
#define READ_WORK 300

static const read_values *read_bucket(const ee_value_places *places, const bucket *in) {
  ee_arena *arena = places->arena;
  size_t count = 0;
  for (const leaf *one = in->first; one != NULL; one = one->next) count++;
  ee_work(READ_WORK * (uint64_t)count);
  read_values *read = EE_NEW(arena, read_values);
  read->items = EE_NEW_ARRAY(arena, placed_value, count);
  count = 0;
  for (const leaf *one = in->first; one != NULL; one = one->next) {
    uint64_t value = leaf_hash(places, one->value);
    if (value == 0) continue;
    read->items[count] = (placed_value){.value = value, .place = place_in(one->inside, one->value)};
    read->items[count].counts[EE_EXPECTED] = one->in[EE_EXPECTED];
    read->items[count++].counts[EE_CANDIDATE] = one->in[EE_CANDIDATE];
  }
  sort_values(read->items, count, arena);
  for (size_t i = 0; i < count; i++) {
    placed_value *item = &read->items[i], *last = read->count > 0 ? &read->items[read->count - 1] : NULL;
    if (last != NULL && last->value == item->value && last->place == item->place) {
      last->counts[0] += item->counts[0];
      last->counts[1] += item->counts[1];
    } else {
      read->items[read->count++] = *item;
    }
  }
  return read;
}

/* Places of one value that are looked at, so that the work for a mismatch is bounded. */
#define PLACES_LIMIT 100

/* Where the documents have `value`, as `*count` entries, if `document` may have it at all; else NULL. */
static const placed_value *find_value(ee_value_places *places, const ee_value *value, ee_document_side document,
                                      uint64_t *hash, size_t *count) {
  uint64_t sketch = places->asked[asked_about(places, value)].sketch;
  if (sketch == 0 || !may_have(places, sketch, document)) return NULL;
  *hash = asked_hash(places, value);
  if (*hash == 0) return NULL;
  if (places->buckets == NULL) make_buckets(places);
  bucket *in = bucket_of(places, sketch);
  if (in->read == NULL) {
    in->read = read_bucket(places, in);
    places->kept++;
  }
  const read_values *read = in->read;
  size_t low = 0, high = read->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (read->items[middle].value < *hash)
      low = middle + 1;
    else
      high = middle;
  }
  size_t end = low;
  while (end < read->count && read->items[end].value == *hash && end - low < PLACES_LIMIT) end++;
  *count = end - low;
  return read->items + low;
}

unsigned ee_value_misplaced(ee_value_places *places, const ee_value *expected, const ee_finding *at) {
  uint64_t hash;
  size_t count = 0;
  const placed_value *found = find_value(places, expected, EE_CANDIDATE, &hash, &count);
  if (found == NULL || count == 0) return 0;
  uint64_t place = place_of(at);
  unsigned where = 0;
  for (size_t i = 0; i < count; i++) {
    const bool same_place = found[i].place == place;
    /* In the same place the value of this row, which is wrong, is among the expected ones. */
    uint32_t had = found[i].counts[EE_CANDIDATE], due = found[i].counts[EE_EXPECTED];
    if (had > 0 && had + same_place > due) where |= same_place ? EE_IN_ANOTHER_ROW : EE_IN_ANOTHER_FIELD;
  }
  return where;
}

unsigned ee_value_due_elsewhere(ee_value_places *places, const ee_value *expected, const ee_value *candidate,
                                const ee_finding *at) {
  uint64_t hash;
  size_t count = 0;
  const placed_value *found = find_value(places, candidate, EE_EXPECTED, &hash, &count);
  if (found == NULL || count == 0 || hash == asked_hash(places, expected)) return 0;
  uint64_t place = place_of(at);
  unsigned where = 0;
  for (size_t i = 0; i < count; i++)
    if (found[i].counts[EE_EXPECTED] > 0) where |= found[i].place == place ? EE_IN_ANOTHER_ROW : EE_IN_ANOTHER_FIELD;
  return where;
}
