/* test_printable.c: what is written out, what stays, and that doing it twice changes nothing more. */
#include "base/printable.h"

#include "support/random.h"

static void assert_shown(ee_str text, ee_printable how, const char *shown) {
  ee_buffer out = {0}, again = {0};
  ee_add_printable(&out, text, how);
  assert_string_equal(ee_buffer_terminate(&out), shown);
  ee_str once = {out.data, out.length};
  ee_add_printable(&again, once, how);
  assert_true(ee_str_equal(once, (ee_str){again.data, again.length}));
  bool stays = ee_str_equal(text, once);
  assert_int_equal(ee_printable_prefix(text, how) == text.length, stays);
  ee_buffer_fini(&out);
  ee_buffer_fini(&again);
}

static void test_facts(void **state) {
  (void)state;
  static const struct {
    const char *text, *shown;
  } facts[] = {
      {"", ""},
      {"plain text, \xc3\xa9, \xe6\x97\xa5\xe6\x9c\xac, \xf0\x9f\x98\x80", NULL},
      {"a\\n", NULL}, /* a backslash is one */
      {"\x1b[31m\x07\x7f", "\\u001b[31m\\u0007\\u007f"},
      {"a\nb\r\nc\td", "a\\nb\\r\\nc\\td"},
      {"\xc2\x9b\xc2\x85\xc2\xa0", "\\u009b\\u0085\xc2\xa0"},
      {"\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8e\xd8\x9c", "\\u202e\\u2066\\u200e\\u061c"},
      {"\xe2\x80\x8b\xef\xbb\xbf\xc2\xad\xe2\x81\xa0", "\\u200b\\ufeff\\u00ad\\u2060"},
      {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
      {"\xf3\xa0\x81\x81", "\\udb40\\udc41"},
      {"\xef\xbf\xbe\xef\xbf\xbf", "\\ufffe\\uffff"},
      {"\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd"},
      {"a\xc3", "a\xef\xbf\xbd"},
      /* A joiner in a flag and in a Persian word; between letters it is a trick. */
      {"\xf0\x9f\x8f\xb3\xef\xb8\x8f\xe2\x80\x8d\xf0\x9f\x8c\x88", NULL},
      {"\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae\xd9\x88", NULL},
      {"a\xe2\x80\x8d"
       "b",
       "a\\u200db"},
      {"\xc3\xa9\xe2\x80\x8d", "\xc3\xa9\\u200d"},
      {"\xc3\xa9\xe2\x80\x8c\xe2\x80\x8c\xc3\xa9", "\xc3\xa9\\u200c\\u200c\xc3\xa9"},
      {"\xc3\xa9\xe2\x80\x8c\xe2\x80\xae\xc3\xa9", "\xc3\xa9\\u200c\\u202e\xc3\xa9"},
      /* Commands to CI servers. */
      {"::error::x", "\\u003a:error::x"},
      {"a ::error", "a \\u003a:error"},
      {"a::b", NULL},
      {": :", NULL},
      {"##[error] ##vso[x] ## #", "\\u0023#[error] \\u0023#vso[x] ## #"},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    assert_shown(ee_str_from(facts[i].text), EE_PRINT_LINE, facts[i].shown != NULL ? facts[i].shown : facts[i].text);
  assert_shown((ee_str){"a\0b", 3}, EE_PRINT_LINE, "a\\u0000b");
  assert_shown(EE_STR("a\n\tb\r\n"), EE_PRINT_LINES, "a\n\tb\\r\n");
  assert_shown(EE_STR("a\n::error\n"), EE_PRINT_LINES, "a\n\\u003a:error\n");
}

/* Any bytes: valid UTF-8 without anything harmful, and the same when it is done twice. */
static void test_any_bytes(void **state) {
  (void)state;
  test_random random = test_random_start("printable", 1616);
  static const char *const pieces[] = {
      "\xe2\x80\x8d", "\xe2\x80\x8c", "\xe2\x80\xae", "\xc3\xa9",        "a", ":", "#", "[", " ", "\n", "\x1b",
      "\xff",         "\xe2",         "\\",           "\xf3\xa0\x81\x81"};
  for (int round = 0; round < 20000; round++) {
    ee_buffer text = {0}, out = {0}, again = {0};
    for (size_t i = test_random_below(&random, 12); i > 0; i--) {
      if (test_random_below(&random, 4) == 0)
        ee_buffer_add_char(&text, (char)test_random_below(&random, 256));
      else
        ee_buffer_add_text(&text, pieces[test_random_below(&random, sizeof pieces / sizeof *pieces)]);
    }
    ee_printable how = round % 2 == 0 ? EE_PRINT_LINE : EE_PRINT_LINES;
    ee_add_printable(&out, (ee_str){text.data, text.length}, how);
    for (size_t at = 0; at < out.length;) {
      uint32_t c;
      size_t length = ee_utf8_decode(out.data + at, out.length - at, &c);
      assert_true(length > 0);
      assert_true(!ee_is_harmful(c) || (how == EE_PRINT_LINES && (c == '\n' || c == '\t')));
      at += length;
    }
    ee_add_printable(&again, (ee_str){out.data, out.length}, how);
    assert_true(ee_str_equal((ee_str){out.data, out.length}, (ee_str){again.data, again.length}));
    ee_buffer_fini(&text);
    ee_buffer_fini(&out);
    ee_buffer_fini(&again);
  }
}

/* Every character by itself, against the ranges that the header names. */
static void test_every_character(void **state) {
  (void)state;
  static const uint32_t harmful[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                        {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
  static const uint32_t unseen[][2] = {{0xad, 0xad},     {0x180e, 0x180e},   {0x200b, 0x200b},
                                       {0x2060, 0x2065}, {0x206a, 0x206f},   {0xfeff, 0xfeff},
                                       {0xfff9, 0xfffb}, {0xe0000, 0xe007f}, {0x200c, 0x200d}}; /* joiners, at an end */
  for (uint32_t c = 0; c < 0x110000; c++) {
    if (c >= 0xd800 && c < 0xe000) continue;
    bool harms = false, hides = c % 0x10000 >= 0xfffe;
    for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++) harms |= c >= harmful[i][0] && c <= harmful[i][1];
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++) hides |= c >= unseen[i][0] && c <= unseen[i][1];
    if (ee_is_harmful(c) != harms) fail_msg("U+%04X", c);
    char text[4];
    size_t length = ee_utf8_encode(c, text);
    if ((ee_printable_prefix((ee_str){text, length}, EE_PRINT_LINE) == length) != !(harms || hides))
      fail_msg("U+%04X", c);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_facts), cmocka_unit_test(test_every_character),
             cmocka_unit_test(test_any_bytes));
