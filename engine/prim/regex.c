/* regex.c: searches with PCRE2; memory comes from arenas only. */
#include "prim/regex.h"

#ifdef EE_WITH_PCRE2

#include "base/work.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Kilobytes of heap for backtracking in one search. */
#define HEAP_LIMIT 16384u

/* Further steps that a search may take for each byte of its text, so that a linear search is never given up. */
#define STEPS_A_BYTE 16u
/* Limit for all searches of a matcher together, beside the steps for each byte. */
#define STEPS_IN_ALL ((uint64_t)10 * EE_PATTERN_STEPS)

struct ee_pattern {
  pcre2_code *code;
  const char *text; /* as it was compiled */
};

/* Work: units of a step of a search. */
#define STEP_WORK 10

struct ee_pattern_matcher {
  ee_arena *arena;
  uint64_t allocations;
  pcre2_match_context *context;
  pcre2_match_data *data;
  uint64_t given_up;
  uint64_t left; /* of STEPS_IN_ALL */
  /* The current search. */
  const ee_pattern *pattern;
  uint64_t steps, max_steps;
  size_t place; /* in the text at the last step */
};

static void *take(size_t size, void *arena) { return ee_arena_alloc(arena, size); }
static void *take_for_search(size_t size, void *matcher) {
  ee_pattern_matcher *self = matcher;
  self->allocations++;
  return ee_arena_alloc(self->arena, size);
}
/* The arena frees everything at once. */
static void give_back(void *memory, void *user) { (void)memory, (void)user; }

/* Called before each item of the pattern. PCRE2's own limit is not enough: it restarts at each place where a match may
 * start, and does not count the bytes that repeats and references to groups run over. */
static int count_step(pcre2_callout_block *block, void *user) {
  ee_pattern_matcher *self = user;
  self->steps++;
  if (block->current_position > self->place) self->steps += block->current_position - self->place;
  self->place = block->current_position;
  const char *item = self->pattern->text + block->pattern_position;
  bool reference = block->next_item_length > 1 && item[0] == '\\' && (item[1] == 'g' || item[1] == 'k');
  if (reference) self->steps += block->current_position - block->start_match;
  return self->steps > self->max_steps ? PCRE2_ERROR_CALLOUT : 0;
}

const ee_pattern *ee_pattern_compile(ee_arena *arena, ee_str text, const char **why) {
  pcre2_compile_context *context = pcre2_compile_context_create(pcre2_general_context_create(take, give_back, arena));
  const uint32_t options =
      PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C;
  int number;
  PCRE2_SIZE offset;
  pcre2_code *code =
      pcre2_compile((PCRE2_SPTR)text.data, text.length, options | PCRE2_AUTO_CALLOUT, &number, &offset, context);
  /* Callouts make the code longer. A very long pattern is searched with PCRE2's own limit only. */
  if (code == NULL && number == PCRE2_ERROR_PATTERN_TOO_LARGE)
    code = pcre2_compile((PCRE2_SPTR)text.data, text.length, options, &number, &offset, context);
  if (code == NULL) {
    char message[200] = "";
    pcre2_get_error_message(number, (PCRE2_UCHAR *)message, sizeof message);
    *why = ee_arena_printf(arena, "%s", message);
    return NULL;
  }
  ee_pattern *pattern = EE_NEW(arena, ee_pattern);
  pattern->code = code;
  pattern->text = text.data;
  return pattern;
}

ee_pattern_matcher *ee_pattern_matcher_new(ee_arena *arena) {
  ee_pattern_matcher *matcher = EE_NEW(arena, ee_pattern_matcher);
  matcher->arena = arena;
  pcre2_general_context *memory = pcre2_general_context_create(take_for_search, give_back, matcher);
  matcher->context = pcre2_match_context_create(memory);
  matcher->data = pcre2_match_data_create(1, memory);
  pcre2_set_heap_limit(matcher->context, HEAP_LIMIT);
  pcre2_set_callout(matcher->context, count_step, matcher);
  matcher->left = STEPS_IN_ALL;
  return matcher;
}

uint64_t ee_pattern_steps(const ee_pattern_matcher *matcher) { return matcher->steps; }
uint64_t ee_pattern_allocations(const ee_pattern_matcher *matcher) { return matcher->allocations; }

ee_pattern_found ee_pattern_find(ee_pattern_matcher *matcher, const ee_pattern *pattern, ee_str text) {
  /* The limit shrinks with each search that is given up, so that all of them together cost at most twice the limit. */
  uint64_t times = 1 + matcher->given_up, limit = EE_PATTERN_STEPS / (times < 1000 ? times * times : 1000000);
  uint64_t linear = (uint64_t)text.length * STEPS_A_BYTE;
  if (limit > matcher->left) limit = matcher->left;
  matcher->pattern = pattern;
  matcher->steps = matcher->place = 0;
  matcher->max_steps = linear + limit;
  uint64_t steps = matcher->max_steps + 1;
  if (steps > UINT32_MAX) steps = UINT32_MAX; /* unreached: a text of 256 MB */
  pcre2_set_match_limit(matcher->context, (uint32_t)steps);
  int found = pcre2_match(pattern->code, (PCRE2_SPTR)text.data, text.length, 0, PCRE2_NO_UTF_CHECK, matcher->data,
                          matcher->context);
  ee_work(STEP_WORK * matcher->steps + text.length);
  uint64_t beyond = matcher->steps > linear ? matcher->steps - linear : 0;
  matcher->left -= beyond < matcher->left ? beyond : matcher->left;
  if (found >= 0) return EE_PATTERN_FOUND;
  if (found == PCRE2_ERROR_NOMATCH) return EE_PATTERN_ABSENT;
  matcher->given_up++;
  return EE_PATTERN_GIVEN_UP;
}

#else

struct ee_pattern_matcher {
  ee_arena *arena;
};

const ee_pattern *ee_pattern_compile(ee_arena *arena, ee_str text, const char **why) {
  (void)arena, (void)text;
  *why = "this program was built without PCRE2, which patterns need";
  return NULL;
}

ee_pattern_matcher *ee_pattern_matcher_new(ee_arena *arena) { return EE_NEW(arena, ee_pattern_matcher); }

uint64_t ee_pattern_steps(const ee_pattern_matcher *matcher) {
  (void)matcher;
  return 0;
}

uint64_t ee_pattern_allocations(const ee_pattern_matcher *matcher) {
  (void)matcher;
  return 0;
}

/* Never called, since no pattern compiles. */
ee_pattern_found ee_pattern_find(ee_pattern_matcher *matcher, const ee_pattern *pattern, ee_str text) {
  (void)matcher, (void)pattern, (void)text;
  return EE_PATTERN_GIVEN_UP;
}

#endif
