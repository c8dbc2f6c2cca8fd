/* error_kind.c: the table of kinds with the rule of each. */
#include "judge/error_kind.h"

#include <math.h>
#include <stdlib.h>

#include "base/work.h"
#include "data/json/value.h"
#include "judge/value_places.h"
#include "prim/ascii_digit.h"
#include "prim/date_order.h"
#include "prim/edit.h"
#include "prim/letter.h"
#include "prim/narrow.h"
#include "prim/normalize.h"
#include "prim/number.h"
#include "prim/token.h"

/* Two values ------------------------------------------------------------------------------------- */

/* A number as text: what it is with a decimal point and with a decimal comma. */
typedef struct number_reading {
  bool there;
  ee_str digits; /* "-1234.5" */
} number_reading;

/* One of the two values, in the forms that the rules compare. */
typedef struct side {
  const ee_value *value;
  ee_type type;
  ee_str text;               /* of a string, without white space at its ends; of a number or boolean as JSON has it */
  size_t digits;             /* of the text; known where both values have one */
  number_reading numbers[2]; /* with '.', with ','; not there where a value is missing, or not both are numbers */
} side;

/* Both values as dates, read when a rule first asks. */
typedef struct lazy_dates {
  ee_date_by_order sides[2]; /* by ee_document_side */
  bool both;                 /* both are dates */
  bool read;
} lazy_dates;

/* The texts in forms that several rules compare, made when a rule first asks; by ee_document_side. */
typedef struct lazy_texts {
  ee_str plain[2]; /* letters and digits alone, without regard to case and accents */
  ee_str loose[2]; /* without regard to case and the width of white space */
  bool has_plain, has_loose;
  bool differ, decided; /* differ_plainly() */
  bool scaled, tried;   /* are_scaled() */
} lazy_texts;

/* The values of the whole case, listed when a rule first asks. */
typedef struct lazy_places {
  const ee_case_result *result;
  ee_value_places *places; /* NULL: not made, or a document is too large */
  bool made;
} lazy_places;

/* Where else the two values are, looked up when a rule first asks: bits of value_places.h. */
typedef struct lazy_elsewhere {
  unsigned misplaced, due;
  bool has_misplaced, has_due;
} lazy_elsewhere;

typedef struct pair {
  side sides[2];               /* by ee_document_side */
  const ee_mismatch *mismatch; /* NULL: there are only two values */
  lazy_places *places;         /* NULL: there are only two values */
  lazy_dates *dates;
  lazy_texts *texts;
  lazy_elsewhere *elsewhere;
  bool is_short;  /* no text is longer than EE_ERROR_KIND_TEXT_BYTES */
  bool no_answer; /* the case has no candidate document */
  ee_arena *scratch;
} pair;

#define EXPECTED(p) ((p)->sides[EE_EXPECTED])
#define CANDIDATE(p) ((p)->sides[EE_CANDIDATE])
#define EXPECTED_TEXT(p) ((p)->sides[EE_EXPECTED].text)
#define CANDIDATE_TEXT(p) ((p)->sides[EE_CANDIDATE].text)

/* Longer texts are neither numbers nor dates. */
#define NUMBER_BYTES 64

static ee_str text_of(const ee_value *value, ee_arena *arena) {
  switch (ee_type_of(value)) {
  case EE_STRING: return ee_str_trim(ee_value_text(value));
  case EE_NUMBER: return ee_value_number_text(value, ee_arena_alloc(arena, 32));
  case EE_TRUE: return EE_STR("true");
  case EE_FALSE: return EE_STR("false");
  default: return (ee_str){0};
  }
}

static void read_number(side *one, int comma, ee_arena *arena) {
  double value;
  ee_number_format format = {.decimal = comma ? ',' : '.', .money = true, .percent = true};
  number_reading *reading = &one->numbers[comma];
  reading->there = ee_number_parse(one->text, format, arena, &value, &reading->digits) && isfinite(value);
}

static void read_side(side *one, const ee_value *value, ee_arena *arena) {
  *one = (side){.value = value, .type = ee_type_of(value), .text = text_of(value, arena)};
}

/* Whether a text is short enough to be a number or a date, and has a digit. */
static bool is_short_with_digit(const side *one) {
  return one->type == EE_STRING && one->text.length <= NUMBER_BYTES && one->digits > 0;
}

static void read_numbers(side *one, ee_arena *arena) {
  if (one->type == EE_NUMBER) {
    one->numbers[0] = (number_reading){true, one->text};
  } else if (is_short_with_digit(one)) {
    read_number(one, 0, arena);
    /* Without a point and a comma there is nothing that one reading takes for another than the other one. */
    bool alike = memchr(one->text.data, '.', one->text.length) == NULL &&
                 memchr(one->text.data, ',', one->text.length) == NULL && ee_is_ascii(one->text.data, one->text.length);
    if (alike)
      one->numbers[1] = one->numbers[0];
    else
      read_number(one, 1, arena);
  }
}

static ee_str first_bytes(ee_str text, size_t length) { return (ee_str){text.data, length}; }
static ee_str last_bytes(ee_str text, size_t length) { return (ee_str){text.data + text.length - length, length}; }

static bool both_there(const pair *p) { return EXPECTED_TEXT(p).length > 0 && CANDIDATE_TEXT(p).length > 0; }

/* Texts ------------------------------------------------------------------------------------------ */

static bool same_in(const pair *p, const uint8_t *forms, size_t count) {
  return ee_str_equal(ee_normalize(EXPECTED_TEXT(p), forms, count, p->scratch),
                      ee_normalize(CANDIDATE_TEXT(p), forms, count, p->scratch));
}
#define SAME_IN(p, ...) same_in((p), (const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}))

static const ee_str *plain_texts(const pair *p) {
  lazy_texts *texts = p->texts;
  const uint8_t forms[] = {EE_NORMAL_UNACCENT, EE_NORMAL_CASEFOLD, EE_NORMAL_ALNUM};
  for (int i = 0; i < 2 && !texts->has_plain; i++)
    texts->plain[i] = ee_normalize(p->sides[i].text, forms, 3, p->scratch);
  texts->has_plain = true;
  return texts->plain;
}

/* Long texts are as they are. */
static const ee_str *loose_texts(const pair *p) {
  lazy_texts *texts = p->texts;
  const uint8_t forms[] = {EE_NORMAL_CASEFOLD, EE_NORMAL_COLLAPSE_SPACE};
  for (int i = 0; i < 2 && !texts->has_loose; i++)
    texts->loose[i] = p->is_short ? ee_normalize(p->sides[i].text, forms, 2, p->scratch) : p->sides[i].text;
  texts->has_loose = true;
  return texts->loose;
}

/* Whether it is a double and no more, whose text has one spelling. */
static bool is_plain_number(const side *one) { return one->type == EE_NUMBER && one->value->length == 0; }

/* Short texts of known letters that differ in more than case, space, punctuation and accents: what most mismatches are;
 * and two numbers, about which the rules for texts say nothing.
 * (Of other letters, such as ligatures, the forms by which rules compare are not parts of each other.) */
static bool differ_plainly(const pair *p) {
  lazy_texts *texts = p->texts;
  if (texts->decided) return texts->differ;
  texts->decided = true;
  if (is_plain_number(&EXPECTED(p)) && is_plain_number(&CANDIDATE(p))) return texts->differ = true;
  if (!p->is_short || !ee_letters_are_known(EXPECTED_TEXT(p)) || !ee_letters_are_known(CANDIDATE_TEXT(p))) return false;
  const ee_str *plain = plain_texts(p);
  return texts->differ = !ee_str_equal(plain[0], plain[1]);
}

static bool is_case(const pair *p) { return !differ_plainly(p) && SAME_IN(p, EE_NORMAL_CASEFOLD); }

/* Copies the text without white space. */
static ee_str without_space(ee_str text, ee_arena *arena) {
  char *out = ee_arena_alloc(arena, text.length);
  size_t length = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point = 0;
    size_t bytes = ee_utf8_decode(text.data + at, text.length - at, &code_point);
    if (bytes == 0) bytes = 1;
    if (!ee_is_space(code_point)) {
      memcpy(out + length, text.data + at, bytes);
      length += bytes;
    }
    at += bytes;
  }
  return (ee_str){out, length};
}

static bool is_space(const pair *p) {
  if (differ_plainly(p)) return false;
  return ee_str_equal(without_space(EXPECTED_TEXT(p), p->scratch), without_space(CANDIDATE_TEXT(p), p->scratch));
}

static bool is_accents(const pair *p) { return !differ_plainly(p) && SAME_IN(p, EE_NORMAL_UNACCENT); }

static bool is_not_blank(const pair *p, const uint8_t *forms, size_t count) {
  return ee_normalize(EXPECTED_TEXT(p), forms, count, p->scratch).length > 0;
}

static bool can_be_numbers(const pair *p) {
  const number_reading *a = EXPECTED(p).numbers, *b = CANDIDATE(p).numbers;
  return (a[0].there || a[1].there) && (b[0].there || b[1].there);
}

/* Numbers, in which a point or a comma more or less is another number: in two strings it may as well be an identifier,
 * unless the field compares numbers. */
static bool are_numbers(const pair *p) {
  ee_reason_kind reason = p->mismatch != NULL ? p->mismatch->finding.reason.kind : EE_REASON_NONE;
  bool compared = reason == EE_REASON_OUTSIDE_TOLERANCE || reason == EE_REASON_RELATIVE_TOLERANCE;
  return can_be_numbers(p) && (compared || EXPECTED(p).type == EE_NUMBER || CANDIDATE(p).type == EE_NUMBER);
}

static bool is_punctuation(const pair *p) {
  const uint8_t forms[] = {EE_NORMAL_ALNUM};
  return !are_numbers(p) && !differ_plainly(p) && is_not_blank(p, forms, 1) && same_in(p, forms, 1);
}

static bool is_formatting(const pair *p) {
  if (are_numbers(p) || differ_plainly(p)) return false;
  const uint8_t forms[] = {EE_NORMAL_NFKC, EE_NORMAL_UNACCENT, EE_NORMAL_CASEFOLD, EE_NORMAL_ALNUM};
  return is_not_blank(p, forms, 4) && same_in(p, forms, 4);
}

/* Numbers ---------------------------------------------------------------------------------------- */

static bool same_number(const number_reading *a, const number_reading *b) {
  return a->there && b->there && ee_decimal_compare(a->digits, b->digits) == 0;
}

static bool is_number_format(const pair *p) {
  const side *a = &EXPECTED(p), *b = &CANDIDATE(p);
  if (a->type != EE_STRING && b->type != EE_STRING) return false;
  return (same_number(&a->numbers[0], &b->numbers[0]) || same_number(&a->numbers[1], &b->numbers[1]));
}

static bool is_decimal_comma(const pair *p) {
  const side *a = &EXPECTED(p), *b = &CANDIDATE(p);
  return same_number(&a->numbers[0], &b->numbers[1]) || same_number(&a->numbers[1], &b->numbers[0]);
}

/* The readings of both numbers with the same decimal sign: the point if both can be read with it, else the comma. */
static bool read_alike(const pair *p, ee_str *a, ee_str *b) {
  for (int comma = 0; comma < 2; comma++) {
    const number_reading *left = &EXPECTED(p).numbers[comma], *right = &CANDIDATE(p).numbers[comma];
    if (!left->there || !right->there) continue;
    *a = left->digits;
    *b = right->digits;
    return true;
  }
  return false;
}

static bool is_sign(const pair *p) {
  ee_str a, b;
  if (!read_alike(p, &a, &b) || a.length == 0 || b.length == 0) return false;
  bool minus_a = a.data[0] == '-', minus_b = b.data[0] == '-';
  if (minus_a == minus_b) return false;
  ee_str *negative = minus_a ? &a : &b;
  *negative = (ee_str){negative->data + 1, negative->length - 1};
  return ee_decimal_compare(a, b) == 0;
}

/* Digits after the point of a plain decimal text. */
static size_t fraction(ee_str digits) {
  const char *point = memchr(digits.data, '.', digits.length);
  return point == NULL ? 0 : digits.length - (size_t)(point - digits.data) - 1;
}

/* True if the candidate is the expected number with fewer decimals, rounded or cut. */
static bool is_rounded(const pair *p) {
  ee_str a, b;
  if (!read_alike(p, &a, &b) || fraction(b) >= fraction(a)) return false;
  double unit = 1;
  for (size_t i = 0; i < fraction(b); i++) unit /= 10;
  double difference = ee_decimal_difference(a, b);
  double whole = fabs(ee_decimal_to_double(a));
  bool cut = ee_within_tolerance(difference, 0, unit, false) && fabs(ee_decimal_to_double(b)) < whole;
  return whole >= unit && (cut || ee_within_tolerance(difference, 0, unit / 2, false));
}

/* From the first digit of a plain decimal text that is not 0 to the last one; may hold the point. */
static ee_str significant(ee_str digits) {
  while (digits.length > 0 && strchr("-0.", digits.data[0]) != NULL) digits = last_bytes(digits, digits.length - 1);
  while (digits.length > 0 && strchr("0.", digits.data[digits.length - 1]) != NULL) digits.length--;
  return digits;
}

/* Whether both numbers have the same digits but for zeros at both ends, and neither is 0 or has an exponent. */
static bool have_same_digits(ee_str a, ee_str b) {
  if (a.length > NUMBER_BYTES || b.length > NUMBER_BYTES) return false;
  a = significant(a);
  b = significant(b);
  size_t i = 0, k = 0;
  for (; i < a.length && k < b.length; i++, k++) {
    i += a.data[i] == '.';
    k += b.data[k] == '.';
    if (a.data[i] != b.data[k] || !ee_is_ascii_digit(a.data[i])) return false;
  }
  return i == a.length && k == b.length && a.length > 0;
}

static bool are_scaled(const pair *p) {
  lazy_texts *texts = p->texts;
  ee_str a, b;
  if (!texts->tried) texts->scaled = read_alike(p, &a, &b) && have_same_digits(a, b);
  texts->tried = true;
  return texts->scaled;
}

/* True if one number is the other one with the exponent raised by `power`. */
static bool is_factor(const pair *p, int power) {
  ee_str a, b;
  if (!are_scaled(p) || !read_alike(p, &a, &b)) return false;
  char more[NUMBER_BYTES + 4];
  for (int i = 0; i < 2; i++) {
    ee_str smaller = i == 0 ? a : b, larger = i == 0 ? b : a;
    memcpy(more, smaller.data, smaller.length);
    memcpy(more + smaller.length, "e", 1);
    more[smaller.length + 1] = (char)('0' + power);
    if (ee_decimal_compare((ee_str){more, smaller.length + 2}, larger) == 0) return true;
  }
  return false;
}

static bool is_factor_10(const pair *p) { return is_factor(p, 1); }
static bool is_factor_100(const pair *p) { return is_factor(p, 2); }
static bool is_factor_1000(const pair *p) { return is_factor(p, 3); }

/* Dates ------------------------------------------------------------------------------------------ */

static const unsigned orders[] = {EE_DATE_DMY, EE_DATE_MDY, EE_DATE_YMD};

/* The day that `judged` gives as YYYYMMDD. */
static void set_judged(ee_date_by_order *date, double judged) {
  int day = (int)judged;
  date->orders = EE_DATE_YMD;
  date->dates[2] = (ee_date){.year = day / 10000, .month = day / 100 % 100, .day = day % 100};
}

/* Reads both values in each order of day, month and year. */
static bool read_dates(const pair *p, ee_date_by_order dates[2]) {
  for (size_t i = 0; i < 2; i++)
    if (!is_short_with_digit(&p->sides[i])) return false;
  for (size_t i = 0; i < 2; i++)
    if (ee_date_read_by_order(p->sides[i].text, EE_DATE_ANY_ORDER, &dates[i]) == 0) return false;
  return true;
}

static bool is_judged_as_dates(const pair *p) {
  return p->mismatch != NULL && p->mismatch->finding.reason.kind == EE_REASON_DATE_DIFFERS;
}

/* Where a strategy has compared dates, they are the ones that it has read; else they are read in each order. */
static bool both_dates(const pair *p) {
  lazy_dates *lazy = p->dates;
  if (!lazy->read && is_judged_as_dates(p)) {
    set_judged(&lazy->sides[EE_EXPECTED], p->mismatch->finding.reason.second);
    set_judged(&lazy->sides[EE_CANDIDATE], p->mismatch->finding.reason.third);
    lazy->both = true;
  } else if (!lazy->read) {
    lazy->both = read_dates(p, lazy->sides);
  }
  lazy->read = true;
  return lazy->both;
}

static bool same_time(const ee_date *a, const ee_date *b) {
  if (!a->has_time || !b->has_time) return true;
  return a->hour == b->hour && a->minute == b->minute && a->second == b->second;
}

/* Whether some reading of one and some reading of the other date are as `test` says; with `same_order` the readings
 * have the same order of day, month and year. */
static bool any_reading(const ee_date_by_order dates[2], bool same_order,
                        bool (*test)(const ee_date *a, const ee_date *b)) {
  const ee_date_by_order *a = &dates[EE_EXPECTED], *b = &dates[EE_CANDIDATE];
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 3; k++) {
      if ((same_order && i != k) || !(a->orders & orders[i]) || !(b->orders & orders[k])) continue;
      if (test(&a->dates[i], &b->dates[k])) return true;
    }
  }
  return false;
}

/* Whether the orders under which it is a date give different days. */
static bool is_ambiguous(const ee_date_by_order *date) {
  int64_t day = 0;
  bool any = false;
  for (size_t i = 0; i < 3; i++) {
    if (!(date->orders & orders[i])) continue;
    int64_t other = ee_date_days(&date->dates[i]);
    if (any && other != day) return true;
    any = true;
    day = other;
  }
  return false;
}

static bool is_same_day(const ee_date *a, const ee_date *b) {
  return ee_date_days(a) == ee_date_days(b) && same_time(a, b);
}
static bool is_swapped(const ee_date *a, const ee_date *b) {
  return a->year == b->year && a->month == b->day && a->day == b->month && a->day != a->month;
}
static bool is_other_year(const ee_date *a, const ee_date *b) {
  return a->year != b->year && a->month == b->month && a->day == b->day;
}

/* Where a strategy has read the dates as different days, they are. */
static bool is_date_format(const pair *p) {
  if (is_judged_as_dates(p) || !both_dates(p)) return false;
  const ee_date_by_order *dates = p->dates->sides;
  bool fixed = !is_ambiguous(&dates[EE_EXPECTED]) || !is_ambiguous(&dates[EE_CANDIDATE]);
  return any_reading(dates, true, is_same_day) || (fixed && any_reading(dates, false, is_same_day));
}

static bool is_day_and_month(const pair *p) { return both_dates(p) && any_reading(p->dates->sides, false, is_swapped); }

/* The order may be another one than that in which the dates were judged. */
static bool is_date_order(const pair *p) {
  if (!is_judged_as_dates(p)) return both_dates(p) && any_reading(p->dates->sides, false, is_same_day);
  ee_date_by_order dates[2];
  return read_dates(p, dates) && any_reading(dates, false, is_same_day);
}

static bool is_year(const pair *p) { return both_dates(p) && any_reading(p->dates->sides, true, is_other_year); }

/* Digits ----------------------------------------------------------------------------------------- */

#define FEWEST_DIGITS 3

/* The number with `places` digits after the point, at least as many as it has. */
static ee_str with_fraction(ee_str digits, size_t places, ee_arena *arena) {
  size_t have = fraction(digits);
  if (have == places) return digits;
  char *out = ee_arena_alloc(arena, digits.length + 1 + places);
  memcpy(out, digits.data, digits.length);
  size_t length = digits.length;
  if (have == 0) out[length++] = '.';
  for (; have < places; have++) out[length++] = '0';
  return (ee_str){out, length};
}

/* The day in ISO 8601. */
static ee_str iso_day(ee_date day, ee_arena *arena) {
  day.has_time = day.has_offset = false;
  char *out = ee_arena_alloc(arena, 40);
  return (ee_str){out, ee_date_format_iso(&day, out)};
}

/* Whether `test` holds for the texts whose digits are compared: numbers with the same decimals, dates in ISO 8601 in
 * any of their readings, other texts as they are and as letters and digits alone. */
static bool any_digits(const pair *p, bool (*test)(ee_str a, ee_str b)) {
  ee_str a = EXPECTED_TEXT(p), b = CANDIDATE_TEXT(p), left, right;
  if (read_alike(p, &left, &right)) {
    size_t places = fraction(left) > fraction(right) ? fraction(left) : fraction(right);
    return test(with_fraction(left, places, p->scratch), with_fraction(right, places, p->scratch));
  }
  if (!both_dates(p))
    return EXPECTED(p).digits > 0 && CANDIDATE(p).digits > 0 &&
           (test(a, b) || test(plain_texts(p)[0], plain_texts(p)[1]));
  const ee_date_by_order *dates = p->dates->sides;
  for (size_t i = 0; i < 9; i++) {
    if (!(dates[0].orders & orders[i / 3]) || !(dates[1].orders & orders[i % 3])) continue;
    if (test(iso_day(dates[0].dates[i / 3], p->scratch), iso_day(dates[1].dates[i % 3], p->scratch))) return true;
  }
  return false;
}

/* Two neighbours of the same digits, with nothing but a decimal sign or the like between them, changed places. */
static bool are_transposed(ee_str a, ee_str b) {
  if (a.length != b.length) return false;
  size_t first = 0;
  while (first < a.length && a.data[first] == b.data[first]) first++;
  if (first == a.length || !ee_is_ascii_digit(a.data[first])) return false;
  size_t second = first + 1;
  while (second < a.length && !ee_is_ascii_digit(a.data[second]) && a.data[second] == b.data[second]) second++;
  if (second == a.length || a.data[first] != b.data[second] || a.data[second] != b.data[first]) return false;
  return ee_is_ascii_digit(a.data[second]) &&
         memcmp(a.data + second + 1, b.data + second + 1, a.length - second - 1) == 0;
}

static bool differ_in_one_digit(ee_str a, ee_str b) {
  if (ee_count_ascii_digits(a) < FEWEST_DIGITS || ee_count_ascii_digits(b) < FEWEST_DIGITS - 1) return false;
  ee_str longer = a.length >= b.length ? a : b, shorter = a.length >= b.length ? b : a;
  if (longer.length - shorter.length > 1) return false;
  size_t front = 0, back = 0;
  while (front < shorter.length && longer.data[front] == shorter.data[front]) front++;
  while (back < shorter.length - front &&
         longer.data[longer.length - 1 - back] == shorter.data[shorter.length - 1 - back])
    back++;
  if (front + back + 1 != longer.length || !ee_is_ascii_digit(longer.data[front])) return false;
  return longer.length > shorter.length || ee_is_ascii_digit(shorter.data[front]);
}

static bool is_transposed(const pair *p) { return any_digits(p, are_transposed); }
static bool is_one_digit(const pair *p) { return any_digits(p, differ_in_one_digit); }

/* Parts ------------------------------------------------------------------------------------------ */

/* Both are numbers: the beginning of one says nothing about the other. Whole numbers in quotes are identifiers. */
static bool are_quantities(const pair *p) {
  ee_str a, b;
  if (!read_alike(p, &a, &b)) return false;
  bool texts = EXPECTED(p).type == EE_STRING && CANDIDATE(p).type == EE_STRING;
  return !texts || EXPECTED(p).digits < EXPECTED_TEXT(p).length || CANDIDATE(p).digits < CANDIDATE_TEXT(p).length;
}

/* Whether `part` is long enough to be part of a text by more than chance. */
static bool is_part(ee_str part, ee_str whole) {
  return part.length < whole.length && ee_utf8_count(part.data, part.length) >= 2;
}

/* The candidate without "..." at its end. */
static ee_str without_dots(ee_str text) {
  static const char *const dots[] = {"...", "\xE2\x80\xA6"};
  for (size_t i = 0; i < 2; i++)
    if (text.length > 3 && memcmp(text.data + text.length - 3, dots[i], 3) == 0) text.length -= 3;
  return ee_str_trim(text);
}

static bool is_start(ee_str whole, ee_str part) {
  part = without_dots(part);
  return is_part(part, whole) && ee_str_equal(first_bytes(whole, part.length), part);
}

/* Few characters are inside of many a text. */
#define FEWEST_INSIDE 5

static bool is_inside(ee_str whole, ee_str part) {
  if (!is_part(part, whole)) return false;
  if (ee_str_equal(last_bytes(whole, part.length), part)) return true;
  return part.length >= FEWEST_INSIDE && memmem(whole.data, whole.length, part.data, part.length) != NULL;
}

static bool is_around(ee_str part, ee_str whole) {
  return is_part(part, whole) && memmem(whole.data, whole.length, part.data, part.length) != NULL;
}

/* Whether the text of `part` can be part of the other one: where letters are known, the letters and digits of a part
 * are a part of those of the whole. */
static bool may_be_part(const pair *p, ee_document_side part) {
  if (!p->texts->differ) return true; /* not known */
  ee_str inner = plain_texts(p)[part], outer = plain_texts(p)[1 - part];
  return inner.length <= outer.length && memmem(outer.data, outer.length, inner.data, inner.length) != NULL;
}

/* Whether `test` holds for the texts, or for their letters and digits alone; that of `part` is to be part of the other
 * one. */
static bool any_texts(const pair *p, ee_document_side part, bool (*test)(ee_str expected, ee_str candidate)) {
  if (are_quantities(p) || !may_be_part(p, part) || both_dates(p)) return false;
  const ee_str *loose = loose_texts(p);
  if (test(loose[0], loose[1])) return true;
  bool strings = EXPECTED(p).type == EE_STRING && CANDIDATE(p).type == EE_STRING;
  return strings && p->is_short && test(plain_texts(p)[0], plain_texts(p)[1]);
}

static bool is_truncated(const pair *p) { return any_texts(p, EE_CANDIDATE, is_start); }
static bool is_prefix_missing(const pair *p) { return any_texts(p, EE_CANDIDATE, is_inside); }
static bool is_extra_text(const pair *p) { return any_texts(p, EE_EXPECTED, is_around); }

/* Whether texts have the same bytes, in any order, as far as a sum tells. */
static bool have_same_bytes(ee_str a, ee_str b) {
  if (a.length != b.length) return false;
  uint32_t difference = 0;
  for (size_t i = 0; i < a.length; i++) difference += (uint32_t)(unsigned char)a.data[i] - (unsigned char)b.data[i];
  return difference == 0;
}

/* Whether the bytes are letters and digits of ASCII. */
static bool is_plain_word(const char *at, size_t length) {
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)at[i] >= 0x80 || !ee_is_alnum((unsigned char)at[i])) return false;
  return true;
}

/* Whether texts differ within one word, as far as that is seen in ASCII. */
static bool differ_in_one_word(ee_str a, ee_str b) {
  const size_t shorter = a.length < b.length ? a.length : b.length;
  size_t front = ee_common_prefix(a.data, b.data, shorter), back = 0;
  while (back < shorter - front && a.data[a.length - 1 - back] == b.data[b.length - 1 - back]) back++;
  return is_plain_word(a.data + front, a.length - front - back) &&
         is_plain_word(b.data + front, b.length - front - back);
}

/* The same words have the same letters and digits. */
static bool is_word_order(const pair *p) {
  if (!have_same_bytes(plain_texts(p)[0], plain_texts(p)[1])) return false;
  if (p->texts->differ && differ_in_one_word(EXPECTED_TEXT(p), CANDIDATE_TEXT(p))) return false;
  const uint8_t forms[] = {EE_NORMAL_UNACCENT, EE_NORMAL_CASEFOLD, EE_NORMAL_PUNCTUATION};
  ee_str a = ee_normalize(EXPECTED_TEXT(p), forms, 3, p->scratch);
  ee_str b = ee_normalize(CANDIDATE_TEXT(p), forms, 3, p->scratch);
  size_t parts, whole;
  ee_token_f1_parts(a, b, EE_WHITESPACE_TOKENS, p->scratch, &parts, &whole);
  return whole > 2 && parts == whole;
}

#define FEW_CHARACTERS 0.8
#define FEWEST_CHARACTERS 5

static bool is_few_characters(const pair *p) {
  if (are_quantities(p) || both_dates(p)) return false;
  ee_str a = plain_texts(p)[0], b = plain_texts(p)[1];
  size_t left = ee_utf8_count(a.data, a.length), right = ee_utf8_count(b.data, b.length);
  size_t longer = left > right ? left : right;
  if (longer < FEWEST_CHARACTERS) return false;
  size_t limit = ee_edit_limit(FEW_CHARACTERS, longer);
  return ee_levenshtein(a, b, limit, p->scratch) <= limit;
}

static bool is_other_type(const pair *p) {
  ee_type a = EXPECTED(p).type, b = CANDIDATE(p).type;
  if (a == EE_FALSE) a = EE_TRUE;
  if (b == EE_FALSE) b = EE_TRUE;
  if (a == b || a == EE_MISSING || b == EE_MISSING) return false;
  /* "5.15" and 5.2 differ in more than their types. */
  return !can_be_numbers(p) || ee_str_equal(EXPECTED_TEXT(p), CANDIDATE_TEXT(p));
}

/* Values of other fields and rows ---------------------------------------------------------------- */

/* Right answers that are looked at. */
#define ANSWERS_LIMIT 20

/* The expected value of a mismatch: of several right ones that which was compared, if it is known. */
static const ee_value *expected_of(const ee_mismatch *mismatch) {
  return mismatch->finding.reason.nearest != NULL ? mismatch->finding.reason.nearest : mismatch->expected;
}

/* What the rules ask for: both values of each mismatch. */
static void add_asks(ee_value_asks *asks, const ee_case_result *result, ee_arena *scratch) {
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judged = &result->judges[i];
    for (size_t k = 0; k < judged->mismatch_count; k++) {
      const ee_mismatch *mismatch = &judged->mismatches[k];
      const ee_value *expected = expected_of(mismatch);
      if (mismatch->kind != EE_ERROR_KIND_NONE) continue;
      ee_value_asks_add(asks, mismatch->candidate, scratch);
      ee_value_asks_add(asks, expected, scratch);
      if (ee_type_of(expected) != EE_ARRAY) continue;
      size_t number = 0;
      for (const ee_value *answer = ee_value_child(expected); answer != NULL && number < ANSWERS_LIMIT; number++) {
        ee_value_asks_add(asks, answer, scratch);
        answer = ee_value_next(answer);
      }
    }
  }
}

/* NULL where the documents are not known or too large. What is listed stays in the case's arena: see decide(). */
static ee_value_places *places_of(const pair *p) {
  lazy_places *lazy = p->places;
  if (lazy == NULL) return NULL;
  if (!lazy->made) {
    ee_value_asks *asks = EE_NEW(p->scratch, ee_value_asks);
    add_asks(asks, lazy->result, p->scratch);
    lazy->places = ee_value_places_new(lazy->result->source, asks, EE_ERROR_KIND_VALUES, p->scratch);
  }
  lazy->made = true;
  return lazy->places;
}

static bool is_misplaced(const pair *p, unsigned where) {
  lazy_elsewhere *lazy = p->elsewhere;
  ee_value_places *places = lazy->has_misplaced ? NULL : places_of(p);
  if (places != NULL) lazy->misplaced = ee_value_misplaced(places, EXPECTED(p).value, &p->mismatch->finding);
  lazy->has_misplaced = true;
  return (lazy->misplaced & where) != 0;
}

static bool is_due(const pair *p, unsigned where) {
  lazy_elsewhere *lazy = p->elsewhere;
  ee_value_places *places = lazy->has_due ? NULL : places_of(p);
  if (places != NULL)
    lazy->due = ee_value_due_elsewhere(places, EXPECTED(p).value, CANDIDATE(p).value, &p->mismatch->finding);
  lazy->has_due = true;
  return (lazy->due & where) != 0;
}

static bool is_in_another_row(const pair *p) { return is_misplaced(p, EE_IN_ANOTHER_ROW); }
static bool is_in_another_field(const pair *p) { return is_misplaced(p, EE_IN_ANOTHER_FIELD); }
static bool is_of_another_row(const pair *p) { return is_due(p, EE_IN_ANOTHER_ROW); }
static bool is_of_another_field(const pair *p) { return is_due(p, EE_IN_ANOTHER_FIELD); }

/* What is known besides the values --------------------------------------------------------------- */

static bool is_unread(const pair *p) { return p->mismatch != NULL && p->mismatch->value_class == EE_CLASS_UNREAD; }
static bool is_no_answer(const pair *p) { return p->no_answer; }
static bool is_row(const pair *p) { return p->mismatch != NULL && p->mismatch->is_row; }
static bool is_missing_row(const pair *p) { return is_row(p) && p->mismatch->value_class == EE_CLASS_MISSING; }
static bool is_spurious_row(const pair *p) { return is_row(p) && p->mismatch->value_class == EE_CLASS_INVENTED; }
static bool is_missing(const pair *p) {
  if (p->mismatch != NULL) return p->mismatch->value_class == EE_CLASS_MISSING;
  return ee_value_is_empty(CANDIDATE(p).value, NULL);
}
static bool is_spurious(const pair *p) {
  if (p->mismatch != NULL) return p->mismatch->value_class == EE_CLASS_INVENTED;
  return ee_value_is_empty(EXPECTED(p).value, NULL);
}
static bool is_unparseable(const pair *p) { return p->mismatch != NULL && p->mismatch->unread_candidate; }
static bool is_otherwise(const pair *p) {
  (void)p;
  return true;
}

/* The table -------------------------------------------------------------------------------------- */

/* What a rule needs. */
typedef enum rule_needs {
  NEEDS_A_JUDGE, /* no rule: only a judge knows */
  NEEDS_NOTHING = 1,
  NEEDS_TEXTS = 2,      /* both values are there, and neither is an object or array; of any length */
  NEEDS_SHORT_TEXTS = 4 /* the same, up to EE_ERROR_KIND_TEXT_BYTES */
} rule_needs;

typedef struct kind_row {
  const char *name, *definition;
  const char *examples[2]; /* JSON, by ee_document_side; NULL: the kind is not about two values */
  rule_needs needs;
  bool (*holds)(const pair *p);
} kind_row;

static const kind_row rows[EE_ERROR_KIND_COUNT] = {
    [EE_ERROR_KIND_NONE] = {"", "", {NULL, NULL}, NEEDS_A_JUDGE, NULL},
    [EE_ERROR_KIND_UNREAD] = {"unread",
                              "The rules cannot read the expected value: not the candidate's error.",
                              {NULL, NULL},
                              NEEDS_NOTHING,
                              is_unread},
    [EE_ERROR_KIND_NO_ANSWER] =
        {"no answer", "The whole candidate is missing or not JSON.", {NULL, NULL}, NEEDS_NOTHING, is_no_answer},
    [EE_ERROR_KIND_SPLIT_ROW] =
        {"split row", "The candidate has two rows for one expected row.", {NULL, NULL}, NEEDS_A_JUDGE, NULL},
    [EE_ERROR_KIND_MERGED_ROWS] =
        {"merged rows", "The candidate has one row for two expected rows.", {NULL, NULL}, NEEDS_A_JUDGE, NULL},
    [EE_ERROR_KIND_WRONG_LABEL] = {"wrong label",
                                   "A span of text with another label than the one it overlaps.",
                                   {NULL, NULL},
                                   NEEDS_A_JUDGE,
                                   NULL},
    [EE_ERROR_KIND_WRONG_BOUNDS] = {"wrong bounds",
                                    "A span of text with the right label that begins or ends elsewhere.",
                                    {NULL, NULL},
                                    NEEDS_A_JUDGE,
                                    NULL},
    [EE_ERROR_KIND_MISSING_ROW] = {"missing row",
                                   "An expected row without a partner in the candidate.",
                                   {NULL, NULL},
                                   NEEDS_NOTHING,
                                   is_missing_row},
    [EE_ERROR_KIND_SPURIOUS_ROW] = {"spurious row",
                                    "A row of the candidate without an expected partner.",
                                    {NULL, NULL},
                                    NEEDS_NOTHING,
                                    is_spurious_row},
    [EE_ERROR_KIND_CASE] = {"case only",
                            "The same text except for upper and lower case.",
                            {"\"Acme GmbH\"", "\"ACME GMBH\""},
                            NEEDS_TEXTS,
                            is_case},
    [EE_ERROR_KIND_SPACE] =
        {"space only", "The same text except for white space.", {"\"AB 123\"", "\"AB123\""}, NEEDS_TEXTS, is_space},
    [EE_ERROR_KIND_ACCENTS] = {"accents only",
                               "The same text except for accents.",
                               {"\"Café Müller\"", "\"Cafe Muller\""},
                               NEEDS_SHORT_TEXTS,
                               is_accents},
    [EE_ERROR_KIND_NUMBER_FORMAT] = {"number format",
                                     "The same number, written differently: currency, grouping, zeros, percent.",
                                     {"\"1234.50\"", "\"$1,234.50\""},
                                     NEEDS_SHORT_TEXTS,
                                     is_number_format},
    [EE_ERROR_KIND_DECIMAL_COMMA] = {"decimal comma",
                                     "The same number, if one is read with a decimal comma and the other with a point.",
                                     {"12.5", "\"12,50\""},
                                     NEEDS_SHORT_TEXTS,
                                     is_decimal_comma},
    [EE_ERROR_KIND_SIGN] =
        {"sign", "The same number with the other sign.", {"-12.5", "12.5"}, NEEDS_SHORT_TEXTS, is_sign},
    [EE_ERROR_KIND_DATE_FORMAT] = {"date format",
                                   "The same day, written differently.",
                                   {"\"2024-01-31\"", "\"31 Jan 2024\""},
                                   NEEDS_SHORT_TEXTS,
                                   is_date_format},
    [EE_ERROR_KIND_DAY_AND_MONTH] = {"day and month swapped",
                                     "The day of one date is the month of the other, in the same year.",
                                     {"\"2024-03-04\"", "\"2024-04-03\""},
                                     NEEDS_SHORT_TEXTS,
                                     is_day_and_month},
    [EE_ERROR_KIND_DATE_ORDER] =
        {"date order",
         "The same day, if one date has day, month and year in another order: 21-03-18 as 2021-03-18.",
         {NULL, NULL},
         NEEDS_SHORT_TEXTS,
         is_date_order},
    [EE_ERROR_KIND_PUNCTUATION] = {"punctuation only",
                                   "The same letters and digits in the same case; only punctuation and space differ.",
                                   {"\"A.C.M.E. 12-34\"", "\"ACME 12 34\""},
                                   NEEDS_SHORT_TEXTS,
                                   is_punctuation},
    [EE_ERROR_KIND_FORMATTING] =
        {"formatting only",
         "The same letters and digits; several of case, space, punctuation and accents differ.",
         {"\"Acme, Inc.\"", "\"ACME INC\""},
         NEEDS_SHORT_TEXTS,
         is_formatting},
    [EE_ERROR_KIND_IN_ANOTHER_ROW] =
        {"in another row",
         "The candidate has the expected value in this field of another row, where it is wrong.",
         {NULL, NULL},
         NEEDS_NOTHING,
         is_in_another_row},
    [EE_ERROR_KIND_IN_ANOTHER_FIELD] = {"in another field",
                                        "The candidate has the expected value in another field, where it is wrong.",
                                        {NULL, NULL},
                                        NEEDS_NOTHING,
                                        is_in_another_field},
    [EE_ERROR_KIND_OF_ANOTHER_ROW] = {"value of another row",
                                      "The candidate's value is the one expected in this field of another row.",
                                      {NULL, NULL},
                                      NEEDS_NOTHING,
                                      is_of_another_row},
    [EE_ERROR_KIND_OF_ANOTHER_FIELD] = {"value of another field",
                                        "The candidate's value is the one expected in another field.",
                                        {NULL, NULL},
                                        NEEDS_NOTHING,
                                        is_of_another_field},
    [EE_ERROR_KIND_MISSING] =
        {"missing", "A value is expected, and the candidate has none.", {"100", "null"}, NEEDS_NOTHING, is_missing},
    [EE_ERROR_KIND_SPURIOUS] = {"spurious",
                                "Nothing is expected, and the candidate has a value.",
                                {"null", "100"},
                                NEEDS_NOTHING,
                                is_spurious},
    [EE_ERROR_KIND_ROUNDED] = {"rounded",
                               "The candidate is the expected number with fewer decimal places, rounded or cut.",
                               {"12.34", "12.3"},
                               NEEDS_SHORT_TEXTS,
                               is_rounded},
    [EE_ERROR_KIND_FACTOR_10] =
        {"factor 10", "One number is 10 times the other.", {"120", "12"}, NEEDS_SHORT_TEXTS, is_factor_10},
    [EE_ERROR_KIND_FACTOR_100] =
        {"factor 100", "One number is 100 times the other.", {"12.50", "1250"}, NEEDS_SHORT_TEXTS, is_factor_100},
    [EE_ERROR_KIND_FACTOR_1000] =
        {"factor 1,000", "One number is 1,000 times the other.", {"1500", "1.5"}, NEEDS_SHORT_TEXTS, is_factor_1000},
    [EE_ERROR_KIND_YEAR] = {"year off",
                            "The same day and month in another year.",
                            {"\"2024-01-31\"", "\"2023-01-31\""},
                            NEEDS_SHORT_TEXTS,
                            is_year},
    [EE_ERROR_KIND_TRANSPOSED] = {"digits transposed",
                                  "Two neighbouring digits are swapped.",
                                  {"12.34", "12.43"},
                                  NEEDS_SHORT_TEXTS,
                                  is_transposed},
    [EE_ERROR_KIND_ONE_DIGIT] =
        {"one digit",
         "One digit is different, missing or extra, in a number or text of at least three digits.",
         {"\"INV-1234\"", "\"INV-1284\""},
         NEEDS_SHORT_TEXTS,
         is_one_digit},
    [EE_ERROR_KIND_TRUNCATED] = {"truncated",
                                 "The candidate is the beginning of the expected text.",
                                 {"\"Acme Trading Ltd\"", "\"Acme Trading\""},
                                 NEEDS_TEXTS,
                                 is_truncated},
    [EE_ERROR_KIND_PREFIX_MISSING] = {"prefix missing",
                                      "The candidate is the end or the middle of the expected text.",
                                      {"\"INV-1234\"", "\"1234\""},
                                      NEEDS_TEXTS,
                                      is_prefix_missing},
    [EE_ERROR_KIND_EXTRA_TEXT] = {"extra prefix or suffix",
                                  "The candidate is the expected text with something before or after it.",
                                  {"\"1234\"", "\"Invoice no. 1234\""},
                                  NEEDS_TEXTS,
                                  is_extra_text},
    [EE_ERROR_KIND_WORD_ORDER] = {"word order",
                                  "The same words in another order.",
                                  {"\"Ann Lee\"", "\"Lee, Ann\""},
                                  NEEDS_SHORT_TEXTS,
                                  is_word_order},
    [EE_ERROR_KIND_FEW_CHARACTERS] = {"few characters",
                                      "At most one in five letters and digits is different, missing or extra.",
                                      {"\"Stationery\"", "\"Stationary\""},
                                      NEEDS_SHORT_TEXTS,
                                      is_few_characters},
    [EE_ERROR_KIND_UNPARSEABLE] = {"unparseable",
                                   "The field's strategy cannot read the candidate's value.",
                                   {NULL, NULL},
                                   NEEDS_NOTHING,
                                   is_unparseable},
    [EE_ERROR_KIND_OTHER_TYPE] =
        {"other type", "The values have different JSON types.", {"12", "\"12\""}, NEEDS_NOTHING, is_other_type},
    [EE_ERROR_KIND_OTHERWISE] =
        {"otherwise", "None of the above.", {"\"Acme\"", "\"Zenith\""}, NEEDS_NOTHING, is_otherwise},
};

const char *ee_error_kind_name(ee_error_kind kind) { return rows[kind].name; }
const char *ee_error_kind_definition(ee_error_kind kind) { return rows[kind].definition; }

const char *ee_error_kind_example(ee_error_kind kind, ee_document_side document) {
  return rows[kind].examples[document] != NULL ? rows[kind].examples[document] : "";
}

ee_error_kind ee_error_kind_find(ee_str name) {
  for (int kind = EE_ERROR_KIND_NONE + 1; kind < EE_ERROR_KIND_COUNT; kind++)
    if (ee_str_is(name, rows[kind].name)) return (ee_error_kind)kind;
  return EE_ERROR_KIND_NONE;
}

/* Deciding --------------------------------------------------------------------------------------- */

/* Units of deciding the kind of a mismatch, and of a byte of both texts, which many rules look at. */
#define KIND_WORK 500
#define TEXT_WORK 20

static ee_error_kind first_kind(pair *p) {
  ee_work(KIND_WORK + TEXT_WORK * (uint64_t)(EXPECTED_TEXT(p).length + CANDIDATE_TEXT(p).length));
  lazy_dates dates = {.read = false};
  lazy_texts forms = {.has_plain = false};
  lazy_elsewhere elsewhere = {.misplaced = 0};
  p->dates = &dates;         // cppcheck-suppress autoVariables; only while this function runs
  p->texts = &forms;         // cppcheck-suppress autoVariables; the same
  p->elsewhere = &elsewhere; // cppcheck-suppress autoVariables; the same
  p->is_short =
      EXPECTED_TEXT(p).length <= EE_ERROR_KIND_TEXT_BYTES && CANDIDATE_TEXT(p).length <= EE_ERROR_KIND_TEXT_BYTES;
  bool texts = both_there(p) && !ee_str_equal(EXPECTED_TEXT(p), CANDIDATE_TEXT(p)) &&
               (p->mismatch == NULL || p->mismatch->value_class == EE_CLASS_WRONG);
  if (texts) {
    for (int i = 0; i < 2; i++) p->sides[i].digits = ee_count_ascii_digits(p->sides[i].text);
    read_numbers(&EXPECTED(p), p->scratch);
    if (EXPECTED(p).numbers[0].there || EXPECTED(p).numbers[1].there) read_numbers(&CANDIDATE(p), p->scratch);
  }
  const unsigned available = NEEDS_NOTHING | (texts ? NEEDS_TEXTS : 0) | (texts && p->is_short ? NEEDS_SHORT_TEXTS : 0);
  for (int kind = EE_ERROR_KIND_NONE + 1; kind < EE_ERROR_KIND_OTHERWISE; kind++) {
    if ((rows[kind].needs & available) != 0 && rows[kind].holds(p)) return (ee_error_kind)kind;
  }
  return EE_ERROR_KIND_OTHERWISE;
}

/* Of several right answers the one that is nearest by kind decides. If the candidate is one of them, only an array
 * around it is missing. */
static ee_error_kind nearest_kind(pair *p, const ee_value *answers) {
  ee_error_kind nearest = EE_ERROR_KIND_COUNT;
  size_t number = 0;
  for (const ee_value *answer = ee_value_child(answers); answer != NULL && number < ANSWERS_LIMIT; number++) {
    if (ee_value_equal(answer, CANDIDATE(p).value)) return EE_ERROR_KIND_OTHER_TYPE;
    read_side(&EXPECTED(p), answer, p->scratch);
    ee_error_kind kind = first_kind(p);
    if (kind < nearest) nearest = kind;
    answer = ee_value_next(answer);
  }
  return nearest == EE_ERROR_KIND_COUNT ? EE_ERROR_KIND_OTHER_TYPE : nearest;
}

/* The kind of two values that are both there, or of one. */
static ee_error_kind kind_of(pair *p, const ee_value *expected, const ee_value *candidate) {
  read_side(&CANDIDATE(p), candidate, p->scratch);
  bool several = ee_type_of(expected) == EE_ARRAY && CANDIDATE(p).text.length > 0 &&
                 (p->mismatch == NULL || p->mismatch->value_class == EE_CLASS_WRONG);
  if (several) return nearest_kind(p, expected);
  read_side(&EXPECTED(p), expected, p->scratch);
  return first_kind(p);
}

ee_error_kind ee_error_kind_of_values(const ee_value *expected, const ee_value *candidate, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  pair p = {.scratch = scratch};
  ee_error_kind kind = kind_of(&p, expected, candidate);
  ee_arena_rewind(scratch, mark);
  return kind;
}

/* Mismatches of the case `source`, which share the list of values. */
static void decide(const ee_judge_result *judged, const ee_case *source, lazy_places *places, ee_arena *arena) {
  for (size_t i = 0; i < judged->mismatch_count; i++) {
    ee_mismatch *mismatch = &judged->mismatches[i];
    if (mismatch->kind != EE_ERROR_KIND_NONE) continue;
    pair p = {.mismatch = mismatch,
              .no_answer = source->candidate_state != EE_CANDIDATE_READ,
              .places = places,
              .scratch = arena};
    /* Values are read only where they matter. */
    if (is_unread(&p) || p.no_answer || is_row(&p)) {
      mismatch->kind = (uint8_t)first_kind(&p);
      continue;
    }
    ee_arena_mark mark = ee_arena_get_mark(arena);
    bool made = places->made;
    size_t kept = ee_value_places_kept(places->places);
    mismatch->kind = (uint8_t)kind_of(&p, expected_of(mismatch), mismatch->candidate);
    /* Else the list, or more of it, is there. */
    if (made == places->made && kept == ee_value_places_kept(places->places)) ee_arena_rewind(arena, mark);
  }
}

void ee_error_kinds_decide(ee_case_result *result, ee_arena *arena) {
  lazy_places places = {.result = result};
  for (size_t i = 0; i < result->judge_count; i++) decide(&result->judges[i], result->source, &places, arena);
}
