/* test_error_kind.c: the kinds of errors: the examples of the table, hand-written pairs, values that were changed in a
 * known way, and values of other fields and rows. */
#include "judge/error_kind.h"

#include "base/limits.h"
#include "judge/plan_fixture.h"
#include "prim/normalize.h"
#include "support/random.h"

/* Pairs ------------------------------------------------------------------------------------------ */

static ee_error_kind kind_of(ee_arena *arena, const char *expected, const char *candidate) {
  return ee_error_kind_of_values(fixture_json(arena, expected), fixture_json(arena, candidate), arena);
}

static void assert_kind(ee_arena *arena, const char *expected, const char *candidate, ee_error_kind kind) {
  ee_error_kind found = kind_of(arena, expected, candidate);
  if (found != kind)
    fail_msg("%s and %s are '%s', not '%s'", expected, candidate, ee_error_kind_name(found), ee_error_kind_name(kind));
}

static void test_table(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (int kind = EE_ERROR_KIND_NONE + 1; kind < EE_ERROR_KIND_COUNT; kind++) {
    const char *name = ee_error_kind_name((ee_error_kind)kind);
    assert_int_equal(ee_error_kind_find(ee_str_from(name)), kind);
    assert_true(strlen(ee_error_kind_definition((ee_error_kind)kind)) > 10);
    const char *expected = ee_error_kind_example((ee_error_kind)kind, EE_EXPECTED);
    const char *candidate = ee_error_kind_example((ee_error_kind)kind, EE_CANDIDATE);
    if (*expected != '\0') assert_kind(&arena, expected, candidate, (ee_error_kind)kind);
  }
  assert_int_equal(ee_error_kind_find(EE_STR("oddity")), EE_ERROR_KIND_NONE);
  assert_string_equal(ee_error_kind_name(EE_ERROR_KIND_NONE), "");
  ee_arena_fini(&arena);
}

static void test_pairs(void **state) {
  (void)state;
  static const struct {
    const char *expected, *candidate, *kind;
  } rows[] = {
      {"\"Straße\"", "\"STRASSE\"", "case only"},
      {"\"A B\"", "\"A\\u00a0\\tB \"", "space only"},
      {"\"1 250\"", "\"1250\"", "space only"},
      {"\"Fran\\u00e7ois\"", "\"Francois\"", "accents only"},
      {"\"Fran\\u00e7ois\"", "\"FRANCOIS\"", "formatting only"},
      {"\"8.20\"", "\"$8.20\"", "number format"},
      {"8.2", "\"8.20\"", "number format"},
      {"\"1,234\"", "\"1234\"", "number format"},
      {"\"007\"", "\"7\"", "number format"},
      {"\"1.234,50\"", "\"1,234.50\"", "decimal comma"},
      {"\"1,234\"", "\"1.234\"", "decimal comma"},
      {"7.42", "742", "factor 100"},
      {"\"7.42\"", "\"742\"", "punctuation only"},
      {"\"IT 00 743\"", "\"it00748\"", "one digit"},
      {"\"RM7.42\"", "742", "factor 100"},
      {"0.001", "1", "factor 1,000"},
      {"0", "100", "otherwise"},
      {"5", "-5", "sign"},
      {"\"(5.00)\"", "5", "sign"},
      {"5.15", "5.2", "rounded"},
      {"\"5.15\"", "5", "rounded"},
      {"5.99", "5.9", "rounded"},
      {"0.4", "0", "otherwise"},
      {"5.15", "5.3", "otherwise"},
      {"12", "13", "otherwise"},
      {"1234", "1243", "digits transposed"},
      {"12.34", "13.24", "digits transposed"},
      {"1234", "4321", "otherwise"},
      {"1234", "1235", "one digit"},
      {"1234", "134", "one digit"},
      {"1234", "12334", "one digit"},
      {"12.5", "12.75", "otherwise"},
      {"100", "10055", "otherwise"},
      {"\"10055\"", "\"100\"", "truncated"},
      /* One that is not of digits alone is a quantity, and so both are. */
      {"\"1005577\"", "\"10.05\"", "otherwise"},
      {"\"100557.7\"", "\"1005\"", "otherwise"},
      {"\"1005\"", "\"-100557\"", "otherwise"},
      {"\"2024-01-31\"", "\"31/01/2024\"", "date format"},
      {"\"2024-01-31\"", "\"2024-01-31T00:00:00\"", "date format"},
      {"\"14/03/2024\"", "\"03/14/2024\"", "date format"},
      {"\"03/04/2024\"", "\"04/03/2024\"", "day and month swapped"},
      {"\"2024-01-31\"", "\"31 Jan 2042\"", "year off"},
      {"\"2024-01-31\"", "\"30 Jan 2024\"", "one digit"},
      {"\"2024-01-31T10:00:00\"", "\"2024-01-30T11:22:00\"", "one digit"},
      {"\"2024-01-31\"", "\"2024-01-13\"", "digits transposed"},
      {"\"2024-01-31\"", "\"2023-07-13\"", "otherwise"},
      {"\"+49 (30) 555-12\"", "\"49 30 55512\"", "punctuation only"},
      {"\"555-1234\"", "\"5551234\"", "punctuation only"},
      {"\"...\"", "\"---\"", "otherwise"},
      {"\"Acme Trading Ltd\"", "\"acme tra...\"", "truncated"},
      /* Dots at the end count where letters and digits alone would not tell, and are no text of their own. */
      {"\"\u2605\u2605\u2605\u2606\"", "\"\u2605\u2605...\"", "truncated"},
      {"\"\u2605\u2605\u2605\u2606\"", "\"\u2605\u2605 \u2026\"", "truncated"},
      {"\"\u2605\u2605\u2605\u2606\"", "\"\u2605\u2605..\"", "otherwise"},
      {"\"...---\"", "\"...\"", "truncated"},
      {"\"a...bc\"", "\"a...\"", "otherwise"},
      {"\"a\u2026bc\"", "\"a\u2026\"", "otherwise"},
      {"\"ab...cd\"", "\"ab...\"", "truncated"},
      {"\"Acme Trading Ltd\"", "\"Acme Tra\u2026\"", "truncated"},
      {"\"Acme Trading Ltd\"", "\"A\"", "otherwise"},
      {"\"Acme Trading Ltd\"", "\"Trading Ltd\"", "prefix missing"},
      {"\"Acme Trading Ltd\"", "\"Trading\"", "prefix missing"},
      {"\"Acme Trading Ltd.\"", "\"trading, LTD\"", "prefix missing"},
      {"\"Acme Trading Ltd\"", "\"Acme, trading\"", "truncated"},
      {"\"Acme Trading Ltd\"", "\"din\"", "otherwise"},
      {"\"Trading\"", "\"Acme Trading Ltd\"", "extra prefix or suffix"},
      {"\"Acme and Sons\"", "\"Sons & Acme and\"", "word order"},
      /* Only with a comma they are numbers. */
      {"\"1.234,50\"", "\"1234,5\"", "number format"},
      {"\"1.234,00\"", "\"1234\"", "number format"},
      {"\"1234\"", "\"1.234,00\"", "number format"},
      {"\"1.234,50\"", "12", "otherwise"},
      {"12", "\"1.234,50\"", "otherwise"},
      {"12", "\"1.234,50 or so\"", "other type"},
      /* A digit and a letter that changed places are no digits transposed. */
      {"\"Model A2 Premium Edition\"", "\"Model 2A Premium Edition\"", "few characters"},
      {"\"Model 12 Premium Edition\"", "\"Model 21 Premium Edition\"", "digits transposed"},
      /* Of numbers up to 64 bytes. */
      {"3186429753186429753186429753186429753186429753186429753186429750",
       "318642975318642975318642975318642975318642975318642975318642975", "factor 10"},
      {"31864297531864297531864297531864297531864297531864297531864297500",
       "3186429753186429753186429753186429753186429753186429753186429750", "one digit"},
      {"\"Gin Kee Perniagaan\"", "\"Gin Kei Perniagean\"", "few characters"},
      {"\"Acme\"", "\"Akme\"", "otherwise"},
      {"12", "\"12\"", "other type"},
      {"true", "\"yes\"", "other type"},
      {"true", "false", "otherwise"},
      {"true", "\"True\"", "case only"},
      {"[1]", "{\"a\":1}", "other type"},
      {"[1,2]", "[1,3]", "otherwise"},
      {"[\"Tea\",\"Coffee\"]", "\"COFFEE\"", "case only"},
      {"[\"Tea\",\"Coffee\"]", "\"Tea\"", "other type"},
      {"[\"Tea\",\"Coffee\"]", "\"Milk\"", "otherwise"},
      {"[]", "\"Milk\"", "other type"},
      {"\"\"", "\"x\"", "spurious"},
      {"\"x\"", "\" \"", "missing"},
      {"1e400", "1e401", "one digit"},
      {"1e300", "1e-300", "otherwise"},
  };
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_kind(&arena, rows[i].expected, rows[i].candidate, ee_error_kind_find(ee_str_from(rows[i].kind)));
  ee_arena_fini(&arena);
}

/* A text of `length` bytes, all words of one letter. */
static const ee_value *long_text(ee_arena *arena, size_t length, char letter) {
  char *text = ee_arena_alloc(arena, length);
  for (size_t i = 0; i < length; i++) text[i] = i % 7 == 6 ? ' ' : letter;
  text[length - 1] = '1';
  return ee_value_new_string(arena, (ee_str){text, length});
}

/* Texts of 10 MB are compared in a few passes. */
static void test_long_texts(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const size_t length = 10000000;
  const ee_value *text = long_text(&arena, length, 'a');
  assert_int_equal(ee_error_kind_of_values(text, long_text(&arena, length, 'A'), &arena), EE_ERROR_KIND_CASE);
  assert_int_equal(ee_error_kind_of_values(text, long_text(&arena, length, 'b'), &arena), EE_ERROR_KIND_OTHERWISE);
  const ee_value *half = ee_value_new_string(&arena, (ee_str){ee_value_text(text).data, length / 2});
  assert_int_equal(ee_error_kind_of_values(text, half, &arena), EE_ERROR_KIND_TRUNCATED);
  assert_int_equal(ee_error_kind_of_values(half, text, &arena), EE_ERROR_KIND_EXTRA_TEXT);
  /* A long one is not compared by its letters alone, whatever the length of the other. */
  const ee_value *other = ee_value_new_string(&arena, EE_STR("AAAAAA, aaaaaa"));
  assert_int_equal(ee_error_kind_of_values(text, other, &arena), EE_ERROR_KIND_OTHERWISE);
  assert_int_equal(ee_error_kind_of_values(other, text, &arena), EE_ERROR_KIND_OTHERWISE);
  /* What is looked for in short texts only is found up to the limit, of either text. */
  char accents[EE_ERROR_KIND_TEXT_BYTES + 1], plain[EE_ERROR_KIND_TEXT_BYTES + 2];
  memset(accents, 'a', sizeof accents);
  memcpy(accents, "\u00e9", 2);
  memset(plain, 'a', sizeof plain);
  plain[0] = 'e';
  const ee_value *accented[2], *without[2];
  for (int i = 0; i < 2; i++) {
    accented[i] = ee_value_new_string(&arena, (ee_str){accents, EE_ERROR_KIND_TEXT_BYTES + (size_t)i});
    without[i] = ee_value_new_string(&arena, (ee_str){plain, EE_ERROR_KIND_TEXT_BYTES + (size_t)i - 1});
    assert_int_equal(ee_error_kind_of_values(accented[i], without[i], &arena) == EE_ERROR_KIND_ACCENTS, i == 0);
    assert_int_equal(ee_error_kind_of_values(without[i], accented[i], &arena) == EE_ERROR_KIND_ACCENTS, i == 0);
  }
  ee_arena_fini(&arena);
}

/* Values changed in a known way ------------------------------------------------------------------ */

typedef struct changed {
  char expected[132], candidate[132]; /* JSON */
  ee_error_kind kind;

} changed;

#define QUOTED(out, ...)                                                                                               \
  do {                                                                                                                 \
    char inside_[128];                                                                                                 \
    snprintf(inside_, sizeof inside_, __VA_ARGS__);                                                                    \
    snprintf((out), sizeof(out), "\"%s\"", inside_);                                                                   \
  } while (0)

static unsigned pick(test_random *random, unsigned from, unsigned to) {
  return from + (unsigned)test_random_below(random, to - from + 1);
}

/* Words of letters, long enough that nothing is equal by chance. */
static void random_words(test_random *random, char *out, unsigned words) {
  for (unsigned w = 0; w < words; w++) {
    if (w > 0) *out++ = ' ';
    for (unsigned i = pick(random, 4, 8); i > 0; i--) *out++ = (char)pick(random, 'a', 'z');
  }
  *out = '\0';
}

static void change_case(test_random *random, changed *c) {
  char text[70];
  random_words(random, text, 3);
  QUOTED(c->expected, "%s", text);
  text[0] = (char)(text[0] - 32);
  text[pick(random, 1, 3)] -= 32;
  QUOTED(c->candidate, "%s", text);
  c->kind = EE_ERROR_KIND_CASE;
}

static void change_space(test_random *random, changed *c) {
  char a[30], b[30];
  random_words(random, a, 1);
  random_words(random, b, 1);
  QUOTED(c->expected, "%s %s", a, b);
  QUOTED(c->candidate, "%s%s%s", a, test_random_below(random, 2) ? "" : "  ", b);
  c->kind = EE_ERROR_KIND_SPACE;
}

static void change_punctuation(test_random *random, changed *c) {
  char a[30], b[30];
  random_words(random, a, 1);
  random_words(random, b, 1);
  QUOTED(c->expected, "%s %s", a, b);
  QUOTED(c->candidate, "%s%c %s.", a, ",;:-"[test_random_below(random, 4)], b);
  c->kind = EE_ERROR_KIND_PUNCTUATION;
}

/* Whole and hundredth; the last digit is not 0. */
static void random_amount(test_random *random, unsigned *whole, unsigned *cents) {
  *whole = pick(random, 100, 99999);
  *cents = pick(random, 1, 99);
  if (*cents % 10 == 0) *cents += 1;
}

static void change_sign(test_random *random, changed *c) {
  unsigned whole, cents;
  random_amount(random, &whole, &cents);
  snprintf(c->expected, sizeof c->expected, "%u.%02u", whole, cents);
  snprintf(c->candidate, sizeof c->candidate, "-%u.%02u", whole, cents);
  c->kind = EE_ERROR_KIND_SIGN;
}

static void change_format(test_random *random, changed *c) {
  unsigned whole, cents;
  random_amount(random, &whole, &cents);
  QUOTED(c->expected, "%u.%02u", whole, cents);
  QUOTED(c->candidate, "%s%u.%02u0", test_random_below(random, 2) ? "EUR " : "", whole, cents);
  c->kind = EE_ERROR_KIND_NUMBER_FORMAT;
}

static void change_comma(test_random *random, changed *c) {
  unsigned whole, cents;
  random_amount(random, &whole, &cents);
  snprintf(c->expected, sizeof c->expected, "%u.%02u", whole, cents);
  QUOTED(c->candidate, "%u,%02u", whole, cents);
  c->kind = EE_ERROR_KIND_DECIMAL_COMMA;
}

static void change_factor(test_random *random, changed *c) {
  static const char *const zeros[] = {"0", "00", "000"};
  size_t power = test_random_below(random, 3);
  unsigned whole = pick(random, 1, 99999);
  snprintf(c->expected, sizeof c->expected, "%u", whole);
  snprintf(c->candidate, sizeof c->candidate, "%u%s", whole, zeros[power]);
  c->kind = (ee_error_kind)(EE_ERROR_KIND_FACTOR_10 + (int)power);
}

static void change_one_digit(test_random *random, changed *c) {
  char digits[12];
  snprintf(digits, sizeof digits, "%u", pick(random, 1000, 999999));
  QUOTED(c->expected, "X-%s", digits);
  size_t at = test_random_below(random, strlen(digits));
  digits[at] = (char)('0' + (digits[at] - '0' + (int)pick(random, 1, 9)) % 10);
  QUOTED(c->candidate, "X-%s", digits);
  c->kind = EE_ERROR_KIND_ONE_DIGIT;
}

static void change_transposed(test_random *random, changed *c) {
  char digits[12];
  size_t at;
  do {
    snprintf(digits, sizeof digits, "%u", pick(random, 1000, 999999));
    at = test_random_below(random, strlen(digits) - 1);
  } while (digits[at] == digits[at + 1] || digits[at + 1] == '0');
  snprintf(c->expected, sizeof c->expected, "%s", digits);
  char kept = digits[at];
  digits[at] = digits[at + 1];
  digits[at + 1] = kept;
  snprintf(c->candidate, sizeof c->candidate, "%s", digits);
  c->kind = EE_ERROR_KIND_TRANSPOSED;
}

static void change_rounded(test_random *random, changed *c) {
  unsigned whole, cents;
  random_amount(random, &whole, &cents);
  unsigned tenths = whole * 10 + (cents + 5) / 10;
  snprintf(c->expected, sizeof c->expected, "%u.%02u", whole, cents);
  snprintf(c->candidate, sizeof c->candidate, "%u.%u", tenths / 10, tenths % 10);
  c->kind = EE_ERROR_KIND_ROUNDED;
}

static void change_day_and_month(test_random *random, changed *c) {
  unsigned year = pick(random, 1990, 2030), day = pick(random, 1, 12), month = day % 12 + 1;
  QUOTED(c->expected, "%u-%02u-%02u", year, month, day);
  QUOTED(c->candidate, "%u-%02u-%02u", year, day, month);
  c->kind = EE_ERROR_KIND_DAY_AND_MONTH;
}

static void change_year(test_random *random, changed *c) {
  unsigned year = pick(random, 1990, 2030), day = pick(random, 13, 28), month = pick(random, 1, 12);
  QUOTED(c->expected, "%u-%02u-%02u", year, month, day);
  QUOTED(c->candidate, "%02u.%02u.%u", day, month, year + pick(random, 1, 9));
  c->kind = EE_ERROR_KIND_YEAR;
}

static void change_date_format(test_random *random, changed *c) {
  unsigned year = pick(random, 1990, 2030), day = pick(random, 13, 28), month = pick(random, 1, 12);
  QUOTED(c->expected, "%u-%02u-%02u", year, month, day);
  QUOTED(c->candidate, "%u/%u/%u", test_random_below(random, 2) ? month : day, 0, year);
  if (test_random_below(random, 2))
    QUOTED(c->candidate, "%u/%u/%u", month, day, year);
  else
    QUOTED(c->candidate, "%02u.%02u.%u", day, month, year);
  c->kind = EE_ERROR_KIND_DATE_FORMAT;
}

/* Some words of a text are kept: the first, the last, or more are added. */
static void change_words(test_random *random, changed *c) {
  char text[3][30];
  for (size_t i = 0; i < 3; i++) random_words(random, text[i], 1);
  QUOTED(c->expected, "%s %s %s", text[0], text[1], text[2]);
  switch (test_random_below(random, 4)) {
  case 0:
    QUOTED(c->candidate, "%s %s", text[0], text[1]);
    c->kind = EE_ERROR_KIND_TRUNCATED;
    break;
  case 1:
    QUOTED(c->candidate, "%s %s", text[1], text[2]);
    c->kind = EE_ERROR_KIND_PREFIX_MISSING;
    break;
  case 2:
    QUOTED(c->candidate, "%s %s %s %s", text[0], text[1], text[2], text[0]);
    c->kind = EE_ERROR_KIND_EXTRA_TEXT;
    break;
  default: QUOTED(c->candidate, "%s %s %s", text[2], text[0], text[1]); c->kind = EE_ERROR_KIND_WORD_ORDER;
  }
}

static void change_characters(test_random *random, changed *c) {
  char text[70];
  random_words(random, text, 3);
  QUOTED(c->expected, "%s", text);
  size_t at = pick(random, 1, 3);
  text[at] = text[at] == 'q' ? 'x' : 'q';
  QUOTED(c->candidate, "%s", text);
  c->kind = EE_ERROR_KIND_FEW_CHARACTERS;
}

static void change_everything(test_random *random, changed *c) {
  char a[70], b[70];
  random_words(random, a, 2);
  random_words(random, b, 3);
  QUOTED(c->expected, "%s", a);
  QUOTED(c->candidate, "%s", b);
  c->kind = EE_ERROR_KIND_OTHERWISE;
}

static void test_changed(void **state) {
  (void)state;
  static void (*const changes[])(test_random *, changed *) = {
      change_case,   change_space,         change_punctuation, change_sign,       change_format, change_comma,
      change_factor, change_one_digit,     change_transposed,  change_rounded,    change_year,   change_date_format,
      change_words,  change_day_and_month, change_characters,  change_everything,
  };
  test_random random = test_random_start("error kinds", 20261122);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < 20000; i++) {
    changed c = {.kind = EE_ERROR_KIND_NONE};
    changes[i % (sizeof changes / sizeof *changes)](&random, &c);
    assert_kind(&arena, c.expected, c.candidate, c.kind);
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
}

/* Whole cases ------------------------------------------------------------------------------------ */

/* The kinds of the mismatches of the first judge, as "path: kind", joined by "; ". */
static void assert_kinds(const char *rules, const char *expected, const char *candidate, const char *kinds) {
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, rules);
  const ee_judge_result *result = fixture_judge_case(&f, expected, candidate);
  ee_error_kinds_decide(&f.result, &f.case_arena);
  ee_buffer_clear(&f.text);
  for (size_t i = 0; i < result->mismatch_count; i++) {
    const ee_mismatch *mismatch = &result->mismatches[i];
    if (i > 0) ee_buffer_add_text(&f.text, "; ");
    ee_finding_print_place(&mismatch->finding, &f.text);
    ee_buffer_addf(&f.text, ": %s", ee_error_kind_name((ee_error_kind)mismatch->kind));
  }
  assert_string_equal(ee_buffer_terminate(&f.text), kinds);
  fixture_close(&f);
}

#define FIELDS                                                                                                         \
  "{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\",\"items\":[\"net\"]},{\"ee\":"         \
  "\"exact\",\"items\":["                                                                                              \
  "\"total\"]},{\"ee\":\"exact\",\"items\":[\"note\"]},{\"ee\":\"date\",\"items\":[\"day\"]}]}]}"
#define ITEMS "{\"ee\":\"rules\",\"items\":[{\"ee\":\"line_items\",\"items\":[\"items\"]}]}"

static void test_other_fields(void **state) {
  (void)state;
  /* The subtotal instead of the total. */
  assert_kinds(FIELDS, "{\"net\":100.5,\"total\":119.6}", "{\"net\":100.5,\"total\":100.5}",
               "total: value of another field");
  /* Exchanged values; nothing else is known of a value that is expected nowhere. */
  assert_kinds(FIELDS, "{\"net\":100.5,\"total\":119.6,\"note\":\"abc\"}",
               "{\"net\":\"119.60\",\"total\":100.5,\"note\":\"xyz\"}",
               "net: in another field; total: in another field; note: otherwise");
  /* A key of another name. */
  assert_kinds(FIELDS, "{\"total\":119.6}", "{\"amount\":\"119.60\"}", "total: in another field");
  assert_kinds(FIELDS, "{\"total\":119.6}", "{\"amount\":\"119.70\"}", "total: missing");
  /* In other characters. */
  assert_kinds(FIELDS, "{\"net\":1000.25}", "{\"amount\":\"\u20ac 1,000.250\"}", "net: in another field");
  assert_kinds(FIELDS, "{\"net\":12300}", "{\"amount\":\"1.23e4\"}", "net: in another field");
  assert_kinds(FIELDS, "{\"net\":0.00000123}", "{\"amount\":\"1.23e-6 EUR\"}", "net: in another field");
  assert_kinds(FIELDS, "{\"net\":\"12345678901234567890\"}", "{\"amount\":\"12345678901234567891\"}", "net: missing");
  assert_kinds(FIELDS, "{\"note\":\"Stra\u00dfe  nach Fels\"}", "{\"to\":\" STRASSE Nach \ufb01els\"}",
               "note: missing");
  assert_kinds(FIELDS, "{\"note\":\"Stra\u00dfe  nach Fiels\"}", "{\"to\":\" STRASSE Nach \ufb01els\"}",
               "note: in another field");
  assert_kinds(FIELDS, "{\"note\":\"\u6771\u4eac\u90fd\"}", "{\"to\":\"\u6771\u4eac\u90fd\"}",
               "note: in another field");
  assert_kinds(FIELDS, "{\"net\":119.6}", "{\"net\":119.6,\"total\":119.6}", "total: value of another field");
  /* Texts by their letters, ASCII or not. */
  assert_kinds(FIELDS, "{\"note\":\"Acme  Trading\"}", "{\"seller\":\" ACME \\ttrading\"}", "note: in another field");
  assert_kinds(FIELDS, "{\"note\":\"Caf\u00e9  Lux\"}", "{\"seller\":\"CAF\u00c9 lux\"}", "note: in another field");
  /* Where the value belongs there, too, it says nothing. */
  assert_kinds(FIELDS, "{\"net\":119.6,\"total\":119.6}", "{\"net\":119.6}", "total: missing");
  /* Short values, zeros, true and empty ones say nothing. */
  assert_kinds(FIELDS, "{\"net\":12,\"total\":0.00}", "{\"net\":0.00,\"total\":12}",
               "net: otherwise; total: otherwise");
  assert_kinds(FIELDS, "{\"net\":true,\"total\":\"ab\"}", "{\"net\":\"ab\",\"total\":true}",
               "net: other type; total: other type");
  assert_kinds(FIELDS, "{\"net\":100.5}", NULL, "net: no answer");
  assert_kinds(FIELDS, "{\"day\":\"2024-01-31\"}", "{\"day\":\"soon\"}", "day: unparseable");
  assert_kinds(FIELDS, "{\"day\":\"soon\"}", "{\"day\":\"2024-01-31\"}", "day: unread");
  assert_kinds(FIELDS, "{\"day\":\"2024-03-04\"}", "{\"day\":\"04/03/2024x\"}", "day: unparseable");
}

#define BY_DAY                                                                                                         \
  "{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":\"date\",\"items\":[\"day\"],\"order\":\"DMY\"}" \
  "]}]}"
/* Dates are what the strategy has read, not what they would be in another order. */
static void test_judged_dates(void **state) {
  (void)state;
  assert_kinds(BY_DAY, "{\"day\":\"11/11/16\"}", "{\"day\":\"17/11/16\"}", "day: one digit");
  assert_kinds(BY_DAY, "{\"day\":\"11/11/16\"}", "{\"day\":\"11/11/17\"}", "day: year off");
  assert_kinds(BY_DAY, "{\"day\":\"03/04/16\"}", "{\"day\":\"2016-03-04\"}", "day: day and month swapped");
  assert_kinds(BY_DAY, "{\"day\":\"21-03-18\"}", "{\"day\":\"2021-03-18\"}", "day: date order");
  /* Without an order the nearest readings are compared: here 2016-11-11 and 2016-11-17. */
  assert_kinds(FIELDS, "{\"day\":\"11/11/16\"}", "{\"day\":\"17/11/16\"}", "day: one digit");
}

/* Texts that the field compares as numbers are numbers. */
static void test_compared_numbers(void **state) {
  (void)state;
#define NUMERIC(options)                                                                                               \
  "{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":\"numeric\"" options ",\"items\":[\"a\"]}]}]}"
  assert_kinds(NUMERIC(), "{\"a\":\"7.42\"}", "{\"a\":\"742\"}", "a: factor 100");
  assert_kinds(NUMERIC(",\"tolerance\":0.1,\"relative\":true"), "{\"a\":\"7.42\"}", "{\"a\":\"742\"}", "a: factor 100");
  assert_kinds("{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]}]}]}",
               "{\"a\":\"7.42\"}", "{\"a\":\"742\"}", "a: punctuation only");
}

static void test_rows(void **state) {
  (void)state;
  assert_kinds(ITEMS,
               "{\"items\":[{\"description\":\"apples\",\"price\":1.25},{\"description\":\"pears\",\"price\":7.75}]}",
               "{\"items\":[{\"description\":\"apples\",\"price\":7.75},{\"description\":\"pears\",\"price\":1.25}]}",
               "items[0].price: in another row; items[1].price: in another row");
  assert_kinds(ITEMS,
               "{\"items\":[{\"description\":\"apples\",\"price\":1.25},{\"description\":\"pears\",\"price\":7.75}]}",
               "{\"items\":[{\"description\":\"pears\",\"price\":7.75},{\"description\":\"apples\",\"price\":7.75}]}",
               "items[0].price: value of another row");
  assert_kinds(ITEMS, "{\"items\":[{\"description\":\"apples\",\"price\":1.25}]}",
               "{\"items\":[{\"description\":\"zwiebeln\",\"price\":3.33}]}",
               "items[0]: missing row; items[0]: spurious row");
}

/* A place is the way through objects and arrays, whatever the index, and however the judge writes it. */
static void test_rows_below_paths(void **state) {
  (void)state;
#define WILD "{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\",\"items\":[\"%s\"]}]}]}"
  static const struct {
    const char *path, *document, *places[2];
  } shapes[] = {
      {"items[*].price", "{\"items\":[{\"price\":%s},{\"price\":%s}]}", {"items[0].price", "items[1].price"}},
      {"items[*].price.net",
       "{\"items\":[{\"price\":{\"net\":%s}},{\"price\":{\"net\":%s}}]}",
       {"items[0].price.net", "items[1].price.net"}},
      {"a.items[*]", "{\"a\":{\"items\":[%s,%s]}}", {"a.items[0]", "a.items[1]"}},
      {"items[*][0]", "{\"items\":[[%s],[%s]]}", {"items[0][0]", "items[1][0]"}},
      {"items[*].prices[1]",
       "{\"items\":[{\"prices\":[0,%s]},{\"prices\":[0,%s]}]}",
       {"items[0].prices[1]", "items[1].prices[1]"}},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    char rules[300], expected[200], candidate[200], kinds[200];
    snprintf(rules, sizeof rules, WILD, shapes[i].path);
    snprintf(expected, sizeof expected, shapes[i].document, "1.25", "7.75");
    snprintf(candidate, sizeof candidate, shapes[i].document, "7.75", "1.25");
    snprintf(kinds, sizeof kinds, "%s: in another row; %s: in another row", shapes[i].places[0], shapes[i].places[1]);
    assert_kinds(rules, expected, candidate, kinds);
    snprintf(candidate, sizeof candidate, shapes[i].document, "7.75", "7.75");
    snprintf(kinds, sizeof kinds, "%s: value of another row", shapes[i].places[0]);
    assert_kinds(rules, expected, candidate, kinds);
  }
  /* Other objects of the same shape are another field. */
  assert_kinds(
      "{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a[*].price\"]},"
      "{\"ee\":\"exact\",\"items\":[\"b[*].price\"]}]}]}",
      "{\"a\":[{\"price\":1.25}],\"b\":[{\"price\":7.75}]}", "{\"a\":[{\"price\":7.75}],\"b\":[{\"price\":1.25}]}",
      "a[0].price: in another field; b[0].price: in another field");
  /* Lists in lists. */
  assert_kinds(
      "{\"ee\":\"rules\",\"items\":[{\"ee\":\"line_items\",\"match\":\"no\",\"items\":[\"orders\",{\"ee\":\"exact\","
      "\"items\":[\"no\"]},{\"ee\":\"line_items\",\"match\":\"sku\",\"items\":[\"lines\",{\"ee\":\"exact\",\"items\":"
      "[\"price\"]}]}]}]}",
      "{\"orders\":[{\"no\":\"A1000\",\"lines\":[{\"sku\":\"apples\",\"price\":1.25},{\"sku\":\"pears\","
      "\"price\":7.75}]}]}",
      "{\"orders\":[{\"no\":\"A1000\",\"lines\":[{\"sku\":\"apples\",\"price\":7.75},{\"sku\":\"pears\","
      "\"price\":1.25}]}]}",
      "orders[0].lines[0].price: in another row; orders[0].lines[1].price: in another row");
}

/* A limit of its own --------------------------------------------------------------------------- */

enum { TEXTS = 400, TEXT_BYTES = 9000 };

static const ee_value *long_texts(ee_arena *arena, char letter) {
  ee_buffer text = {0};
  for (int i = 0; i < TEXTS; i++) {
    ee_buffer_addf(&text, "%s\"%03d", i == 0 ? "{\"a\":[" : ",", i);
    for (int k = 3; k < TEXT_BYTES; k++) ee_buffer_add_char(&text, letter);
    ee_buffer_add_char(&text, '"');
  }
  ee_buffer_add_text(&text, "]}");
  const ee_value *value = fixture_json(arena, ee_buffer_terminate(&text));
  ee_buffer_fini(&text);
  return value;
}

static size_t decided(const ee_judge_result *result) {
  size_t count = 0;
  while (count < result->mismatch_count && result->mismatches[count].kind != EE_ERROR_KIND_NONE) count++;
  for (size_t i = count; i < result->mismatch_count; i++)
    assert_int_equal(result->mismatches[i].kind, EE_ERROR_KIND_NONE);
  return count;
}

/* An eighth of what the case may take: one second of work is too little for these texts, two are enough. A case that is
 * judged within another one takes what that one has. */
static void test_limit(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(
      &f, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a[*]\"]}]}]}");
  f.current = (ee_case){.id = EE_STR("a"),
                        .expected = long_texts(&f.case_arena, '1'),
                        .candidate = long_texts(&f.case_arena, '2'),
                        .candidate_state = EE_CANDIDATE_READ};
  f.context = (ee_context){.plan = f.plan, .arena = &f.case_arena, .kinds = true, .rule_errors = &f.rule_errors};
  ee_limits limits = EE_LIMITS_DEFAULT;
  limits.timeout = 1;
  ee_limits_set(&limits);
  ee_plan_judge(f.plan, &f.context, &f.current, &f.result);
  size_t count = decided(&f.result.judges[0]);
  assert_int_equal(f.result.judges[0].mismatch_count, TEXTS);
  assert_in_range(count, TEXTS / 2, TEXTS - 20);
  assert_int_equal(f.result.given_up, 1);
  assert_int_equal(f.rule_errors.count, 1);
  assert_string_equal(f.rule_errors.items[0].message,
                      "'kinds of errors' given up after 0.125 s of work (--timeout) (case 'a')");
  ee_plan_judge_once(f.plan, &f.context, &f.current, &f.result);
  assert_int_equal(decided(&f.result.judges[0]), TEXTS);
  assert_int_equal(f.result.given_up, 0);
  limits.timeout = 2;
  ee_limits_set(&limits);
  ee_plan_judge(f.plan, &f.context, &f.current, &f.result);
  assert_int_equal(decided(&f.result.judges[0]), TEXTS);
  assert_int_equal(f.result.given_up, 0);
  assert_int_equal(f.rule_errors.count, 1);
  ee_limits_set(NULL);
  fixture_close(&f);
}

/* Forms of texts in all scripts ------------------------------------------------------------------- */

static bool same_in(ee_str a, ee_str b, const uint8_t *forms, size_t count, bool blank, ee_arena *arena) {
  ee_str left = ee_normalize(a, forms, count, arena), right = ee_normalize(b, forms, count, arena);
  return ee_str_equal(left, right) && (blank || left.length > 0);
}

static ee_str without_spaces(ee_str text, ee_arena *arena) {
  char *out = ee_arena_alloc(arena, text.length + 1);
  size_t length = 0;
  for (size_t at = 0, bytes; at < text.length; at += bytes) {
    uint32_t c;
    bytes = ee_utf8_decode(text.data + at, text.length - at, &c);
    if (!ee_is_space(c)) length += ee_utf8_encode(c, out + length);
  }
  return (ee_str){out, length};
}

/* The first of the kinds that are about the form of texts without digits, by its definition. */
static ee_error_kind form_of(ee_str a, ee_str b, ee_arena *arena) {
  const uint8_t fold[] = {EE_NORMAL_CASEFOLD}, plain[] = {EE_NORMAL_UNACCENT}, alnum[] = {EE_NORMAL_ALNUM};
  const uint8_t all[] = {EE_NORMAL_NFKC, EE_NORMAL_UNACCENT, EE_NORMAL_CASEFOLD, EE_NORMAL_ALNUM};
  if (same_in(a, b, fold, 1, true, arena)) return EE_ERROR_KIND_CASE;
  if (ee_str_equal(without_spaces(a, arena), without_spaces(b, arena))) return EE_ERROR_KIND_SPACE;
  if (same_in(a, b, plain, 1, true, arena)) return EE_ERROR_KIND_ACCENTS;
  if (same_in(a, b, alnum, 1, false, arena)) return EE_ERROR_KIND_PUNCTUATION;
  return same_in(a, b, all, 4, false, arena) ? EE_ERROR_KIND_FORMATTING : EE_ERROR_KIND_NONE;
}

/* Letters of common scripts, and what folds, decomposes or composes in unusual ways. */
static uint32_t random_letter(test_random *random) {
  static const uint32_t odd[] = {0xDF,   0xC6,   0x149,  0x130,   0x131,  0x17F,  0x1E9E, 0x1FB3, 0x345,  0x301,
                                 0x308,  0x3C2,  0xFB01, 0xFF21,  0x212A, 0x2C65, 0x1100, 0x1161, 0x3099, 0x304B,
                                 0x304C, 0xAC00, 0x4E00, 0x1F600, 0xB2,   0xAA,   0x390,  0x439,  0x3AC};
  switch (test_random_below(random, 4)) {
  case 0: return odd[test_random_below(random, sizeof odd / sizeof *odd)];
  case 1: return 0xC0 + (uint32_t)test_random_below(random, 0x470);
  default: return (test_random_below(random, 2) != 0 ? 'A' : 'a') + (uint32_t)test_random_below(random, 26);
  }
}

/* Appends the letter, seldom in another form, or something beside it. */
static void add_changed(test_random *random, uint32_t c, ee_buffer *out, ee_arena *arena) {
  static const char *const beside[] = {" ", "  ", "\u00a0", ".", "-", "\u2019", "\u0301"};
  char text[4];
  ee_str one = {text, ee_utf8_encode(c, text)};
  const uint8_t forms[] = {EE_NORMAL_CASEFOLD, EE_NORMAL_UNACCENT, EE_NORMAL_NFKC};
  size_t choice = test_random_below(random, 24);
  if (choice < 3) one = ee_normalize(one, forms + choice, 1, arena);
  if (choice == 3) ee_buffer_add_text(out, beside[test_random_below(random, sizeof beside / sizeof *beside)]);
  if (choice == 4 && test_random_below(random, 8) == 0) return;
  ee_buffer_add_str(out, one);
}

static void test_forms_of_texts(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  test_random random = test_random_start("forms of texts", 4711);
  ee_buffer texts[2] = {{0}, {0}};
  size_t counts[EE_ERROR_KIND_COUNT] = {0};
  for (int i = 0; i < 60000; i++) {
    ee_buffer_clear(&texts[0]), ee_buffer_clear(&texts[1]);
    ee_buffer_add_char(&texts[0], 'x'), ee_buffer_add_char(&texts[1], 'x');
    for (size_t k = test_random_below(&random, 7); k > 0; k--) {
      uint32_t c = random_letter(&random);
      char text[4];
      ee_buffer_add(&texts[0], text, ee_utf8_encode(c, text));
      add_changed(&random, c, &texts[1], &arena);
    }
    ee_buffer_add_char(&texts[0], 'x'), ee_buffer_add_char(&texts[1], 'x');
    size_t first = test_random_below(&random, 2);
    ee_str a = {texts[first].data, texts[first].length}, b = {texts[1 - first].data, texts[1 - first].length};
    if (!ee_str_equal(a, b)) {
      ee_error_kind kind =
          ee_error_kind_of_values(ee_value_new_string(&arena, a), ee_value_new_string(&arena, b), &arena);
      ee_error_kind form = form_of(a, b, &arena);
      counts[form]++;
      bool is_form = kind == EE_ERROR_KIND_CASE || kind == EE_ERROR_KIND_SPACE || kind == EE_ERROR_KIND_ACCENTS ||
                     kind == EE_ERROR_KIND_PUNCTUATION || kind == EE_ERROR_KIND_FORMATTING;
      if (form != (is_form ? kind : EE_ERROR_KIND_NONE))
        fail_msg("'%.*s' and '%.*s' are %s, not %s", EE_STR_ARG(a), EE_STR_ARG(b), ee_error_kind_name(kind),
                 ee_error_kind_name(form));
    }
    ee_arena_reset(&arena, 0);
  }
  assert_true(counts[EE_ERROR_KIND_CASE] > 500 && counts[EE_ERROR_KIND_SPACE] > 500);
  assert_true(counts[EE_ERROR_KIND_ACCENTS] > 500 && counts[EE_ERROR_KIND_PUNCTUATION] > 500);
  assert_true(counts[EE_ERROR_KIND_FORMATTING] > 500 && counts[EE_ERROR_KIND_NONE] > 500);
  ee_buffer_fini(&texts[0]), ee_buffer_fini(&texts[1]);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_table), cmocka_unit_test(test_forms_of_texts),
             cmocka_unit_test(test_pairs), cmocka_unit_test(test_long_texts), cmocka_unit_test(test_changed),
             cmocka_unit_test(test_other_fields), cmocka_unit_test(test_judged_dates),
             cmocka_unit_test(test_compared_numbers), cmocka_unit_test(test_rows),
             cmocka_unit_test(test_rows_below_paths), cmocka_unit_test(test_limit));
