/* test_span_readers.c: spans from marked-up texts, items and tags; a slow twin of tags. */
#include "base/limits.h"
#include "judge/spans/spans_fixture.h"

#include "support/random.h"

/* Marks ---------------------------------------------------------------------------------------- */

/* The spans of a text with marks, as "label start end", and its first fault. */
static const char *marked_spans(fixture *f, const char *text) {
  const ee_span_reader reader = {.rules = f->plan->judges[0]->data, .side = EE_EXPECTED, .arena = &f->case_arena};
  ee_span_list list = {0};
  ee_span_markup_read(&reader, ee_str_from(text), &list);
  ee_buffer_clear(&f->text);
  ee_buffer_add_str(&f->text, list.plain);
  for (size_t i = 0; i < list.count; i++)
    ee_buffer_addf(&f->text, "; %.*s %d %d '%.*s'", EE_STR_ARG(list.items[i].label), (int)list.items[i].start,
                   (int)list.items[i].end, EE_STR_ARG(list.items[i].text));
  if (list.faults > 0)
    ee_buffer_addf(&f->text, "; %d faults, at %d: %s", (int)list.faults, (int)list.fault_index, list.fault);
  assert_int_equal(list.place, list.count > 0 ? EE_SPANS_OFFSETS : EE_SPANS_NOWHERE);
  return ee_buffer_terminate(&f->text);
}

static void test_marks(void **state) {
  (void)state;
  static const char *const texts[][2] = {
      /* Names begin with a letter, _ or what is not ASCII, and end at white space. */
      {"<a>1</a><z>2</z><A>3</A><Z>4</Z><_>5</_><\xc3\xa4>6</\xc3\xa4>",
       "123456; a 0 1 '1'; z 1 2 '2'; A 2 3 '3'; Z 3 4 '4'; _ 4 5 '5'; \xc3\xa4 5 6 '6'"},
      {"<@>1<[>2<`>3<{>4<5>6<\x7f>", "<@>1<[>2<`>3<{>4<5>6<\x7f>"},
      {"<A b>1</A ><C\td='e>2</C><F\ng>3</F>h", "123h; A 0 1 '1'; C 1 2 '2'; F 2 3 '3'"},
      {"<A\x80>1</A\x80>", "1; A\x80 0 1 '1'"},
      {"<A\r\nb='c'>1</A\r\n>", "1; A 0 1 '1'"},
      /* Labels are in NFC. */
      {"<e\xcc\x81>1</e\xcc\x81>", "1; \xc3\xa9 0 1 '1'"},
      /* Not a mark. */
      {"<A/> < > <> </> a<b <", "<A/> < > <> </> a<b <"},
      {"<A <B>1</B>", "<A 1; B 3 4 '1'"},
      {"<A<>1</A<>", "<A<>1</A<>"},
      {"x</", "x</"},
      {"<", "<"},
      {"a>b<A>c>d</A>", "a>bc>d; A 3 6 'c>d'"},
      /* Entities. */
      {"&lt;A&gt; &amp;&quot;&apos; &lt &x; &", "<A> &\"' &lt &x; &"},
      {"<A>&amp;</A>&amp;lt;", "&&lt;; A 0 1 '&'"},
      {"&lt;<A>\xc3\xa4</A>", "<\xc3\xa4; A 1 2 '\xc3\xa4'"},
      /* An end belongs to the last mark of its name that is open. */
      {"<A>1<A>2</A>3</A>", "123; A 1 2 '2'; A 0 3 '123'"},
      {"<A>1<B>2<C>3</A>4</B>5</C>", "12345; A 0 3 '123'; B 1 4 '234'; C 2 5 '345'"},
      {"<A>1<B>2<C>3</B>4</C>5</A>", "12345; B 1 3 '23'; C 2 4 '34'; A 0 5 '12345'"},
      /* Faults. */
      {"1<A>2", "12; 1 faults, at 2: mark 'A' has no end"},
      {"<A>1<B>2<C>", "12; 3 faults, at 2: mark 'A' has no end"},
      {"1</A>2", "12; 1 faults, at 1: mark 'A' ends where it has not begun"},
      {"1<A></A>2<B></B>", "12; 2 faults, at 1: mark 'A' is around nothing"},
      {"</aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaB>1",
       "1; 1 faults, at 0: mark 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' ends where it has not begun"},
  };
  fixture f;
  open_rules(&f, RULES(",\"format\":\"xml\""));
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_string_equal(marked_spans(&f, texts[i][0]), texts[i][1]);
  /* As many marks as may be open, and one more. */
  ee_buffer text = {0};
  for (int more = 0; more < 2; more++) {
    ee_buffer_clear(&text);
    for (int i = 0; i < EE_SPAN_MARKS_OPEN + more; i++) ee_buffer_addf(&text, "<A%d>", i);
    ee_buffer_add_char(&text, 'x');
    for (int i = 0; i < EE_SPAN_MARKS_OPEN; i++) ee_buffer_addf(&text, "</A%d>", i);
    const char *found = marked_spans(&f, ee_buffer_terminate(&text));
    assert_memory_equal(found, "x; A0 0 1 'x'; A1 0 1 'x'; ", strlen("x; A0 0 1 'x'; A1 0 1 'x'; "));
    assert_non_null(strstr(found, "; A255 0 1 'x'"));
    const char *fault = strstr(found, "fault");
    if (more == 0)
      assert_null(fault);
    else
      assert_string_equal(fault, "faults, at 0: mark 'A256' is inside of too many others");
  }
  ee_buffer_fini(&text);
  fixture_close(&f);
}

/* Labels that are not texts; where spans of one text are, one after the other; texts in characters. */
static void test_items(void **state) {
  (void)state;
  assert_spans(RULES(), "[[0,1,true],[1,2,false],[2,3,1.50]]", "[[0,1,\"true\"],[1,2,\"false\"],[2,3,1.50]]", 1,
               "strict 3 0 0 0 0; exact 3 0 0 0 0; partial 3 0 0 0 0; type 3 0 0 0 0", "");
  /* Of "\xc3\xa4\xc3\xa4" and "b" one in three characters is shared, of "a\xc3\xa4" and "a" one in two. */
  static const char wide[] = "[{\"label\":\"A\",\"text\":\"\xc3\xa4\xc3\xa4"
                             "b\"},{\"label\":\"B\",\"text\":\"a\xc3\xa4\"}]",
                    narrow[] = "[{\"label\":\"A\",\"text\":\"\xc3\xa4\"},{\"label\":\"B\",\"text\":\"a\"}]";
  assert_spans(RULES(",\"scheme\":\"type\",\"overlap\":0.33"), wide, narrow, 1,
               "strict 0 2 0 0 0; exact 0 2 0 0 0; partial 0 0 2 0 0; type 2 0 0 0 0", "");
  assert_spans(RULES(",\"scheme\":\"type\",\"overlap\":0.5"), wide, narrow, 0.5,
               "strict 0 1 0 1 1; exact 0 1 0 1 1; partial 0 0 1 1 1; type 1 0 0 1 1",
               "A '\xc3\xa4\xc3\xa4"
               "b' (missed); A '\xc3\xa4' (spurious)");
  assert_spans(RULES(",\"scheme\":\"type\",\"overlap\":0.51"), wide, narrow, 0,
               "strict 0 0 0 2 2; exact 0 0 0 2 2; partial 0 0 0 2 2; type 0 0 0 2 2",
               "A '\xc3\xa4\xc3\xa4"
               "b' (missed); B 'a\xc3\xa4' (missed); A '\xc3\xa4' (spurious); B 'a' (spurious)");
  /* Texts and offsets in one list do not go together. */
  fixture f;
  open_rules(&f, RULES());
  const ee_judge_result *result = fixture_judge_case(&f, "[{\"label\":\"A\",\"text\":\"b\"},[0,1,\"A\"]]", "[]");
  assert_misses(&f, result, "document[1] (offsets, which other spans have not)");
  result = fixture_judge_case(&f, "[[0,1,\"A\"],{\"label\":\"A\",\"text\":\"b\"}]", "[]");
  assert_misses(&f, result, "document[1] (no offsets, which other spans have)");
  fixture_close(&f);
}

/* What has no label, or an empty one, is not of another label. */
static void test_no_label(void **state) {
  (void)state;
  fixture f;
  open_rules(&f, RULES(",\"labels\":[\"A\"]"));
  const ee_judge_result *result = fixture_judge_case(
      &f, "[[0,1,\"A\"],[5,6,\"B\"]]", "[[0,1,\"\"],{\"start\":3,\"end\":4},{\"label\":\"B\"},[7,8,\"A\"]]");
  assert_misses(&f, result, "A [0, 1) (label (no label)); (no label) item 1 (no label); A [7, 8) (spurious)");
  const ee_spans_case *kept = result->corpus_part;
  assert_int_equal(kept->counts[EE_SPANS_LEFT_OUT], 2);
  assert_int_equal(kept->counts[EE_SPANS_BAD_CANDIDATES], 1);
  fixture_close(&f);
}

/* Labels of tags are in NFC, as those of items. */
static void test_labels_of_tags(void **state) {
  (void)state;
  fixture f;
  open_rules(&f, RULES());
  const ee_span_reader reader = {.rules = f.plan->judges[0]->data, .side = EE_EXPECTED, .arena = &f.case_arena};
  ee_span_list list = {0};
  ee_span_tags_read(&reader, fixture_json(&f.case_arena, "[\"B-e\xcc\x81\",\"I-\xc3\xa9\"]"), EE_TAGGING_BIO, &list);
  assert_int_equal(list.count, 1);
  assert_true(ee_str_is(list.items[0].label, "\xc3\xa9") && list.items[0].end == 2);
  fixture_close(&f);
}

/* Lists of more spans than may be paired are given up, whatever they are read from. */
static void test_bound(void **state) {
  (void)state;
  static const struct {
    const char *options, *three, *four;
  } lists[] = {
      {"", "[[0,1,\"A\"],[1,2,\"A\"],[2,3,\"A\"]]", "[[0,1,\"A\"],[1,2,\"A\"],[2,3,\"A\"],[3,4,\"A\"]]"},
      {"", "[\"B-A\",\"B-A\",\"B-A\",\"O\"]", "[\"B-A\",\"B-A\",\"B-A\",\"B-A\"]"},
      {",\"format\":\"xml\"", "\"<A>1</A><A>2</A><A>3</A>4\"", "\"<A>1</A><A>2</A><A>3</A><A>4</A>\""},
  };
  ee_limits limits = EE_LIMITS_DEFAULT;
  limits.items = 3;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    char rules[128];
    fixture f;
    snprintf(rules, sizeof rules, RULES("%s"), lists[i].options);
    open_rules(&f, rules);
    ee_limits_set(&limits);
    const ee_judge_result *result = fixture_judge_case(&f, lists[i].three, lists[i].three);
    assert_true(result->score == 1 && !result->failed);
    result = fixture_judge_case(&f, lists[i].four, lists[i].three);
    assert_true(result->failed && result->score == 0);
    result = fixture_judge_case(&f, lists[i].three, lists[i].four);
    assert_true(result->failed && result->score == 0);
    ee_limits_set(NULL);
    fixture_close(&f);
  }
}

/* Judges with the text of a document. */
static const ee_judge_result *judge_in_document(fixture *f, const char *options, const char *text, const char *expected,
                                                const char *candidate) {
  char rules[256], record[256];
  snprintf(rules, sizeof rules, RULES(",\"document\":\"text\"%s"), options);
  snprintf(record, sizeof record, "{\"text\":\"%s\"}", text);
  open_rules(f, rules);
  f->current = (ee_case){.id = EE_STR("1"),
                         .record = fixture_json(&f->case_arena, record),
                         .expected = fixture_json(&f->case_arena, expected),
                         .candidate = fixture_json(&f->case_arena, candidate),
                         .candidate_state = EE_CANDIDATE_READ};
  f->context =
      (ee_context){.plan = f->plan, .arena = &f->case_arena, .script = &f->script, .rule_errors = &f->rule_errors};
  ee_plan_judge(f->plan, &f->context, &f->current, &f->result);
  return f->result.judges;
}

static void test_more_of_documents(void **state) {
  (void)state;
  static const struct {
    const char *options, *text, *expected, *candidate, *misses;
  } cases[] = {
      /* The n-th item of a text is its n-th occurrence; after the last one the first one again. */
      {"", "abab", "[[0,2,\"A\"],[2,4,\"A\"]]", "[{\"label\":\"A\",\"text\":\"ab\"},{\"label\":\"A\",\"text\":\"ab\"}]",
       ""},
      {"", "aabab", "[[1,3,\"A\"],[0,1,\"B\"],[3,5,\"A\"],[1,2,\"B\"],[1,3,\"A\"]]",
       "[{\"label\":\"A\",\"text\":\"ab\"},{\"label\":\"B\",\"text\":\"a\"},{\"label\":\"A\",\"text\":\"ab\"},"
       "{\"label\":\"B\",\"text\":\"a\"},{\"label\":\"A\",\"text\":\"ab\"}]",
       ""},
      /* Occurrences do not overlap. */
      {"", "aaa", "[[0,2,\"A\"],[0,2,\"A\"]]", "[{\"label\":\"A\",\"text\":\"aa\"},{\"label\":\"A\",\"text\":\"aa\"}]",
       ""},
      /* What would make offsets fit. */
      {"", "abc", "[{\"label\":\"A\",\"start\":2,\"end\":3,\"text\":\"x\"}]", "[]",
       "document[0] (the document has 'c' there, not 'x')"},
      {"", "abc", "[{\"label\":\"A\",\"start\":1,\"end\":2,\"text\":\"bc\"}]", "[]",
       "document[0] (the document has 'b' there, not 'bc' (inclusive = true fits it))"},
      {",\"inclusive\":true", "abc", "[{\"label\":\"A\",\"start\":1,\"end\":3,\"text\":\"bc\"}]", "[]",
       "document[0] (the end 4 is after the end of the document, 3 (inclusive = false fits it))"},
      {",\"inclusive\":true", "abc", "[{\"label\":\"A\",\"start\":2,\"end\":2,\"text\":\"x\"}]", "[]",
       "document[0] (the document has 'c' there, not 'x')"},
      {"",
       "\xc3\xa4"
       "bc",
       "[{\"label\":\"A\",\"start\":2,\"end\":3,\"text\":\"b\"}]", "[]",
       "document[0] (the document has 'c' there, not 'b' (unit = \"utf8_byte\" fits it))"},
      {",\"unit\":\"utf8_byte\"",
       "\xf0\x9f\x98\x80"
       "bc",
       "[{\"label\":\"A\",\"start\":1,\"end\":2,\"text\":\"b\"}]", "[]",
       "document[0] (an offset is inside a character (unit = \"code_point\" fits it))"},
      {",\"unit\":\"utf8_byte\"", "\xc3\xa4", "[[0,1,\"A\"]]", "[]", "document[0] (an offset is inside a character)"},
      {",\"inclusive\":true", "abc", "[[2,1,\"A\"]]", "[]", "document[0] (the end is before the start)"},
      {",\"inclusive\":true", "abc", "[[2,0,\"A\"]]", "[]", "document[0] (the end 0 is before the start 2)"},
      {",\"inclusive\":true", "abc", "[[0,0,\"A\"],[2,2,\"A\"]]", "[[0,0,\"A\"],[2,2,\"A\"]]", ""},
      /* Of a candidate the option of its side. */
      {",\"unit\":\"utf8_byte\",\"candidate_unit\":\"code_point\"",
       "\xc3\xa4"
       "bc",
       "[]", "[{\"label\":\"A\",\"start\":2,\"end\":3,\"text\":\"b\"}]",
       "A item 0 'b' (the document has 'c' there, not 'b' (candidate_unit = \"utf8_byte\" fits it))"},
      {",\"candidate_unit\":\"utf8_byte\"",
       "\xc3\xa4"
       "bc",
       "[[1,2,\"A\"],[2,3,\"A\"],[0,1,\"A\"]]", "[[2,3,\"A\"],[3,4,\"A\"],[0,2,\"A\"]]", ""},
      {",\"candidate_unit\":\"utf8_byte\"",
       "\xc3\xa4"
       "bc",
       "[[1,2,\"A\"]]", "[{\"label\":\"A\",\"text\":\"b\"}]", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    const ee_judge_result *result =
        judge_in_document(&f, cases[i].options, cases[i].text, cases[i].expected, cases[i].candidate);
    assert_misses(&f, result, cases[i].misses);
    fixture_close(&f);
  }
  check_mistakes(RULES(",\"candidate_unit\":\"utf8_byte\""),
                 "1: option 'candidate_unit' of ee.spans needs option 'document': without the text one unit cannot be "
                 "turned into the other");
}

/* Equal texts have partners of their label first, whatever the order. */
static void test_equal_texts(void **state) {
  (void)state;
  static const char left[] = "[{\"label\":\"A\",\"text\":\"ab\"},{\"label\":\"B\",\"text\":\"ab\"},"
                             "{\"label\":\"C\",\"text\":\"cd\"}]",
                    right[] = "[{\"label\":\"C\",\"text\":\"cd\"},{\"label\":\"B\",\"text\":\"ab\"},"
                              "{\"label\":\"A\",\"text\":\"ab\"}]";
  assert_spans(RULES(), left, right, 1, "strict 3 0 0 0 0; exact 3 0 0 0 0; partial 3 0 0 0 0; type 3 0 0 0 0", "");
  assert_spans(RULES(), right, left, 1, "strict 3 0 0 0 0; exact 3 0 0 0 0; partial 3 0 0 0 0; type 3 0 0 0 0", "");
  assert_spans(RULES(), left, "[{\"label\":\"B\",\"text\":\"cd\"},{\"label\":\"A\",\"text\":\"ba\"}]", 0,
               "strict 0 1 0 2 1; exact 1 0 0 2 1; partial 1 0 0 2 1; type 0 1 0 2 1",
               "A 'ab' (missed); B 'ab' (missed); C 'cd' (label B); A 'ba' (spurious)");
}

/* Twin of tags --------------------------------------------------------------------------------- */

enum { TAGS = 9 };

typedef struct twin_tags {
  char part[TAGS], label[TAGS]; /* part 'O', 'B', 'I', 'E', 'S' or '?', what is not a tag */
  size_t count;
  size_t sentence_ends; /* the first sentence has so many */
} twin_tags;

typedef struct twin_span {
  int start, end;
  char label;
} twin_span;

typedef struct twin_spans {
  twin_span items[TAGS];
  size_t count;
  int faults, first_fault, repaired;
} twin_spans;

static void twin_fault(twin_spans *found, size_t at) {
  if (found->faults++ == 0) found->first_fault = (int)at;
}

/* A span is B I*, with closing tags B I* E or S; each run of tags in no span, each unclosed span and each text that is
 * not a tag is one fault. */
static void twin_strict(const twin_tags *tags, bool closes, size_t from, size_t to, twin_spans *found) {
  bool in_run = false;
  for (size_t i = from; i < to;) {
    size_t end = i + 1;
    char part = tags->part[i];
    bool begins = part == 'B' || (part == 'S' && closes);
    while (part == 'B' && end < to && tags->part[end] == 'I' && tags->label[end] == tags->label[i]) end++;
    bool closed = !closes || part == 'S';
    if (part == 'B' && closes && end < to && tags->part[end] == 'E' && tags->label[end] == tags->label[i]) {
      closed = true;
      end++;
    }
    if (begins && closed) found->items[found->count++] = (twin_span){(int)i, (int)end, tags->label[i]};
    if (begins && !closed) twin_fault(found, end);
    if (part == '?' || (!begins && part != 'O' && !in_run)) twin_fault(found, i);
    in_run = !begins && part != 'O' && part != '?';
    i = end;
  }
}

/* Chunks as conlleval tells them from two neighbouring tags. */
static void twin_lenient(const twin_tags *tags, size_t from, size_t to, twin_spans *found) {
  char before = 'O', before_label = 0;
  bool open = false;
  for (size_t i = from; i <= to; i++) {
    char part = i < to && tags->part[i] != '?' ? tags->part[i] : 'O', label = i < to ? tags->label[i] : 0;
    bool inside = before != 'O', other = before_label != label;
    bool ends = inside && (before == 'E' || before == 'S' || part == 'B' || part == 'S' || part == 'O' || other);
    bool begins = part != 'O' && (part == 'B' || part == 'S' || !inside || before == 'E' || before == 'S' || other);
    if (open && ends) found->items[found->count - 1].end = (int)i;
    if (ends) open = false;
    if (begins) {
      found->items[found->count++] = (twin_span){(int)i, (int)i + 1, label};
      found->repaired += part == 'I' || part == 'E';
      open = true;
    }
    if (i < to && tags->part[i] == '?') twin_fault(found, i);
    before = part;
    before_label = label;
  }
}

/* The tags as an array, as sentences, or as the lines of a CoNLL text. */
static void print_tags(const twin_tags *tags, int form, bool bilou, ee_buffer *out) {
  ee_buffer_clear(out);
  ee_buffer_add_text(out, form == 0 ? "[" : form == 1 ? "[[" : "\"");
  for (size_t i = 0; i < tags->count; i++) {
    bool first = i == 0 || (form == 1 && i == tags->sentence_ends);
    char part = tags->part[i], text[8];
    if (bilou) part = part == 'E' ? 'L' : part == 'S' ? 'U' : part;
    snprintf(text, sizeof text,
             part == 'O'   ? "O"
             : part == '?' ? "%cx"
                           : "%c%c%c",
             part, (i & 1) != 0 ? '-' : '_', tags->label[i]);
    if (form == 1 && i == tags->sentence_ends && i > 0) ee_buffer_add_text(out, "],[");
    if (form == 2 && i == tags->sentence_ends && i > 0)
      ee_buffer_add_text(out, (i & 1) != 0 ? "\\n" : "-DOCSTART- O\\n");
    if (form < 2)
      ee_buffer_addf(out, "%s\"%s\"", first ? "" : ",", text);
    else
      ee_buffer_addf(out, "w%s%s\\n", (i & 2) != 0 ? " " : "\\t", text);
  }
  ee_buffer_add_text(out, form == 0 ? "]" : form == 1 ? "]]" : "\"");
}

static void test_tags_twin(void **state) {
  (void)state;
  static const char *const taggings[] = {"BIO", "BIOES", "BILOU"};
  test_random random = test_random_start("tags", 20030601);
  ee_buffer text = {0};
  for (int way = 0; way < 6; way++) {
    char rules[128];
    fixture f;
    bool lenient = way >= 3, closes = way % 3 > 0, bilou = way % 3 == 2;
    snprintf(rules, sizeof rules, RULES(",\"tagging\":\"%s\",\"lenient\":%s"), taggings[way % 3],
             lenient ? "true" : "false");
    open_rules(&f, rules);
    const ee_span_reader reader = {.rules = f.plan->judges[0]->data, .side = EE_EXPECTED, .arena = &f.case_arena};
    for (int round = 0; round < 3000; round++) {
      twin_tags tags = {.count = test_random_below(&random, TAGS + 1)};
      int form = (int)test_random_below(&random, 3);
      for (size_t i = 0; i < tags.count; i++) {
        tags.part[i] = "OBIIIEES?"[test_random_below(&random, i % 4 == 3 ? 9 : 8)];
        tags.label[i] = test_random_below(&random, 4) == 0 ? 'b' : 'a';
      }
      tags.sentence_ends = form == 0 ? tags.count : test_random_below(&random, tags.count + 1);
      twin_spans wanted = {0};
      for (int part = 0; part < 2; part++) {
        size_t from = part == 0 ? 0 : tags.sentence_ends, to = part == 0 ? tags.sentence_ends : tags.count;
        if (lenient)
          twin_lenient(&tags, from, to, &wanted);
        else
          twin_strict(&tags, closes, from, to, &wanted);
      }
      print_tags(&tags, form, bilou, &text);
      ee_arena_reset(&f.case_arena, 0);
      ee_span_list list = {0};
      ee_span_tags_read(&reader, fixture_json(&f.case_arena, ee_buffer_terminate(&text)),
                        closes ? (bilou ? EE_TAGGING_BILOU : EE_TAGGING_BIOES) : EE_TAGGING_BIO, &list);
      bool same = list.count == wanted.count && (int)list.faults == wanted.faults && list.tokens == tags.count &&
                  (int)list.repaired == wanted.repaired && list.place == EE_SPANS_TOKENS &&
                  (wanted.faults == 0 || (int)list.fault_index == wanted.first_fault);
      for (size_t i = 0; same && i < list.count; i++)
        same = (int)list.items[i].start == wanted.items[i].start && (int)list.items[i].end == wanted.items[i].end &&
               list.items[i].label.length == 1 && list.items[i].label.data[0] == wanted.items[i].label &&
               list.items[i].index == i;
      if (!same)
        fail_msg("%s%s: %s: %d spans, %d faults from %d, %d repaired; wanted %d, %d from %d, %d", taggings[way % 3],
                 lenient ? ", lenient" : "", text.data, (int)list.count, (int)list.faults, (int)list.fault_index,
                 (int)list.repaired, (int)wanted.count, wanted.faults, wanted.first_fault, wanted.repaired);
    }
    fixture_close(&f);
  }
  ee_buffer_fini(&text);
}

/* Which tagging tags are of, also where they are a prefix alone. */
static void test_tagging(void **state) {
  (void)state;
  static const struct {
    const char *value;
    ee_tagging tagging;
  } values[] = {
      {"[\"B-A\",\"I-A\",\"O\"]", EE_TAGGING_AUTO},
      {"[\"B-A\",\"E-A\"]", EE_TAGGING_BIOES},
      {"[\"S-A\"]", EE_TAGGING_BIOES},
      {"[\"B-A\",\"L-A\"]", EE_TAGGING_BILOU},
      {"[\"U-A\"]", EE_TAGGING_BILOU},
      {"[\"B\",\"E\"]", EE_TAGGING_BIOES},
      {"[\"S\"]", EE_TAGGING_BIOES},
      {"[\"L\"]", EE_TAGGING_BILOU},
      {"[\"U\"]", EE_TAGGING_BILOU},
      {"[\"\",null,\"LOC\",\"UN\",\"SE\",\"E.A\"]", EE_TAGGING_AUTO},
      {"[[\"B-A\"],[\"O\",\"S-E\"]]", EE_TAGGING_BIOES},
      {"[[null,7],[\"O\",\"U-E\"],{}]", EE_TAGGING_BILOU},
      {"[\"O-E\",\"B-S\",\"I-L\",\"B-U\"]", EE_TAGGING_AUTO},
      {"\"a O\\nb U_A\"", EE_TAGGING_BILOU},
      {"\"a O\\nb E-A\\n\"", EE_TAGGING_BIOES},
      {"\"U\\nS\"", EE_TAGGING_AUTO},
      {"7", EE_TAGGING_AUTO},
  };
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    if (ee_span_tagging_of(fixture_json(&f.arena, values[i].value)) != values[i].tagging)
      fail_msg("%s: not tagging %d", values[i].value, (int)values[i].tagging);
  fixture_close(&f);
  /* Those of either side say it for both. */
  assert_spans(RULES(), "[\"B-A\",\"B-A\",\"E-A\"]", "[\"O\",\"B-A\",\"I-A\"]", 0,
               "strict 0 0 0 0 0; exact 0 0 0 0 0; partial 0 0 0 0 0; type 0 0 0 0 0",
               "document[1] (tag 'B-A' comes before the end of a span (lenient = true ends it there))");
  assert_spans(RULES(), "[\"O\",\"B-A\",\"I-A\"]", "[\"B\",\"B\",\"L\"]", 0,
               "strict 0 0 0 0 0; exact 0 0 0 0 0; partial 0 0 0 0 0; type 0 0 0 0 0",
               "document[3] (tag 'O' comes before the end of a span (lenient = true ends it there))");
  assert_spans(RULES(), "[\"B\",\"L\",\"U\"]", "[\"B-\",\"L-\",\"U_\"]", 1,
               "strict 2 0 0 0 0; exact 2 0 0 0 0; partial 2 0 0 0 0; type 2 0 0 0 0", "");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_marks), cmocka_unit_test(test_items), cmocka_unit_test(test_no_label),
             cmocka_unit_test(test_labels_of_tags), cmocka_unit_test(test_bound),
             cmocka_unit_test(test_more_of_documents), cmocka_unit_test(test_equal_texts),
             cmocka_unit_test(test_tags_twin), cmocka_unit_test(test_tagging));
