/* source_text.c: numbers, dates and words of a source text, and looking values up in it. */
#include "audit/source_text.h"

#include <math.h>
#include <stdio.h>

#include "audit/checks.h"
#include "prim/date_order.h"
#include "prim/number.h"

/* Finding it -------------------------------------------------------------------------------------- */

static bool has_words(ee_str text) {
  text = ee_str_trim(text);
  for (size_t i = 0; i < text.length; i++)
    if ((unsigned char)text.data[i] <= ' ' || (unsigned char)text.data[i] >= 0xe3) return true; /* or CJK */
  return false;
}

/* Joins the texts of an array (of words or lines, at any depth) with spaces. */
static void join(const ee_value *value, ee_buffer *out) {
  static const char *const members[] = {"text", "word", "words", "lines", NULL};
  switch (ee_type_of(value)) {
  case EE_STRING:
    if (out->length > 0) ee_buffer_add_char(out, '\n');
    ee_buffer_add_str(out, ee_value_text(value));
    return;
  case EE_ARRAY:
    for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child)) join(child, out);
    return;
  case EE_OBJECT:
    for (size_t i = 0; members[i] != NULL; i++) {
      const ee_value *member = ee_value_member(value, ee_str_from(members[i]), NULL);
      if (member == NULL) continue;
      join(member, out);
      return;
    }
    return;
  default: return;
  }
}

static ee_str text_of(const ee_value *value, ee_arena *arena) {
  if (ee_type_of(value) == EE_STRING) return ee_value_text(value);
  if (ee_type_of(value) != EE_ARRAY && ee_type_of(value) != EE_OBJECT) return (ee_str){NULL, 0};
  ee_buffer joined;
  ee_buffer_init(&joined);
  join(value, &joined);
  ee_str text = {NULL, 0};
  if (joined.length > 0) text = (ee_str){ee_arena_copy(arena, joined.data, joined.length), joined.length};
  ee_buffer_fini(&joined);
  return text;
}

ee_str ee_source_text_find(const ee_value *record, const ee_value *expected, const ee_path *path, ee_arena *arena) {
  static const char *const names[] = {
      "documentText", "document_text", "ocr_text", "ocrText",   "ocr",      "source_text", "sourceText", "raw_text",
      "rawText",      "full_text",     "fullText", "page_text", "pageText", "words",       "ocr_words",  "tokens",
      "lines",        "text",          "source",   "document",  "content",  "context",     "input"};
  static const size_t certain = 17; /* names that a member of an expected value would hardly have */
  if (path != NULL) return text_of(ee_path_get(path, record, arena), arena);
  size_t count = record == expected ? certain : sizeof names / sizeof *names;
  for (size_t i = 0; i < count; i++) {
    const ee_value *member = ee_value_member(record, ee_str_from(names[i]), arena);
    if (member == NULL || member == expected) continue;
    ee_str text = text_of(member, arena);
    if (text.length > 0 && has_words(text)) return text;
  }
  return (ee_str){NULL, 0};
}

/* Numbers ----------------------------------------------------------------------------------------- */

typedef struct ee_source_number {
  double value;  /* not negative */
  ee_str digits; /* without signs */
  ee_str text;   /* in the source text */
  bool loose;    /* only if a space is not one, or a letter a digit */
} ee_source_number;

static bool is_letter(char c) { return (unsigned char)((c | 0x20) - 'a') < 26 || (unsigned char)c >= 0x80; }
static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }
static bool is_mark(char c) { return c == '.' || c == ',' || c == '\''; }
/* The digit that scanning reads as a letter. */
static char digit_for(char c) {
  switch (c) {
  case 'O':
  case 'o': return '0';
  case 'I':
  case 'l':
  case '|': return '1';
  case 'S': return '5';
  case 'B': return '8';
  default: return c;
  }
}

typedef struct number_list {
  EE_LIST(ee_source_number);
} number_list;

static void add_number(ee_source_text *source, number_list *list, const char *written, ee_str digits, ee_str text,
                       bool loose) {
  double value = ee_decimal_to_double(ee_str_from(written));
  *EE_LIST_ADD(list, source->arena) = (ee_source_number){value, digits, text, loose};
}

/* Adds what digits with separators may be: "1.234,50" 1234.5; "1.234" both 1.234 and 1234. */
static void add_readings(ee_source_text *source, number_list *list, const char *token, size_t length, ee_str text,
                         bool loose, bool percent) {
  size_t last = SIZE_MAX, marks = 0;
  char *digits = ee_arena_alloc(source->arena, length + 1), kinds[2] = {0, 0};
  size_t count = 0, whole = 0;
  for (size_t i = 0; i < length; i++) {
    if (is_digit(token[i])) {
      digits[count++] = token[i];
      continue;
    }
    marks++;
    last = i;
    whole = count;
    if (kinds[0] == 0)
      kinds[0] = token[i];
    else if (token[i] != kinds[0])
      kinds[1] = token[i];
  }
  digits[count] = '\0';
  if (count == 0 || count > 30) return;
  ee_str plain = {digits, count};
  char written[48];
  bool decimal = last != SIZE_MAX && token[last] != '\'' && (marks == 1 || kinds[1] != 0);
  if (decimal) {
    snprintf(written, sizeof written, "%.*s.%s%s", (int)whole, whole > 0 ? digits : "", digits + whole,
             percent ? "e-2" : "");
    if (whole == 0) snprintf(written, sizeof written, "0.%s%s", digits, percent ? "e-2" : "");
    add_number(source, list, written, plain, text, loose);
    if (percent) {
      snprintf(written, sizeof written, "%.*s.%s", (int)(whole > 0 ? whole : 1), whole > 0 ? digits : "0",
               digits + whole);
      add_number(source, list, written, plain, text, loose);
    }
  }
  if (!decimal || (count - whole == 3 && kinds[1] == 0)) {
    add_number(source, list, digits, plain, text, loose);
    if (!percent) return;
    snprintf(written, sizeof written, "%se-2", digits);
    add_number(source, list, written, plain, text, loose);
  }
}

static bool is_percent(ee_str text, size_t at) {
  while (at < text.length && text.data[at] == ' ') at++;
  return at < text.length && text.data[at] == '%';
}

/* Reads all numbers. A second reading of each takes single spaces and letters that look like digits as parts of it. */
static void read_numbers(ee_source_text *source) {
  number_list list = {0};
  ee_str text = source->text;
  char token[64];
  for (size_t at = 0; at < text.length;) {
    if (!is_digit(text.data[at]) && !(text.data[at] == '.' && at + 1 < text.length && is_digit(text.data[at + 1]) &&
                                      (at == 0 || !is_digit(text.data[at - 1])))) {
      at++;
      continue;
    }
    size_t end = at, length = 0;
    while (end < text.length && length < 40 &&
           (is_digit(text.data[end]) ||
            (is_mark(text.data[end]) && end + 1 < text.length && is_digit(text.data[end + 1]))))
      token[length++] = text.data[end++];
    add_readings(source, &list, token, length, (ee_str){text.data + at, end - at}, false, is_percent(text, end));
    /* Numbers split or misread by scanning: "12 .50", "1 234", "1O.5O". */
    size_t next = end, spaces = 0;
    while (next < text.length && length < 40) {
      char c = digit_for(text.data[next]);
      bool follows = next + 1 < text.length && is_digit(digit_for(text.data[next + 1]));
      if (is_digit(c) && (is_digit(text.data[next]) || is_digit(text.data[next - 1]) || is_mark(text.data[next - 1]))) {
        token[length++] = c;
      } else if (is_mark(c) && (follows || (next + 2 < text.length && text.data[next + 1] == ' ' &&
                                            is_digit(digit_for(text.data[next + 2]))))) {
        token[length++] = c;
      } else if (c == ' ' && spaces < 3 && (follows || (next + 1 < text.length && is_mark(text.data[next + 1])))) {
        spaces++;
      } else {
        break;
      }
      next++;
      /* Each end that is not inside a run of digits is a reading: the following number may be another one. */
      if (next == text.length || !is_digit(digit_for(text.data[next])))
        add_readings(source, &list, token, length, (ee_str){text.data + at, next - at}, true, is_percent(text, next));
    }
    at = end;
  }
  source->numbers = list.items;
  source->number_count = list.count;
}

static bool same_number(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)); }

/* Whether the text has a small whole number as an English word. */
static bool has_number_word(const ee_source_text *source, double number) {
  static const char *const words[] = {"zero",  "one",   "two",  "three", "four",   "five",  "six",
                                      "seven", "eight", "nine", "ten",   "eleven", "twelve"};
  if (number < 0 || number > 12 || number != floor(number)) return false;
  const char *word = words[(size_t)number];
  ee_str text = source->folded;
  for (size_t at = 0; at < text.length;) {
    const char *found = memmem(text.data + at, text.length - at, word, strlen(word));
    if (found == NULL) return false;
    size_t from = (size_t)(found - text.data), to = from + strlen(word);
    if ((from == 0 || !is_letter(text.data[from - 1])) && (to == text.length || !is_letter(text.data[to]))) return true;
    at = to;
  }
  return false;
}

static ee_source_place look_up_number(const ee_source_text *source, double number, ee_str digits, ee_str *near) {
  ee_source_place place = EE_PLACE_NOWHERE;
  number = fabs(number);
  if (has_number_word(source, number)) return EE_PLACE_EXACT;
  for (size_t i = 0; i < source->number_count; i++) {
    const ee_source_number *at = &source->numbers[i];
    if (same_number(at->value, number)) {
      if (!at->loose) {
        *near = EE_STR("");
        return EE_PLACE_EXACT;
      }
      place = EE_PLACE_LOOSE;
      *near = at->text;
    } else if (place == EE_PLACE_NOWHERE && !at->loose && digits.length >= 3 && at->digits.length >= 3 &&
               ee_audit_one_edit(at->digits, digits)) {
      place = EE_PLACE_NEAR;
      *near = at->text;
    }
  }
  return place;
}

/* Dates ------------------------------------------------------------------------------------------- */

typedef struct ee_source_date {
  int year, month, day; /* year % 100 where it has two digits */
  bool short_year;
  ee_str text;
} ee_source_date;

#define MAX_READINGS 4

typedef struct token {
  ee_str text;
  bool word;
  int number; /* of up to 8 digits; -1 */
} token;

/* The token at `*at` (folded text), after at most three characters that separate; false if there is none. */
static bool next_token(ee_str text, size_t *at, bool first, token *out) {
  size_t start = *at, skipped = 0;
  while (!first && start < text.length && skipped < 3 && strchr(" ./-,'\xc2", text.data[start]) != NULL) {
    start++;
    skipped++;
  }
  if (start == text.length) return false;
  size_t end = start;
  bool word = is_letter(text.data[start]);
  while (end < text.length && (word ? is_letter(text.data[end]) : is_digit(text.data[end]))) end++;
  *out = (token){.text = {text.data + start, end - start}, .word = word, .number = -1};
  if (end == start) return false;
  if (!word && end - start <= 8) {
    out->number = 0;
    for (size_t i = start; i < end; i++) out->number = out->number * 10 + (text.data[i] - '0');
    /* 1st, 2nd, 3rd, 4th */
    if (end + 2 <= text.length && is_letter(text.data[end]) &&
        (memcmp(text.data + end, "st", 2) == 0 || memcmp(text.data + end, "nd", 2) == 0 ||
         memcmp(text.data + end, "rd", 2) == 0 || memcmp(text.data + end, "th", 2) == 0) &&
        (end + 2 == text.length || !is_letter(text.data[end + 2])))
      end += 2;
  }
  *at = end;
  return true;
}

static void add_date(ee_source_date *out, size_t *count, int year, bool short_year, int month, int day) {
  if (*count == MAX_READINGS || month > 12 || month < 1 || day < 1 || day > 31) return;
  if (!short_year && (year < 1000 || year > 2999)) return;
  out[(*count)++] = (ee_source_date){.year = year, .month = month, .day = day, .short_year = short_year};
}

/* The dates that begin at `at`: all readings; `*end` gets the end of what was read. */
static size_t read_date(ee_str text, size_t at, ee_source_date out[MAX_READINGS], size_t *end) {
  token t[3];
  size_t count = 0;
  if (!next_token(text, &at, true, &t[0])) return 0;
  if (!t[0].word && t[0].text.length == 8) { /* 20240105, 05012024 */
    add_date(out, &count, t[0].number / 10000, false, t[0].number / 100 % 100, t[0].number % 100);
    add_date(out, &count, t[0].number % 10000, false, t[0].number / 10000 % 100, t[0].number / 1000000);
    *end = at;
    return count;
  }
  for (int i = 1; i < 3; i++)
    if (!next_token(text, &at, false, &t[i])) return 0;
  *end = at;
  size_t lengths[3] = {t[0].text.length, t[1].text.length, t[2].text.length};
  int words = t[0].word + t[1].word + t[2].word;
  if (words == 0) {
    if (lengths[0] == 4 && lengths[1] <= 2 && lengths[2] <= 2) {
      add_date(out, &count, t[0].number, false, t[1].number, t[2].number);
    } else if (lengths[0] <= 2 && lengths[1] <= 2 && (lengths[2] == 4 || lengths[2] == 2)) {
      bool shortened = lengths[2] == 2;
      add_date(out, &count, t[2].number, shortened, t[1].number, t[0].number);
      add_date(out, &count, t[2].number, shortened, t[0].number, t[1].number);
      if (shortened && lengths[0] == 2) add_date(out, &count, t[0].number, true, t[1].number, t[2].number);
    }
    return count;
  }
  if (words != 1 || t[2].word) return 0;
  const token *month = t[0].word ? &t[0] : &t[1], *day = t[0].word ? &t[1] : &t[0];
  int number = ee_month_named(month->text);
  if (number == 0) return 0;
  if (lengths[2] == 4 || lengths[2] == 2) add_date(out, &count, t[2].number, lengths[2] == 2, number, day->number);
  if (!t[0].word && lengths[0] == 4) add_date(out, &count, t[0].number, false, number, t[2].number);
  return count;
}

static void read_dates(ee_source_text *source) {
  struct {
    EE_LIST(ee_source_date);
  } list = {0};
  ee_str text = source->folded;
  for (size_t at = 0; at < text.length; at++) {
    bool starts = is_digit(text.data[at]) ? at == 0 || !is_digit(text.data[at - 1])
                                          : is_letter(text.data[at]) && (at == 0 || !is_letter(text.data[at - 1]));
    if (!starts) continue;
    ee_source_date found[MAX_READINGS];
    size_t end = at, count = read_date(text, at, found, &end);
    for (size_t i = 0; i < count; i++) {
      found[i].text = (ee_str){text.data + at, end - at};
      *EE_LIST_ADD(&list, source->arena) = found[i];
    }
  }
  source->dates = list.items;
  source->date_count = list.count;
}

/* Whether all of `text` (folded), except for a time, is a date. */
static size_t read_whole_date(ee_str text, ee_source_date out[MAX_READINGS]) {
  size_t end = 0, count = read_date(text, 0, out, &end);
  if (count == 0) return 0;
  for (; end < text.length; end++) {
    char c = text.data[end];
    if (!is_digit(c) && strchr(" t:.+-z", c) == NULL) return 0;
    if (is_digit(c) && end > 0 && is_digit(text.data[end - 1]) && end > 1 && is_digit(text.data[end - 2])) return 0;
  }
  return count;
}

static ee_source_place look_up_date(const ee_source_text *source, const ee_source_date *readings, size_t count,
                                    ee_str *near) {
  ee_source_place place = EE_PLACE_NOWHERE;
  for (size_t i = 0; i < source->date_count; i++) {
    const ee_source_date *at = &source->dates[i];
    for (size_t k = 0; k < count; k++) {
      const ee_source_date *date = &readings[k];
      bool year = at->short_year || date->short_year ? at->year % 100 == date->year % 100 : at->year == date->year;
      bool month = at->month == date->month, day = at->day == date->day;
      if (year && month && day) {
        *near = EE_STR("");
        return EE_PLACE_EXACT;
      }
      if (place == EE_PLACE_NOWHERE && year + month + day == 2) {
        place = EE_PLACE_NEAR;
        *near = at->text;
      }
    }
  }
  return place;
}

/* Texts ------------------------------------------------------------------------------------------- */

/* Bytes of the list of missing words. */
#define MAX_MISSING 60

/* Letters and digits of `text`, ASCII in lower case; `places` (may be NULL) gets their offsets. Returns their number.
 */
static size_t letters_of(ee_str text, uint32_t *letters, uint32_t *places) {
  size_t count = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t c = (unsigned char)text.data[at];
    size_t bytes = c < 0x80 ? 1 : ee_utf8_decode(text.data + at, text.length - at, &c);
    if (bytes == 0) bytes = 1;
    bool letter = c >= 0xaa ? !ee_is_space(c) && (c < 0x2000 || c > 0x206f)
                            : is_digit((char)c) || (c < 0x80 && is_letter((char)c));
    if (letter) {
      if (places != NULL) places[count] = (uint32_t)at;
      letters[count++] = c - 'A' < 26 ? c | 0x20 : c;
    }
    at += bytes;
  }
  return count;
}

static void make_letters(ee_source_text *source) {
  if (source->letters != NULL) return;
  source->letters = ee_arena_alloc(source->arena, (source->text.length + 1) * sizeof *source->letters);
  source->places = ee_arena_alloc(source->arena, (source->text.length + 1) * sizeof *source->places);
  source->letter_count = letters_of(source->text, source->letters, source->places);
}

/* The fewest edits from `pattern` (1..64 symbols) to any part of `text`, and where that part ends; Myers 1999: one
 * machine word holds a column of differences. `step` -1 reads both backwards. */
static size_t search(const uint32_t *pattern, size_t length, const uint32_t *text, size_t count, int step,
                     bool anchored, size_t *end) {
  uint64_t masks[256] = {0};
  for (size_t i = 0; i < length; i++) masks[pattern[step > 0 ? i : length - 1 - i] & 255] |= UINT64_C(1) << i;
  uint64_t up = ~UINT64_C(0), down = 0, last = UINT64_C(1) << (length - 1);
  size_t score = length, best = length;
  *end = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t symbol = text[step > 0 ? i : count - 1 - i];
    uint64_t match = masks[symbol & 255];
    /* Symbols that share the low byte with another one. */
    if (symbol > 255) {
      match = 0;
      for (size_t k = 0; k < length; k++) match |= (uint64_t)(pattern[step > 0 ? k : length - 1 - k] == symbol) << k;
    }
    uint64_t x = match | down, d = ((up + (x & up)) ^ up) | x, plus = down | ~(d | up), minus = up & d;
    score += (plus & last) != 0;
    score -= (minus & last) != 0;
    plus = plus << 1 | (anchored ? 1 : 0);
    minus <<= 1;
    up = minus | ~(d | plus);
    down = plus & d;
    if (score < best) {
      best = score;
      *end = i + 1;
    }
  }
  return best;
}

/* The part of the source text that is nearest to `letters`; `*distance` gets the edits between them. */
static ee_str nearest_part(const ee_source_text *source, const uint32_t *letters, size_t length, size_t *distance) {
  size_t end, back;
  *distance = search(letters, length, source->letters, source->letter_count, 1, false, &end);
  if (end == 0) return EE_STR("");
  size_t window = end < 2 * length ? end : 2 * length;
  search(letters, length, source->letters + end - window, window, -1, true, &back);
  if (back == 0) return EE_STR("");
  size_t from = source->places[end - back], to = source->places[end - 1] + 1;
  while (to < source->text.length && ((unsigned char)source->text.data[to] & 0xc0) == 0x80) to++;
  return (ee_str){source->text.data + from, to - from};
}

/* The share of the letters of `text` (folded) that are in words which the source text has. */
static double share_of_words(ee_source_text *source, ee_str text) {
  size_t found = 0, all = 0;
  const char *missing = "";
  for (size_t at = 0; at < text.length;) {
    if (!is_letter(text.data[at]) && !is_digit(text.data[at])) {
      at++;
      continue;
    }
    size_t end = at;
    while (end < text.length && (is_letter(text.data[end]) || is_digit(text.data[end]))) end++;
    all += end - at;
    if (memmem(source->folded.data, source->folded.length, text.data + at, end - at) != NULL)
      found += end - at;
    else if (strlen(missing) < MAX_MISSING)
      missing = ee_arena_printf(source->arena, "%s%s'%.*s'", missing, *missing != '\0' ? ", " : "", (int)(end - at),
                                text.data + at);
    at = end;
  }
  source->missing = ee_str_from(missing);
  return all > 0 ? (double)found / (double)all : 0;
}

static ee_source_place look_up_text(ee_source_text *source, ee_str text, ee_str folded, ee_str *near) {
  make_letters(source);
  uint32_t *letters = ee_arena_alloc(source->arena, (text.length + 1) * sizeof *letters);
  size_t length = letters_of(text, letters, NULL);
  if (length == 0) return EE_PLACE_EXACT; /* nothing that could be looked up */
  double words = share_of_words(source, folded);
  ee_source_place place = words >= 0.95                 ? EE_PLACE_EXACT
                          : words >= 0.7 && length > 64 ? EE_PLACE_LOOSE
                          : words >= 0.4 && length > 64 ? EE_PLACE_NEAR
                                                        : EE_PLACE_NOWHERE;
  if (length > 64 || place == EE_PLACE_EXACT) return place;
  size_t distance;
  ee_str part = nearest_part(source, letters, length, &distance);
  if (distance == 0) return EE_PLACE_EXACT;
  double similarity = 1 - (double)distance / (double)length;
  if (similarity < 0.5) return EE_PLACE_NOWHERE;
  *near = part;
  return similarity >= 0.8 ? EE_PLACE_LOOSE : EE_PLACE_NEAR;
}

/* ------------------------------------------------------------------------------------------------- */

void ee_source_text_read(ee_source_text *source, ee_str text, ee_arena *arena) {
  *source = (ee_source_text){.text = text, .arena = arena};
  source->folded = ee_audit_fold(text, arena);
  read_numbers(source);
  read_dates(source);
}

ee_source_place ee_source_text_look_up(ee_source_text *source, const ee_value *value, ee_str *near) {
  *near = source->missing = EE_STR("");
  bool string = ee_type_of(value) == EE_STRING;
  if (!string && ee_type_of(value) != EE_NUMBER) return EE_PLACE_EXACT;
  ee_str text = ee_audit_text(value, SIZE_MAX, source->arena), folded = ee_audit_fold(text, source->arena);
  if (string && folded.length > 0 && source->folded.length > 0 &&
      memmem(source->folded.data, source->folded.length, folded.data, folded.length))
    return EE_PLACE_EXACT;
  ee_source_date readings[MAX_READINGS];
  size_t dates = string ? read_whole_date(folded, readings) : 0;
  if (dates > 0) return look_up_date(source, readings, dates, near);
  double number;
  if (ee_audit_number(value, '.', source->arena, &number, NULL) ||
      ee_audit_number(value, ',', source->arena, &number, NULL)) {
    char *digits = ee_arena_alloc(source->arena, text.length + 1);
    size_t count = 0;
    for (size_t i = 0; i < text.length; i++)
      if (is_digit(text.data[i])) digits[count++] = text.data[i];
    return look_up_number(source, number, (ee_str){digits, count}, near);
  }
  return look_up_text(source, text, folded, near);
}

/* The check --------------------------------------------------------------------------------------- */

/* A value that its source text does not have as it is. */
typedef struct absence {
  uint32_t record, column;
  ee_source_place place;
  ee_str path, expected, near, missing;
} absence;

/* What was looked up at a path. */
typedef struct tally {
  uint64_t looked, exact, loose;
  bool hopeless;
} tally;

typedef struct source_check {
  ee_audit *audit;
  ee_arena *arena;
  tally *tallies; /* by column */
  struct {
    EE_LIST(absence);
  } absences;
  uint32_t record; /* of `source`; EE_NO_RECORD: none */
  ee_source_text source;
} source_check;

/* Values after which a path is given up if most of them are not in the source texts. */
#define HOPELESS_AFTER 200
/* Bytes of a text in a finding. */
#define SHOWN 200

static ee_str keep(ee_arena *arena, ee_str text) {
  return (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
}

static void look_at_leaf(void *user, const ee_audit_node *node, ee_arena *arena) {
  source_check *self = user;
  tally *at = &self->tallies[node->column];
  ee_type type = ee_type_of(node->value);
  if ((type != EE_STRING && type != EE_NUMBER) || !ee_audit_is_scalar(node->value) || at->hopeless) return;
  if (self->record != node->record) {
    ee_str text = ee_audit_source(self->audit, node->record);
    self->record = node->record;
    self->source.text = text;
    if (text.length > 0) ee_source_text_read(&self->source, text, arena);
  }
  if (self->source.text.length == 0) return;
  ee_str near;
  ee_source_place place = ee_source_text_look_up(&self->source, node->value, &near);
  at->looked++;
  at->exact += place == EE_PLACE_EXACT;
  at->loose += place == EE_PLACE_LOOSE;
  if (at->looked == HOPELESS_AFTER && 2 * (at->exact + at->loose) < at->looked) at->hopeless = true;
  /* "a", "none": texts say 1 and 0 without a number. */
  bool implied = type == EE_NUMBER && (ee_value_number(node->value) == 0 || ee_value_number(node->value) == 1);
  if (place == EE_PLACE_EXACT || implied) return;
  *EE_LIST_ADD(&self->absences, self->arena) =
      (absence){node->record,
                node->column,
                place,
                keep(self->arena, node->path),
                keep(self->arena, ee_audit_text(node->value, SHOWN, arena)),
                keep(self->arena, (ee_str){near.data, ee_utf8_cut(near, SHOWN)}),
                keep(self->arena, self->source.missing)};
}

/* Whether the values of a path are copied from the source texts: all but a few are there. */
static bool is_copied(const tally *at) {
  uint64_t found = at->exact + at->loose, few = at->looked >= 20 ? at->looked / 10 : at->looked >= 10 ? 2 : 1;
  return !at->hopeless && found >= 4 && at->looked - found <= few;
}

/* Whether the source texts are clean at this path, so that another spelling is worth a look. */
static bool is_clean(const tally *at) {
  return at->exact >= 10 && at->loose <= (at->looked > 40 ? at->looked / 20 : 1);
}

static void report_absence(ee_audit *audit, const absence *absent, const tally *at) {
  uint64_t found = at->exact + (absent->place == EE_PLACE_LOOSE ? 0 : at->loose);
  double weight = absent->place == EE_PLACE_NOWHERE ? 0.4 : absent->place == EE_PLACE_NEAR ? 0.6 : 0.5;
  if (33 * (at->looked - found) > at->looked && at->looked - found > 1) weight *= 0.75;
  const char *has = absent->near.length > 0      ? "the source text has '"
                    : absent->missing.length > 0 ? "the source text lacks "
                                                 : "not in the source text";
  ee_audit_blame(audit, EE_AUDIT_NOT_IN_SOURCE, absent->record, absent->path, weight, absent->expected, absent->near,
                 "%s%.*s%s; %llu of %llu values at this path are in their source text", has,
                 EE_STR_ARG(absent->near.length > 0 ? absent->near : absent->missing),
                 absent->near.length > 0 ? "'" : "", (unsigned long long)found, (unsigned long long)at->looked);
}

void ee_audit_check_source(ee_audit *audit) {
  if (!ee_audit_wants(audit, EE_AUDIT_NOT_IN_SOURCE) || audit->report.with_source == 0) return;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  source_check self = {.audit = audit,
                       .arena = &arena,
                       .tallies = EE_NEW_ARRAY(&arena, tally, audit->columns.count),
                       .record = EE_NO_RECORD};
  ee_audit_walk(audit, look_at_leaf, &self);
  for (size_t i = 0; i < self.absences.count; i++) {
    const absence *absent = &self.absences.items[i];
    const tally *at = &self.tallies[absent->column];
    if (!is_copied(at) || (absent->place == EE_PLACE_LOOSE && !is_clean(at))) continue;
    report_absence(audit, absent, at);
  }
  for (uint32_t i = 0; i < audit->columns.count; i++) {
    const tally *at = &self.tallies[i];
    if (at->looked >= 4 && !is_copied(at))
      ee_audit_note_that(audit, EE_AUDIT_NOT_IN_SOURCE,
                         "%.*s is not checked: the source text has only %llu of %s%llu values",
                         EE_STR_ARG(audit->columns.items[i].path), (unsigned long long)at->exact + at->loose,
                         at->hopeless ? "the first " : "", (unsigned long long)at->looked);
  }
  ee_arena_fini(&arena);
}
