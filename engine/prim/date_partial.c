/* date_partial.c: dates that lack parts, as two or fewer words and numbers with separators between them. */
#include "prim/date_partial.h"

#include <string.h>

#include "prim/date_order.h"

int ee_days_of_month(int year, int month) {
  static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[month - 1] - (month == 2 && !leap);
}

/* A run of digits (word empty) or of other characters. */
typedef struct piece {
  ee_str word;
  int number, digits;
} piece;

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }
static bool is_separator(char c) { return c == ' ' || c == '-' || c == '/' || c == '.' || c == ','; }

/* At most two pieces; `*symbol` gets what is between them where that is one of "-/." alone, else '\0'. */
static bool split(ee_str text, piece pieces[2], size_t *count, char *symbol) {
  *count = 0;
  *symbol = '\0';
  size_t at = 0, gap = 0;
  while (at < text.length) {
    if (*count > 0) {
      for (gap = at; at < text.length && is_separator(text.data[at]); at++) continue;
      if (at == text.length) return at - gap == 1 && text.data[gap] == '.' && *count == 2; /* "2025 Mar." */
      if (*count == 2) {
        /* The ending of an ordinal number. */
        static const char *const endings[] = {"st", "nd", "rd", "th"};
        if (at != gap || text.length - at != 2) return false;
        for (size_t i = 0; i < 4; i++)
          if (memcmp(text.data + at, endings[i], 2) == 0) return true;
        return false;
      }
      if (at - gap == 1 && strchr("-/.", text.data[gap]) != NULL) *symbol = text.data[gap];
      if (at == gap && pieces[0].digits > 0) { /* "14th March" */
        if (text.length - at < 3 || text.data[at + 2] != ' ') return false;
        if (memcmp(text.data + at, "st", 2) != 0 && memcmp(text.data + at, "nd", 2) != 0 &&
            memcmp(text.data + at, "rd", 2) != 0 && memcmp(text.data + at, "th", 2) != 0)
          return false;
        at += 3;
      } else if (at == gap) {
        return false;
      }
    }
    piece *next = &pieces[(*count)++];
    *next = (piece){.word = {text.data + at, 0}};
    for (; at < text.length && is_digit(text.data[at]); at++) {
      if (++next->digits > 4) return false;
      next->number = next->number * 10 + (text.data[at] - '0');
    }
    if (next->digits > 0) continue;
    size_t start = at;
    while (at < text.length && !is_digit(text.data[at]) && !is_separator(text.data[at])) at++;
    if (at == start) return false;
    next->word.length = at - start;
  }
  return true;
}

static bool is_year(const piece *one) { return one->digits == 4 && one->number > 0; }
static bool is_month(const piece *one) { return one->digits <= 2 && one->number >= 1 && one->number <= 12; }

bool ee_partial_date_read(ee_str text, ee_partial_date *date) {
  piece pieces[2];
  size_t count;
  char symbol;
  *date = (ee_partial_date){0};
  text = ee_str_trim(text);
  if (text.length > 60 || !split(text, pieces, &count, &symbol)) return false;
  if (count == 1) {
    if (text.length != 4 || !is_year(&pieces[0])) return false;
    date->year = pieces[0].number;
    return true;
  }
  if (count != 2) return false;
  if (pieces[0].digits > 0 && pieces[1].digits > 0) {
    bool first = is_year(&pieces[0]);
    const piece *month = &pieces[first];
    if (symbol == '\0' || !is_year(&pieces[!first]) || !is_month(month)) return false;
    *date = (ee_partial_date){.year = pieces[!first].number, .month = month->number};
    return true;
  }
  bool word_first = pieces[0].digits == 0;
  const piece *word = &pieces[!word_first], *number = &pieces[word_first];
  date->month = ee_month_named(word->word);
  if (date->month == 0 || number->digits == 0) return false;
  if (is_year(number))
    date->year = number->number;
  else if (number->digits <= 2 && number->number >= 1 && number->number <= ee_days_of_month(0, date->month))
    date->day = number->number;
  else
    return false;
  return true;
}
