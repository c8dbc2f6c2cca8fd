/* test_spans.c: one record: what becomes of its spans, how they are read, and a slow twin of pairing and counting. */
#include "base/work.h"
#include "judge/error_kind.h"
#include "judge/spans/spans_fixture.h"
#include "support/random.h"

/* Kinds of pairs ------------------------------------------------------------------------------- */

static void test_kinds_of_pairs(void **state) {
  (void)state;
  /* The same; other bounds; other label; both; missed; spurious. */
  assert_spans(RULES(), "[{\"label\":\"A\",\"start\":0,\"end\":5}]", "[{\"label\":\"A\",\"start\":0,\"end\":5}]", 1,
               "strict 1 0 0 0 0; exact 1 0 0 0 0; partial 1 0 0 0 0; type 1 0 0 0 0", "");
  assert_spans(RULES(), "[{\"label\":\"A\",\"start\":0,\"end\":5}]", "[{\"label\":\"A\",\"start\":3,\"end\":9}]", 0,
               "strict 0 1 0 0 0; exact 0 1 0 0 0; partial 0 0 1 0 0; type 1 0 0 0 0", "A [0, 5) (bounds [3, 9))");
  assert_spans(RULES(), "[{\"label\":\"A\",\"start\":0,\"end\":5}]", "[{\"label\":\"B\",\"start\":0,\"end\":5}]", 0,
               "strict 0 1 0 0 0; exact 1 0 0 0 0; partial 1 0 0 0 0; type 0 1 0 0 0", "A [0, 5) (label B)");
  assert_spans(RULES(), "[{\"label\":\"A\",\"start\":0,\"end\":5}]", "[{\"label\":\"B\",\"start\":4,\"end\":6}]", 0,
               "strict 0 1 0 0 0; exact 0 1 0 0 0; partial 0 0 1 0 0; type 0 1 0 0 0",
               "A [0, 5) (label B, bounds [4, 6))");
  assert_spans(RULES(), "[{\"label\":\"A\",\"start\":0,\"end\":5}]", "[{\"label\":\"A\",\"start\":5,\"end\":9}]", 0,
               "strict 0 0 0 1 1; exact 0 0 0 1 1; partial 0 0 0 1 1; type 0 0 0 1 1",
               "A [0, 5) (missed); A [5, 9) (spurious)");
  assert_spans(RULES(",\"scheme\":\"partial\""), "[{\"label\":\"A\",\"start\":0,\"end\":5}]",
               "[{\"label\":\"A\",\"start\":3,\"end\":9}]", 0.5,
               "strict 0 1 0 0 0; exact 0 1 0 0 0; partial 0 0 1 0 0; type 1 0 0 0 0", "A [0, 5) (bounds [3, 9))");
  assert_spans(RULES(",\"scheme\":\"type\""), "[{\"label\":\"A\",\"start\":0,\"end\":5}]",
               "[{\"label\":\"A\",\"start\":3,\"end\":9}]", 1,
               "strict 0 1 0 0 0; exact 0 1 0 0 0; partial 0 0 1 0 0; type 1 0 0 0 0", "");
  /* A value that the rules take for empty has no spans. */
#define NULLS "{\"ee\":\"rules\",\"null_values\":[\"-\"],\"items\":[{\"ee\":\"spans\"}]}"
  assert_spans(NULLS, "\"-\"", "\"-\"", 1, "strict 0 0 0 0 0; exact 0 0 0 0 0; partial 0 0 0 0 0; type 0 0 0 0 0", "");
  assert_spans(NULLS, "[[0,5,\"A\"]]", "\"-\"", 0,
               "strict 0 0 0 1 0; exact 0 0 0 1 0; partial 0 0 0 1 0; type 0 0 0 1 0", "A [0, 5) (missed)");
  /* No spans at all; no candidate. */
  assert_spans(RULES(), "[]", "[]", 1, "strict 0 0 0 0 0; exact 0 0 0 0 0; partial 0 0 0 0 0; type 0 0 0 0 0", "");
  assert_spans(RULES(), "[{\"label\":\"A\",\"start\":0,\"end\":5}]", NULL, 0,
               "strict 0 0 0 1 0; exact 0 0 0 1 0; partial 0 0 0 1 0; type 0 0 0 1 0",
               "candidate (missing); A [0, 5) (missed)");
  assert_spans(RULES(), "[]", NULL, 0, "strict 0 0 0 0 0; exact 0 0 0 0 0; partial 0 0 0 0 0; type 0 0 0 0 0",
               "candidate (missing)");
}

/* The counts of labels: an incorrect pair is wrong where the labels are equal, else missing and spurious. */
static void test_labels(void **state) {
  (void)state;
  static const char expected[] = "[[0,5,\"A\"],[6,9,\"B\"],[10,12,\"C\"]]";
  static const char candidate[] = "[[0,4,\"A\"],[6,9,\"C\"],[20,21,7]]";
  fixture f;
  open_rules(&f, RULES());
  assert_true(f.plan->judges[0]->data_attributes);
  const ee_judge_result *result = fixture_judge_case(&f, expected, candidate);
  assert_string_equal(fixture_attributes(&f, result), "A* 0 0 1 1; B* 0 0 0 1; C* 0 0 1 1; 7* 0 0 1 0");
  assert_int_equal(result->attributes[0].counts.wrong, 1);
  assert_int_equal(result->attributes[2].counts.wrong, 0);
  assert_reasoning(result, "0/3 spans correct, 2 incorrect, 1 spurious");
  /* Alone, B is missed and C spurious in the labels, and still one pair in the whole. */
  result = fixture_judge_rules(&f, RULES(",\"per_label\":\"alone\""), expected, candidate);
  assert_string_equal(fixture_attributes(&f, result), "A* 0 0 1 1; B* 0 0 0 1; C* 0 0 1 1; 7* 0 0 1 0");
  const ee_spans_case *kept = result->corpus_part;
  assert_int_equal(kept->labels[1].tally.of[EE_SPAN_MISSED], 1);
  assert_int_equal(kept->all.of[EE_SPAN_BOUNDS_ONLY], 1);
  /* Other labels are left out. */
  result = fixture_judge_rules(&f, RULES(",\"labels\":[\"A\",\"7\"]"), expected, candidate);
  assert_string_equal(fixture_attributes(&f, result), "A* 0 0 1 1; 7* 0 0 1 0");
  kept = result->corpus_part;
  assert_int_equal(kept->counts[EE_SPANS_LEFT_OUT], 3);
  fixture_close(&f);
}

/* Pairing -------------------------------------------------------------------------------------- */

static void test_pairing(void **state) {
  (void)state;
  /* The second candidate equals the expected span; the first only overlaps it. */
  static const char expected[] = "[[0,5,\"A\"]]", candidate[] = "[[0,9,\"A\"],[0,5,\"A\"]]";
  assert_spans(RULES(), expected, candidate, 2.0 / 3,
               "strict 1 0 0 0 1; exact 1 0 0 0 1; partial 1 0 0 0 1; type 1 0 0 0 1", "A [0, 9) (spurious)");
  assert_spans(RULES(",\"pairing\":\"first\""), expected, candidate, 0,
               "strict 0 1 0 0 1; exact 0 1 0 0 1; partial 0 0 1 0 1; type 1 0 0 0 1",
               "A [0, 5) (bounds [0, 9)); A [0, 5) (spurious)");
  /* A share of the expected span, and one of both. */
  static const char wide[] = "[[0,10,\"A\"]]";
  assert_spans(RULES(",\"overlap\":0.5,\"scheme\":\"type\""), wide, "[[0,5,\"A\"]]", 1,
               "strict 0 1 0 0 0; exact 0 1 0 0 0; partial 0 0 1 0 0; type 1 0 0 0 0", "");
  assert_spans(RULES(",\"overlap\":0.51,\"scheme\":\"type\""), wide, "[[0,5,\"A\"]]", 0,
               "strict 0 0 0 1 1; exact 0 0 0 1 1; partial 0 0 0 1 1; type 0 0 0 1 1",
               "A [0, 10) (missed); A [0, 5) (spurious)");
  assert_spans(RULES(",\"overlap\":0.5,\"overlap_of\":\"union\",\"scheme\":\"type\""), wide, "[[0,21,\"A\"]]", 0,
               "strict 0 0 0 1 1; exact 0 0 0 1 1; partial 0 0 0 1 1; type 0 0 0 1 1",
               "A [0, 10) (missed); A [0, 21) (spurious)");
  /* Of two partners of its label the one with which it shares more, whatever their order. */
  assert_spans(RULES(",\"scheme\":\"type\""), "[[0,10,\"A\"]]", "[[0,2,\"A\"],[0,9,\"A\"]]", 2.0 / 3,
               "strict 0 1 0 0 1; exact 0 1 0 0 1; partial 0 0 1 0 1; type 1 0 0 0 1", "A [0, 2) (spurious)");
  assert_spans(RULES(",\"scheme\":\"type\""), "[[0,10,\"A\"]]", "[[1,10,\"A\"],[8,10,\"A\"]]", 2.0 / 3,
               "strict 0 1 0 0 1; exact 0 1 0 0 1; partial 0 0 1 0 1; type 1 0 0 0 1", "A [8, 10) (spurious)");
  /* Nested spans: a partner of its own label before a larger overlap. */
  assert_spans(RULES(",\"scheme\":\"type\""), "[[0,10,\"A\"],[2,4,\"B\"]]", "[[1,9,\"B\"],[2,5,\"A\"]]", 1,
               "strict 0 2 0 0 0; exact 0 2 0 0 0; partial 0 0 2 0 0; type 2 0 0 0 0", "");
}

/* Reading -------------------------------------------------------------------------------------- */

static void test_tags(void **state) {
  (void)state;
  /* BIO; an I without a beginning is nothing in the candidate, and begins a span with lenient. */
  assert_spans(RULES(), "[\"B-A\",\"I-A\",\"O\",\"B-B\",\"B-B\"]", "[\"I-A\",\"I-A\",\"O\",\"B-B\",\"I-B\"]", 0,
               "strict 0 1 0 2 0; exact 0 1 0 2 0; partial 0 0 1 2 0; type 1 0 0 2 0",
               "document[0] (tag 'I-A' has no beginning before it (lenient = true begins a span there)); "
               "A [0, 2) (missed); B [3, 4) (bounds [3, 5)); B [4, 5) (missed)");
  assert_spans(RULES(",\"lenient\":true"), "[\"B-A\",\"I-A\",\"O\",\"B-B\",\"B-B\"]",
               "[\"I-A\",\"I-A\",\"O\",\"B-B\",\"I-B\"]", 2.0 / 5,
               "strict 1 1 0 1 0; exact 1 1 0 1 0; partial 1 0 1 1 0; type 2 0 0 1 0",
               "B [3, 4) (bounds [3, 5)); B [4, 5) (missed)");
  /* BIOES and BILOU, sentences, null as O, underscores. */
  assert_spans(RULES(), "[[\"B-A\",\"E-A\"],[\"S-A\",null]]", "[[\"B_A\",\"E_A\"],[\"S_A\",\"\"]]", 1,
               "strict 2 0 0 0 0; exact 2 0 0 0 0; partial 2 0 0 0 0; type 2 0 0 0 0", "");
  assert_spans(RULES(), "[\"B-A\",\"I-A\",\"L-A\",\"U-A\"]", "[\"B-A\",\"I-A\",\"L-A\",\"O\"]", 2.0 / 3,
               "strict 1 0 0 1 0; exact 1 0 0 1 0; partial 1 0 0 1 0; type 1 0 0 1 0", "A [3, 4) (missed)");
  /* A span does not go on in the next sentence. */
  assert_spans(RULES(), "[[\"B-A\"],[\"B-A\"]]", "[[\"B-A\"],[\"I-A\"]]", 2.0 / 3,
               "strict 1 0 0 1 0; exact 1 0 0 1 0; partial 1 0 0 1 0; type 1 0 0 1 0",
               "document[1] (tag 'I-A' has no beginning before it (lenient = true begins a span there)); "
               "A [1, 2) (missed)");
}

static void test_tags_out_of_sequence(void **state) {
  (void)state;
  static const struct {
    const char *tags, *fault;
  } bad[] = {
      {"[\"O\",\"I-A\"]", "document[1] (tag 'I-A' has no beginning before it (lenient = true begins a span there))"},
      {"[\"B-A\",\"I-B\",\"O\"]",
       "document[1] (tag 'I-B' has no beginning before it (lenient = true begins a span there))"},
      {"[\"B-A\",\"O\",\"S-A\"]",
       "document[1] (tag 'O' comes before the end of a span (lenient = true ends it there))"},
      {"[\"S-A\",\"B-A\"]", "document[2] (tag 'O' comes before the end of a span (lenient = true ends it there))"},
      {"[\"E-A\"]", "document[0] (tag 'E-A' has no beginning before it (lenient = true begins a span there))"},
      {"[\"B-A\",\"PER\"]", "document[1] (tag 'PER' is not a tag)"},
      {"[\"B-A\",7,\"X-A\"]", "document[1] (a value that is not a string is not a tag; 1 more)"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fixture f;
    open_rules(&f, RULES());
    const ee_judge_result *result = fixture_judge_case(&f, bad[i].tags, "[\"O\"]");
    assert_true(result->failed && result->unscored);
    assert_misses(&f, result, bad[i].fault);
    const ee_spans_case *kept = result->corpus_part;
    assert_int_equal(kept->counts[EE_SPANS_BAD_EXPECTED], 1);
    fixture_close(&f);
  }
}

static void test_unusable_items(void **state) {
  (void)state;
  static const struct {
    const char *item, *fault;
  } bad[] = {
      {"{\"start\":0,\"end\":1}", "no label"},
      {"{\"label\":\"A\",\"start\":3,\"end\":1}", "the end 1 is before the start 3"},
      {"{\"label\":\"A\",\"start\":3,\"end\":3}",
       "the end is the start (inclusive = true counts the end's own position)"},
      {"{\"label\":\"A\",\"start\":-1,\"end\":3}", "the start is below 0"},
      {"{\"label\":\"A\",\"start\":0.5,\"end\":3}", "the offsets are not whole numbers"},
      {"{\"label\":\"A\",\"start\":\"0\",\"end\":3}", "the offsets are not whole numbers"},
      {"{\"label\":\"A\",\"end\":3}", "the offsets are not whole numbers"},
      {"{\"label\":\"A\",\"start\":1e300,\"end\":1e301}", "the offsets are not whole numbers"},
      {"{\"label\":\"A\"}", "neither offsets nor a text"},
      {"{\"label\":\"A\",\"text\":\"\"}", "the text is empty"},
      {"{\"label\":{},\"start\":0,\"end\":1}", "no label"},
      {"[0,1]", "not [start, end, label]"},
      {"17", "a number, not an object"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char list[128], miss[256];
    fixture f;
    open_rules(&f, RULES(",\"format\":\"items\""));
    snprintf(list, sizeof list, "[%s]", bad[i].item);
    snprintf(miss, sizeof miss, "document[0] (%s)", bad[i].fault);
    const ee_judge_result *result = fixture_judge_case(&f, list, "[]");
    assert_misses(&f, result, miss);
    assert_true(result->failed && result->unscored);
    /* Of a candidate it is spurious. */
    result = fixture_judge_case(&f, "[[0,1,\"A\"]]", list);
    assert_false(result->failed);
    assert_string_equal(schemes_of(&f, result), "strict 0 0 0 1 1; exact 0 0 0 1 1; partial 0 0 0 1 1; type 0 0 0 1 1");
    const ee_spans_case *kept = result->corpus_part;
    assert_int_equal(kept->counts[EE_SPANS_BAD_CANDIDATES], 1);
    fixture_close(&f);
  }
  /* A value that is no array. */
  fixture f;
  open_rules(&f, RULES());
  const ee_judge_result *result = fixture_judge_case(&f, "{\"a\":1}", "[]");
  assert_true(result->unscored);
  assert_misses(&f, result, "document (an object, not an array of spans)");
  result = fixture_judge_case(&f, "[[0,1,\"A\"]]", "\"x\"");
  assert_misses(
      &f, result,
      "document (a string, not an array of spans (format = \"conll\" or \"xml\" reads a text)); A [0, 1) (missed)");
  /* Positions of another kind. */
  result = fixture_judge_case(&f, "[\"B-A\"]", "[[0,1,\"A\"]]");
  assert_misses(&f, result,
                "candidate (offsets, where tags are expected); A [0, 1) (missed); "
                "A [0, 1) (offsets, where tags are expected)");
  fixture_close(&f);
}

/* Texts without a document: equal, or one within the other. */
static void test_texts(void **state) {
  (void)state;
  assert_spans(RULES(), "[{\"label\":\"A\",\"text\":\"Otto Hahn\"},{\"label\":\"B\",\"text\":\"Bonn\"}]",
               "[{\"label\":\"B\",\"text\":\"Bonn\"},{\"label\":\"A\",\"text\":\"Hahn\"}]", 0.5,
               "strict 1 1 0 0 0; exact 1 1 0 0 0; partial 1 0 1 0 0; type 2 0 0 0 0",
               "A 'Otto Hahn' (bounds of another text)");
}

/* Lines of tokens and tags; the last field is the tag, an empty line and -DOCSTART- end a sentence. */
static void test_conll(void **state) {
  (void)state;
  static const char rules[] = RULES(",\"format\":\"conll\"");
  assert_spans(rules, "\"-DOCSTART- -X- O\\n\\nOtto NNP B-PER\\nHahn NNP I-PER\\n\\nBonn\\tB-LOC\\r\\n\"",
               "\"Otto\\tB-PER\\nHahn\\tI-PER\\nBonn\\tB-ORG\"", 0.5,
               "strict 1 1 0 0 0; exact 2 0 0 0 0; partial 2 0 0 0 0; type 1 1 0 0 0", "LOC [2, 3) (label ORG)");
  assert_spans(rules, "\"a B-X\\nb\"", "\"a O\"", 0,
               "strict 0 0 0 0 0; exact 0 0 0 0 0; partial 0 0 0 0 0; type 0 0 0 0 0",
               "document[1] (a value that is not a string is not a tag)");
  assert_spans(rules, "\"a B-X\\n\\nb I-X\"", "\"a O\"", 0,
               "strict 0 0 0 0 0; exact 0 0 0 0 0; partial 0 0 0 0 0; type 0 0 0 0 0",
               "document[1] (tag 'I-X' has no beginning before it (lenient = true begins a span there))");
}

static void test_markup(void **state) {
  (void)state;
  static const char rules[] = RULES(",\"format\":\"xml\"");
  assert_spans(rules, "\"<PER>Otto Hahn</PER> &amp; <LOC><GPE>Bonn</GPE></LOC> a < b <br/>\"",
               "\"<PER>Otto</PER> Hahn &amp; <LOC id=\\\"1\\\"><GPE>Bonn</GPE></LOC> a < b <br/>\"", 2.0 / 3,
               "strict 2 1 0 0 0; exact 2 1 0 0 0; partial 2 0 1 0 0; type 3 0 0 0 0",
               "PER [0, 9) 'Otto Hahn' (bounds [0, 4))");
  /* Marks that cross each other; offsets beside marks are those of the text. */
  assert_spans(RULES(",\"format\":\"xml\",\"candidate_format\":\"items\""), "\"\xc3\xa4<A>b<B>c</A>d</B>\"",
               "[[1,3,\"A\"],[2,4,\"B\"]]", 1, "strict 2 0 0 0 0; exact 2 0 0 0 0; partial 2 0 0 0 0; type 2 0 0 0 0",
               "");
  static const struct {
    const char *text, *fault;
  } bad[] = {{"\"<A>b\"", "document[1] (mark 'A' has no end)"},
             {"\"b</A>\"", "document[1] (mark 'A' ends where it has not begun)"},
             {"\"<A></A>b\"", "document[0] (mark 'A' is around nothing)"},
             {"\"<A>b</B>\"", "document[1] (mark 'B' ends where it has not begun; 1 more)"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_spans(rules, bad[i].text, "\"b\"", 0, "strict 0 0 0 0 0; exact 0 0 0 0 0; partial 0 0 0 0 0; type 0 0 0 0 0",
                 bad[i].fault);
    fixture f;
    open_rules(&f, rules);
    const ee_judge_result *result = fixture_judge_case(&f, "\"<A>b</A>\"", bad[i].text);
    const ee_spans_case *kept = result->corpus_part;
    assert_true(kept->counts[EE_SPANS_BAD_TAGS] > 0 && result->score == 0 && !result->failed);
    fixture_close(&f);
  }
  assert_spans(rules, "\"<A>b</A>\"", "\"<A>b</A> c\"", 1,
               "strict 1 0 0 0 0; exact 1 0 0 0 0; partial 1 0 0 0 0; type 1 0 0 0 0",
               "candidate (another text without its marks)");
}

/* Offsets against the text of the document, in units, and what would make them fit. */
static void test_document(void **state) {
  (void)state;
  /* "a😀b ä c": the emoji is 1 code point, 2 UTF-16 units, 4 bytes. */
  static const char record[] = "{\"text\":\"a\xf0\x9f\x98\x80"
                               "b \xc3\xa4 c\"}";
  static const struct {
    const char *options, *expected, *candidate, *misses;
  } cases[] = {
      {"", "[{\"label\":\"A\",\"start\":2,\"end\":3,\"text\":\"b\"}]", "[[2,3,\"A\"]]", ""},
      {",\"unit\":\"utf16_code_unit\",\"candidate_unit\":\"utf8_byte\"", "[[3,4,\"A\"],[5,6,\"B\"]]",
       "[[5,6,\"A\"],[7,9,\"B\"]]", ""},
      {"", "[{\"label\":\"A\",\"start\":3,\"end\":4,\"text\":\"b\"}]", "[]",
       "document[0] (the document has ' ' there, not 'b' (unit = \"utf16_code_unit\" fits it))"},
      {"", "[{\"label\":\"A\",\"start\":2,\"end\":4,\"text\":\"b\"}]", "[]",
       "document[0] (the document has 'b ' there, not 'b')"},
      {",\"inclusive\":true", "[{\"label\":\"A\",\"start\":2,\"end\":3,\"text\":\"b\"}]", "[]",
       "document[0] (the document has 'b ' there, not 'b' (inclusive = false fits it))"},
      {"", "[[2,30,\"A\"]]", "[]", "document[0] (the end 30 is after the end of the document, 7)"},
      {",\"unit\":\"utf16_code_unit\"", "[[2,3,\"A\"]]", "[]", "document[0] (an offset is inside a character)"},
      {"", "[{\"label\":\"A\",\"text\":\"z\"}]", "[]", "document[0] (the document does not have 'z')"},
      {"", "[{\"label\":\"A\",\"text\":\" \"},{\"label\":\"A\",\"text\":\" \"}]", "[[3,4,\"A\"],[5,6,\"A\"]]", ""},
      {",\"format\":\"xml\"", "\"a<A>b</A>\"", "\"\"",
       "document (the text without its marks is not that of the document)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char rules[256];
    fixture f;
    snprintf(rules, sizeof rules, RULES(",\"document\":\"text\"%s"), cases[i].options);
    open_rules(&f, rules);
    f.current = (ee_case){.id = EE_STR("1"),
                          .record = fixture_json(&f.case_arena, record),
                          .expected = fixture_json(&f.case_arena, cases[i].expected),
                          .candidate = fixture_json(&f.case_arena, cases[i].candidate),
                          .candidate_state = EE_CANDIDATE_READ};
    f.context =
        (ee_context){.plan = f.plan, .arena = &f.case_arena, .script = &f.script, .rule_errors = &f.rule_errors};
    ee_plan_judge(f.plan, &f.context, &f.current, &f.result);
    assert_misses(&f, f.result.judges, cases[i].misses);
    assert_int_equal(f.result.judges->score, cases[i].misses[0] == '\0');
    fixture_close(&f);
  }
  /* A record without the text. */
  fixture f;
  open_rules(&f, RULES(",\"document\":\"text\""));
  const ee_judge_result *result = fixture_judge_case(&f, "[[0,1,\"A\"]]", "[]");
  assert_misses(&f, result, "text (no text of the document in the record (option 'document'))");
  fixture_close(&f);
}

/* Slow twin ------------------------------------------------------------------------------------ */

/* A span of the twin. */
typedef struct simple {
  int start, end;
  char label;
} simple;

typedef struct simple_list {
  simple items[7];
  size_t count;
} simple_list;

static simple_list random_list(test_random *random) {
  simple_list list = {.count = test_random_below(random, 7)};
  for (size_t i = 0; i < list.count; i++) {
    int start = (int)test_random_below(random, 9);
    list.items[i] = (simple){start, start + 1 + (int)test_random_below(random, 4), "ABC"[test_random_below(random, 3)]};
  }
  return list;
}

static void print_list(const simple_list *list, char *out) {
  *out++ = '[';
  for (size_t i = 0; i < list->count; i++)
    out += sprintf(out, "%s{\"label\":\"%c\",\"start\":%d,\"end\":%d}", i > 0 ? "," : "", list->items[i].label,
                   list->items[i].start, list->items[i].end);
  strcpy(out, "]");
}

static int shared_units(simple a, simple b) {
  int units = 0;
  for (int at = 0; at < 20; at++) units += at >= a.start && at < a.end && at >= b.start && at < b.end;
  return units;
}

/* Whether the pair may be made, by the share of the expected span. */
static bool may_pair(simple e, simple c, double overlap) {
  int units = shared_units(e, c);
  return units > 0 && (double)units / (e.end - e.start) >= overlap;
}

/* Scheme by scheme, as nervaluate describes each: a candidate takes the first free expected span that it equals or
 * overlaps. */
static void twin_first(const simple_list *expected, const simple_list *candidate, double overlap, const char *scheme,
                       char *out) {
  bool taken[7] = {false};
  int correct = 0, incorrect = 0, partial = 0, missed = 0, spurious = 0;
  for (size_t c = 0; c < candidate->count; c++) {
    simple span = candidate->items[c];
    size_t e = 0;
    while (e < expected->count && (taken[e] || !may_pair(expected->items[e], span, overlap))) e++;
    if (e == expected->count) {
      spurious++;
      continue;
    }
    taken[e] = true;
    bool label = expected->items[e].label == span.label;
    bool bounds = expected->items[e].start == span.start && expected->items[e].end == span.end;
    if (strcmp(scheme, "strict") == 0)
      *(label && bounds ? &correct : &incorrect) += 1;
    else if (strcmp(scheme, "exact") == 0)
      *(bounds ? &correct : &incorrect) += 1;
    else if (strcmp(scheme, "partial") == 0)
      *(bounds ? &correct : &partial) += 1;
    else
      *(label ? &correct : &incorrect) += 1;
  }
  for (size_t e = 0; e < expected->count; e++) missed += !taken[e];
  sprintf(out, "%s %d %d %d %d %d", scheme, correct, incorrect, partial, missed, spurious);
}

/* The best of all ways to pair what overlaps. */
typedef struct search {
  const simple_list *expected, *candidate;
  bool used_e[7], used_c[7];
  double overlap;
  int labels, pairs; /* of the way tried */
  double total;
  int best_labels, best_pairs;
  double best_total;
} search;

static void try_all(search *s, size_t e) {
  while (e < s->expected->count && s->used_e[e]) e++;
  if (e >= s->expected->count) {
    bool better = s->labels != s->best_labels ? s->labels > s->best_labels
                  : s->pairs != s->best_pairs ? s->pairs > s->best_pairs
                                              : s->total > s->best_total;
    if (!better) return;
    s->best_labels = s->labels;
    s->best_pairs = s->pairs;
    s->best_total = s->total;
    return;
  }
  try_all(s, e + 1);
  for (size_t c = 0; c < s->candidate->count; c++) {
    simple left = s->expected->items[e], right = s->candidate->items[c];
    if (s->used_c[c] || !may_pair(left, right, s->overlap)) continue;
    int units = shared_units(left, right);
    double share = (double)units / (left.end - left.start + right.end - right.start - units);
    s->used_c[c] = true;
    s->labels += left.label == right.label;
    s->pairs++;
    s->total += share;
    try_all(s, e + 1);
    s->used_c[c] = false;
    s->labels -= left.label == right.label;
    s->pairs--;
    s->total -= share;
  }
}

static bool comes_before(simple a, simple b) {
  if (a.start != b.start) return a.start < b.start;
  if (a.end != b.end) return a.end < b.end;
  return a.label < b.label;
}

static void sort_list(simple_list *list) {
  for (size_t i = 1; i < list->count; i++)
    for (size_t k = i; k > 0 && comes_before(list->items[k], list->items[k - 1]); k--) {
      simple swapped = list->items[k];
      list->items[k] = list->items[k - 1];
      list->items[k - 1] = swapped;
    }
}

/* Equal spans, then equal bounds, then the best of all ways. Sets the numbers of the four kinds of pairs. */
static void twin_optimal(simple_list expected, simple_list candidate, double overlap, int kinds[4]) {
  search s = {.expected = &expected, .candidate = &candidate, .overlap = overlap, .best_pairs = -1, .best_labels = -1};
  sort_list(&expected);
  sort_list(&candidate);
  memset(kinds, 0, 4 * sizeof *kinds);
  for (int labels = 1; labels >= 0; labels--) {
    for (size_t e = 0; e < expected.count; e++) {
      for (size_t c = 0; c < candidate.count && !s.used_e[e]; c++) {
        simple left = expected.items[e], right = candidate.items[c];
        if (s.used_c[c] || left.start != right.start || left.end != right.end) continue;
        if (labels == 1 && left.label != right.label) continue;
        s.used_e[e] = s.used_c[c] = true;
        kinds[labels == 1 ? 0 : 2]++;
      }
    }
  }
  try_all(&s, 0);
  kinds[1] = s.best_labels;
  kinds[3] = s.best_pairs - s.best_labels;
}

static void check_optimal(fixture *f, const ee_judge_result *result, const simple_list *expected,
                          const simple_list *candidate, double overlap) {
  int kinds[4];
  twin_optimal(*expected, *candidate, overlap, kinds);
  int pairs = kinds[0] + kinds[1] + kinds[2] + kinds[3];
  int missed = (int)expected->count - pairs, spurious = (int)candidate->count - pairs;
  char wanted[256];
  sprintf(wanted, "strict %d %d 0 %d %d; exact %d %d 0 %d %d; partial %d 0 %d %d %d; type %d %d 0 %d %d", kinds[0],
          pairs - kinds[0], missed, spurious, kinds[0] + kinds[2], kinds[1] + kinds[3], missed, spurious,
          kinds[0] + kinds[2], kinds[1] + kinds[3], missed, spurious, kinds[0] + kinds[1], kinds[2] + kinds[3], missed,
          spurious);
  assert_string_equal(schemes_of(f, result), wanted);
}

static void shuffle(simple_list *list, test_random *random) {
  for (size_t i = list->count; i > 1; i--) {
    size_t k = test_random_below(random, i);
    simple swapped = list->items[i - 1];
    list->items[i - 1] = list->items[k];
    list->items[k] = swapped;
  }
}

/* The tallies of all labels by name. */
static void print_labels(const ee_judge_result *result, char *out) {
  const ee_spans_case *found = result->corpus_part;
  for (char label = 'A'; label <= 'C'; label++)
    for (size_t i = 0; i < found->label_count; i++) {
      if (found->labels[i].name.data[0] != label) continue;
      *out++ = label;
      for (int k = 0; k < EE_SPAN_FATES; k++) out += sprintf(out, " %d", (int)found->labels[i].tally.of[k]);
    }
  *out = '\0';
}

static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("spans", 20130901);
  static const double overlaps[] = {0, 0.01, 0.5, 0.75, 1};
  for (size_t o = 0; o < sizeof overlaps / sizeof *overlaps; o++) {
    char rules[256];
    fixture optimal, first;
    snprintf(rules, sizeof rules, RULES(",\"overlap\":%g"), overlaps[o]);
    open_rules(&optimal, rules);
    snprintf(rules, sizeof rules, RULES(",\"pairing\":\"first\",\"overlap\":%g"), overlaps[o]);
    open_rules(&first, rules);
    for (int round = 0; round < 1000; round++) {
      simple_list expected = random_list(&random), candidate = random_list(&random);
      char left[512], right[512], wanted[512] = "", labels[512], again[512];
      print_list(&expected, left);
      print_list(&candidate, right);
      for (ee_span_scheme scheme = EE_SCHEME_STRICT; scheme < EE_SPAN_SCHEMES; scheme++) {
        if (scheme > 0) strcat(wanted, "; ");
        twin_first(&expected, &candidate, overlaps[o], ee_span_scheme_name(scheme), wanted + strlen(wanted));
      }
      assert_string_equal(schemes_of(&first, fixture_judge_case(&first, left, right)), wanted);
      const ee_judge_result *result = fixture_judge_case(&optimal, left, right);
      check_optimal(&optimal, result, &expected, &candidate, overlaps[o]);
      /* The score by the definition of strict F1. */
      int kinds[4];
      twin_optimal(expected, candidate, overlaps[o], kinds);
      size_t spans = expected.count + candidate.count;
      assert_true(result->score == (spans == 0 ? 1 : 2.0 * kinds[0] / (double)spans));
      /* The order of the arrays changes nothing, neither in the counts of labels. */
      print_labels(result, labels);
      shuffle(&expected, &random);
      shuffle(&candidate, &random);
      print_list(&expected, left);
      print_list(&candidate, right);
      print_labels(fixture_judge_case(&optimal, left, right), again);
      assert_string_equal(again, labels);
    }
    fixture_close(&optimal);
    fixture_close(&first);
  }
}

/* Options as they are printed ------------------------------------------------------------------ */

#define assert_printed(rules, wanted)                                                                                  \
  do {                                                                                                                 \
    fixture one;                                                                                                       \
    open_rules(&one, rules);                                                                                           \
    ee_spans_print(one.plan->judges[0], &one.text);                                                                    \
    assert_string_equal(ee_buffer_terminate(&one.text), wanted);                                                       \
    fixture_close(&one);                                                                                               \
  } while (0)

static void test_print(void **state) {
  (void)state;
  assert_printed(RULES(),
                 "  spans document\n  label label, from start, to end, text text\n  format auto, tagging auto\n"
                 "  scheme strict, pairing optimal, per_label pairs, overlap 0 of expected\n");
  assert_printed(RULES(",\"label\":\"tag\",\"from\":\"a\",\"to\":\"b\",\"text\":\"c\",\"inclusive\":true,"
                       "\"format\":\"items\",\"candidate_format\":\"xml\",\"tagging\":\"BILOU\",\"lenient\":true,"
                       "\"document\":\"source.text\",\"unit\":\"utf8_byte\",\"candidate_unit\":\"utf16_code_unit\","
                       "\"scheme\":\"partial\",\"overlap\":0.25,\"overlap_of\":\"union\",\"pairing\":\"first\","
                       "\"per_label\":\"alone\",\"labels\":[\"PER\",\"LOC\",\"ORG\"]"),
                 "  spans document\n  label tag, from a, to b, text c, inclusive\n"
                 "  format items, candidate_format xml, tagging BILOU, lenient, document source.text, unit utf8_byte, "
                 "candidate_unit utf16_code_unit\n"
                 "  scheme partial, pairing first, per_label alone, overlap 0.25 of union\n"
                 "  labels PER, LOC, ORG\n");
  assert_printed(RULES(",\"tagging\":\"BIO\",\"document\":\"text\",\"scheme\":\"type\",\"labels\":[\"A\"]"),
                 "  spans document\n  label label, from start, to end, text text\n"
                 "  format auto, tagging BIO, document text, unit code_point\n"
                 "  scheme type, pairing optimal, per_label pairs, overlap 0 of expected\n  labels A\n");
  assert_printed(RULES(",\"format\":\"conll\",\"candidate_format\":\"conll\",\"tagging\":\"BIOES\","
                       "\"scheme\":\"exact\""),
                 "  spans document\n  label label, from start, to end, text text\n  format conll, tagging BIOES\n"
                 "  scheme exact, pairing optimal, per_label pairs, overlap 0 of expected\n");
}

/* Details and outcomes ------------------------------------------------------------------------- */

static const char *details_of(fixture *f, const ee_judge_result *result) {
  ee_buffer_clear(&f->text);
  fixture_write_details(result, &f->text);
  return ee_buffer_terminate(&f->text);
}

static void test_details(void **state) {
  (void)state;
  fixture f;
  open_rules(&f, RULES());
  f.detail = EE_DETAIL_FULL;
  /* The same; other bounds; missed; spurious. */
  const ee_judge_result *result = fixture_judge_case(&f, "[[0,5,\"A\"],[6,9,\"B\"],[20,22,\"C\"]]",
                                                     "[[0,5,\"A\"],[6,8,\"B\"],[30,31,\"C\"],[40,41,\"C\"]]");
  const ee_value *details = fixture_json(&f.arena, details_of(&f, result));
  ee_buffer_clear(&f.text);
  ee_json_write_value(&f.text, ee_value_member(details, EE_STR("schemes"), &f.arena));
  assert_string_equal(
      ee_buffer_terminate(&f.text),
      "{\"strict\":{\"correct\":1,\"incorrect\":1,\"partial\":0,\"missed\":1,\"spurious\":2,\"precision\":0.25,"
      "\"recall\":0.3333333333333333,\"f1\":0.2857142857142857},"
      "\"exact\":{\"correct\":1,\"incorrect\":1,\"partial\":0,\"missed\":1,\"spurious\":2,\"precision\":0.25,"
      "\"recall\":0.3333333333333333,\"f1\":0.2857142857142857},"
      "\"partial\":{\"correct\":1,\"incorrect\":0,\"partial\":1,\"missed\":1,\"spurious\":2,\"precision\":0.375,"
      "\"recall\":0.5,\"f1\":0.42857142857142855},"
      "\"type\":{\"correct\":2,\"incorrect\":0,\"partial\":0,\"missed\":1,\"spurious\":2,\"precision\":0.5,"
      "\"recall\":0.6666666666666666,\"f1\":0.5714285714285714}}");
  assert_true(ee_str_is(result->formula, "2*(1 + 0/2)/(3 + 4) = 0.285714"));
  assert_reasoning(result, "1/3 spans correct, 1 incorrect, 2 spurious");
  /* No metric is defined without spans. */
  result = fixture_judge_case(&f, "[]", "[]");
  details = ee_value_member(fixture_json(&f.arena, details_of(&f, result)), EE_STR("schemes"), &f.arena);
  ee_buffer_clear(&f.text);
  ee_json_write_value(&f.text, ee_value_member(details, EE_STR("type"), &f.arena));
  assert_string_equal(ee_buffer_terminate(&f.text),
                      "{\"correct\":0,\"incorrect\":0,\"partial\":0,\"missed\":0,\"spurious\":0}");
  assert_true(result->vacuous && result->formula.length == 0);
  /* A case that is in no count has what every judge has. */
  result = fixture_judge_case(&f, "17", "[]");
  details = fixture_json(&f.arena, details_of(&f, result));
  assert_null(ee_value_member(details, EE_STR("schemes"), &f.arena));
  assert_reasoning(result, "the expected spans cannot be used");
  fixture_close(&f);
}

/* Outcomes as "attribute class score expected>partner reason". */
static const char *outcomes_of(fixture *f, const ee_judge_result *result) {
  static const char *const classes[] = {[EE_CLASS_TP] = "tp",           [EE_CLASS_TN] = "tn",
                                        [EE_CLASS_WRONG] = "wrong",     [EE_CLASS_INVENTED] = "invented",
                                        [EE_CLASS_MISSING] = "missing", [EE_CLASS_UNREAD] = "unread"};
  ee_buffer_clear(&f->text);
  for (size_t i = 0; i < result->outcome_count; i++) {
    const ee_outcome *outcome = &result->outcomes[i];
    ee_buffer_addf(&f->text, "%s%.*s %s %g %d>%d ", i > 0 ? "; " : "", EE_STR_ARG(outcome->attribute),
                   classes[outcome->value_class], outcome->score, (int)outcome->row, (int)outcome->partner);
    ee_finding_print(&outcome->place, &f->text);
  }
  return ee_buffer_terminate(&f->text);
}

static void test_outcomes(void **state) {
  (void)state;
  static const char expected[] = "[[0,5,\"A\"],[6,9,\"B\"],[10,12,\"C\"],[20,22,\"A\"]]";
  static const char candidate[] = "[[0,5,\"A\"],[6,8,\"B\"],[10,12,\"B\"],[30,31,\"C\"],[4,4,\"A\"]]";
  fixture f;
  open_rules(&f, RULES());
  f.detail = EE_DETAIL_FULL;
  assert_string_equal(outcomes_of(&f, fixture_judge_case(&f, expected, candidate)),
                      "A tp 1 0>0 A [0, 5); B wrong 0 1>1 B [6, 9) (bounds [6, 8)); "
                      "C missing 0 2>2 C [10, 12) (label B); A missing 0 3>-1 A [20, 22) (missed); "
                      "B invented 0 -1>2 B [10, 12) (in the place of a span of another label); "
                      "C invented 0 -1>3 C [30, 31) (spurious); A invented 0 -1>4 A item 4 (the end is the start "
                      "(inclusive = true counts the end's own position))");
  fixture_judge_rules(&f, RULES(",\"scheme\":\"partial\""), expected, candidate);
  f.detail = EE_DETAIL_FULL;
  const ee_judge_result *result = fixture_judge_case(&f, expected, candidate);
  assert_string_equal(outcomes_of(&f, result),
                      "A tp 1 0>0 A [0, 5); B wrong 0.5 1>1 B [6, 9) (bounds [6, 8)); C tp 1 2>2 C [10, 12); "
                      "A missing 0 3>-1 A [20, 22) (missed); C invented 0 -1>3 C [30, 31) (spurious); A invented 0 "
                      "-1>4 A item 4 (the end is the start (inclusive = true counts the end's own position))");
  assert_reasoning(result, "2/4 spans correct, 1 partial, 2 spurious");
  assert_true(ee_str_is(result->formula, "2*(2 + 1/2)/(4 + 5) = 0.555556"));
  /* Of equal spans the first ones are paired, of each side. */
  static const char *const twice[][2] = {
      {"[[0,1,\"A\"],[0,1,\"A\"]]", "[[0,1,\"A\"]]"},
      {"[{\"label\":\"A\",\"text\":\"x\"},{\"label\":\"A\",\"text\":\"x\"}]", "[{\"label\":\"A\",\"text\":\"x\"}]"}};
  for (size_t i = 0; i < 2; i++) {
    fixture_judge_rules(&f, RULES(), "[]", "[]");
    f.detail = EE_DETAIL_FULL;
    result = fixture_judge_case(&f, twice[i][0], twice[i][1]);
    assert_string_equal(outcomes_of(&f, result), i == 0 ? "A tp 1 0>0 A [0, 1); A missing 0 1>-1 A [0, 1) (missed)"
                                                        : "A tp 1 0>0 A 'x'; A missing 0 1>-1 A 'x' (missed)");
    result = fixture_judge_case(&f, twice[i][1], twice[i][0]);
    assert_string_equal(outcomes_of(&f, result), i == 0 ? "A tp 1 0>0 A [0, 1); A invented 0 -1>1 A [0, 1) (spurious)"
                                                        : "A tp 1 0>0 A 'x'; A invented 0 -1>1 A 'x' (spurious)");
  }
  /* The kinds of what is incorrect; values that have no node are made. */
  fixture_judge_rules(&f, RULES(), "[\"B-A\",\"I-A\",\"B-B\"]", "[\"B-A\",\"O\",\"B-C\"]");
  assert_string_equal(fixture_mismatches(&f, f.result.judges),
                      "A [0, 2) {\"label\":\"A\",\"start\":0,\"end\":2} {\"label\":\"A\",\"start\":0,\"end\":1} 0; "
                      "B [2, 3) {\"label\":\"B\",\"start\":2,\"end\":3} {\"label\":\"C\",\"start\":2,\"end\":3} 0");
  f.context.kinds = true;
  ee_plan_judge(f.plan, &f.context, &f.current, &f.result);
  assert_int_equal(f.result.judges->mismatches[0].kind, EE_ERROR_KIND_WRONG_BOUNDS);
  assert_int_equal(f.result.judges->mismatches[1].kind, EE_ERROR_KIND_WRONG_LABEL);
  fixture_close(&f);
}

/* Too many pairs that overlap for optimal pairing: greedy, which the result says. */
static void test_fallback(void **state) {
  (void)state;
  fixture f;
  open_rules(&f, RULES(",\"max_pairs\":3"));
  fixture_judge_case(&f, "[[0,5,\"A\"],[1,6,\"A\"]]", "[[0,4,\"A\"],[2,6,\"A\"]]");
  assert_int_equal(f.result.judges->fallbacks, 1);
  assert_non_null(strstr(details_of(&f, f.result.judges), "greedy"));
  fixture_judge_rules(&f, RULES(",\"max_pairs\":4"), "[[0,5,\"A\"],[1,6,\"A\"]]", "[[0,4,\"A\"],[2,6,\"A\"]]");
  assert_int_equal(f.result.judges->fallbacks, 0);
  assert_null(strstr(details_of(&f, f.result.judges), "greedy"));
  fixture_close(&f);
}

/* What is counted besides ---------------------------------------------------------------------- */

static void test_counters(void **state) {
  (void)state;
  static const struct {
    const char *options, *expected, *candidate, *misses;
    uint64_t counts[EE_SPANS_COUNTERS];
  } cases[] = {
      {"",
       "[\"B-A\",\"I-A\"]",
       "[\"B-A\",\"I-A\",\"O\"]",
       "candidate (3 tags instead of 2)",
       {[EE_SPANS_OTHER_LENGTH] = 1}},
      {",\"lenient\":true,\"labels\":[\"A\"]",
       "[\"I-A\",\"E-A\",\"O\",\"S-B\"]",
       "[\"B-A\",\"I-A\",\"I-B\",\"S-C\"]",
       "",
       {[EE_SPANS_REPAIRED] = 2, [EE_SPANS_LEFT_OUT] = 3}},
      {",\"format\":\"xml\",\"labels\":[\"A\"]",
       "\"<A>b</A><B>c</B>\"",
       "\"<A>b</A>x<C></C>\"",
       "candidate (another text without its marks)",
       {[EE_SPANS_OTHER_TEXT] = 1, [EE_SPANS_LEFT_OUT] = 2}},
      {"",
       "[[0,1,\"A\"]]",
       "[\"O\"]",
       "candidate (tags, where offsets are expected); A [0, 1) (missed)",
       {[EE_SPANS_NOT_COMPARABLE] = 1}},
      {"",
       "[{\"label\":\"A\",\"text\":\"b\"}]",
       "[[0,1,\"A\"],{\"label\":\"A\"}]",
       "candidate (offsets, where texts without offsets are expected); A 'b' (missed); "
       "A [0, 1) (offsets, where texts without offsets are expected); A item 1 (neither offsets nor a text)",
       {[EE_SPANS_NOT_COMPARABLE] = 1, [EE_SPANS_BAD_CANDIDATES] = 1}},
      {"",
       "[\"B-A\"]",
       "[[0,1,\"A\"],[3,4,\"B\"]]",
       "candidate (offsets, where tags are expected); A [0, 1) (missed); A [0, 1) (offsets, where tags are expected); "
       "B "
       "[3, 4) (offsets, where tags are expected)",
       {[EE_SPANS_NOT_COMPARABLE] = 1}},
      {"", "[\"B-A\"]", "[\"X\"]", "document[0] (tag 'X' is not a tag); A [0, 1) (missed)", {[EE_SPANS_BAD_TAGS] = 1}},
      {",\"format\":\"tags\"", "[\"B-A\"]", "7", "document (a number, not an array of tags); A [0, 1) (missed)", {0}},
      {",\"format\":\"xml\"", "\"<A>b</A>\"", "7", "document (a number, not a text); A [0, 1) 'b' (missed)", {0}},
      {",\"format\":\"items\"",
       "[[0,1,\"A\"]]",
       "\"b\"",
       "document (a string, not an array of spans); A [0, 1) (missed)",
       {0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char rules[256];
    fixture f;
    snprintf(rules, sizeof rules, RULES("%s"), cases[i].options);
    open_rules(&f, rules);
    const ee_judge_result *result = fixture_judge_case(&f, cases[i].expected, cases[i].candidate);
    assert_misses(&f, result, cases[i].misses);
    const ee_spans_case *kept = result->corpus_part;
    for (size_t k = 0; k < EE_SPANS_COUNTERS; k++)
      if (kept->counts[k] != cases[i].counts[k])
        fail_msg("case %zu: counter %zu is %d, not %d", i, k, (int)kept->counts[k], (int)cases[i].counts[k]);
    fixture_close(&f);
  }
}

/* An answer that is marked-up text, and not JSON, is an answer. */
static void test_answers_that_are_texts(void **state) {
  (void)state;
  fixture f;
  open_rules(&f, RULES(",\"format\":\"xml\""));
  fixture_judge_case(&f, "\"<A>b</A> c\"", "\"\"");
  for (int is_text = 0; is_text < 2; is_text++) {
    f.current.candidate = NULL;
    f.current.candidate_state = EE_CANDIDATE_UNPARSEABLE;
    f.current.candidate_text = is_text ? EE_STR("<A>b</A> c") : (ee_str){NULL, 0};
    ee_plan_judge(f.plan, &f.context, &f.current, &f.result);
    assert_true(f.result.judges->score == is_text);
    assert_int_equal(f.result.judges->miss_count, is_text ? 0 : 2);
  }
  /* Nothing is expected, and the answer has no marks. */
  f.current.expected = fixture_json(&f.case_arena, "\"b\"");
  f.current.candidate_text = EE_STR("b");
  ee_plan_judge(f.plan, &f.context, &f.current, &f.result);
  assert_true(f.result.judges->score == 1 && f.result.judges->vacuous);
  fixture_close(&f);
}

/* Work ----------------------------------------------------------------------------------------- */

/* What reading and pairing cost is charged: at least the number of steps that cannot be avoided. */
static void assert_cost(const char *rules, const char *expected, const char *candidate, uint64_t lowest,
                        uint64_t highest) {
  fixture f;
  open_rules(&f, rules);
  uint64_t before = ee_work_done();
  fixture_judge_case(&f, expected, candidate);
  uint64_t units = ee_work_done() - before;
  /* Twice: the fixture judges once more in full detail, but not where texts are long. */
  uint64_t times = f.long_lists ? 1 : 2;
  if (units < lowest * times || units > highest * times)
    fail_msg("%d units, not %d to %d", (int)units, (int)(lowest * times), (int)(highest * times));
  fixture_close(&f);
}

static void test_work(void **state) {
  (void)state;
  enum { LENGTH = 20000, LABELS = 400, SPANS = 200, ANY = 1000000000 };
  ee_buffer text = {0}, other = {0}, rules = {0};
  /* A text without marks. */
  for (int i = 0; i < LENGTH; i++) ee_buffer_add_char(&text, i == 0 || i == LENGTH - 1 ? '"' : 'x');
  assert_cost(RULES(",\"format\":\"xml\""), ee_buffer_terminate(&text), "\"\"", LENGTH - 2, ANY);
  assert_cost(RULES(",\"format\":\"xml\""), "\"\"", ee_buffer_terminate(&text), LENGTH - 2, ANY);
  /* Tags with many labels to compare each with. */
  ee_buffer_add_text(&rules, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"spans\",\"labels\":[");
  for (int i = 0; i < LABELS; i++) ee_buffer_addf(&rules, "%s\"L%d\"", i > 0 ? "," : "", i);
  ee_buffer_add_text(&rules, "]}]}");
  ee_buffer_clear(&text);
  for (int i = 0; i < SPANS; i++) ee_buffer_addf(&text, "%s\"B-X\"", i > 0 ? "," : "[");
  ee_buffer_add_char(&text, ']');
  assert_cost(ee_buffer_terminate(&rules), ee_buffer_terminate(&text), "[]", (uint64_t)LABELS * SPANS, ANY);
  /* Pairs of spans that overlap, found by offsets and by texts. */
  ee_buffer_clear(&text);
  for (int i = 0; i < SPANS; i++) ee_buffer_addf(&text, "%s[%d,%d,\"A\"]", i > 0 ? "," : "[", i, i + 1000);
  ee_buffer_add_char(&text, ']');
  ee_buffer_clear(&other);
  for (int i = 0; i < SPANS; i++) ee_buffer_addf(&other, "%s[%d,%d,\"A\"]", i > 0 ? "," : "[", i, i + 999);
  ee_buffer_add_char(&other, ']');
  assert_cost(RULES(",\"overlap\":1"), ee_buffer_terminate(&text), ee_buffer_terminate(&other),
              (uint64_t)SPANS * SPANS / 2, ANY);
  assert_cost(RULES(",\"pairing\":\"first\",\"overlap\":1"), ee_buffer_terminate(&text), ee_buffer_terminate(&other),
              (uint64_t)2 * SPANS * SPANS, ANY);
  ee_buffer_clear(&text);
  for (int i = 0; i < SPANS; i++) ee_buffer_addf(&text, "%s{\"label\":\"A\",\"text\":\"%d\"}", i > 0 ? "," : "[", i);
  ee_buffer_add_char(&text, ']');
  ee_buffer_clear(&other);
  for (int i = 0; i < SPANS; i++) ee_buffer_addf(&other, "%s{\"label\":\"A\",\"text\":\"x%d\"}", i > 0 ? "," : "[", i);
  ee_buffer_add_char(&other, ']');
  assert_cost(RULES(), ee_buffer_terminate(&text), ee_buffer_terminate(&other), (uint64_t)2 * SPANS * SPANS, ANY);
  /* What only begins like a mark is looked through to its end: once where it has one, else all that follows. */
  ee_buffer_clear(&text);
  for (int i = 0; i < LENGTH; i++) ee_buffer_add_char(&text, i == 0 || i == LENGTH - 1 ? '"' : i % 2 == 1 ? '<' : '>');
  assert_cost(RULES(",\"format\":\"xml\""), ee_buffer_terminate(&text), "\"\"", LENGTH, 20 * LENGTH);
  ee_buffer_clear(&text);
  for (int i = 0; i < LENGTH; i++) ee_buffer_add_char(&text, i == 0 || i == LENGTH - 1 ? '"' : '<');
  assert_cost(RULES(",\"format\":\"xml\""), ee_buffer_terminate(&text), "\"\"", (uint64_t)LENGTH * LENGTH / 2 - LENGTH,
              (uint64_t)LENGTH * LENGTH);
  /* A text of lines, to see its tagging and to read it. */
  ee_buffer_clear(&text);
  ee_buffer_add_char(&text, '"');
  for (int i = 0; i < LENGTH; i++) ee_buffer_add_text(&text, i % 100 == 99 ? " O\\n" : "x");
  ee_buffer_add_char(&text, '"');
  assert_cost(RULES(",\"format\":\"conll\""), ee_buffer_terminate(&text), "\"\"", 2 * LENGTH, 10 * LENGTH);
  ee_buffer_fini(&text);
  ee_buffer_fini(&other);
  ee_buffer_fini(&rules);
}

/* Each search in a document costs its length: for a text, and for the units that would make offsets fit. */
static void test_work_in_documents(void **state) {
  (void)state;
  enum { LENGTH = 3000, SPANS = 20 };
  static const char *const items[][2] = {{"{\"label\":\"A\",\"text\":\"zz\"}", "1"},
                                         {"{\"label\":\"A\",\"start\":1,\"end\":2,\"text\":\"z\"}", "2"}};
  ee_buffer text = {0};
  for (size_t k = 0; k < 2; k++) {
    fixture f;
    open_rules(&f, RULES(",\"document\":\"text\""));
    ee_buffer_clear(&text);
    ee_buffer_add_text(&text, "{\"text\":\"");
    for (int i = 0; i < LENGTH; i++) ee_buffer_add_char(&text, 'x');
    ee_buffer_add_text(&text, "\",\"c\":[");
    for (int i = 0; i < SPANS; i++) ee_buffer_addf(&text, "%s%s", i > 0 ? "," : "", items[k][0]);
    ee_buffer_add_text(&text, "]}");
    const ee_value *record = fixture_json(&f.case_arena, ee_buffer_terminate(&text));
    f.current = (ee_case){.id = EE_STR("1"),
                          .record = record,
                          .expected = fixture_json(&f.case_arena, "[[0,1,\"A\"]]"),
                          .candidate = ee_value_member(record, EE_STR("c"), &f.case_arena),
                          .candidate_state = EE_CANDIDATE_READ};
    f.context =
        (ee_context){.plan = f.plan, .arena = &f.case_arena, .script = &f.script, .rule_errors = &f.rule_errors};
    uint64_t before = ee_work_done();
    ee_plan_judge(f.plan, &f.context, &f.current, &f.result);
    uint64_t units = ee_work_done() - before, searches = (uint64_t)LENGTH * SPANS * (uint64_t)atoi(items[k][1]);
    if (units < searches || units > 3 * searches) fail_msg("%d units for %d", (int)units, (int)searches);
    fixture_close(&f);
  }
  /* The document is read once for each unit that the two sides use. */
  static const char *const units_of[] = {"", ",\"unit\":\"utf8_byte\"", ",\"candidate_unit\":\"utf8_byte\""};
  uint64_t units[3];
  for (size_t k = 0; k < 3; k++) {
    fixture f;
    char rules[200];
    snprintf(rules, sizeof rules, RULES(",\"document\":\"text\"%s"), units_of[k]);
    open_rules(&f, rules);
    const ee_value *record = fixture_json(&f.case_arena, text.data),
                   *spans = fixture_json(&f.case_arena, "[[0,1,\"A\"]]");
    f.current = (ee_case){.id = EE_STR("1"),
                          .record = record,
                          .expected = spans,
                          .candidate = spans,
                          .candidate_state = EE_CANDIDATE_READ};
    f.context =
        (ee_context){.plan = f.plan, .arena = &f.case_arena, .script = &f.script, .rule_errors = &f.rule_errors};
    uint64_t before = ee_work_done();
    ee_plan_judge(f.plan, &f.context, &f.current, &f.result);
    units[k] = ee_work_done() - before;
    assert_true(f.result.score == 1);
    fixture_close(&f);
  }
  if (units[0] < LENGTH || units[0] != units[1] || units[2] < units[0] + LENGTH)
    fail_msg("%d, %d and %d units", (int)units[0], (int)units[1], (int)units[2]);
  ee_buffer_fini(&text);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_kinds_of_pairs), cmocka_unit_test(test_labels),
             cmocka_unit_test(test_pairing), cmocka_unit_test(test_tags), cmocka_unit_test(test_tags_out_of_sequence),
             cmocka_unit_test(test_unusable_items), cmocka_unit_test(test_texts), cmocka_unit_test(test_conll),
             cmocka_unit_test(test_markup), cmocka_unit_test(test_document), cmocka_unit_test(test_twin),
             cmocka_unit_test(test_print), cmocka_unit_test(test_details), cmocka_unit_test(test_outcomes),
             cmocka_unit_test(test_fallback), cmocka_unit_test(test_counters),
             cmocka_unit_test(test_answers_that_are_texts), cmocka_unit_test(test_work),
             cmocka_unit_test(test_work_in_documents));
