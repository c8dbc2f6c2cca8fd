/* date_order.c: a text is folded and split into numbers, words and signs; a time is taken out; what is left must be the
 * parts of one date. */
#include "prim/date_order.h"

#include <utf8proc.h>

#include "prim/ascii_digit.h"
#include "prim/normalize.h"

#define TEXT_LIMIT 100
#define PART_LIMIT 40

/* Words --------------------------------------------------------------------------------------- */

static const struct {
  const char *text;
  int month; /* or 0 */
  bool is_weekday;
} names[] = {
#include "prim/date_names.inc"
};

/* The row of `word`, or -1. */
static int find_name(const char *word) {
  size_t low = 0, high = sizeof names / sizeof *names;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = strcmp(word, names[middle].text);
    if (order == 0) return (int)middle;
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return -1;
}

/* Lists of words have a space before and after each. An empty word, an accent by itself, is in none. */
static bool is_in(const char *word, const char *list) {
  size_t length = strlen(word);
  if (length == 0) return false;
  for (const char *found = strstr(list, word); found != NULL; found = strstr(found + 1, word)) {
    if (found[-1] == ' ' && found[length] == ' ') return true;
  }
  return false;
}

/* Words between the parts of a date: articles and prepositions, "year" and "day", the signs of Chinese, Japanese and
 * Korean dates. */
static const char small_words[] = " of the on de del d den der le el il am dnia dne r roku g gada m г года р року ";
static const char *const far_eastern[] = {"年", "月", "日", "号", "년", "월", "일"};
/* Words right before a time. */
static const char time_words[] = " t at um kl klo om ore ora alle godz o as a las ";
/* Endings of a number right after it. */
static const char endings[] = " st nd rd th er re e eme o a ste de ";

static bool is_small_word(const char *word) {
  if (is_in(word, small_words)) return true;
  for (size_t i = 0; i < sizeof far_eastern / sizeof *far_eastern; i++) {
    if (strcmp(word, far_eastern[i]) == 0) return true;
  }
  return false;
}

/* Parts --------------------------------------------------------------------------------------- */

typedef enum part_kind { PART_NUMBER, PART_WORD, PART_SIGN } part_kind;

typedef struct part {
  part_kind kind;
  bool spaced; /* white space before it */
  bool used;   /* belongs to the time */
  char sign;
  int digits, number;
  bool ordinal;     /* 1er, 3rd, 1º */
  const char *word; /* folded */
} part;

typedef struct parts {
  part items[PART_LIMIT + 1];
  size_t count;
  char words[4 * TEXT_LIMIT + PART_LIMIT]; /* each ends with NUL */
  size_t length;
} parts;

static part *add_part(parts *all, part_kind kind, bool spaced) {
  if (all->count == PART_LIMIT) return NULL;
  part *added = &all->items[all->count++];
  *added = (part){.kind = kind, .spaced = spaced};
  return added;
}

static bool add_digit(parts *all, part *last, bool spaced, int digit) {
  if (last == NULL || last->kind != PART_NUMBER || spaced) {
    last = add_part(all, PART_NUMBER, spaced);
    if (last == NULL) return false;
  }
  if (last->digits == 9) return false;
  last->number = last->number * 10 + digit;
  last->digits++;
  return true;
}

static bool add_letter(parts *all, part *last, bool spaced, uint32_t letter) {
  uint32_t plain[EE_PLAIN_LETTER_LIMIT];
  size_t count = ee_plain_letter(letter, true, plain);
  if (all->length + 4 * count + 2 > sizeof all->words) return false; /* unreached: no letter becomes that long */
  /* The signs of Far Eastern dates are words of their own. */
  bool is_ideograph = letter >= 0x3000;
  if (last == NULL || last->kind != PART_WORD || spaced || is_ideograph) {
    last = add_part(all, PART_WORD, spaced);
    if (last == NULL) return false;
    if (all->length > 0) all->length++; /* past the NUL of the word before */
    last->word = all->words + all->length;
  }
  for (size_t i = 0; i < count; i++) all->length += ee_utf8_encode(plain[i], all->words + all->length);
  all->words[all->length] = '\0';
  return true;
}

static bool is_dash(uint32_t code_point) {
  return code_point == '-' || (code_point >= 0x2010 && code_point <= 0x2015) || code_point == 0x2212;
}

static bool is_word_character(uint32_t code_point) {
  utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code_point);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ME;
}

static bool split(ee_str text, parts *all) {
  all->count = all->length = 0;
  bool spaced = false;
  for (size_t at = 0; at < text.length;) {
    uint32_t c;
    size_t bytes = ee_utf8_decode(text.data + at, text.length - at, &c);
    if (bytes == 0) return false;
    at += bytes;
    part *last = all->count > 0 ? &all->items[all->count - 1] : NULL;
    if (ee_is_space(c)) {
      spaced = true;
      continue;
    }
    int digit = ee_decimal_digit(c);
    if (digit >= 0) {
      if (!add_digit(all, last, spaced, digit)) return false;
    } else if (c == 0xBA || c == 0xB0 || c == 0xAA) {
      if (last == NULL || last->kind != PART_NUMBER || spaced) return false;
      last->ordinal = true;
    } else if (is_dash(c) || c == 0x2019 || (c < 0x80 && c != 0 && strchr("/.,':+", (int)c) != NULL)) {
      part *added = add_part(all, PART_SIGN, spaced);
      if (added == NULL) return false;
      added->sign = is_dash(c) ? '-' : c == 0x2019 ? '\'' : (char)c;
    } else if (!is_word_character(c) || !add_letter(all, last, spaced, c)) {
      return false;
    }
    spaced = false;
  }
  /* So that looking one part ahead needs no test. */
  all->items[all->count] = (part){.kind = PART_SIGN, .spaced = true, .sign = '\0'};
  return all->count > 0;
}

static bool is_sign(const part *p, char sign) { return p->kind == PART_SIGN && p->sign == sign; }
static bool is_attached_sign(const part *p, char sign) { return is_sign(p, sign) && !p->spaced; }
static bool is_word(const part *p, const char *word) { return p->kind == PART_WORD && strcmp(p->word, word) == 0; }
static bool is_attached_number(const part *p, int digits) {
  return p->kind == PART_NUMBER && !p->spaced && p->digits == digits;
}

/* Times --------------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  int minutes;
} zones[] = {{"z", 0},      {"utc", 0},    {"gmt", 0},    {"est", -300}, {"edt", -240},
             {"cst", -360}, {"cdt", -300}, {"mst", -420}, {"mdt", -360}, {"pst", -480},
             {"pdt", -420}, {"cet", 60},   {"cest", 120}, {"mez", 60},   {"mesz", 120}};

/* Reads an offset at `p` and returns the parts read, 0 if there is none. `after_name`: after UTC or GMT. */
static size_t read_offset(const part *p, bool after_name, ee_date *date) {
  if (!is_sign(p, '-') && !is_sign(p, '+')) return 0;
  const part *number = p + 1;
  size_t count = 0;
  int hours = number->number, minutes = 0;
  if (is_attached_number(number, 4)) {
    hours = number->number / 100;
    minutes = number->number % 100;
    count = 2;
  } else if (is_attached_number(number, 2) && is_attached_sign(number + 1, ':') && is_attached_number(number + 2, 2)) {
    minutes = number[2].number;
    count = 4;
  } else if (is_attached_number(number, 2) || (after_name && is_attached_number(number, 1))) {
    if (p->spaced) return 0; /* "10:30 -15 Jan" */
    count = 2;
  }
  /* In "10:30-05/01/2025" the hyphen separates. */
  bool goes_on = count > 0 && !p[count].spaced && p[count].kind != PART_SIGN;
  if (count == 0 || goes_on || is_attached_sign(&p[count], '/') || is_attached_sign(&p[count], '-') ||
      is_attached_sign(&p[count], '.')) {
    return 0;
  }
  if (hours > 23 || minutes > 59) return 0;
  date->has_offset = true;
  date->offset_minutes = (p->sign == '-' ? -1 : 1) * (hours * 60 + minutes);
  return count;
}

static size_t read_zone(const part *p, ee_date *date) {
  if (p->kind != PART_WORD) return read_offset(p, false, date);
  for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
    if (strcmp(p->word, zones[i].name) != 0) continue;
    date->has_offset = true;
    date->offset_minutes = zones[i].minutes;
    return 1 + (i == 1 || i == 2 ? read_offset(p + 1, true, date) : 0);
  }
  return 0;
}

/* am, pm, a.m., p. m.: the parts read, 0 if there is none; `*half` gets 0 or 12. */
static size_t read_half(const part *p, int *half) {
  *half = is_word(p, "pm") || is_word(p, "p") ? 12 : 0;
  if (is_word(p, "am") || is_word(p, "pm")) return is_attached_sign(p + 1, '.') ? 2 : 1;
  if ((is_word(p, "a") || is_word(p, "p")) && is_attached_sign(p + 1, '.') && is_word(p + 2, "m")) {
    return is_attached_sign(p + 3, '.') ? 4 : 3;
  }
  return 0;
}

/* The time that begins with the number `p`: the parts read, 0 if there is none. `announced`: a word such as "at" is
 * before it. */
static size_t read_time(const part *p, bool announced, ee_date *date) {
  if (p->digits > 2 || p->ordinal) return 0;
  date->hour = p->number;
  const part *at = p + 1;
  bool is_time = false;
  int parts_of_time = 1;
  char sign = is_attached_sign(at, ':') ? ':' : is_attached_sign(at, '.') ? '.' : '\0';
  if (sign != '\0' && is_attached_number(at + 1, 2)) {
    date->minute = at[1].number;
    at += 2;
    parts_of_time = 2;
    if (is_attached_sign(at, sign) && is_attached_number(at + 1, 2)) {
      date->second = at[1].number;
      at += 2;
      parts_of_time = 3;
      if (sign == ':' && (is_attached_sign(at, '.') || is_attached_sign(at, ',')) && at[1].kind == PART_NUMBER &&
          !at[1].spaced) {
        int number = at[1].number, digits = at[1].digits;
        for (; digits > 3; digits--) number /= 10;
        for (; digits < 3; digits++) number *= 10;
        date->millisecond = number;
        at += 2;
      }
    }
    is_time = sign == ':';
  } else if (is_word(at, "h")) {
    at++;
    if (at->kind == PART_NUMBER && at->digits == 2) {
      date->minute = at->number;
      at++;
      if (is_word(at, "m") || is_word(at, "min")) at++;
    }
    is_time = true;
  }
  int half;
  size_t half_parts = read_half(at, &half);
  if (half_parts > 0) {
    at += half_parts;
    if (date->hour > 12 ? half == 0 : half == 12 && date->hour == 0) return 0; /* 20:47 AM, 0:15 PM */
    if (date->hour <= 12) date->hour = date->hour % 12 + half;
    is_time = true;
  }
  if (is_word(at, "uhr") || is_word(at, "hrs") || is_word(at, "h")) {
    at++;
    is_time = true;
  }
  if (!is_time && !(announced && parts_of_time > 1)) return 0;
  at += read_zone(at, date);
  date->has_time = true;
  return (size_t)(at - p);
}

/* 1030 or 103059 after "T". */
static size_t read_compact_time(const part *p, ee_date *date) {
  if (!is_attached_number(p, 4) && !is_attached_number(p, 6)) return 0;
  int number = p->number;
  if (p->digits == 6) {
    date->second = number % 100;
    number /= 100;
  }
  date->hour = number / 100;
  date->minute = number % 100;
  date->has_time = true;
  return 1 + read_zone(p + 1, date);
}

static void use(parts *all, size_t first, size_t count) {
  for (size_t i = first; i < first + count; i++) all->items[i].used = true;
}

/* The word that announces a time before part `i`, which may be shortened with a dot ("kl."), or `i`. */
static size_t find_time_word(const parts *all, size_t i) {
  size_t at = i > 1 && is_attached_sign(&all->items[i - 1], '.') ? i - 1 : i;
  bool found = at > 0 && all->items[at - 1].kind == PART_WORD && is_in(all->items[at - 1].word, time_words);
  return found ? at - 1 : i;
}

/* Takes the time out of the parts and puts it into `date`. */
static void take_time(parts *all, ee_date *date) {
  for (size_t i = 0; i < all->count; i++) {
    if (all->items[i].kind != PART_NUMBER) continue;
    size_t word = find_time_word(all, i);
    bool announced = word < i;
    ee_date time = *date;
    size_t count = read_time(&all->items[i], announced, &time);
    if (count == 0 && announced && is_word(&all->items[word], "t") && !all->items[word].spaced) {
      time = *date;
      count = read_compact_time(&all->items[i], &time);
    }
    if (count == 0) continue;
    *date = time;
    use(all, i, count);
    while (word < i) {
      use(all, word, i - word);
      i = word;
      word = find_time_word(all, i);
    }
    return;
  }
}

/* "03.04.2025 14.30": the last two or three numbers of more than a date has. */
static void take_dotted_time(parts *all, ee_date *date) {
  for (size_t count = 3; count <= 5 && count < all->count; count += 2) {
    size_t first = all->count - count;
    const part *p = &all->items[first];
    if (p->kind != PART_NUMBER || p->digits > 2 || !p->spaced || is_sign(p - 1, '.')) continue;
    ee_date time = *date;
    if (read_time(p, true, &time) != count) continue;
    *date = time;
    use(all, first, count);
    return;
  }
}

/* Dates --------------------------------------------------------------------------------------- */

static void set_days(int64_t days, ee_date *date) {
  /* The day is found by months from a year that is at most the right one. */
  ee_date first = {.year = (int)(days / 366) + 1970, .month = 1, .day = 1};
  if (days < 0) first.year = (int)(days / 365) + 1969;
  for (ee_date next = first; next.year++, ee_date_days(&next) <= days;) first.year++;
  for (ee_date next = first; first.month < 12 && (next.month++, ee_date_days(&next) <= days);) first.month++;
  date->year = first.year;
  date->month = first.month;
  date->day = (int)(days - ee_date_days(&first)) + 1;
}

/* The Monday of week 1, which holds 4 January. */
static int64_t first_monday(int year) {
  ee_date fourth = {.year = year, .month = 1, .day = 4};
  int64_t days = ee_date_days(&fourth);
  return days - ((days + 3) % 7 + 7) % 7; /* 1970-01-01 was a Thursday */
}

static bool is_four_digit_year(const part *p) { return p->kind == PART_NUMBER && p->digits == 4 && p->number > 0; }

/* 2025-W03-2 or 2025W032 at the start of the parts. */
static bool read_week_date(const parts *all, ee_date *date) {
  const part *p = all->items;
  if (!is_four_digit_year(p)) return false;
  bool hyphens = is_attached_sign(p + 1, '-');
  const part *at = p + 1 + hyphens;
  if (!is_word(at, "w") || at->spaced || !is_attached_number(at + 1, hyphens ? 2 : 3)) return false;
  int week = at[1].number, day = week % 10;
  if (hyphens) {
    if (!is_attached_sign(at + 2, '-') || !is_attached_number(at + 3, 1)) return false;
    day = at[3].number;
  } else {
    week /= 10;
  }
  at += hyphens ? 4 : 2;
  for (; at < all->items + all->count; at++) {
    if (!at->used) return false;
  }
  int64_t monday = first_monday(p->number) + (week - 1) * 7;
  if (week < 1 || day < 1 || day > 7 || monday >= first_monday(p->number + 1)) return false;
  set_days(monday + day - 1, date);
  return true;
}

/* 2025-015 at the start of the parts. */
static bool read_ordinal_date(const parts *all, ee_date *date) {
  const part *p = all->items;
  if (!is_four_digit_year(p) || !is_attached_sign(p + 1, '-') || !is_attached_number(p + 2, 3)) return false;
  for (size_t i = 3; i < all->count; i++) {
    if (!p[i].used) return false;
  }
  ee_date first = {.year = p->number, .month = 1, .day = 1};
  set_days(ee_date_days(&first) + p[2].number - 1, date);
  return p[2].number > 0 && date->year == p->number;
}

/* What is left of a text without its time: the numbers and the month of a date, in their order. */
typedef struct date_parts {
  const part *numbers[6];
  int number_count;
  int month;         /* by name, or 0 */
  int before_month;  /* numbers before its name */
  int weekday_count; /* words that can only be weekdays */
  int months[2];     /* of words that are a month or a weekday ("mar") */
  int months_before[2];
  int doubtful_count;
} date_parts;

/* Signs that may be between two parts of a date: one, and a dot, comma or apostrophe besides ("15.-Jan", "Jan. /25").
 */
static bool is_gap(const part *from, const part *to, bool is_inner, bool after_time) {
  int count = 0, lines = 0;
  char before = '\0';
  for (const part *p = from; p < to; p++) {
    if (p->kind != PART_SIGN || p->used) continue;
    const char *allowed = is_inner ? "/.,-'" : after_time ? ".,-" : ".,";
    lines += p->sign == '/' || p->sign == '-';
    if (strchr(allowed, p->sign) == NULL || p->sign == before || ++count > 2 || lines > 1) return false;
    before = p->sign;
  }
  return true;
}

static bool add_name(date_parts *found, int name) {
  int month = names[name].month;
  if (month == 0) {
    found->weekday_count++;
  } else if (!names[name].is_weekday) {
    if (found->month != 0) return false;
    found->month = month;
    found->before_month = found->number_count;
  } else {
    if (found->doubtful_count == 2) return false;
    found->months[found->doubtful_count] = month;
    found->months_before[found->doubtful_count++] = found->number_count;
  }
  return true;
}

/* A word that is a month or a weekday is the month if nothing else is: the last one, since weekdays come first. */
static bool decide_names(date_parts *found) {
  if (found->number_count < 3 && found->month == 0 && found->doubtful_count > 0) {
    int last = --found->doubtful_count;
    found->month = found->months[last];
    found->before_month = found->months_before[last];
  }
  return found->weekday_count + found->doubtful_count <= 1;
}

static bool find_date_parts(parts *all, date_parts *found) {
  *found = (date_parts){0};
  const part *start = all->items, *end = all->items + all->count, *gap = start;
  bool any = false, time_before = false;
  for (part *p = all->items; p < end; p++) {
    if (p->used) time_before = time_before || !any;
    if (p->used || p->kind == PART_SIGN) continue;
    bool is_item = p->kind == PART_NUMBER;
    if (p->kind == PART_WORD) {
      int name = find_name(p->word);
      bool is_month = name >= 0 && names[name].month != 0;
      part *before = p > start ? p - 1 : NULL;
      bool attached = before != NULL && !p->spaced && before->kind == PART_NUMBER && !before->used;
      if (attached && !is_month && before->digits <= 2 && is_in(p->word, endings)) {
        before->ordinal = true;
      } else if (name >= 0 && (is_month || !is_small_word(p->word))) {
        if (!add_name(found, name)) return false;
        is_item = is_month;
      } else if (!is_small_word(p->word)) {
        return false;
      }
    } else if (found->number_count == 6) {
      return false;
    } else {
      found->numbers[found->number_count++] = p;
    }
    if (!is_item && any) continue;
    if (gap == start && p > start && start->kind == PART_SIGN) return false; /* no time begins with one */
    if (!is_gap(gap, p, any, time_before)) return false;
    any = any || is_item;
    gap = p + 1;
  }
  bool time_after = gap < end && end[-1].used;
  return is_gap(gap, end, false, time_after) && decide_names(found);
}

static bool is_year(const part *p) { return p->digits == 4 || p->digits == 2; }

static bool set_date(const part *year, const part *month, int named_month, const part *day, ee_date *date) {
  if (!is_year(year) || year->ordinal || day->digits > 2) return false;
  if (month != NULL && (month->digits > 2 || month->ordinal)) return false;
  date->year = year->digits == 4 ? year->number : ee_full_year(year->number);
  date->month = month != NULL ? month->number : named_month;
  date->day = day->number;
  return ee_date_is_valid(date);
}

static bool set_numbers(const part *const *n, unsigned order, ee_date *date) {
  if (n[0]->digits == 4 || order == EE_DATE_YMD) return set_date(n[0], n[1], 0, n[2], date);
  if (order == EE_DATE_DMY) return set_date(n[2], n[1], 0, n[0], date);
  return set_date(n[2], n[0], 0, n[1], date);
}

static bool set_named(const date_parts *found, unsigned order, ee_date *date) {
  const part *first = found->numbers[0], *second = found->numbers[1];
  bool year_first = first->digits == 4 || (second->digits != 4 && order == EE_DATE_YMD && found->before_month > 0);
  if (year_first) return found->before_month > 0 && set_date(first, NULL, found->month, second, date);
  return found->before_month < 2 && set_date(second, NULL, found->month, first, date);
}

/* Eight digits. A year of 1900 to 2099 in front can be day and month only of years before 1300, so this is certain. */
static bool set_compact(int number, unsigned order, ee_date *date) {
  int first = number / 10000, last = number % 10000;
  date->year = first;
  date->month = last / 100;
  date->day = last % 100;
  if ((first >= 1900 && first <= 2099 && ee_date_is_valid(date)) || order == EE_DATE_YMD) return ee_date_is_valid(date);
  date->year = last;
  date->month = order == EE_DATE_DMY ? first % 100 : first / 100;
  date->day = order == EE_DATE_DMY ? first / 100 : first % 100;
  return ee_date_is_valid(date);
}

static bool set_parts(const date_parts *found, unsigned order, ee_date *date) {
  if (found->month != 0) return found->number_count == 2 && set_named(found, order, date);
  if (found->number_count == 3) return set_numbers(found->numbers, order, date);
  return found->number_count == 1 && found->numbers[0]->digits == 8 &&
         set_compact(found->numbers[0]->number, order, date);
}

/* Which bytes of ASCII no date has. */
static const bool is_strange[128] = {
    ['!' ... '&'] = true, ['(' ... '*'] = true, [';' ... '@'] = true, ['[' ... '`'] = true, ['{' ... 0x7f] = true};

/* Whether ASCII text cannot be a date, as most texts with a digit show: a character that none has; one number, and not
 * of eight digits; a number longer than the parts of a date, where neither a fraction nor a time without signs begins.
 */
static bool is_no_date(ee_str text) {
  size_t numbers = 0, digits = 0, last = 0;
  for (size_t at = 0; at < text.length; at++) {
    const unsigned char c = (unsigned char)text.data[at];
    if (c >= 0x80) return false;
    if (is_strange[c]) return true;
    digits = ee_is_ascii_digit((char)c) ? digits + 1 : 0;
    if (digits == 0) continue;
    numbers += digits == 1;
    last = digits;
    const char next = at + 1 < text.length ? text.data[at + 1] : ' ';
    const bool goes_on = ee_is_ascii_digit(next) || (unsigned char)next >= 0x80;
    if (goes_on || digits < 5 || digits == 8) continue;
    const char before = at >= digits ? text.data[at - digits] : ' ';
    if (before != '.' && before != ',' && (before | 0x20) != 't') return true;
  }
  return numbers == 0 || (numbers == 1 && last != 8);
}

/* What all orders have in common: the parts of a date, or a date that no order changes. False if it is not a date. */
static bool read_parts(ee_str text, parts *all, date_parts *found, ee_date_by_order *result, ee_date *date) {
  *result = (ee_date_by_order){0};
  *date = (ee_date){0};
  if (text.length < 6 || text.length > TEXT_LIMIT || is_no_date(text) || !split(text, all)) return false;
  take_time(all, date);
  result->is_ordinal = read_ordinal_date(all, date);
  result->is_fixed = result->is_ordinal || read_week_date(all, date);
  if (result->is_fixed) return ee_date_is_valid(date);
  if (!find_date_parts(all, found)) return false;
  bool too_many = found->number_count > (found->month != 0 ? 2 : 3);
  if (too_many && !date->has_time) {
    take_dotted_time(all, date);
    if (!date->has_time || !find_date_parts(all, found)) return false;
  }
  result->has_name = found->month != 0;
  return true;
}

unsigned ee_date_read_by_order(ee_str text, unsigned orders, ee_date_by_order *result) {
  parts all;
  date_parts found;
  ee_date date;
  if (!read_parts(ee_str_trim(text), &all, &found, result, &date)) return 0;
  for (int i = 0; i < 3; i++) {
    unsigned order = orders & 1u << i;
    result->dates[i] = date;
    if (order != 0 && (result->is_fixed || set_parts(&found, order, &result->dates[i]))) result->orders |= order;
  }
  return result->orders;
}

int ee_month_named(ee_str word) {
  parts all;
  if (word.length > TEXT_LIMIT || !split(word, &all) || all.count != 1 || all.items[0].kind != PART_WORD) return 0;
  int name = find_name(all.items[0].word);
  return name >= 0 ? names[name].month : 0;
}
