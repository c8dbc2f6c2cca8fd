/* fuzz_pattern.c: patterns of JSON Schema, searched in a text.
 *
 * The first line is a pattern, the rest the text. The answer does not depend on earlier searches, and a pattern that is
 * escaped punctuation and letters is found where its text is. */
#include "data/schema/schema_pattern.h"
#include "fuzz/fuzz.h"

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  fuzz_source source = fuzz_source_of(data, size);
  ee_str text = fuzz_utf8(fuzz_line(&source)), subject = fuzz_utf8(fuzz_rest(&source));
  const char *why = NULL;
  const ee_pattern *pattern = ee_schema_pattern_compile(&arena, text, &why);
  fuzz_require((pattern == NULL) == (why != NULL));
  if (pattern != NULL) {
    ee_pattern_found found = ee_pattern_find(ee_pattern_matcher_new(&arena), pattern, subject);
    ee_pattern_matcher *matcher = ee_pattern_matcher_new(&arena);
    (void)ee_pattern_find(matcher, pattern, text);
    ee_pattern_found again = ee_pattern_find(matcher, pattern, subject);
    fuzz_require(found == again || found == EE_PATTERN_GIVEN_UP || again == EE_PATTERN_GIVEN_UP);
  }
  bool plain = text.length > 0;
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    plain = plain && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ' ' || (unsigned char)c >= 0x80);
  }
  if (plain && pattern != NULL) {
    bool there = memmem(subject.data, subject.length, text.data, text.length) != NULL;
    fuzz_require(ee_pattern_find(ee_pattern_matcher_new(&arena), pattern, subject) ==
                 (there ? EE_PATTERN_FOUND : EE_PATTERN_ABSENT));
  }
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(1024)
