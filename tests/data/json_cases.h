/* json_cases.h: texts that are JSON and texts that are not, each with the place and message of its first mistake. */
#ifndef EE_TESTS_DATA_JSON_CASES_H
#define EE_TESTS_DATA_JSON_CASES_H

#include <stddef.h>

typedef struct json_case {
  const char *text;
  size_t length;
  size_t line, column; /* 0 for a valid text */
  const char *message;
} json_case;

#define VALID(text) {text, sizeof(text) - 1, 0, 0, NULL}
#define WRONG(text, line, column, message) {text, sizeof(text) - 1, line, column, message}

#define CUT "unexpected end of text"
#define NO_VALUE "expected a value"
#define NO_KEY "expected a key in double quotes"
#define NO_COLON "expected ':'"
#define IN_ARRAY "expected ',' or ']'"
#define IN_OBJECT "expected ',' or '}'"
#define BEHIND "text after the document"
#define OPEN_STRING "unterminated string"
#define CONTROL "control character in string"
#define BAD_UTF8 "invalid UTF-8"
#define BAD_ESCAPE "unknown escape in string"
#define BAD_HEX "expected four hex digits after \\u"
#define LONE "lone surrogate in \\u escape"
#define ZERO "leading zero in number"
#define NO_DIGIT "expected a digit"
#define NO_FRACTION "expected a digit behind the decimal point"
#define NO_EXPONENT "expected a digit in the exponent"
#define BOM "byte order mark before the document"

static const json_case json_cases[] = {
    /* Words. */
    VALID("null"), VALID("true"), VALID("false"), VALID(" null "), VALID("\ttrue\n"), VALID("\r\nfalse\r\n"),
    VALID("[null]"), VALID("[true,false,null]"), VALID("{\"a\":null}"), VALID("{\"a\":true,\"b\":false}"),
    WRONG("nul", 1, 1, NO_VALUE), WRONG("nulll", 1, 5, BEHIND), WRONG("Null", 1, 1, NO_VALUE),
    WRONG("NULL", 1, 1, NO_VALUE), WRONG("True", 1, 1, NO_VALUE), WRONG("tru", 1, 1, NO_VALUE),
    WRONG("fals", 1, 1, NO_VALUE), WRONG("falsey", 1, 6, BEHIND), WRONG("None", 1, 1, NO_VALUE),
    WRONG("undefined", 1, 1, NO_VALUE), WRONG("nan", 1, 1, NO_VALUE), WRONG("NaN", 1, 1, NO_VALUE),
    WRONG("Infinity", 1, 1, NO_VALUE), WRONG("-Infinity", 1, 2, NO_DIGIT), WRONG("inf", 1, 1, NO_VALUE),
    WRONG("true false", 1, 6, BEHIND), WRONG("[nul]", 1, 2, NO_VALUE), WRONG("[tru,1]", 1, 2, NO_VALUE),
    WRONG("[truefalse]", 1, 6, IN_ARRAY), WRONG("{\"a\":nil}", 1, 6, NO_VALUE), WRONG("[n\\u0075ll]", 1, 2, NO_VALUE),

    /* Numbers. */
    VALID("0"), VALID("-0"), VALID("1"), VALID("-1"), VALID("10"), VALID("1234567890"), VALID("0.0"), VALID("-0.0"),
    VALID("0.1"), VALID("1.0"), VALID("123.456"), VALID("1e0"), VALID("1E0"), VALID("1e+0"), VALID("1e-0"),
    VALID("1e5"), VALID("1E+5"), VALID("1e-5"), VALID("0e5"), VALID("0e+1"), VALID("0.5e1"), VALID("1.5E-3"),
    VALID("1e00005"), VALID("1e400"), VALID("-1e400"), VALID("1e-400"), VALID("1e99999999999999999999"),
    VALID("1e-99999999999999999999"), VALID("9007199254740993"), VALID("18446744073709551616"),
    VALID("123456789012345678901234567890"), VALID("0.1000000000000000055511151231257827"),
    VALID("5e-324"), VALID("1.7976931348623157e308"), VALID("2.2250738585072011e-308"), VALID("[-1]"),
    VALID("[1,2.5,-3e2]"), VALID("{\"n\":-0.5e-5}"), VALID("[0]"), VALID("[0,0]"), VALID("\n1\n"),
    WRONG("-", 1, 2, CUT), WRONG("+1", 1, 1, NO_VALUE), WRONG("+", 1, 1, NO_VALUE), WRONG("--1", 1, 2, NO_DIGIT),
    WRONG("-a", 1, 2, NO_DIGIT), WRONG("- 1", 1, 2, NO_DIGIT), WRONG("01", 1, 1, ZERO), WRONG("-01", 1, 2, ZERO),
    WRONG("00", 1, 1, ZERO), WRONG("-00", 1, 2, ZERO), WRONG("012.5", 1, 1, ZERO), WRONG("[007]", 1, 2, ZERO),
    WRONG("1.", 1, 3, CUT), WRONG("1.]", 1, 3, NO_FRACTION), WRONG("[1.]", 1, 4, NO_FRACTION),
    WRONG("[1.e5]", 1, 4, NO_FRACTION), WRONG(".5", 1, 1, NO_VALUE), WRONG("-.5", 1, 2, NO_DIGIT),
    WRONG("[.5]", 1, 2, NO_VALUE), WRONG("1e", 1, 3, CUT), WRONG("1e+", 1, 4, CUT), WRONG("1e-", 1, 4, CUT),
    WRONG("[1e]", 1, 4, NO_EXPONENT), WRONG("[1e+]", 1, 5, NO_EXPONENT), WRONG("[1E-]", 1, 5, NO_EXPONENT),
    WRONG("[1ee5]", 1, 4, NO_EXPONENT), WRONG("[1e5.5]", 1, 5, IN_ARRAY), WRONG("[1e+-5]", 1, 5, NO_EXPONENT),
    WRONG("1.2.3", 1, 4, BEHIND), WRONG("1a", 1, 2, BEHIND), WRONG("[1a]", 1, 3, IN_ARRAY), WRONG("0x10", 1, 2, BEHIND),
    WRONG("[0x10]", 1, 3, IN_ARRAY), WRONG("0b1", 1, 2, BEHIND), WRONG("1_000", 1, 2, BEHIND),
    WRONG("1,000", 1, 2, BEHIND), WRONG("1 000", 1, 3, BEHIND), WRONG("[1 000]", 1, 4, IN_ARRAY),
    WRONG("1e5e5", 1, 4, BEHIND), WRONG("[1+2]", 1, 3, IN_ARRAY), WRONG("[1-2]", 1, 3, IN_ARRAY),
    WRONG("[-]", 1, 3, NO_DIGIT), WRONG("[-,1]", 1, 3, NO_DIGIT), WRONG("{\"a\":-}", 1, 7, NO_DIGIT),
    WRONG("\xef\xbc\x91", 1, 1, NO_VALUE), WRONG("[1\xef\xbc\x91]", 1, 3, IN_ARRAY), WRONG("1\0", 1, 2, BEHIND),
    WRONG("[1\0]", 1, 3, IN_ARRAY), WRONG("1.0f", 1, 4, BEHIND), WRONG("1L", 1, 2, BEHIND), WRONG("1/2", 1, 2, BEHIND),

    /* Strings. */
    VALID("\"\""), VALID("\"a\""), VALID("\" \""), VALID("\"abcdefghijklmnop\""), VALID("\"abcdefghijklmnopqrstuvwxyz\""),
    VALID("\"\\\"\""), VALID("\"\\\\\""), VALID("\"\\/\""), VALID("\"/\""), VALID("\"\\b\\f\\n\\r\\t\""),
    VALID("\"\\u0000\""), VALID("\"\\u0041\""), VALID("\"\\u00e9\""), VALID("\"\\u00E9\""), VALID("\"\\u20ac\""),
    VALID("\"\\uD83D\\uDE00\""), VALID("\"\\ud83d\\ude00\""), VALID("\"\\ud800\\udc00\""), VALID("\"\\udbff\\udfff\""),
    VALID("\"\\uffff\""), VALID("\"\\ufffe\""), VALID("\"\\ud7ff\\ue000\""), VALID("\"\x7f\""), VALID("\"\xc2\x80\""),
    VALID("\"\xdf\xbf\""), VALID("\"\xe0\xa0\x80\""), VALID("\"\xed\x9f\xbf\""), VALID("\"\xee\x80\x80\""),
    VALID("\"\xef\xbf\xbf\""), VALID("\"\xf0\x90\x80\x80\""), VALID("\"\xf4\x8f\xbf\xbf\""),
    VALID("\"\xef\xbb\xbf\""), VALID("\"M\xc3\xbcller & S\xc3\xb6hne, 20095 Hamburg\""),
    VALID("\"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe6\x96\x87\""), VALID("\"{[]}\""), VALID("\"// no comment\""),
    VALID("[\"a\",\"b\"]"), VALID("[\"\",\"\"]"), VALID("\"\\u0022\\u005c\""), VALID("\"0123456789abcde\\\"f\""),
    VALID("\"0123456789abcdef\\\\\""), VALID("\"\xe2\x80\xa8\xe2\x80\xa9\""), VALID("\"'\""), VALID("\"\\\\u0000\""),
    WRONG("\"", 1, 1, OPEN_STRING), WRONG("\"a", 1, 1, OPEN_STRING), WRONG("\"abcdefghijklmnopqrstuvwxyz", 1, 1, OPEN_STRING),
    WRONG("\"\\", 1, 1, OPEN_STRING), WRONG("\"\\\"", 1, 1, OPEN_STRING), WRONG("[\"a", 1, 2, OPEN_STRING),
    WRONG("[\"a]", 1, 2, OPEN_STRING), WRONG("{\"a", 1, 2, OPEN_STRING), WRONG("{\"a\":\"b}", 1, 6, OPEN_STRING),
    WRONG("'a'", 1, 1, NO_VALUE), WRONG("['a']", 1, 2, NO_VALUE), WRONG("`a`", 1, 1, NO_VALUE), WRONG("a", 1, 1, NO_VALUE),
    WRONG("\xe2\x80\x9c" "a\xe2\x80\x9d", 1, 1, NO_VALUE), WRONG("\"a\"b", 1, 4, BEHIND), WRONG("\"a\"\"b\"", 1, 4, BEHIND),
    WRONG("[\"a\"\"b\"]", 1, 5, IN_ARRAY), WRONG("\"\n\"", 1, 2, CONTROL), WRONG("\"\t\"", 1, 2, CONTROL),
    WRONG("\"a\rb\"", 1, 3, CONTROL), WRONG("\"\0\"", 1, 2, CONTROL), WRONG("\"\x1f\"", 1, 2, CONTROL),
    WRONG("\"\x01\"", 1, 2, CONTROL), WRONG("\"0123456789abcdef\x0b\"", 1, 18, CONTROL), WRONG("\"\\a\"", 1, 2, BAD_ESCAPE),
    WRONG("\"\\v\"", 1, 2, BAD_ESCAPE), WRONG("\"\\0\"", 1, 2, BAD_ESCAPE), WRONG("\"\\x41\"", 1, 2, BAD_ESCAPE),
    WRONG("\"\\'\"", 1, 2, BAD_ESCAPE), WRONG("\"\\ \"", 1, 2, BAD_ESCAPE), WRONG("\"\\\n\"", 1, 2, BAD_ESCAPE),
    WRONG("\"\\U0041\"", 1, 2, BAD_ESCAPE), WRONG("\"\\N\"", 1, 2, BAD_ESCAPE), WRONG("\"\\\xc3\xa9\"", 1, 2, BAD_ESCAPE),
    WRONG("\"abc\\q\"", 1, 5, BAD_ESCAPE), WRONG("\"\\\0\"", 1, 2, BAD_ESCAPE), WRONG("\"\\u\"", 1, 2, BAD_HEX),
    WRONG("\"\\u1\"", 1, 2, BAD_HEX), WRONG("\"\\u12\"", 1, 2, BAD_HEX), WRONG("\"\\u123\"", 1, 2, BAD_HEX),
    WRONG("\"\\u123g\"", 1, 2, BAD_HEX), WRONG("\"\\u 123\"", 1, 2, BAD_HEX), WRONG("\"\\u+123\"", 1, 2, BAD_HEX),
    WRONG("\"\\u00", 1, 2, BAD_HEX), WRONG("\"\\u{41}\"", 1, 2, BAD_HEX), WRONG("\"\\ud800\"", 1, 2, LONE),
    WRONG("\"\\udc00\"", 1, 2, LONE), WRONG("\"\\ud800\\ud800\"", 1, 2, LONE), WRONG("\"\\udc00\\ud800\"", 1, 2, LONE),
    WRONG("\"\\ud800a\"", 1, 2, LONE), WRONG("\"\\ud800\\n\"", 1, 2, LONE), WRONG("\"\\ud800\\u0041\"", 1, 2, LONE),
    WRONG("\"\\ud800\\u\"", 1, 2, LONE), WRONG("\"\\ud83d\\ude0\"", 1, 2, LONE), WRONG("\"x\\uDFAA\"", 1, 3, LONE),
    WRONG("\"\\uD800\\uD800\\uDC00\"", 1, 2, LONE), WRONG("{\"\\ud800\":1}", 1, 3, LONE),

    /* UTF-8. */
    WRONG("\"\x80\"", 1, 2, BAD_UTF8), WRONG("\"\xbf\"", 1, 2, BAD_UTF8), WRONG("\"\xc0\xaf\"", 1, 2, BAD_UTF8),
    WRONG("\"\xc1\xbf\"", 1, 2, BAD_UTF8), WRONG("\"\xc3\"", 1, 2, BAD_UTF8), WRONG("\"\xc3(\"", 1, 2, BAD_UTF8),
    WRONG("\"\xe0\x9f\xbf\"", 1, 2, BAD_UTF8), WRONG("\"\xe2\x82\"", 1, 2, BAD_UTF8), WRONG("\"\xe2(\xa1\"", 1, 2, BAD_UTF8),
    WRONG("\"\xed\xa0\x80\"", 1, 2, BAD_UTF8), WRONG("\"\xed\xbf\xbf\"", 1, 2, BAD_UTF8),
    WRONG("\"\xf0\x8f\xbf\xbf\"", 1, 2, BAD_UTF8), WRONG("\"\xf0\x90\x80\"", 1, 2, BAD_UTF8),
    WRONG("\"\xf4\x90\x80\x80\"", 1, 2, BAD_UTF8), WRONG("\"\xf5\x80\x80\x80\"", 1, 2, BAD_UTF8),
    WRONG("\"\xf8\x88\x80\x80\x80\"", 1, 2, BAD_UTF8), WRONG("\"\xfe\"", 1, 2, BAD_UTF8), WRONG("\"\xff\"", 1, 2, BAD_UTF8),
    WRONG("\"abc\xe9 def\"", 1, 5, BAD_UTF8), WRONG("\"\xc3\xa9\xa9\"", 1, 4, BAD_UTF8), WRONG("\"\xc3", 1, 2, BAD_UTF8),
    WRONG("\"0123456789abcdefghij\xff" "0123456789abcdef\"", 1, 22, BAD_UTF8), WRONG("{\"\xff\":1}", 1, 3, BAD_UTF8),
    WRONG("[\"\xf0\x9f\x98\"]", 1, 3, BAD_UTF8), WRONG("\xff", 1, 1, NO_VALUE), WRONG("[\xc3\xa9]", 1, 2, NO_VALUE),
    WRONG("[1]\xc2\xa0", 1, 4, BEHIND), WRONG("\xe3\x80\x80[]", 1, 1, NO_VALUE), WRONG("\xc2\xa0" "1", 1, 1, NO_VALUE),
    WRONG("\xff\xfe[\0]\0", 1, 1, NO_VALUE), WRONG("\xfe\xff\0[\0]", 1, 1, NO_VALUE), WRONG("[\0]\0", 1, 2, NO_VALUE),
    WRONG("\xef\xbb\xbf", 1, 1, BOM), WRONG("\xef\xbb\xbf{}", 1, 1, BOM), WRONG("\xef\xbb\xbf[1]", 1, 1, BOM),
    WRONG(" \xef\xbb\xbf[1]", 1, 2, NO_VALUE), WRONG("\xef\xbb", 1, 1, NO_VALUE), WRONG("[1]\xef\xbb\xbf", 1, 4, BEHIND),

    /* White space. */
    VALID(" [ ] "), VALID("\n\n[\n]\n"), VALID("[ 1 , 2 ]"), VALID("{ \"a\" : 1 , \"b\" : 2 }"), VALID("[\t1\t,\t2\t]"),
    VALID("\r[\r\n1\r\n]"), VALID("                                      1"), VALID("{\n  \"a\": [\n    1\n  ]\n}\n"),
    WRONG("", 1, 1, CUT), WRONG(" ", 1, 2, CUT), WRONG("\n", 2, 1, CUT), WRONG("\n\n  ", 3, 3, CUT), WRONG("\0", 1, 1, NO_VALUE),
    WRONG("\f1", 1, 1, NO_VALUE), WRONG("\v1", 1, 1, NO_VALUE), WRONG("[\f]", 1, 2, NO_VALUE), WRONG("1\f", 1, 2, BEHIND),
    WRONG("\xe2\x81\xa0[]", 1, 1, NO_VALUE), WRONG("[1]\0", 1, 4, BEHIND), WRONG("\b1", 1, 1, NO_VALUE), WRONG("\x1f[]", 1, 1, NO_VALUE),

    /* Arrays. */
    VALID("[]"), VALID("[[]]"), VALID("[[],[]]"), VALID("[[[[[[[[[[]]]]]]]]]]"), VALID("[1]"), VALID("[1,2,3]"),
    VALID("[[1],[2]]"), VALID("[{}]"), VALID("[{},{}]"), VALID("[\"a\",1,true,null,[],{}]"), VALID("[1,[2,[3,[4]]]]"),
    VALID("[[1,2],[3,4],[]]"), VALID("[[],1]"), VALID("[1,[]]"),
    WRONG("[", 1, 2, CUT), WRONG("]", 1, 1, NO_VALUE), WRONG("[[", 1, 3, CUT), WRONG("[1", 1, 3, CUT), WRONG("[1,", 1, 4, CUT),
    WRONG("[,]", 1, 2, NO_VALUE), WRONG("[1,]", 1, 4, NO_VALUE), WRONG("[,1]", 1, 2, NO_VALUE), WRONG("[1,,2]", 1, 4, NO_VALUE),
    WRONG("[1 2]", 1, 4, IN_ARRAY), WRONG("[1;2]", 1, 3, IN_ARRAY), WRONG("[1:2]", 1, 3, IN_ARRAY), WRONG("[1}", 1, 3, IN_ARRAY),
    WRONG("[}", 1, 2, NO_VALUE), WRONG("[]]", 1, 3, BEHIND), WRONG("[1]]", 1, 4, BEHIND), WRONG("[][]", 1, 3, BEHIND),
    WRONG("[1],", 1, 4, BEHIND), WRONG("[1],[2]", 1, 4, BEHIND), WRONG("[[1]", 1, 5, CUT), WRONG("[[]", 1, 4, CUT),
    WRONG("[\"a\":1]", 1, 5, IN_ARRAY), WRONG("[1, 2, 3", 1, 9, CUT), WRONG("[\n1,\n2\n3\n]", 4, 1, IN_ARRAY),
    WRONG("[1\n,\n]", 3, 1, NO_VALUE), WRONG("[...]", 1, 2, NO_VALUE), WRONG("[*]", 1, 2, NO_VALUE), WRONG("(1)", 1, 1, NO_VALUE),
    WRONG("[[],]", 1, 5, NO_VALUE), WRONG("[[]1]", 1, 4, IN_ARRAY), WRONG("[{}1]", 1, 4, IN_ARRAY), WRONG("[][", 1, 3, BEHIND),
    WRONG("[[1,2],[3,4}]", 1, 12, IN_ARRAY), WRONG("[1]x", 1, 4, BEHIND), WRONG("x[1]", 1, 1, NO_VALUE),

    /* Objects. */
    VALID("{}"), VALID("{\"\":0}"), VALID("{\"a\":1}"), VALID("{\"a\":1,\"b\":2}"), VALID("{\"a\":{}}"), VALID("{\"a\":[]}"),
    VALID("{\"a\":{\"b\":{\"c\":{}}}}"), VALID("{\"a\\u0000b\":1}"), VALID("{\"\\\"\":1}"), VALID("{\"a\":1,\"a\":2}"),
    VALID("{\"a\":1,\"A\":2}"), VALID("{\"\xc3\xa9\":1}"), VALID("{\"a b\":1}"), VALID("{\"1\":1,\"2\":2}"),
    VALID("{\"a\":[{\"b\":1},{\"b\":2}],\"c\":\"d\"}"), VALID("{\"\":{\"\":{\"\":[]}}}"), VALID("[{\"a\":1},{\"a\":1}]"),
    WRONG("{", 1, 2, CUT), WRONG("}", 1, 1, NO_VALUE), WRONG("{{", 1, 2, NO_KEY), WRONG("{[", 1, 2, NO_KEY), WRONG("{]", 1, 2, NO_KEY),
    WRONG("{}}", 1, 3, BEHIND), WRONG("{\"a\"", 1, 5, CUT), WRONG("{\"a\":", 1, 6, CUT), WRONG("{\"a\":1", 1, 7, CUT),
    WRONG("{\"a\":1,", 1, 8, CUT), WRONG("{\"a\"}", 1, 5, NO_COLON), WRONG("{\"a\":}", 1, 6, NO_VALUE), WRONG("{:1}", 1, 2, NO_KEY),
    WRONG("{,}", 1, 2, NO_KEY), WRONG("{\"a\":1,}", 1, 8, NO_KEY), WRONG("{,\"a\":1}", 1, 2, NO_KEY),
    WRONG("{\"a\":1,,\"b\":2}", 1, 8, NO_KEY), WRONG("{\"a\" 1}", 1, 6, NO_COLON), WRONG("{\"a\",1}", 1, 5, NO_COLON),
    WRONG("{\"a\"=1}", 1, 5, NO_COLON), WRONG("{\"a\"::1}", 1, 6, NO_VALUE), WRONG("{\"a\":1 \"b\":2}", 1, 8, IN_OBJECT),
    WRONG("{\"a\":1;\"b\":2}", 1, 7, IN_OBJECT), WRONG("{\"a\":1]", 1, 7, IN_OBJECT), WRONG("{a:1}", 1, 2, NO_KEY),
    WRONG("{'a':1}", 1, 2, NO_KEY), WRONG("{1:1}", 1, 2, NO_KEY), WRONG("{null:1}", 1, 2, NO_KEY), WRONG("{\"a\":1}{}", 1, 8, BEHIND),
    WRONG("{\"a\":1}\n{\"b\":2}", 2, 1, BEHIND), WRONG("{\"a\":1},", 1, 8, BEHIND), WRONG("{\n\"a\":1\n\"b\":2\n}", 3, 1, IN_OBJECT),
    WRONG("{\n  \"a\": 1,\n  b: 2\n}", 3, 3, NO_KEY), WRONG("{\"a\":b}", 1, 6, NO_VALUE), WRONG("{\"a\":1:2}", 1, 7, IN_OBJECT),
    WRONG("{\"a\":\"b\":\"c\"}", 1, 9, IN_OBJECT), WRONG("{\"a\":{\"b\":1}", 1, 13, CUT), WRONG("{[]:1}", 1, 2, NO_KEY),
    WRONG("{\"a\": 1, \"b\": [1, 2}", 1, 20, IN_ARRAY), WRONG("{\"a\":1}}", 1, 8, BEHIND), WRONG("{\"a\":", 1, 6, CUT),
    WRONG("{\"a\n\":1}", 1, 4, CONTROL), WRONG("{\"a\":1,\"a\"}", 1, 11, NO_COLON), WRONG("{\"a\":1,1}", 1, 8, NO_KEY),
    WRONG("{...}", 1, 2, NO_KEY), WRONG("{\"a\":1,...}", 1, 8, NO_KEY), WRONG("{\"a\"\0:1}", 1, 5, NO_COLON),

    /* What other dialects allow. */
    WRONG("// c\n1", 1, 1, NO_VALUE), WRONG("1 // c", 1, 3, BEHIND), WRONG("/* c */1", 1, 1, NO_VALUE),
    WRONG("[1,/* c */2]", 1, 4, NO_VALUE), WRONG("# c\n1", 1, 1, NO_VALUE), WRONG("{\"a\":/**/1}", 1, 6, NO_VALUE),
    WRONG("{\"a\":1 // c\n}", 1, 8, IN_OBJECT), WRONG("[1,\\n2]", 1, 4, NO_VALUE), WRONG("\\u0031", 1, 1, NO_VALUE),
    WRONG("<null>", 1, 1, NO_VALUE), WRONG("[<null>]", 1, 2, NO_VALUE), WRONG("@", 1, 1, NO_VALUE), WRONG("[\"\\u00A\"]", 1, 3, BAD_HEX),
    WRONG("```json\n{}\n```", 1, 1, NO_VALUE), WRONG("a = 1", 1, 1, NO_VALUE), WRONG("{} // done", 1, 4, BEHIND),
    WRONG("[1] trailing", 1, 5, BEHIND), WRONG("\xc3\xa9", 1, 1, NO_VALUE), WRONG("[a\xc3\xa9]", 1, 2, NO_VALUE),
    WRONG("[\"x\", truth]", 1, 7, NO_VALUE), WRONG("{\"key\": 'value'}", 1, 9, NO_VALUE), WRONG("[1,\n1\n,1", 3, 3, CUT),
    WRONG("[False, True]", 1, 2, NO_VALUE), WRONG("\"a\",", 1, 4, BEHIND), WRONG("*", 1, 1, NO_VALUE), WRONG("[\"\": 1]", 1, 4, IN_ARRAY),
};

#endif
