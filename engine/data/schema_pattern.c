/* schema_pattern.c: PCRE2 behind schema_pattern.h, with memory from arenas only. */
#include "data/schema_pattern.h"

#ifdef EE_WITH_PCRE2

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "data/ecma_pattern.h"

/* Kilobytes that one search may take for going back. */
#define HEAP_LIMIT 16384u

struct ee_schema_pattern {
  pcre2_code *code;
};

struct ee_pattern_matcher {
  pcre2_match_context *context;
  pcre2_match_data *data;
  uint32_t given_up;
};

static void *take(size_t size, void *arena) { return ee_arena_alloc(arena, size); }
/* The arena gives everything back at once. */
static void give_back(void *memory, void *arena) { (void)memory, (void)arena; }

const ee_schema_pattern *ee_schema_pattern_compile(ee_arena *arena, ee_str text, const char **why) {
  ee_str rewritten;
  if (!ee_ecma_pattern_rewrite(arena, text, &rewritten, why)) return NULL;
  pcre2_compile_context *context = pcre2_compile_context_create(pcre2_general_context_create(take, give_back, arena));
  const uint32_t options =
      PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C;
  int number;
  PCRE2_SIZE offset;
  pcre2_code *code = pcre2_compile((PCRE2_SPTR)rewritten.data, rewritten.length, options, &number, &offset, context);
  if (code == NULL) {
    char message[200] = "";
    pcre2_get_error_message(number, (PCRE2_UCHAR *)message, sizeof message);
    *why = ee_arena_printf(arena, "%s", message);
    return NULL;
  }
  ee_schema_pattern *pattern = EE_NEW(arena, ee_schema_pattern);
  pattern->code = code;
  return pattern;
}

ee_pattern_matcher *ee_pattern_matcher_new(ee_arena *arena) {
  ee_pattern_matcher *matcher = EE_NEW(arena, ee_pattern_matcher);
  pcre2_general_context *memory = pcre2_general_context_create(take, give_back, arena);
  matcher->context = pcre2_match_context_create(memory);
  matcher->data = pcre2_match_data_create(1, memory);
  pcre2_set_heap_limit(matcher->context, HEAP_LIMIT);
  return matcher;
}

ee_pattern_found ee_schema_pattern_find(ee_pattern_matcher *matcher, const ee_schema_pattern *pattern, ee_str text) {
  /* All searches that are given up cost together the limit times a logarithm, however many there are. */
  pcre2_set_match_limit(matcher->context, EE_PATTERN_STEPS / (1 + matcher->given_up));
  int found = pcre2_match(pattern->code, (PCRE2_SPTR)text.data, text.length, 0, PCRE2_NO_UTF_CHECK, matcher->data,
                          matcher->context);
  if (found >= 0) return EE_PATTERN_FOUND;
  if (found == PCRE2_ERROR_NOMATCH) return EE_PATTERN_ABSENT;
  matcher->given_up++;
  return EE_PATTERN_GIVEN_UP;
}

#else

struct ee_pattern_matcher {
  ee_arena *arena;
};

const ee_schema_pattern *ee_schema_pattern_compile(ee_arena *arena, ee_str text, const char **why) {
  (void)arena, (void)text;
  *why = "this program was built without PCRE2, which patterns need";
  return NULL;
}

ee_pattern_matcher *ee_pattern_matcher_new(ee_arena *arena) { return EE_NEW(arena, ee_pattern_matcher); }

/* There is no pattern that could get here. */
ee_pattern_found ee_schema_pattern_find(ee_pattern_matcher *matcher, const ee_schema_pattern *pattern, ee_str text) {
  (void)matcher, (void)pattern, (void)text;
  return EE_PATTERN_GIVEN_UP;
}

#endif
