/* test_contact.c: URLs, e-mail addresses and telephone numbers: examples of the RFCs, and rules on random ones. */
#include "prim/contact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"
#include "support/random.h"

static void assert_text(ee_str got, const char *text, const char *expected) {
  if (!ee_str_is(got, expected)) fail_msg("'%s' gave '%.*s', not '%s'", text, EE_STR_ARG(got), expected);
}

static void knows_urls(void **state) {
  (void)state;
  static const char *const facts[][2] = {
      /* RFC 3986, 6.2.2, 6.2.2.3 and 6.2.3 */
      {"example://a/b/c/%7Bfoo%7D", "example://a/b/c/%7Bfoo%7D"},
      {"eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"},
      {"HTTP://www.EXAMPLE.com/", "http://www.example.com/"},
      {"http://example.com", "http://example.com/"},
      {"http://example.com:/", "http://example.com/"},
      {"http://example.com:80/", "http://example.com/"},
      {"https://example.com:443?q", "https://example.com/?q"},
      {"https://example.com:80/", "https://example.com:80/"},
      {"ftp://example.com:21/a", "ftp://example.com/a"},
      {"foo://example.com:8042/over/there?name=ferret#nose", "foo://example.com:8042/over/there?name=ferret#nose"},
      {"ldap://[2001:DB8::7]/c=GB?one", "ldap://[2001:db8::7]/c=GB?one"},
      {"http://User:Pass@Example.com/%7Esmith/", "http://User:Pass@example.com/~smith/"},
      {"http://example.com/a%2fb", "http://example.com/a%2Fb"},
      /* 5.4: dot segments */
      {"http://a/b/c/d;p?q", "http://a/b/c/d;p?q"},
      {"http://a/b/c/./g", "http://a/b/c/g"},
      {"http://a/b/c/../../../g", "http://a/g"},
      {"http://a/b/c/..", "http://a/b/"},
      {"http://a/b/c/.", "http://a/b/c/"},
      {"http://a/b/c/g..", "http://a/b/c/g.."},
      {"http://a/b/c/...", "http://a/b/c/..."},
      /* ours */
      {" Example.COM ", "example.com/"},
      {"WWW.Example.com/Path?Q", "www.example.com/Path?Q"},
      {"example.com:8080", "example.com:8080/"},
      {"http://B\u00dcCHER.example/", "http://b\u00fccher.example/"},
      {"not a URL", "not a URL"},
      {"word", "word"},
      {"a@b.c", "a@b.c"},
      {"mailto:a@b.c", "mailto:a@b.c"},
      {"http://a:1:2/", "http://a:1:2/"},
      {"http://example.com/%", "http://example.com/%"},
      {"http://example.com/%4", "http://example.com/%4"},
      {"http://example.com/%zz", "http://example.com/%zz"},
      {"http://%41.com/", "http://a.com/"},
      /* A percent sign that begins no encoding: what is decoded must not make it one, which would be another URL. */
      {"http://a.b/%%41a", "http://a.b/%%41a"},
      {"http://a.b/%%41%62", "http://a.b/%%41b"},
      {"http://a.b/%4%31", "http://a.b/%4%31"},
      {"http://a.b/%%34%31", "http://a.b/%%341"},
      {"http://a.b/%%47%41", "http://a.b/%GA"},
      {"http://a.b/%%7e%2d", "http://a.b/%~-"},
      {"http://a.b/%7B%41b%4", "http://a.b/%7BAb%4"},
      {"http://a.b/?100%#%41", "http://a.b/?100%#A"},
      {"http://a%%41@B.c/", "http://a%%41@b.c/"},
      {"http://%%41.B/", "http://%%41.B/"},
      {"http://%4\ufb00.B/", "http://%4\ufb00.B/"},
      {"http://%.B/", "http://%.B/"},
      {"ws://a.b:80", "ws://a.b/"},
      {"WSS://a.b:443", "wss://a.b/"},
      {"ws://a.b:443", "ws://a.b:443/"},
      {"wss://a.b:80", "wss://a.b:80/"},
      {"ftp://a.b:22", "ftp://a.b:22/"},
      {"foo://a.b", "foo://a.b"},
      {"http://a.b/%2d%2E%5f%7e%61%5A%39%40%60%5b%7b%2f%3a%2f%30", "http://a.b/-._~aZ9%40%60%5B%7B%2F%3A%2F0"},
      /* What is not UTF-8 stays as it is. */
      {"http://a.b/\xff", "http://a.b/\xff"},
      {"\xff x", "\xff x"},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    assert_text(ee_normal_url(ee_str_from(facts[i][0]), &arena), facts[i][0], facts[i][1]);
    assert_text(ee_normal_url(ee_str_from(facts[i][1]), &arena), facts[i][1], facts[i][1]);
  }
}

/* A host without a scheme has letters, digits, hyphens and dots, one of them inside; other texts stay as they are. */
static void knows_hosts(void **state) {
  (void)state;
  for (char c = '!'; c <= '~'; c++) {
    char text[] = "A.B.Com", wanted[] = "a.b.com/";
    text[1] = c;
    wanted[1] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    bool host = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '.';
    assert_text(ee_normal_url(ee_str_from(text), &arena), text, host ? wanted : text);
  }
  static const char *const others[] = {".A.com", "Com", "A", "A.b c", "1"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_text(ee_normal_url(ee_str_from(others[i]), &arena), others[i], others[i]);
  assert_text(ee_normal_url(EE_STR("\xc3\x84.Com"), &arena), "\xc3\x84.Com", "\xc3\xa4.com/");
  assert_text(ee_normal_url(EE_STR("1.2"), &arena), "1.2", "1.2/");
}

static void knows_addresses(void **state) {
  (void)state;
  static const char *const facts[][2] = {
      {"Jane@Example.COM", "Jane@example.com"},
      {" jane@example.com. ", "jane@example.com"},
      {"MailTo:jane@EXAMPLE.com?subject=Hello", "jane@example.com"},
      {"Jane Doe <Jane.Doe@Example.com>", "Jane.Doe@example.com"},
      {"\"Doe, Jane\" <mailto:jane@example.com>", "jane@example.com"},
      {"\"a@b\"@Example.com", "\"a@b\"@example.com"},
      {"j\u00e9@B\u00dcCHER.example", "j\u00e9@b\u00fccher.example"},
      {"jane", "jane"},
      {"@example.com", "@example.com"},
      {"jane@", "jane@"},
      {"jane@...", "jane@..."},
      {"<jane>", "<jane>"},
      {"Jane <jane@Example.com>.", "Jane <jane@Example.com>."},
      {"<jane@Example.com>>..", "<jane@Example.com>>.."},
      {"jane@<Example.com", "jane@<Example.com"},
      {"jane@example.com or joe@Example.com now", "jane@example.com or joe@Example.com now"},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    assert_text(ee_normal_email(ee_str_from(facts[i][0]), &arena), facts[i][0], facts[i][1]);
}

static void knows_numbers(void **state) {
  (void)state;
  static const char *const facts[][2] = {
      {"+1-201-555-0123", "+12015550123"}, /* RFC 3966 */
      {"tel:+1-201-555-0123", "+12015550123"},
      {"tel:+1-201-555-0123;ext=12", "+12015550123;ext=12"},
      {"+49 (0)30 / 1234-56", "+493012 3456"},
      {"0049 30 123456", "+4930123456"},
      {"00 49 30 123456", "+4930123456"},
      {"(030) 123456", "030123456"},
      {"030.12.34.56", "030123456"},
      {"Tel.: 030 123456", "030123456"},
      {"Phone (030) 123456 ext. 7", "030123456;ext=7"},
      {"030 123456 x7", "030123456;ext=7"},
      {"030 123456 Extension: 7", "030123456;ext=7"},
      {"030 123456 #7", "030123456;ext=7"},
      {"\uff0b\uff14\uff19 \u0663\u0660", "+4930"},
      {"030\u2011123", "030123"},
      {"1-800-FLOWERS", "1-800-FLOWERS"},
      {"030 1234, 030 5678", "030 1234, 030 5678"},
      {"030 1234 or 5678", "030 1234 or 5678"},
      {"030 1234 x", "030 1234 x"},
      {"030 1234 ex", "030 1234 ex"},
      {"030 1234 exten 7", "030 1234 exten 7"},
      {"030\u00ad12\u201034\u201556\u221278", "03012345678"},
      {"030\u201612", "030\u201612"},
      {"030\u200f12", "030\u200f12"},
      {"030 \xff 12", "030 \xff 12"},
      {"\xd7+49 30", "\xd7+49 30"},
      {"T\xe9+49 30", "+4930"}, /* a byte that is not a character is passed alone */
      {"T\xe9(030) 12", "03012"},
      {"no number", "no number"},
      {"+", "+"},
      {"00", "00"},
      {"(0) 30", "030"},
      {"12+34", "12+34"},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    char expected[64] = ""; /* a space is for the reader */
    size_t length = 0;
    bool is_number = facts[i][1][0] == '+' && strlen(facts[i][1]) > 1;
    for (const char *c = facts[i][1]; *c != '\0'; c++)
      if (!is_number || *c != ' ') expected[length++] = *c;
    assert_text(ee_normal_phone(ee_str_from(facts[i][0]), &arena), facts[i][0], expected);
  }
}

static void assert_same_again(ee_str (*form)(ee_str, ee_arena *), ee_str text) {
  ee_str once = form(text, &arena), twice = form(once, &arena);
  if (!ee_str_equal(once, twice) || ee_utf8_valid_prefix(once.data, once.length) != once.length)
    fail_msg("'%.*s' gave '%.*s', then '%.*s'", EE_STR_ARG(text), EE_STR_ARG(once), EE_STR_ARG(twice));
}

/* Whatever it is, the form of a form is the form. */
static void forms_are_stable(void **state) {
  (void)state;
  test_random random = test_random_start("contact: stable", 241);
  static const char *const pieces[] = {
      "http://", "HTTPS://", "A.b", "c.D", "/",      "..",     ".",     "%2e",   "%41",   "%7b",
      "%",       "?",        "#",   ":80", ":443",   ":",      "@",     "[::1]", "[",     "]",
      "//",      "mailto:",  "<",   ">",   "ftp://", "+",      "00",    "0",     "(0)",   "49",
      "(",       ")",        " ",   "-",   "x",      "ext.",   ";ext=", "#",     "Tel",   "\u00c9",
      "\u0661",  "\u00df",   "\"",  "a",   "\x03",   "\u3000", "%4",    "%66",   "\ufb00"};
  for (int round = 0; round < 100000; round++) {
    char text[256];
    size_t length = 0;
    for (size_t left = test_random_below(&random, 10); left > 0; left--) {
      const char *piece = pieces[test_random_below(&random, sizeof pieces / sizeof *pieces)];
      memcpy(text + length, piece, strlen(piece));
      length += strlen(piece);
    }
    assert_same_again(ee_normal_url, (ee_str){text, length});
    assert_same_again(ee_normal_email, (ee_str){text, length});
    assert_same_again(ee_normal_phone, (ee_str){text, length});
    if (round % 64 == 0) ee_arena_reset(&arena, 0);
  }
}

/* Decodes each percent-encoding once, as a server does; `out` has room for the text. Returns the length. */
static size_t decode_once(ee_str text, char *out) {
  static const char digits[] = "0123456789abcdefABCDEF";
  size_t length = 0;
  for (size_t at = 0; at < text.length;) {
    bool is_code = text.data[at] == '%' && text.length - at > 2 && strchr(digits, text.data[at + 1]) != NULL &&
                   strchr(digits, text.data[at + 2]) != NULL;
    char code[3] = {text.data[at], 0, 0};
    if (is_code) memcpy(code, text.data + at + 1, 2);
    out[length++] = is_code ? (char)strtol(code, NULL, 16) : code[0];
    at += is_code ? 3 : 1;
  }
  return length;
}

/* The form of a query asks for the same, also where percent signs begin no encoding. */
static void queries_are_the_same(void **state) {
  (void)state;
  test_random random = test_random_start("contact: query", 243);
  static const char *const pieces[] = {"%",   "%",   "%4", "%41", "%3", "%25", "%61",
                                       "%7e", "%2f", "1",  "a",   "F",  "g",   "-"};
  for (int round = 0; round < 50000; round++) {
    char text[64] = "http://a.b/?", before[64], after[64];
    for (size_t left = test_random_below(&random, 10); left > 0; left--)
      strcat(text, pieces[test_random_below(&random, sizeof pieces / sizeof *pieces)]);
    ee_str form = ee_normal_url(ee_str_from(text), &arena);
    size_t length = decode_once(ee_str_from(text), before);
    if (decode_once(form, after) != length || memcmp(before, after, length) != 0)
      fail_msg("'%s' gave '%.*s'", text, EE_STR_ARG(form));
    if (round % 64 == 0) ee_arena_reset(&arena, 0);
  }
}

/* Numbers that are written in other ways are equal; those with another digit are not. */
static void numbers_are_their_digits(void **state) {
  (void)state;
  test_random random = test_random_start("contact: phone", 242);
  static const char *const between[] = {"", " ", "-", ".", "/", " (", ") ", "\u2013", "\u00a0"};
  for (int round = 0; round < 5000; round++) {
    char digits[12], text[160] = "", other[160];
    size_t count = 4 + test_random_below(&random, 8), length = 0;
    bool is_international = test_random_below(&random, 2) == 0;
    for (size_t i = 0; i < count; i++) digits[i] = (char)('1' + test_random_below(&random, 9));
    if (is_international) length += (size_t)snprintf(text, sizeof text, "%s", round % 2 == 0 ? "+" : "00");
    for (size_t i = 0; i < count; i++) {
      if (i > 0)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s", between[test_random_below(&random, 9)]);
      text[length++] = digits[i];
    }
    snprintf(other, sizeof other, "%s%.*s", is_international ? "+" : "", (int)count, digits);
    text[length] = '\0';
    assert_text(ee_normal_phone((ee_str){text, length}, &arena), text, other);
    ee_arena_reset(&arena, 0);
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(knows_urls), cmocka_unit_test(knows_hosts),
             cmocka_unit_test(knows_addresses), cmocka_unit_test(knows_numbers), cmocka_unit_test(forms_are_stable),
             cmocka_unit_test(queries_are_the_same), cmocka_unit_test(numbers_are_their_digits));
