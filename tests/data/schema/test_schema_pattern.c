/* Patterns of JSON Schema: what ECMA-262 means by them, and searches that would take for ever. */
#include "data/schema/schema_pattern.h"

#include "data/schema/schema_fixture.h"
#include "support/arena.h"

#ifdef EE_WITH_PCRE2

typedef struct fact {
  const char *pattern, *text;
  bool found;
} fact;

/* Marks of other scripts: Arabic three, e with acute, Kelvin sign, no-break space, byte order mark, line separator. */
#define THREE "\xD9\xA3"
#define ACUTE "\xC3\xA9"
#define KELVIN "\xE2\x84\xAA"
#define NO_BREAK "\xC2\xA0"
#define MARK "\xEF\xBB\xBF"
#define LINE "\xE2\x80\xA8"
#define GRIN "\xF0\x9F\x98\x80"

static const fact facts[] = {
    {"", "", true},
    {"a", "bab", true},
    {"^a", "ba", false},
    {"a$", "a\n", false},
    {"^$", "", true},
    {"^\\d+$", "42", true},
    {"^\\d$", THREE, false},
    {"^\\D$", THREE, true},
    {"^\\w$", ACUTE, false},
    {"^\\W$", ACUTE, true},
    {"^\\w+$", "aZ_9", true},
    {"^[\\w-.]+$", "a-.", true},
    {"^[\\w-.]+$", "a,", false},
    {"\\bb", ACUTE "b", true},
    {"^a\\Bb", "ab", true},
    {"^\\s$", NO_BREAK, true},
    {"^\\s$", MARK, true},
    {"^\\s$", "\xE3\x80\x80", true},
    {"^\\s$", "\xE1\xA0\x8E", false},
    {"^\\s$", "\xC2\x85", false},
    {"^\\S$", LINE, false},
    {"^[\\s\\S]$", LINE, true},
    {"^[\\S]$", " ", false},
    {"^[^\\S]$", "\v", true},
    {"^[^\\s]$", MARK, false},
    {"^[\\s-x]+$", "x-\t", true},
    {"^.$", GRIN, true},
    {"^.$", "\n", false},
    {"^.$", "\r", false},
    {"^.$", LINE, false},
    {"^.$", "\xC2\x85", true},
    {"^[.]$", "a", false},
    {"^[\\D]$", THREE, true},
    {"^[\\D]$", "3", false},
    {"^[^\\W]$", "_", true},
    {"[^\\W\\p{L}]", GRIN, false},
    {"[^\\D\\p{L}]", GRIN "7", true},
    {"^[^]$", "\n", true},
    {"[]", "a", false},
    {"^a[]*$", "a", true},
    {"^[[:alpha:]]$", "a]", true},
    {"^[[]$", "[", true},
    {"^[a-c-e]+$", "abc-e", true},
    {"^[a-c-e]+$", "d", false},
    {"^[a-\\d]+$", "a-7", true},
    {"^[a-\\d]+$", "b", false},
    {"^[--/]+$", "-./", true},
    {"^[+-]$", "-", true},
    {"^[\\b]$", "\b", true},
    {"^[\\]\\\\^]+$", "]\\^", true},
    {"^[" GRIN "-\\u{1F602}]$", "\xF0\x9F\x98\x81", true},
    {"^\\ud83d\\ude00$", GRIN, true},
    {"^[\\ud83d\\ude00]$", GRIN, true},
    {"^\\u{1f600}$", GRIN, true},
    {"^\\u00e9$", ACUTE, true},
    {"^\\xe9$", ACUTE, true},
    {"^\\xE9$", ACUTE, true},
    {"^\\cA\\cz$", "\x01\x1a", true},
    {"^\\0$", "a", false},
    {"^\\v$", "\n", false},
    {"^\\v\\f\\t\\n\\r$", "\v\f\t\n\r", true},
    {"^\\-\\@\\!\\ \\/\\\"$", "-@! /\"", true},
    {"^a{2}$", "aa", true},
    {"^a{2,}?$", "aaaa", true},
    {"^a{1,2}$", "aaa", false},
    {"^a{,2}$", "a{,2}", true},
    {"^a{,2}$", "aa", false},
    {"^{}$", "{}", true},
    {"^a{2$", "a{2", true},
    {"^x]$", "x]", true},
    {"(a)|b\\1", "b", true},
    {"^(?:(a)|b)\\1$", "b", true},
    {"^(a)\\1$", "aa", true},
    {"^(?<y>a|b)\\k<y>$", "bb", true},
    {"^(?<y>a|b)\\k<y>$", "ab", false},
    {"^(?=.*b)(?!c)a", "ab", true},
    {"(?<=a)b", "ab", true},
    {"(?<!a)b", "ab", false},
    {"^\\p{L}+$", ACUTE "a", true},
    {"^\\p{Letter}+$", ACUTE "1", false},
    {"^\\P{Letter}$", "1", true},
    {"^\\p{digit}$", THREE, true},
    {"^[\\p{Lowercase_Letter}\\d]+$", ACUTE "1", true},
    {"^\\p{gc=Lu}$", "A", true},
    {"^\\p{General_Category=Uppercase_Letter}$", "a", false},
    {"^\\p{Script=Greek}$", "\xCE\xB1", true},
    {"^\\p{Script_Extensions=Greek}$", "\xCE\xB1", true},
    {"^\\p{scx=Greek}$", "a", false},
    {"^\\p{sc=Latin}$", "\xCE\xB1", false},
    {"^\\p{ASCII}$", ACUTE, false},
    {"#x", "a#x", true},
    {"a b", "ab", false},
    {"^\\^$", "^", true},
    {"^(a+)+$", "aaa", true},
    {"K", KELVIN, false},
};

static void test_facts(void **state) {
  (void)state;
  ee_pattern_matcher *matcher = ee_pattern_matcher_new(&arena);
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    const char *why = NULL;
    const ee_pattern *pattern = ee_schema_pattern_compile(&arena, ee_str_from(facts[i].pattern), &why);
    if (pattern == NULL) fail_msg("'%s': %s", facts[i].pattern, why);
    ee_pattern_found found = ee_pattern_find(matcher, pattern, ee_str_from(facts[i].text));
    if (found != (facts[i].found ? EE_PATTERN_FOUND : EE_PATTERN_ABSENT))
      fail_msg("'%s' on '%s': %d", facts[i].pattern, facts[i].text, (int)found);
  }
  const char *why;
  const ee_pattern *pattern = ee_schema_pattern_compile(&arena, EE_STR("^a\\0\0b$"), &why);
  assert_int_equal(ee_pattern_find(matcher, pattern, EE_STR("a\0\0b")), EE_PATTERN_FOUND);
  pattern = ee_schema_pattern_compile(&arena, EE_STR("^\\\0$"), &why);
  assert_int_equal(ee_pattern_find(matcher, pattern, EE_STR("\0")), EE_PATTERN_FOUND);
}

/* Every code point that is white space to ECMA, and no other; of a pattern, of a class, and of their opposites. */
static void test_spaces(void **state) {
  (void)state;
  static const char *const spellings[] = {"^\\s$", "^[\\s]$", "^[^\\S]$"}, *const opposites[] = {"^\\S$", "^[\\S]$",
                                                                                                 "^[^\\s]$"};
  ee_pattern_matcher *matcher = ee_pattern_matcher_new(&arena);
  for (size_t k = 0; k < 3; k++) {
    const char *why;
    const ee_pattern *is = ee_schema_pattern_compile(&arena, ee_str_from(spellings[k]), &why);
    const ee_pattern *is_not = ee_schema_pattern_compile(&arena, ee_str_from(opposites[k]), &why);
    for (uint32_t c = 0; c <= 0x10ffff; c += c > 0x11000 ? 997 : 1) {
      if (c >= 0xd800 && c <= 0xdfff) continue;
      bool space = (c >= 9 && c <= 13) || c == 0x20 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
                   c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000 || c == 0xfeff;
      char text[4];
      ee_str one = {text, ee_utf8_encode(c, text)};
      if (ee_pattern_find(matcher, is, one) != (space ? EE_PATTERN_FOUND : EE_PATTERN_ABSENT) ||
          ee_pattern_find(matcher, is_not, one) != (space ? EE_PATTERN_ABSENT : EE_PATTERN_FOUND))
        fail_msg("U+%04X and '%s'", (unsigned)c, spellings[k]);
    }
  }
}

static void test_mistakes(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"\\", "a backslash at the end at character 1"},
      {"ab\\a", "unknown escape at character 3"},
      {"\xC3\xA9\\A", "unknown escape at character 2"},
      {"\\h", "unknown escape at character 1"},
      {"\\_", "unknown escape at character 1"},
      {"\\\xC3\xA9", "unknown escape at character 1"},
      {"\\01", "an octal escape at character 1"},
      {"\\c1", "'\\c' without a letter at character 1"},
      {"\\x1", "'\\x' without two hexadecimal digits at character 1"},
      {"\\xG1", "'\\x' without two hexadecimal digits at character 1"},
      {"\\x1-", "'\\x' without two hexadecimal digits at character 1"},
      {"\\x:1", "'\\x' without two hexadecimal digits at character 1"},
      {"\\u123", "'\\u' without four hexadecimal digits at character 3"},
      {"\\u{110000}", "'\\u{' without a code point at character 3"},
      {"\\u{}", "'\\u{' without a code point at character 3"},
      {"\\u{1100000}", "'\\u{' without a code point at character 3"},
      {"\\u{12", "'\\u{' without a code point at character 3"},
      {"\\u{1g}", "'\\u{' without a code point at character 3"},
      {"\\ud83d", "half of a surrogate pair at character 3"},
      {"\\udc00", "half of a surrogate pair at character 3"},
      {"\\ud83dx", "half of a surrogate pair at character 3"},
      {"\\ud83d\\x41", "half of a surrogate pair at character 3"},
      {"\\ud83d\\u00", "half of a surrogate pair at character 3"},
      {"\\ud83d\\u0041", "half of a surrogate pair at character 3"},
      {"\\ud83d\\ue000", "half of a surrogate pair at character 3"},
      {"\\p", "'\\p' without '{' at character 3"},
      {"\\pL", "'\\p' without '{' at character 3"},
      {"\\p{}", "unknown character property at character 3"},
      {"\\p{^L}", "unknown character property at character 3"},
      {"\\p{x=y}", "unknown character property at character 3"},
      {"\\p{x=y=z}", "unknown character property at character 3"},
      {"\\p{L", "unknown character property at character 3"},
      {"\\p{L1", "unknown character property at character 3"},
      {"\\p{AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA}",
       "unknown character property at character 3"},
      {"\\p{Nonsense}", "unknown property after \\P or \\p"},
      {"\\k", "a group's name is missing at character 3"},
      {"\\k<>", "a group's name is missing at character 3"},
      {"\\k<a", "a group's name is missing at character 3"},
      {"(?<>b)", "a group's name is missing at character 3"},
      {"(?<a>b)\\k<c>", "reference to non-existent subpattern"},
      {"(a)\\2", "reference to non-existent subpattern"},
      {"(a)\\1234567", "subpattern number is too big"},
      {"[a", "'[' without ']' at character 1"},
      {"[b-a]", "a range that ends before it begins at character 2"},
      {"[\\1]", "unknown escape at character 2"},
      {"[\\", "a backslash at the end at character 2"},
      {"[a-\\", "a backslash at the end at character 4"},
      {"[a-", "'[' without ']' at character 1"},
      {"[", "'[' without ']' at character 1"},
      {"a**", "nothing to repeat at character 3"},
      {"a++", "nothing to repeat at character 3"},
      {"a{2}{3}", "nothing to repeat at character 5"},
      {"*a", "nothing to repeat at character 1"},
      {"(*ACCEPT)", "nothing to repeat at character 2"},
      {"^*", "nothing to repeat at character 2"},
      {"|+", "nothing to repeat at character 2"},
      {"(?i)a", "a group that ECMA-262 does not have at character 1"},
      {"(?>a)", "a group that ECMA-262 does not have at character 1"},
      {"(?P<a>b)", "a group that ECMA-262 does not have at character 1"},
      {"(?R)", "a group that ECMA-262 does not have at character 1"},
      {"(a", "missing closing parenthesis"},
      {"a)", "unmatched closing parenthesis"},
      {"a{70000}", "number too big in {} quantifier"},
      {"(?<=a*)b", "lookbehind assertion is not fixed length"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *why = NULL;
    if (ee_schema_pattern_compile(&arena, ee_str_from(rows[i][0]), &why) != NULL) fail_msg("'%s'", rows[i][0]);
    if (strcmp(why, rows[i][1]) != 0) fail_msg("'%s': %s", rows[i][0], why);
  }
  size_t length = EE_PATTERN_LIMIT;
  char *longest = malloc(length + 1);
  memset(longest, 'a', length + 1);
  const char *why = NULL;
  assert_non_null(ee_schema_pattern_compile(&arena, (ee_str){longest, length / 3}, &why));
  assert_null(ee_schema_pattern_compile(&arena, (ee_str){longest, length}, &why));
  assert_string_equal(why, "regular expression is too large");
  assert_null(ee_schema_pattern_compile(&arena, (ee_str){longest, length + 1}, &why));
  assert_string_equal(why, "longer than 49152 bytes");
  /* The patterns that grow most when they are rewritten get as far as PCRE2. */
  for (size_t i = 0; i < length; i += 2) memcpy(longest + i, "\\S", 2);
  longest[0] = '[';
  longest[1] = 'x';
  longest[length - 1] = ']';
  longest[length - 2] = 'y';
  if (ee_schema_pattern_compile(&arena, (ee_str){longest, length}, &why) == NULL)
    assert_string_equal(why, "regular expression is too large");
  memset(longest, '.', length);
  assert_null(ee_schema_pattern_compile(&arena, (ee_str){longest, length}, &why));
  assert_string_equal(why, "regular expression is too large");
  free(longest);
}

/* Searches that grow with 2^n are given up, and a thousand of them cost little more than one: seconds, where they would
 * take hours. */
static void test_given_up(void **state) {
  (void)state;
  static const char *const patterns[] = {"^(a+)+$", "^(a|aa)+$", "^(\\w+\\s?)*$", "^(a|a?)+$"};
  char text[2001];
  memset(text, 'a', 2000);
  memcpy(text + 1000, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 50);
  text[1998] = '!';
  text[2000] = '\0';
  for (size_t i = 0; i < 4; i++) {
    const char *why;
    ee_pattern_matcher *matcher = ee_pattern_matcher_new(&arena);
    const ee_pattern *pattern = ee_schema_pattern_compile(&arena, ee_str_from(patterns[i]), &why);
    for (int k = 0; k < 1000; k++)
      assert_int_equal(ee_pattern_find(matcher, pattern, (ee_str){text, 2000}), EE_PATTERN_GIVEN_UP);
  }
}

/* Searches that are decided, but take many steps, have a limit together. */
static void test_all_together(void **state) {
  (void)state;
  char text[1000];
  memset(text, 'a', sizeof text);
  const char *why;
  const ee_pattern *pattern = ee_schema_pattern_compile(&arena, EE_STR("a.*[bc]$"), &why);
  ee_pattern_matcher *matcher = ee_pattern_matcher_new(&arena);
  size_t decided = 0;
  while (decided < 1000 && ee_pattern_find(matcher, pattern, (ee_str){text, sizeof text}) == EE_PATTERN_ABSENT)
    decided++;
  assert_in_range(decided, 2, 999);
  /* What takes few steps is searched as before. */
  assert_int_equal(ee_pattern_find(matcher, pattern, EE_STR("ab")), EE_PATTERN_FOUND);
}

/* Searches that begin anew at each place of the text, and find out at its end that it was in vain. */
static void test_quadratic(void **state) {
  (void)state;
  enum { LENGTH = 300000, SHORT = 1000 };
  static const char *const patterns[] = {"a.*[bc]$",           "a[^bc]*[bc]", "a.*\\d",        "(.*)\\1[bc]",
                                         "(?<x>a*)\\k<x>[bc]", "(a|b)*?[cd]", "a{1,200}.*[bc]"};
  char *text = ee_arena_alloc(&arena, LENGTH);
  memset(text, 'a', LENGTH);
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    const char *why;
    ee_pattern_matcher *matcher = ee_pattern_matcher_new(&arena);
    const ee_pattern *pattern = ee_schema_pattern_compile(&arena, ee_str_from(patterns[i]), &why);
    assert_non_null(pattern);
    if (ee_pattern_find(matcher, pattern, (ee_str){text, LENGTH}) != EE_PATTERN_GIVEN_UP)
      fail_msg("'%s' was not given up", patterns[i]);
    /* Of a size that fields have, they are decided. */
    if (i < 3)
      assert_int_equal(ee_pattern_find(ee_pattern_matcher_new(&arena), pattern, (ee_str){text, SHORT}),
                       EE_PATTERN_ABSENT);
  }
  /* What is linear is decided however long the text is. */
  static const char *const linear[] = {"[^a]", "^[ab]*c", "^a+$", "(?=b)a", "(?<=b)a", "b|c|d"};
  static const bool found[] = {false, false, true, false, false, false};
  for (size_t i = 0; i < sizeof linear / sizeof *linear; i++) {
    const char *why;
    const ee_pattern *pattern = ee_schema_pattern_compile(&arena, ee_str_from(linear[i]), &why);
    ee_pattern_found result = ee_pattern_find(ee_pattern_matcher_new(&arena), pattern, (ee_str){text, LENGTH});
    if (result != (found[i] ? EE_PATTERN_FOUND : EE_PATTERN_ABSENT)) fail_msg("'%s': %d", linear[i], (int)result);
  }
}

/* What was given up is a violation, and no other keyword turns it into its opposite. */
static void test_violations(void **state) {
  (void)state;
#define BAD "{\"pattern\":\"^(a+)+$\"}"
  static const char *const rows[][3] = {
      {BAD, "\"%s\"", " /pattern the pattern takes too many steps: given up"},
      {"{\"not\":" BAD "}", "\"%s\"", " /not/pattern the pattern takes too many steps: given up"},
      {"{\"properties\":{\"x\":{\"items\":{\"anyOf\":[" BAD ",true]}}}}", "{\"x\":[1,\"%s\"]}",
       "/x/1 /properties/x/items/anyOf/0/pattern the pattern takes too many steps: given up"},
      {"{\"propertyNames\":" BAD "}", "{\"%s\":1}", NULL},
      {"{\"patternProperties\":{\"^(a+)+$\":false}}", "{\"b\":0,\"%s\":1}", NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    static const char hostile[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!";
    const char *percent = strchr(rows[i][1], '%');
    const char *instance =
        ee_arena_printf(&arena, "%.*s%s%s", (int)(percent - rows[i][1]), rows[i][1], hostile, percent + 2);
    ee_schema_result result;
    ee_json_schema_validate(schema_compile(&arena, schema_json(&arena, rows[i][0])), schema_json(&arena, instance),
                            &arena, &result);
    const char *found = schema_violations(&arena, &result);
    assert_false(result.valid);
    assert_non_null(strstr(found, "the pattern takes too many steps: given up"));
    if (rows[i][2] != NULL) assert_string_equal(found, rows[i][2]);
    assert_int_equal(result.total, 1);
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_facts), cmocka_unit_test(test_spaces),
             cmocka_unit_test(test_mistakes), cmocka_unit_test(test_given_up), cmocka_unit_test(test_all_together),
             cmocka_unit_test(test_violations), cmocka_unit_test(test_quadratic));

#else

static void test_without(void **state) {
  (void)state;
  ee_error_list errors;
  ee_error_list_init(&errors);
  assert_null(ee_json_schema_compile(&arena, schema_json(&arena, "{\"pattern\":\"a\"}"), NULL, &errors));
  assert_string_equal(schema_told(&arena, &errors),
                      "/pattern: bad pattern 'a': this program was built without PCRE2, which patterns need");
  ee_error_list_fini(&errors);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_without));

#endif
