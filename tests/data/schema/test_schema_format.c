/* Formats: what is one and what is not, by the RFCs. */
#include "data/schema/schema_format.h"

#include <stdio.h>

#include "data/schema/schema_fixture.h"
#include "support/arena.h"

/* Texts separated by blanks; "''" is the empty one. */
typedef struct format_facts {
  ee_schema_format format;
  const char *good, *bad;
} format_facts;

static void check_list(ee_schema_format format, const char *list, bool expected) {
  while (*list != '\0') {
    size_t length = strcspn(list, " ");
    ee_str text = {list, length};
    if (ee_str_is(text, "''")) text.length = 0;
    if (ee_schema_format_fits(format, text, &arena) != expected)
      fail_msg("'%.*s' %s %s", (int)text.length, text.data, expected ? "should be" : "should not be",
               ee_schema_format_name(format));
    list += length + (list[length] == ' ');
  }
}

static void test_formats(void **state) {
  (void)state;
  static const format_facts facts[] = {
      {EE_FORMAT_DATE, "2024-02-29 2023-02-28 2000-02-29 0000-01-01 9999-12-31 2023-04-30",
       "'' 2023-02-29 1900-02-29 2023-04-31 2023-13-01 2023-00-01 2023-01-00 2023-1-01 2023-01-1 23-01-01 02023-01-01 "
       "2023/01/01 2023-01-011 20230101 2023-01 +2023-01-01 2023-01-32 2023-01-01Z 202a-01-01"},
      {EE_FORMAT_TIME,
       "00:00:00Z 23:59:59z 12:30:00.5+01:00 12:30:00.123456789-23:59 23:59:60Z 00:59:60+01:00 18:59:60-05:00 "
       "23:58:60-00:01 12:00:00-00:00",
       "'' 24:00:00Z 12:60:00Z 12:00:61Z 12:00:00 12:00Z 1:00:00Z 12:00:00.Z 12:00:00,5Z 12:00:00+1:00 12:00:00+24:00 "
       "12:00:00+01:60 12:00:00+01 12:00:00#01:00 22:59:60Z 23:59:60+01:00 12:00:00Zx 12-00-00Z 12:00-00Z "
       "12:00:00+0100"},
      {EE_FORMAT_DATE_TIME, "2023-01-02T03:04:05Z 2023-01-02t03:04:05.6z 2016-12-31T23:59:60Z",
       "'' 2023-01-02 2023-01-02_03:04:05Z 2023-01-02T03:04:05 2023-02-30T03:04:05Z 2023-01-02T03:04:05ZZ "
       "2023-01-02T25:04:05Z"},
      {EE_FORMAT_DURATION, "P1Y P1M P1D PT1H PT1M PT1S P1Y2M3DT4H5M6S P1Y2M P2M3D PT5M6S P3W P0D P007D P1DT1S P1YT1H",
       "'' P PT P1 1D P1S PT1D P1Y3D PT4H6S P1DT P1W2D P1D2W P-1D P1.5D PT1H1H P3D1Y P1YD pt1h"},
      {EE_FORMAT_EMAIL,
       "a@b a.b+c@d.example !#$%&'*+-/=?^_`{|}~@x \"a.b\"@x \"a\\\"@\"@x \"..\"@x a@[127.0.0.1] a@[IPv6:::1] a1@b",
       "'' a @b a@ a@b@c .a@b a.@b a..b@c a@b_c a@-b \"a@b \"a\"b@c a@[1.2.3] a@[IPv6:1] a@[::1] a@b. \"\xc3\xa9\"@x "
       "\xc3\xa9@x a@\xc3\xa9 a(b@c a@[ \"a\\\x01\"@x \"a\\ \"a\\\x7f\"@x \"a\x01\"@x \"a\x7f\"@x"},
      {EE_FORMAT_IDN_EMAIL, "a@b \xc3\xa9@x a@\xc3\xa9.x \"\xc3\xa9\"@x a@[127.0.0.1] \xc3\xa9@a1-b",
       "'' @\xc3\xa9 \xc3\xa9@ \xc3\xa9@a..b \xc3\xa9@-a \xc3\xa9@a- \xc3\xa9@a_b \xc3\xa9.@b"},
      {EE_FORMAT_HOSTNAME, "a.b xn--fiqs8s", "'' a_b \xc3\xa9"},
      {EE_FORMAT_IDN_HOSTNAME, "a.b \xc3\xa9.b", "'' a_b"},
      {EE_FORMAT_IPV4, "0.0.0.0 255.255.255.255 1.22.133.4",
       "'' 1.2.3 1.2.3.4.5 256.1.1.1 1.2.3.1000 01.2.3.4 1.2.3.00 1..2.3 .1.2.3 1.2.3. 1.2.3.4. a.1.1.1 0x1.1.1.1"},
      {EE_FORMAT_IPV6,
       ":: ::1 1:: 1:2:3:4:5:6:7:8 ffff::FFFF 1::2:3:4:5:6:7 ::1.2.3.4 1:2:3:4:5:6:1.2.3.4 1::1.2.3.4 1:2:3:4:5:6:7::",
       "'' : ::: 1 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 1:2:3:4:5:6:7:8:: ::1:2:3:4:5:6:7:8 1::2::3 1: :1 1:2:3:4:5:6:7: "
       "12345:: g:: ::1.2.3 ::1.2.3.256 1:2:3:4:5:6:7:1.2.3.4 ::1:2:3:4:5:6:1.2.3.4 1.2.3.4 ::1%eth0 1:::2 ::1/64"},
      {EE_FORMAT_URI,
       "a: a:b http://x http://x/ http://u:p@x:80/a/b;c?d=e&f#g mailto:a@b urn:a:b file:///a http://[::1]/ "
       "http://[v1.a:b]:1 http://%41 a+b-c.d:e http:// http:/a http:a//b a:?? a:#?/ x://y?a=/? http://[V1.a] a1:b",
       "'' a //x /a 1a: a_b:c :a http://x:y http://[::1 http://[::g] http://[] http://[v.a] http://[vg.a] http://[v1.] "
       "http://[v1.%41] http://a@b@c http://x[ a:%4 a:%gg a:\\ a:\" a:< a:{} a:| a:^ a:` a:#a#b a:\xc3\xa9 a:[b] "
       "http://[::1]x http://x?[] http://x#[ http://u[@x http://[v1] http://[v1.\"]"},
      {EE_FORMAT_URI_REFERENCE, "'' a a/b ./a:b /a //x ? # a?b#c a: ../.. //x:1 //",
       "1:b a_b:c //x:y /[ \\ a%4 \xc3\xa9 #a#b //a@b@c ?\""},
      {EE_FORMAT_IRI,
       "a:\xc3\xa9 http://\xc3\xa9.x/\xc3\xa9?\xee\x80\x80#\xc3\xa9 a:\xf0\x90\x80\x80 a:?\xf3\xb0\x80\x80 "
       "a:\xef\xa4\x80 a:\xef\xb7\xb0 a:\xf3\xa1\x80\x80",
       "'' \xc3\xa9 a:\xee\x80\x80 a:#\xee\x80\x80 a:\xc2\x80 a:\xef\xbf\xbf a:\xf0\x9f\xbf\xbf a:?\xf3\xbf\xbf\xbf "
       "a:\xef\xb7\x90 a:\xef\xbf\xb0 a:\xf3\xa0\x80\x80 a:\xf3\xb0\x80\x80 a:?\xc2\x80 a:?\xef\xb7\x90"},
      {EE_FORMAT_IRI_REFERENCE, "'' \xc3\xa9 /\xc3\xa9 #\xc3\xa9 //\xc3\xa9@\xc3\xa9", "\\ \xc3\xa9:a #\xee\x80\x80"},
      {EE_FORMAT_URI_TEMPLATE,
       "'' a {a} {a,b} {+a} {#a} {.a} {/a} {;a} {?a} {&a} {=a} {a*} {a:1} {a:9999} {a.b} {a_1} {%41b} x{a}y{b}z "
       "\xc3\xa9 "
       "[a]:/?#@ a'b \xee\x80\x80",
       "{ } {} {a {a}} a} {{a}} {a,} {,} {,+a} {a:} {a:0} {a:01} {a:10000} {a:1x} {a*b} {a..b} {.} {a-b} {a~} {a=b} "
       "\" < > \\ ^ ` | % "
       "%4 {+} {a:1,b*,c+}"},
      {EE_FORMAT_UUID, "01234567-89ab-cdef-ABCD-EF0123456789",
       "'' 0123456789abcdefABCDEF0123456789abcd 01234567-89ab-cdef-ABCD-EF012345678 "
       "01234567-89ab-cdef-ABCD-EF01234567890 "
       "0123456789ab-cdef-ABCD-EF0123456789-- g1234567-89ab-cdef-ABCD-EF0123456789 "
       "01234567-g9ab-cdef-ABCD-EF0123456789 "
       "01234567-89ab-gdef-ABCD-EF0123456789 01234567-89ab-cdef-gBCD-EF0123456789 01234567-89ab-cdef-ABCD-gF0123456789 "
       "01234567-89ab+cdef-ABCD-EF0123456789 01234567-89ab-cdef+ABCD-EF0123456789 "
       "01234567-89ab-cdef-ABCD+EF0123456789"},
      {EE_FORMAT_JSON_POINTER, "'' / /a /a/b// /~0~1 /\xc3\xa9 /%", "a # #/a /~ /~2 /a~ /~0~"},
      {EE_FORMAT_RELATIVE_JSON_POINTER, "0 1 10 0# 12# 0/a 1/ 2/~1", "'' a /a 01 00 01# 0## 0#/a 0a -1 +1 0/~"},
#ifdef EE_WITH_PCRE2
      {EE_FORMAT_REGEX, "'' a [ab]+ (?<n>a)\\k<n> \\p{L} [] [^]", "( [a a** (?i)a \\Z (?P<n>a) )"},
#endif
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    const format_facts *row = &facts[i];
    check_list(row->format, row->good, true);
    check_list(row->format, row->bad, false);
    assert_int_equal(ee_schema_format_find(ee_str_from(ee_schema_format_name(row->format))), row->format);
  }
  assert_false(ee_schema_format_fits(EE_FORMAT_DATE, EE_STR("2023-01-01 "), &arena));
  assert_false(ee_schema_format_fits(EE_FORMAT_IPV4, EE_STR("1.2.3.4\0"), &arena));
  assert_false(ee_schema_format_fits(EE_FORMAT_URI, EE_STR("a:\0"), &arena));
  assert_false(ee_schema_format_fits(EE_FORMAT_URI, EE_STR("a: "), &arena));
  assert_false(ee_schema_format_fits(EE_FORMAT_URI_TEMPLATE, EE_STR("a b"), &arena));
  assert_false(ee_schema_format_fits(EE_FORMAT_EMAIL, EE_STR("a b@c"), &arena));
  assert_true(ee_schema_format_fits(EE_FORMAT_EMAIL, EE_STR("\"a b\"@c"), &arena));
  assert_int_equal(ee_schema_format_find(EE_STR("color")), EE_FORMAT_UNKNOWN);
  assert_true(ee_schema_format_fits(EE_FORMAT_UNKNOWN, EE_STR("anything"), &arena));
}

/* `format` asserts only where it is asked to. */
static void test_option(void **state) {
  (void)state;
  static const char schema[] = "{\"properties\":{\"a\":{\"format\":\"date\"},\"b\":{\"format\":\"x-mine\"},"
                               "\"c\":{\"format\":3}}}";
  for (int i = 0; i < 2; i++) {
    ee_schema_options options = {.formats = i == 1};
    ee_error_list errors;
    ee_error_list_init(&errors);
    const ee_json_schema *compiled = ee_json_schema_compile(&arena, schema_json(&arena, schema), &options, &errors);
    assert_int_equal(errors.count, 0);
    ee_schema_result result;
    ee_json_schema_validate(compiled, schema_json(&arena, "{\"a\":\"2023-02-30\",\"b\":\"\",\"c\":\"\"}"), &arena,
                            &result);
    assert_string_equal(schema_violations(&arena, &result),
                        i == 0 ? "" : "/a /properties/a/format \"2023-02-30\" is not in the format 'date'");
    ee_json_schema_validate(compiled, schema_json(&arena, "{\"a\":3}"), &arena, &result);
    assert_true(result.valid);
    ee_error_list_fini(&errors);
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_formats), cmocka_unit_test(test_option));
