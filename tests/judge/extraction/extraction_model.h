/* extraction_model.h: random records of ee.extraction as a test knows them, and their JSON. */
#ifndef EE_TESTS_JUDGE_EXTRACTION_MODEL_H
#define EE_TESTS_JUDGE_EXTRACTION_MODEL_H

#include "judge/extraction/extraction_fixture.h"
#include "support/random.h"

enum { CASES = 9, RUNS = 4, ITEMS = 5, GOLD = 4, CHARACTERS = 12 };

/* Data sets as the test has made them ---------------------------------------------------------- */

static const char *const alphabet[] = {"a", "b", "\xC3\xA9", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80"};
static const uint32_t code_points[] = {'a', 'b', 0xE9, 0x4E2D, 0x1F600};
static const char *const modes[] = {"utf16_code_unit", "code_point", "utf8_byte", "lines"};
static const char *const class_names[] = {"x", "y"};

/* A text: numbers into the alphabet. */
typedef struct word {
  size_t count;
  unsigned char letters[CHARACTERS];
} word;

/* The text in units of the mode. */
typedef struct unit_list {
  size_t count;
  uint32_t units[CHARACTERS * 4];
} unit_list;

typedef enum placing { AT_TOP, IN_SPAN, IN_BOTH, APART, NOWHERE, HALF, NUMBER_OF_PLACINGS } placing;

typedef struct item {
  int name; /* 2: none */
  bool no_quote;
  word quote;
  int mode; /* -1: not given */
  placing place;
  long start, end;
} item;

typedef struct answer {
  bool unreadable;
  size_t count;
  item items[ITEMS];
} answer;

typedef struct gold_span {
  int name;
  size_t start, end; /* in UTF-16 code units */
  word quote;
} gold_span;

typedef struct record {
  word document;
  size_t run_count;
  answer runs[RUNS];
  bool has_gold, has_expected;
  size_t gold_count;
  gold_span gold[GOLD];
  int kind;
  size_t least, most;
} record;

static inline unit_list in_units(const word *text, int mode) {
  unit_list list = {0};
  for (size_t i = 0; i < text->count; i++) {
    uint32_t code = code_points[text->letters[i]];
    if (mode == 2) {
      for (const char *byte = alphabet[text->letters[i]]; *byte != '\0'; byte++)
        list.units[list.count++] = (unsigned char)*byte;
    } else if (mode == 0 && code > 0xFFFF) {
      list.units[list.count++] = 0xD800 + ((code - 0x10000) >> 10);
      list.units[list.count++] = 0xDC00 + ((code - 0x10000) & 0x3FF);
    } else {
      list.units[list.count++] = code;
    }
  }
  return list;
}

static inline word slice_of(const word *text, size_t from, size_t to) {
  word slice = {0};
  for (size_t i = from; i < to; i++) slice.letters[slice.count++] = text->letters[i];
  return slice;
}

static inline word random_word(test_random *random, size_t most) {
  word text = {.count = test_random_below(random, most + 1)};
  for (size_t i = 0; i < text.count; i++) text.letters[i] = (unsigned char)test_random_below(random, 5);
  return text;
}

/* Of one text, the characters before `at` in units. */
static inline size_t units_before(const word *text, size_t at, int mode) {
  word front = slice_of(text, 0, at);
  return in_units(&front, mode).count;
}

/* Mostly right. */
static inline item random_item(test_random *random, const word *document) {
  item made = {.name = (int)test_random_below(random, 2), .mode = (int)test_random_below(random, 4) - 1};
  size_t from = test_random_below(random, document->count + 1);
  size_t to = from + test_random_below(random, document->count - from + 1);
  int mode = made.mode < 0 ? 0 : made.mode;
  made.quote = slice_of(document, from, to);
  made.start = (long)units_before(document, from, mode);
  made.end = (long)units_before(document, to, mode);
  made.place = (placing)test_random_below(random, 3);
  switch (test_random_below(random, 12)) {
  case 0: made.start += (long)test_random_below(random, 3) - 1; break;
  case 1: made.end += (long)test_random_below(random, 3) - 1; break;
  case 2: made.quote = random_word(random, 3); break;
  case 3: made.place = (placing)test_random_below(random, NUMBER_OF_PLACINGS); break;
  case 4: made.mode = 3; break;
  case 5: made.name = 2; break;
  case 6: made.no_quote = true; break;
  default: break;
  }
  return made;
}

static inline record random_record(test_random *random) {
  record made = {.document = random_word(random, CHARACTERS), .run_count = 1 + test_random_below(random, RUNS)};
  made.has_gold = test_random_below(random, 2) == 0;
  made.has_expected = !made.has_gold || test_random_below(random, 2) == 0;
  made.kind = (int)test_random_below(random, 3);
  made.least = test_random_below(random, 3);
  made.most = made.least + test_random_below(random, 4);
  made.gold_count = made.has_gold ? test_random_below(random, GOLD + 1) : 0;
  for (size_t i = 0; i < made.gold_count; i++) {
    size_t from = test_random_below(random, made.document.count + 1);
    size_t to = from + test_random_below(random, made.document.count - from + 1);
    made.gold[i] = (gold_span){(int)test_random_below(random, 2), units_before(&made.document, from, 0),
                               units_before(&made.document, to, 0), slice_of(&made.document, from, to)};
  }
  for (size_t r = 0; r < made.run_count; r++) {
    answer *run = &made.runs[r];
    if (r > 0 && test_random_below(random, 2) == 0) *run = made.runs[r - 1];
    if (r > 0 && test_random_below(random, 2) == 0) continue;
    run->unreadable = test_random_below(random, 8) == 0;
    run->count = run->unreadable ? 0 : test_random_below(random, ITEMS + 1);
    for (size_t i = 0; i < run->count; i++) {
      run->items[i] = random_item(random, &made.document);
      /* Some are gold spans. */
      if (made.gold_count == 0 || test_random_below(random, 3) > 0) continue;
      const gold_span *gold = &made.gold[test_random_below(random, made.gold_count)];
      run->items[i] = (item){
          .name = gold->name, .quote = gold->quote, .mode = -1, .start = (long)gold->start, .end = (long)gold->end};
    }
  }
  return made;
}

/* As JSON ------------------------------------------------------------------------------------------------------------
 */

static inline void add_word(ee_buffer *out, const word *text) {
  ee_buffer_add_char(out, '"');
  for (size_t i = 0; i < text->count; i++) ee_buffer_add_text(out, alphabet[text->letters[i]]);
  ee_buffer_add_char(out, '"');
}

static inline void add_place(ee_buffer *out, const item *it, long shift) {
  if (it->mode >= 0) ee_buffer_addf(out, ",\"offsetMode\":\"%s\"", modes[it->mode]);
  ee_buffer_addf(out, ",\"charStart\":%ld", it->start + shift);
  if (it->place != HALF) ee_buffer_addf(out, ",\"charEnd\":%ld", it->end + shift);
}

static inline void add_item(ee_buffer *out, const item *it) {
  ee_buffer_add_text(out, "{\"grounding\":\"explicit\"");
  if (it->name < 2) ee_buffer_addf(out, ",\"extractionClass\":\"%s\"", class_names[it->name]);
  if (!it->no_quote) {
    ee_buffer_add_text(out, ",\"quote\":");
    add_word(out, &it->quote);
  }
  if (it->place == AT_TOP || it->place == IN_BOTH || it->place == APART || it->place == HALF) add_place(out, it, 0);
  if (it->place == IN_SPAN || it->place == IN_BOTH || it->place == APART) {
    ee_buffer_add_text(out, ",\"span\":{\"x\":1");
    add_place(out, it, it->place == APART);
    ee_buffer_add_char(out, '}');
  }
  ee_buffer_add_char(out, '}');
}

/* Parsed, in a fence, or no JSON at all. */
static inline void add_answer(ee_buffer *out, const answer *run) {
  if (run->unreadable) {
    ee_buffer_add_text(out, "\"no idea\"");
    return;
  }
  ee_buffer_add_text(out, "{\"extractions\":[");
  for (size_t i = 0; i < run->count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    add_item(out, &run->items[i]);
  }
  ee_buffer_add_text(out, "]}");
}

static inline void print_record(const record *r, size_t number, ee_buffer *out) {
  static const char *const kinds[] = {"non_empty", "empty_by_evidence", "empty_by_failure"};
  ee_buffer_clear(out);
  ee_buffer_addf(out, "{\"caseId\":\"case-%zu\",\"documentText\":", number);
  add_word(out, &r->document);
  if (r->has_gold) {
    ee_buffer_add_text(out, r->has_expected ? ",\"goldSpans\":[" : ",\"expected\":[");
    for (size_t i = 0; i < r->gold_count; i++) {
      const gold_span *gold = &r->gold[i];
      ee_buffer_addf(out,
                     "%s{\"extractionClass\":\"%s\",\"charStart\":%zu,\"charEnd\":%zu,\"quote\":", i > 0 ? "," : "",
                     class_names[gold->name], gold->start, gold->end);
      add_word(out, &gold->quote);
      ee_buffer_add_char(out, '}');
    }
    ee_buffer_add_char(out, ']');
  }
  if (r->has_expected)
    ee_buffer_addf(out, ",\"expected\":{\"emptyResultKind\":\"%s\",\"minExtractions\":%zu,\"maxExtractions\":%zu}",
                   kinds[r->kind], r->least, r->most);
  ee_buffer_add_text(out, ",\"providerResponseText\":");
  add_answer(out, &r->runs[0]);
  ee_buffer_add_text(out, ",\"providerResponseTexts\":[");
  for (size_t i = 1; i < r->run_count; i++) {
    if (i > 1) ee_buffer_add_char(out, ',');
    add_answer(out, &r->runs[i]);
  }
  ee_buffer_add_text(out, "]}");
}

#endif
