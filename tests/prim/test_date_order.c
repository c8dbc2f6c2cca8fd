/* test_date_order.c: dates of which only the order is known: renderings of random dates read back, a reader by regular
 * expressions that decides about random texts, names of ten languages, ISO weeks against strftime. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "prim/date_order.h"
#include "support/arena.h"
#include "support/random.h"

static const unsigned orders[] = {EE_DATE_DMY, EE_DATE_MDY, EE_DATE_YMD};
static const char *const order_names[] = {"DMY", "MDY", "YMD"};

static int days_in_month(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month == 2 && (year % 400 == 0 || (year % 4 == 0 && year % 100 != 0))) return 29;
  return days[month - 1];
}

static bool is_day(int year, int month, int day) {
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month);
}

/* In memory that ends where the text ends. */
static bool read_by(const char *text, int order, ee_date *date) {
  size_t length = strlen(text);
  char *exact = malloc(length + (length == 0));
  memcpy(exact, text, length);
  ee_date_by_order all, one;
  ee_date_read_by_order((ee_str){exact, length}, EE_DATE_ANY_ORDER, &all);
  unsigned read = ee_date_read_by_order((ee_str){exact, length}, orders[order], &one);
  assert_int_equal(read, all.orders & orders[order]); /* orders do not see each other */
  ee_date_rules rules = {.order = orders[order]};
  ee_date_readings readings;
  size_t count = ee_date_read((ee_str){exact, length}, &rules, &readings);
  free(exact);
  if (count != (read != 0)) fail_msg("'%s' by %s: two ways to read it differ", text, order_names[order]);
  if (read == 0) return false;
  if (memcmp(&one.dates[order], &all.dates[order], sizeof(ee_date)) != 0) fail_msg("'%s' is read in two ways", text);
  if (ee_date_days(&readings.dates[0]) != ee_date_days(&one.dates[order])) fail_msg("'%s' is read in two ways", text);
  *date = one.dates[order];
  return true;
}

static void assert_day(const char *text, int order, int year, int month, int day) {
  ee_date date;
  if (!read_by(text, order, &date)) fail_msg("'%s' is not read by %s", text, order_names[order]);
  if (date.year != year || date.month != month || date.day != day)
    fail_msg("'%s' by %s is %d-%d-%d", text, order_names[order], date.year, date.month, date.day);
}

static void reads_what_people_write(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int order, year, month, day;
  } facts[] = {
      {"15/01/2025", 0, 2025, 1, 15},
      {"01/15/2025", 1, 2025, 1, 15},
      {"15.1.25", 0, 2025, 1, 15},
      {"1/5/68", 1, 2068, 1, 5},
      {"1/5/69", 1, 1969, 1, 5},
      {"25/1/15", 2, 2025, 1, 15},
      {"15 - 01 - 2025", 0, 2025, 1, 15},
      {"15. 1. 2025", 0, 2025, 1, 15},
      {"15 01 2025", 0, 2025, 1, 15},
      {"15-01/2025", 0, 2025, 1, 15},
      {"15\u201301\u20132025", 0, 2025, 1, 15},
      {"15JAN2025", 0, 2025, 1, 15},
      {"15Jan25", 1, 2025, 1, 15},
      {"Jan15,2025", 0, 2025, 1, 15},
      {"2025Jan15", 0, 2025, 1, 15},
      {"2025, 15 January", 1, 2025, 1, 15},
      {"25 Jan 15", 2, 2025, 1, 15},
      {"25 Jan 15", 0, 2015, 1, 25},
      {"2025-1-5", 0, 2025, 1, 5},
      {"2025/1/5", 1, 2025, 1, 5},
      {"2025 1 5", 0, 2025, 1, 5},
      {"20250115", 0, 2025, 1, 15},
      {"15012025", 0, 2025, 1, 15},
      {"01152025", 1, 2025, 1, 15},
      {"20012025", 0, 2025, 1, 20},
      {"2025-W03-3", 0, 2025, 1, 15},
      {"2025W033", 1, 2025, 1, 15},
      {"2020-W53-7", 2, 2021, 1, 3},
      {"2025-W01-1", 2, 2024, 12, 30},
      {"2025-015", 0, 2025, 1, 15},
      {"2024-366", 1, 2024, 12, 31},
      {"10:30-05/01/2025", 0, 2025, 1, 5}, /* no offset of -05 */
      {"10:30-05-01-2025", 0, 2025, 1, 5},
      {"10:30-05.01.2025", 0, 2025, 1, 5},
      {"Wednesday, 15 January 2025", 0, 2025, 1, 15},
      {"Wed 15.01.2025", 0, 2025, 1, 15},
      {"15.01.2025, Mi.", 0, 2025, 1, 15},
      {"mar 4 mar 2025", 0, 2025, 3, 4},
      {"mar. 4/3/2025", 0, 2025, 3, 4},
      {"4 mar 2025", 0, 2025, 3, 4},
      {"3rd of March, 2025", 0, 2025, 3, 3},
      {"March 3rd 2025", 0, 2025, 3, 3},
      {"1er mars 2025", 0, 2025, 3, 1},
      {"1\u00ba de mar\u00e7o de 2025", 0, 2025, 3, 1},
      {"1\u00b0 marzo 2025", 0, 2025, 3, 1},
      {"3 de marzo de 2025", 0, 2025, 3, 3},
      {"3 D'ABRIL DE 2025", 0, 2025, 4, 3},
      {"15 stycznia 2025 r.", 0, 2025, 1, 15},
      {"2025. janu\u00e1r 15.", 0, 2025, 1, 15},
      {"2025 m. kovo 3 d.", 0, 2025, 3, 3},
      {"2025. gada 3. marts", 0, 2025, 3, 3},
      {"15 \u044f\u043d\u0432\u0430\u0440\u044f 2025 \u0433.", 0, 2025, 1, 15},
      {"2025\u5e741\u670815\u65e5", 0, 2025, 1, 15},
      {"2025\ub144 1\uc6d4 15\uc77c", 0, 2025, 1, 15},
      {"\u0661\u0665/\u0661/\u0662\u0660\u0662\u0665", 0, 2025, 1, 15},
      {"15 Mrz '25", 0, 2025, 3, 15},
      {"15 M\u00c4RZ 2025", 0, 2025, 3, 15},
      {"15 MA\u0308RZ 2025", 0, 2025, 3, 15},
      {"15 Marz 2025", 0, 2025, 3, 15},
      {"15 A\u011eUSTOS 2025", 0, 2025, 8, 15},
      {"15 Haziran 2025", 0, 2025, 6, 15},
      {"15 Sept. 2025", 0, 2025, 9, 15},
      {"Wed Jan 15 10:30:00 UTC 2025", 1, 2025, 1, 15},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {

    assert_day(facts[i].text, facts[i].order, facts[i].year, facts[i].month, facts[i].day);
  }
}

static void reads_times(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int hour, minute, second, millisecond;
    bool has_offset;
    int offset;
  } facts[] = {
      {"25/12/2018 8:13:39 PM", 20, 13, 39, 0, false, 0},
      {"25/12/2018 20:47 PM", 20, 47, 0, 0, false, 0},
      {"25/12/2018 12:05am", 0, 5, 0, 0, false, 0},
      {"25/12/2018 12:05 p. m.", 12, 5, 0, 0, false, 0},
      {"25/12/2018 2PM", 14, 0, 0, 0, false, 0},
      {"25/12/2018 8.13 pm", 20, 13, 0, 0, false, 0},
      {"25/12/2018 8.13 p.m", 20, 13, 0, 0, false, 0},
      {"25/12/2018 8.13 a.m.", 8, 13, 0, 0, false, 0},
      {"25/12/2018 8.13 am.", 8, 13, 0, 0, false, 0},
      {"25-12-18 20:47", 20, 47, 0, 0, false, 0},
      {"25-12-18 - 20:47", 20, 47, 0, 0, false, 0},
      {"20:47, 25 Dec 2018", 20, 47, 0, 0, false, 0},
      {"20:47 - 25/12/2018", 20, 47, 0, 0, false, 0},
      {"2:05 p.m. on Tuesday, 25 December 2018", 14, 5, 0, 0, false, 0},
      {"25 d\u00e9c. 2018 \u00e0 14h30", 14, 30, 0, 0, false, 0},
      {"25.12.2018 14.30", 14, 30, 0, 0, false, 0},
      {"25.12.2018 14.30.59", 14, 30, 59, 0, false, 0},
      {"25.12.2018 um 14.30 Uhr", 14, 30, 0, 0, false, 0},
      {"25.12.2018, 14 Uhr", 14, 0, 0, 0, false, 0},
      {"den 25 dec 2018 kl. 14.30", 14, 30, 0, 0, false, 0},
      {"25 de diciembre de 2018 a las 14:30 h", 14, 30, 0, 0, false, 0},
      {"25/12/2018T14:30:59.25+0530", 14, 30, 59, 250, true, 330},
      {"25/12/2018 14:30:59,123456 Z", 14, 30, 59, 123, true, 0},
      {"25/12/2018 14:30 GMT+2", 14, 30, 0, 0, true, 120},
      {"25/12/2018 14:30 -08:00", 14, 30, 0, 0, true, -480},
      {"25 Dec 2018 14:30:00 EST", 14, 30, 0, 0, true, -300},
      {"Tue, 25 Dec 2018 14:30:00 +0200", 14, 30, 0, 0, true, 120},
      {"Tue Dec 25 14:30:00 CET 2018", 14, 30, 0, 0, true, 60},
      {"25122018T143059", 14, 30, 59, 0, false, 0},
      {"25122018T1430Z", 14, 30, 0, 0, true, 0},
      {"25122018T143059+0530", 14, 30, 59, 0, true, 330},
      {"25122018T1430-08:00", 14, 30, 0, 0, true, -480},
      {"25/12/2018T143059 CET", 14, 30, 59, 0, true, 60},
      {"2018-W52-2T14:30", 14, 30, 0, 0, false, 0},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_date date;
    if (!read_by(facts[i].text, 0, &date)) fail_msg("'%s' is not read", facts[i].text);
    if (date.year != 2018 || date.month != 12 || date.day != 25 || !date.has_time || date.hour != facts[i].hour ||
        date.minute != facts[i].minute || date.second != facts[i].second || date.millisecond != facts[i].millisecond ||
        date.has_offset != facts[i].has_offset || date.offset_minutes != facts[i].offset) {
      char iso[40];
      ee_date_format_iso(&date, iso);
      fail_msg("'%s' is read as %s", facts[i].text, iso);
    }
  }
}

static void refuses_everything_else(void **state) {
  (void)state;
  static const char *const never[] = {
      "",
      "1 \u00ba de mar\u00e7o de 2025", /* the sign of an ordinal belongs to its number */
      "1 de mar\u00e7o\u00ba de 2025",
      "\u00ba1 de mar\u00e7o de 2025",
      "2025",
      "2025-01",
      "January 2025",
      "15 January",
      "150125", /* six digits: too little to be sure */
      "2025011",
      "202501155",
      "32/01/2025",
      "30/02/2025",
      "29 Feb 2025",
      "0/1/2025",
      "15/1/225",
      "115/1/2025",
      "15//01//2025",
      "15/./01/2025",
      "/15/01/2025",
      "15/01/2025/",
      "-15/01/2025",
      "15:01:2025",
      "15_01_2025",
      "15 Foo 2025",
      "15 Janu 2025",
      "15 January February 2025",
      "Mon Tue 15 Jan 2025",
      "15 Jan 2025 7",
      "15 Jan 2025 abc",
      "1\xcc\x88.2.2025", /* an accent by itself after a number */
      "15/01/2025 24:30",
      "15/01/2025 10:60",
      "15/01/2025 20:47 AM",
      "15/01/2025 0:15 PM",
      "15/01/2025 10:30 11:30",
      "15/01/2025 10",
      "2025-W54-1",
      "2025-W53-1", /* 2025 has 52 weeks */
      "2025-W00-1",
      "2025-W03-8",
      "2025-W03",
      "2025-000",
      "2025-366",
      "2025-13-01",
      "12.50",
      "1,234.56",
      "3 x 4 pcs 2025",
      "12345678901234567890/1/2025",
      "tel. 12 34 2025 99",
      "15 listopad listopad 2025",
  };
  for (size_t i = 0; i < sizeof never / sizeof *never; i++)
    for (int order = 0; order < 3; order++) {
      ee_date date;
      if (read_by(never[i], order, &date)) fail_msg("'%s' is read by %s", never[i], order_names[order]);
    }
  ee_date date;
  assert_false(read_by("12/31/2025", 0, &date)); /* another order is another date: nothing is guessed */
  assert_false(read_by("31/12/2025", 1, &date));
  assert_false(read_by("31/12/2025", 2, &date));
  assert_false(read_by("1st/2/2025", 1, &date)); /* only a day is an ordinal */
  assert_int_equal(ee_date_orders(EE_STR("03/04/2025")), EE_DATE_DMY | EE_DATE_MDY);
  assert_int_equal(ee_date_orders(EE_STR("31/12/2025")), EE_DATE_DMY);
  assert_int_equal(ee_date_orders(EE_STR("03/04/05")), EE_DATE_ANY_ORDER);
  assert_int_equal(ee_date_orders(EE_STR(" 2025-04-03 ")), EE_DATE_ANY_ORDER);
  assert_int_equal(ee_date_orders(EE_STR("2025-015")), 0);
  assert_int_equal(ee_date_orders(EE_STR("8.20")), 0);
}

/* Full names, from the languages' own dictionaries, not from CLDR: with the genitive where dates have it. */
static const char *const month_names[][12] = {
    {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
     "December"},
    {"Januar", "Februar", "M\u00e4rz", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
     "Dezember"},
    {"janvier", "f\u00e9vrier", "mars", "avril", "mai", "juin", "juillet", "ao\u00fbt", "septembre", "octobre",
     "novembre", "d\u00e9cembre"},
    {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre",
     "diciembre"},
    {"gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre",
     "novembre", "dicembre"},
    {"janeiro", "fevereiro", "mar\u00e7o", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro",
     "novembro", "dezembro"},
    {"januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november",
     "december"},
    {"stycznia", "lutego", "marca", "kwietnia", "maja", "czerwca", "lipca", "sierpnia", "wrze\u015bnia",
     "pa\u017adziernika", "listopada", "grudnia"},
    {"januari", "februari", "mars", "april", "maj", "juni", "juli", "augusti", "september", "oktober", "november",
     "december"},
    {"Ocak", "\u015eubat", "Mart", "Nisan", "May\u0131s", "Haziran", "Temmuz", "A\u011fustos", "Eyl\u00fcl", "Ekim",
     "Kas\u0131m", "Aral\u0131k"},
};
static const char *const short_names[][12] = {
    {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec"},
    {"Jan.", "Feb.", "Mrz", "Apr.", "Mai", "Jun", "Jul", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."},
    {"janv.", "f\u00e9vr.", "mars", "avr.", "mai", "juin", "juil.", "ao\u00fbt", "sept.", "oct.", "nov.", "d\u00e9c."},
    {"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"},
    {"gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic"},
    {"jan.", "fev.", "mar.", "abr.", "mai.", "jun.", "jul.", "ago.", "set.", "out.", "nov.", "dez."},
    {"jan.", "feb.", "mrt.", "apr.", "mei", "jun.", "jul.", "aug.", "sep.", "okt.", "nov.", "dec."},
    {"sty", "lut", "mar", "kwi", "maj", "cze", "lip", "sie", "wrz", "pa\u017a", "lis", "gru"},
    {"jan.", "feb.", "mars", "apr.", "maj", "juni", "juli", "aug.", "sep.", "okt.", "nov.", "dec."},
    {"Oca", "\u015eub", "Mar", "Nis", "May", "Haz", "Tem", "A\u011fu", "Eyl", "Eki", "Kas", "Ara"},
};
enum { LANGUAGES = sizeof month_names / sizeof *month_names };

static const char *pick(test_random *random, const char *const *list, size_t count) {
  return list[test_random_below(random, count)];
}

/* Random dates in random renderings are read back; by another order they are what that order makes of the numbers. */
static void reads_renderings_back(void **state) {
  (void)state;
  test_random random = test_random_start("date_order: renderings", 520);
  static const char *const separators[] = {"/", "-", ".", " ", ", ", ". ", " / ", "  ", "\u2013", ".-"};
  static const char *const weekdays[] = {"", "", "", "Mon ", "Montag, ", "lun. ", "ma. ", "sexta, ", "\u015br., "};
  static const char *const times[] = {"", "", "", " 10:30", "T10:30", ", 10:30", " 10.30 Uhr", " 10h30", " 10:30 am"};
  for (int round = 0; round < 60000; round++) {
    int order = (int)test_random_below(&random, 3), year = 1969 + (int)test_random_below(&random, 100);
    int month = 1 + (int)test_random_below(&random, 12);
    int day = 1 + (int)test_random_below(&random, (size_t)days_in_month(year, month));
    bool named = test_random_below(&random, 2) == 0, four = test_random_below(&random, 3) != 0;
    char y[8], m[32], d[8], text[200];
    sprintf(y, four ? "%04d" : "%02d", four ? year : year % 100);
    sprintf(d, test_random_below(&random, 2) == 0 ? "%02d" : "%d", day);
    sprintf(m, test_random_below(&random, 2) == 0 ? "%02d" : "%d", month);
    if (named) {
      size_t language = test_random_below(&random, LANGUAGES);
      strcpy(m, (test_random_below(&random, 2) == 0 ? month_names : short_names)[language][month - 1]);
      if (test_random_below(&random, 4) == 0)
        for (char *c = m; *c != '\0'; c++)
          if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 32);
    }
    const char *parts[3] = {d, m, y};
    if (order == 1) parts[0] = m, parts[1] = d;
    if (order == 2 || (four && test_random_below(&random, 4) == 0)) parts[0] = y, parts[1] = m, parts[2] = d;
    const char *separator = pick(&random, separators, sizeof separators / sizeof *separators);
    if (separator[0] == '.' && strchr(m, '.') != NULL) separator = " ";
    if (named && test_random_below(&random, 6) == 0 && parts[0] != y && parts[1] == m) separator = " de ";
    const char *weekday = pick(&random, weekdays, sizeof weekdays / sizeof *weekdays);
    const char *time = pick(&random, times, sizeof times / sizeof *times);
    if (round % 8 == 0 && time[0] == ' ' && weekday[0] == '\0') {
      sprintf(text, "%s %s%s%s%s%s", time + 1, parts[0], separator, parts[1], separator, parts[2]);
    } else {
      sprintf(text, "%s%s%s%s%s%s%s", weekday, parts[0], separator, parts[1], separator, parts[2], time);
    }
    ee_date date;
    if (!read_by(text, order, &date)) fail_msg("'%s' is not read by %s", text, order_names[order]);
    if (date.year != year || date.month != month || date.day != day || date.has_time != (time[0] != '\0') ||
        (date.has_time && (date.hour != 10 || date.minute != 30)))
      fail_msg("'%s' by %s is read as %d-%d-%d %d:%d", text, order_names[order], date.year, date.month, date.day,
               date.hour, date.minute);
    for (int other = 0; other < 3; other++) {
      bool read = read_by(text, other, &date);
      if (parts[0] == y && four && !read) fail_msg("'%s' is not read by %s", text, order_names[other]);
      if (read && parts[0] == y && four && (date.year != year || date.month != month || date.day != day))
        fail_msg("'%s' by %s is read as %d-%d-%d", text, order_names[other], date.year, date.month, date.day);
      if (!named && !four && order != 2 && other != 2 && other != order &&
          (read != is_day(year, day, month) || (read && (date.month != day || date.day != month))))
        fail_msg("'%s' by %s", text, order_names[other]);
    }
  }
}

/* Short English and other dates by regular expressions, one for each way to write one. */
typedef struct pattern {
  const char *text;
  const char *parts; /* which of y m d each group is; n: the month's name */
  const char *orders;
  regex_t compiled;
} pattern;

#define SIGNS "( *[/.,'-]|( *[.,'] *[/-])|( *[/-] *[.,'])|( *\\. *[,'])|( *, *[.'])|( *' *[.,]))"
#define NUMBER_GAP SIGNS " *"
#define SPACES " +"
#define ANY_GAP SIGNS "? *"
#define N "([0-9]{1,2})"
#define Y "([0-9]{4}|[0-9]{2})"
#define Y4 "([0-9]{4})"
#define Y2 "([0-9]{2})"
#define END "( *[.,]| *, *\\.| *\\. *,)?"
#define NAME "(jan|sept|mars)"

static void expand(const char *text, char *out) {
  /* G: a gap between numbers; g: one beside a name; < weekday before a number, { before a name; > the end. */
  *out = '\0';
  for (; *text != '\0'; text++) {
    switch (*text) {
    case 'G': strcat(out, "(" NUMBER_GAP "|" SPACES ")"); break;
    case 'g': strcat(out, "(" ANY_GAP ")"); break;
    case '<': strcat(out, "^ *(fri" END " *)?"); break;
    case '{': strcat(out, "^ *(fri(( *[.,]| *, *\\.| *\\. *,) *| +))?"); break;
    case '>': strcat(out, END " *$"); break;
    case 'N': strcat(out, N); break;
    case 'Y': strcat(out, Y); break;
    case '4': strcat(out, Y4); break;
    case '2': strcat(out, Y2); break;
    case 'M': strcat(out, NAME); break;
    default: fail();
    }
  }
}

static bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

/* Whether `text` has that many digits in a row, or exactly three. */
static bool has_run(const char *text, size_t digits) {
  for (size_t run; *text != '\0'; text += run + (run == 0)) {
    run = strspn(text, "0123456789");
    if (digits == 3 ? run == 3 : run >= digits) return true;
  }
  return false;
}

static int month_of(const char *name) { return name[0] == 'j' ? 1 : name[0] == 's' ? 9 : 3; }

/* What `text` is by the patterns, or false. Groups that are a part of a date begin with a digit or are a name. */
static bool naive_read(pattern *patterns, size_t count, const char *text, int order, int *year, int *month, int *day) {
  for (size_t i = 0; i < count; i++) {
    regmatch_t groups[40];
    if (strchr(patterns[i].orders, "dmy"[order]) == NULL) continue;
    if (regexec(&patterns[i].compiled, text, 40, groups, 0) != 0) continue;
    const char *part = patterns[i].parts;
    for (int g = 1; g < 40 && *part != '\0'; g++) {
      if (groups[g].rm_so < 0) continue;
      const char *found = text + groups[g].rm_so;
      size_t length = (size_t)(groups[g].rm_eo - groups[g].rm_so);
      bool is_name = length >= 3 && found[0] >= 'a' && strncmp(found, "fri", 3) != 0;
      bool is_number = length > 0 && strspn(found, "0123456789") >= length;
      if (!is_name && !is_number) continue;
      int value = is_name ? month_of(found) : atoi(found);
      switch (*part++) {
      case 'y': *year = length == 2 ? value + (value <= 68 ? 2000 : 1900) : value; break;
      case 'm': *month = value; break;
      default: *day = value;
      }
    }
    assert_int_equal(*part, '\0');
    return is_day(*year, *month, *day);
  }
  return false;
}

static void agrees_with_regular_expressions(void **state) {
  (void)state;
  pattern patterns[] = {
      {.text = "<4GNGN>", .parts = "ymd", .orders = "dmy"}, {.text = "<NGNGY>", .parts = "dmy", .orders = "d"},
      {.text = "<NGNGY>", .parts = "mdy", .orders = "m"},   {.text = "<2GNGN>", .parts = "ymd", .orders = "y"},
      {.text = "<4gMgN>", .parts = "ymd", .orders = "dmy"}, {.text = "<NgMg4>", .parts = "dmy", .orders = "dmy"},
      {.text = "<NgMg2>", .parts = "dmy", .orders = "dm"},  {.text = "<2gMgN>", .parts = "ymd", .orders = "y"},
      {.text = "{MgNGY>", .parts = "mdy", .orders = "dmy"}, {.text = "<4GNgM>", .parts = "ydm", .orders = "dmy"},
      {.text = "<2GNgM>", .parts = "ydm", .orders = "y"},
  };
  enum { PATTERNS = sizeof patterns / sizeof *patterns };
  for (size_t i = 0; i < PATTERNS; i++) {
    char whole[600];
    expand(patterns[i].text, whole);
    assert_int_equal(regcomp(&patterns[i].compiled, whole, REG_EXTENDED), 0);
  }
  test_random random = test_random_start("date_order: regular expressions", 521);
  static const char *const pieces[] = {"3",   "03", "12", "31", "2025", "25", "0", "7", "jan",  "sept", "mars",
                                       "fri", "/",  ".",  "-",  " ",    ",",  "/", " ", "1999", "'",    "x"};
  size_t read = 0;
  for (int round = 0; round < 200000; round++) {
    char text[100] = "";
    if (round % 2 == 0) { /* a good text with one to three mistakes, or none */
      static const char *const good[] = {"3/12/2025",       "12-31-25",    "2025.3.7",    "3 jan 2025",
                                         "fri, 3. mars 25", "jan 3, 2025", "2025 3 mars", "25-jan-07"};
      strcpy(text, pick(&random, good, 8));
      for (size_t n = test_random_below(&random, 3); n > 0; n--) {
        size_t length = strlen(text), at = test_random_below(&random, length + 1);
        bool inside = at > 0 && is_letter(text[at - 1]) && is_letter(text[at]);
        if (inside || is_letter(text[at])) continue; /* other words may be names, too */
        char rest[100];
        strcpy(rest, text + at + (at < length && test_random_below(&random, 2)));
        text[at] = '\0';
        if (test_random_below(&random, 4) != 0) strcat(text, pick(&random, pieces, sizeof pieces / sizeof *pieces));
        strcat(text, rest);
      }
    } else {
      for (size_t n = 3 + test_random_below(&random, 5); n > 0; n--)
        strcat(text, pick(&random, pieces, sizeof pieces / sizeof *pieces));
    }
    /* Times, ordinal dates and eight digits are tested above, and so are weekdays elsewhere. */
    if (strlen(text) < 6 || strstr(text, "fri") > text || has_run(text, 7) || has_run(text, 3)) continue;
    for (int order = 0; order < 3; order++) {
      int year = 0, month = 0, day = 0;
      ee_date date;
      bool expected = naive_read(patterns, PATTERNS, text, order, &year, &month, &day);
      bool got = read_by(text, order, &date);
      if (got && date.has_time) break;
      if (got != expected) fail_msg("'%s' by %s: %s", text, order_names[order], got ? "read" : "not read");
      if (got && (date.year != year || date.month != month || date.day != day))
        fail_msg("'%s' by %s is %d-%d-%d, not %d-%d-%d", text, order_names[order], date.year, date.month, date.day,
                 year, month, day);
      read += got;
    }
  }
  assert_true(read > 10000);
  for (size_t i = 0; i < PATTERNS; i++) regfree(&patterns[i].compiled);
}

/* Every day of 40 years as the C library writes its week and its day of the year. */
static void knows_weeks_and_days_of_the_year(void **state) {
  (void)state;
  for (int year = 1990; year < 2030; year++)
    for (int day = 0; day < 365; day++) {
      struct tm tm = {.tm_year = year - 1900, .tm_mon = 0, .tm_mday = 1 + day, .tm_hour = 12};
      timegm(&tm);
      char text[40];
      static const char *const formats[] = {"%G-W%V-%u", "%GW%V%u", "%Y-%j"};
      for (int i = 0; i < 3; i++) {
        strftime(text, sizeof text, formats[i], &tm);
        assert_day(text, day % 3, tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
      }
    }
}

/* Random pieces: never a crash, never a day that the calendar has not. */
static void survives_junk(void **state) {
  (void)state;
  test_random random = test_random_start("date_order: junk", 522);
  static const char *const pieces[] = {"2025", "1",   "31", "Jan", "mar",    "lun",    "de",     "T",       "10:30",
                                       "pm",   "h",   "a",  ".",   "-",      "+02",    "/",      " ",       "'",
                                       "Z",    "utc", "kl", "w03", "\u5e74", "\u00ba", "\u0661", "e\u0301", "\xff",
                                       "\xc3", "15",  ":",  ",",   "th",     "uhr",    "0000000"};
  size_t read = 0;
  for (int round = 0; round < 200000; round++) {
    char text[200] = "";
    if (round % 2 == 0) strcpy(text, "15 mar 2025 ");
    for (size_t n = 1 + test_random_below(&random, round % 2 == 0 ? 6 : 12); n > 0; n--)
      strcat(text, pick(&random, pieces, sizeof pieces / sizeof *pieces));
    for (int order = 0; order < 3; order++) {
      ee_date date;
      if (!read_by(text, order, &date)) continue;
      read++;
      if (!is_day(date.year, date.month, date.day) || date.hour < 0 || date.hour > 23 || date.minute < 0 ||
          date.minute > 59 || date.second < 0 || date.second > 60 || date.millisecond < 0 || date.millisecond > 999)
        fail_msg("'%s'", text);
    }
  }
  assert_true(read > 500);
  char *many = malloc(1000);
  memset(many, '1', 1000);
  ee_date_by_order all;
  assert_int_equal(ee_date_read_by_order((ee_str){many, 1000}, EE_DATE_ANY_ORDER, &all), 0);
  memset(many, '.', 100);
  assert_int_equal(ee_date_read_by_order((ee_str){many, 100}, EE_DATE_ANY_ORDER, &all), 0);
  free(many);
}

/* Without an order: what every order agrees on; the rest is ambiguous. */
static void reads_without_an_order_what_is_clear(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t count;
  } facts[] = {{"2025-1-5", 1},    {"3 marzo 2025", 1}, {"15. Jan 25", 1}, {"31/12/2025", 1}, {"31.12.2025 10:30", 1},
               {"31/12/25", 2},    {"03/04/2025", 2},   {"03/04/05", 3},   {"05/05/2025", 1}, {"05/05/25", 2},
               {"30/02/25", 0},    {"30-FEB-25", 0},    {"2025-W03-3", 1}, {"2025-015", 1},   {"2025-01-15T1030", 1},
               {"15 JAN-2025", 1}, {"31/12-2025", 1},   {"2025 01 15", 1}, {"1//2/2025", 0},  {"4598375937", 0}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_date_rules rules = {0};
    ee_date_readings readings;
    size_t count = ee_date_read(ee_str_from(facts[i].text), &rules, &readings);
    if (count != facts[i].count) fail_msg("'%s' has %zu readings, not %zu", facts[i].text, count, facts[i].count);
  }
}

/* White space at both ends is no part of the text, and so not of its length, which is limited. */
static void ignores_white_space_at_both_ends(void **state) {
  (void)state;
  char text[300];
  snprintf(text, sizeof text, "%120s15/01/2025%120s", "", "");
  ee_date_by_order result;
  assert_int_equal(ee_date_read_by_order(ee_str_from(text), EE_DATE_ANY_ORDER, &result), EE_DATE_DMY);
  assert_int_equal(ee_date_orders(ee_str_from(text)), EE_DATE_DMY);
}

/* Readings that were used before leave nothing behind, such as the time of the last text. */
static void starts_each_reading_afresh(void **state) {
  (void)state;
  ee_date_rules rules = {.order = EE_DATE_DMY};
  ee_date_readings readings;
  memset(&readings, 0x11, sizeof readings);
  assert_int_equal(ee_date_read(EE_STR("2018-12-25"), &rules, &readings), 1);
  assert_false(readings.dates[0].has_time);
  assert_false(readings.dates[0].has_offset);
}

static void knows_the_borders_of_parts(void **state) {
  (void)state;
  static const char *const dates[] = {"15\u221201\u22122025",   "15 Jan \u201925",      "10:30 a.m 15 Jan 2025",
                                      "15 Jan 2025 10h30m",     "15 Jan 2025 10h30min", "15 Jan 2025 10:30 hrs",
                                      "15 Jan 2025 10:30:15.25"};
  ee_date date;
  for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
    if (!read_by(dates[i], 0, &date)) fail_msg("'%s' is not read", dates[i]);
    if (date.year != 2025 || date.month != 1 || date.day != 15) fail_msg("'%s' is another day", dates[i]);
  }
  assert_true(read_by("1965-W02-3", 0, &date) && date.year == 1965 && date.month == 1 && date.day == 13);
  assert_true(read_by("1\u00aa Jan 2025", 0, &date) && date.day == 1);
  assert_true(read_by("2025-015 10:30", 0, &date) && date.day == 15 && date.hour == 10);
  static const char *const others[] = {
      "15 Jan \u0378 2025",
      "2025-W03-12",
      "2025-W03-0",
      "2025-W03-8",
      "2025-015 Jan",
      "2025-015 word",
      "2025-W03-1 word",
      "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
      "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
      "1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a",
      "................................................................"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    for (int order = 0; order < 3; order++)
      if (read_by(others[i], order, &date)) fail_msg("'%s' is read", others[i]);
  ee_date_by_order read;
  assert_int_equal(ee_date_read_by_order(EE_STR("15\0 Jan 2025"), EE_DATE_ANY_ORDER, &read), 0);
  read_by("10:30:15. 15 Jan 2025", 0, &date);
}

static void knows_months_by_name(void **state) {
  (void)state;
  assert_int_equal(ee_month_named(EE_STR("January")), 1);
  assert_int_equal(ee_month_named(EE_STR("d\u00e9cembre")), 12);
  static const char *const others[] = {"", "Monday", "word", "Jan 1", "1", "\xff", "-"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_int_equal(ee_month_named(ee_str_from(others[i])), 0);
  char text[200];
  memset(text, 'a', sizeof text);
  assert_int_equal(ee_month_named((ee_str){text, sizeof text}), 0);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(reads_what_people_write), cmocka_unit_test(reads_times),
             cmocka_unit_test(refuses_everything_else), cmocka_unit_test(reads_renderings_back),
             cmocka_unit_test(agrees_with_regular_expressions), cmocka_unit_test(knows_weeks_and_days_of_the_year),
             cmocka_unit_test(survives_junk), cmocka_unit_test(reads_without_an_order_what_is_clear),
             cmocka_unit_test(starts_each_reading_afresh), cmocka_unit_test(ignores_white_space_at_both_ends),
             cmocka_unit_test(knows_the_borders_of_parts), cmocka_unit_test(knows_months_by_name));
