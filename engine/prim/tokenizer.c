/* tokenizer.c: texts as tokens. */
#include "prim/tokenizer.h"

#include <utf8proc.h>

#include "base/hash_index.h"
#include "base/list.h"
#include "base/work.h"
#include "prim/normalize.h"

/* Units of a byte, which is looked at twice. */
#define BYTE_WORK 4

typedef struct token_list {
  EE_LIST(ee_str);
} token_list;

/* The code point at `text[at]` and its length in bytes, at least 1. */
static size_t code_point_at(ee_str text, size_t at, uint32_t *code_point) {
  *code_point = (unsigned char)text.data[at]; // NOLINT(clang-analyzer-core.NullDereference) as below
  if (*code_point < 0x80) return 1;
  size_t bytes = ee_utf8_decode(text.data + at, text.length - at, code_point);
  return bytes > 0 ? bytes : 1;
}

/* Runs of code points ------------------------------------------------------------------------------ */

static bool is_not_space(uint32_t code_point) {
  if (code_point < 0x80) return code_point != ' ' && (code_point < 9 || code_point > 13);
  return !ee_is_space(code_point);
}

/* The first run of code points from `at` on that `belongs` is true for, or an empty slice. */
static inline __attribute__((always_inline)) ee_str next_run(ee_str text, size_t at, bool (*belongs)(uint32_t)) {
  size_t start = text.length;
  while (at < text.length) {
    uint32_t code_point;
    size_t bytes = code_point_at(text, at, &code_point);
    bool is_part = belongs(code_point);
    if (!is_part && start < text.length) break;
    if (is_part && start == text.length) start = at;
    at += bytes;
  }
  if (start == text.length) return (ee_str){NULL, 0};
  return (ee_str){text.data + start, at - start};
}

static inline __attribute__((always_inline)) size_t split_runs(ee_str text, bool (*belongs)(uint32_t), ee_arena *arena,
                                                               ee_str **tokens) {
  size_t count = 0;
  for (ee_str token = next_run(text, 0, belongs); token.length > 0; count++)
    token = next_run(text, (size_t)(token.data - text.data) + token.length, belongs);
  ee_str *list = ee_arena_calloc(arena, count, sizeof(ee_str));
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    list[i] = next_run(text, at, belongs);
    at = (size_t)(list[i].data - text.data) + list[i].length;
  }
  *tokens = list;
  return count;
}

static size_t split_space(ee_str text, ee_arena *arena, ee_str **tokens) {
  return split_runs(text, is_not_space, arena, tokens);
}

static size_t split_words(ee_str text, ee_arena *arena, ee_str **tokens) {
  return split_runs(text, ee_is_alnum, arena, tokens);
}

/* Code points as code_point_at() takes them, a bad byte as one. */
static size_t count_points(ee_str text) {
  size_t count = 0;
  uint32_t code_point;
  for (size_t at = 0; at < text.length; count++) at += code_point_at(text, at, &code_point);
  return count;
}

static size_t split_characters(ee_str text, ee_arena *arena, ee_str **tokens) {
  ee_str *list = ee_arena_alloc(arena, count_points(text) * sizeof *list);
  size_t count = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point;
    size_t bytes = code_point_at(text, at, &code_point);
    if (is_not_space(code_point)) list[count++] = (ee_str){text.data + at, bytes};
    at += bytes;
  }
  *tokens = list;
  return count;
}

static size_t split_ngrams(ee_str text, size_t n, ee_arena *arena, ee_str **tokens) {
  size_t points = count_points(text);
  size_t count = points == 0 ? 0 : points < n ? 1 : points - n + 1, first = 0, last = 0;
  ee_str *list = ee_arena_alloc(arena, count * sizeof *list);
  uint32_t code_point;
  for (size_t i = 0; i + 1 < n && last < text.length; i++) last += code_point_at(text, last, &code_point);
  for (size_t i = 0; i < count; i++) {
    if (last < text.length) last += code_point_at(text, last, &code_point);
    list[i] = (ee_str){text.data + first, last - first};
    first += code_point_at(text, first, &code_point);
  }
  *tokens = list;
  return count;
}

/* Tokenizers of machine translation ---------------------------------------------------------------- */

/* clang's analyzer loses the pointer of a text on the way through these steps: on one path it assumes that `data` is
 * not NULL, and stores NULL where the text is given on. Texts that have a length have bytes. */
// NOLINTBEGIN(clang-analyzer-core.NullDereference,clang-analyzer-core.NonNullParamChecker)

/* A step that sets punctuation apart: appends to `out` (NULL: only counts) what it makes of `text`, and returns its
 * length. */
typedef size_t step(ee_str text, char *out);

static ee_str take_step(ee_str text, step *take, ee_arena *arena) {
  size_t length = take(text, NULL);
  char *out = ee_arena_alloc(arena, length);
  take(text, out);
  return (ee_str){out, length};
}

static size_t put(char *out, size_t at, const char *bytes, size_t count) {
  if (out != NULL) memcpy(out + at, bytes, count);
  return at + count;
}

static ee_str replace_all(ee_str text, ee_str from, ee_str to, ee_arena *arena) {
  char *out = ee_arena_alloc(arena, text.length); /* `to` is not longer than `from` */
  size_t length = 0;
  for (size_t at = 0; at < text.length;) {
    bool is_here = text.length - at >= from.length && memcmp(text.data + at, from.data, from.length) == 0;
    length = is_here ? put(out, length, to.data, to.length) : put(out, length, text.data + at, 1);
    at += is_here ? from.length : 1;
  }
  return (ee_str){out, length};
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_stop(char c) { return c == '.' || c == ','; }

/* Spaces around ASCII punctuation but the apostrophe, comma, hyphen and full stop. */
static size_t part_punctuation(ee_str text, char *out) {
  size_t length = 0;
  for (size_t at = 0; at < text.length; at++) {
    char c = text.data[at];
    bool is_apart = (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
                    (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
    const char parts[3] = {' ', c, ' '};
    length = is_apart ? put(out, length, parts, 3) : put(out, length, &c, 1);
  }
  return length;
}

/* Full stops and commas apart from what is before them, unless that is a digit. Looking at bytes is the same as looking
 * at code points: no byte of a longer one is a digit, a full stop or a comma. */
static size_t part_after(ee_str text, char *out) {
  size_t length = 0;
  for (size_t at = 0; at < text.length; at++) {
    char c = text.data[at];
    if (!is_digit(c) && at + 1 < text.length && is_stop(text.data[at + 1])) {
      const char parts[4] = {c, ' ', text.data[++at], ' '};
      length = put(out, length, parts, 4);
    } else {
      length = put(out, length, &c, 1);
    }
  }
  return length;
}

/* The same of what follows them. */
static size_t part_before(ee_str text, char *out) {
  size_t length = 0;
  for (size_t at = 0; at < text.length; at++) {
    char c = text.data[at];
    /* unreached: the text ends in a space */
    if (is_stop(c) && at + 1 < text.length && !is_digit(text.data[at + 1])) {
      const char parts[4] = {' ', c, ' ', text.data[++at]};
      length = put(out, length, parts, 4);
    } else {
      length = put(out, length, &c, 1);
    }
  }
  return length;
}

/* A hyphen apart from a digit before it. */
static size_t part_hyphens(ee_str text, char *out) {
  size_t length = 0;
  for (size_t at = 0; at < text.length; at++) {
    char c = text.data[at];
    /* unreached: as above */
    if (is_digit(c) && at + 1 < text.length && text.data[at + 1] == '-') {
      const char parts[4] = {c, ' ', text.data[++at], ' '};
      length = put(out, length, parts, 4);
    } else {
      length = put(out, length, &c, 1);
    }
  }
  return length;
}

static ee_str with_spaces_around(ee_str text, ee_arena *arena) {
  char *out = ee_arena_alloc(arena, text.length + 2);
  out[0] = ' ';
  memcpy(out + 1, text.data, text.length);
  out[text.length + 1] = ' ';
  return (ee_str){out, text.length + 2};
}

// NOLINTEND(clang-analyzer-core.NullDereference,clang-analyzer-core.NonNullParamChecker)

/* Its steps, one after the other, are those of mteval-v13a.pl for Western languages, as sacrebleu takes them. */
static size_t split_13a(ee_str text, ee_arena *arena, ee_str **tokens) {
  if (text.length == 0) return split_space(text, arena, tokens);
  text = replace_all(text, EE_STR("<skipped>"), EE_STR(""), arena);
  text = replace_all(text, EE_STR("-\n"), EE_STR(""), arena);
  text = replace_all(text, EE_STR("&quot;"), EE_STR("\""), arena);
  text = replace_all(text, EE_STR("&amp;"), EE_STR("&"), arena);
  text = replace_all(text, EE_STR("&lt;"), EE_STR("<"), arena);
  text = replace_all(text, EE_STR("&gt;"), EE_STR(">"), arena);
  text = with_spaces_around(text, arena);
  text = take_step(text, part_punctuation, arena);
  text = take_step(text, part_after, arena);
  text = take_step(text, part_before, arena);
  text = take_step(text, part_hyphens, arena);
  return split_space(text, arena, tokens);
}

static bool is_category(uint32_t code_point, utf8proc_category_t first, utf8proc_category_t last) {
  utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code_point);
  return category >= first && category <= last;
}
static bool is_number(uint32_t c) { return is_category(c, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO); }
static bool is_punctuation(uint32_t c) { return is_category(c, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO); }
static bool is_symbol(uint32_t c) { return is_category(c, UTF8PROC_CATEGORY_SM, UTF8PROC_CATEGORY_SO); }

/* Sets apart the punctuation of pairs of code points that `is_pair` is true for; `after`: it is the second of them. */
static size_t part_pairs(ee_str text, char *out, bool (*is_pair)(uint32_t, uint32_t), bool after) {
  size_t length = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t first, second;
    size_t bytes = code_point_at(text, at, &first), next = at + bytes;
    size_t more = next < text.length ? code_point_at(text, next, &second) : 0;
    bool is_apart = more > 0 && is_pair(first, second);
    if (is_apart && !after) length = put(out, length, " ", 1);
    length = put(out, length, text.data + at, bytes);
    if (is_apart) {
      length = put(out, length, " ", 1);
      length = put(out, length, text.data + next, more);
      if (after) length = put(out, length, " ", 1);
      next += more;
    }
    at = next;
  }
  return length;
}

static bool ends_in_punctuation(uint32_t first, uint32_t second) { return !is_number(first) && is_punctuation(second); }
static bool begins_with_punctuation(uint32_t first, uint32_t second) {
  return is_punctuation(first) && !is_number(second);
}
static size_t part_after_any(ee_str text, char *out) { return part_pairs(text, out, ends_in_punctuation, true); }
static size_t part_before_any(ee_str text, char *out) { return part_pairs(text, out, begins_with_punctuation, false); }

static size_t part_symbols(ee_str text, char *out) {
  size_t length = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point;
    size_t bytes = code_point_at(text, at, &code_point);
    bool is_apart = is_symbol(code_point);
    if (is_apart) length = put(out, length, " ", 1);
    length = put(out, length, text.data + at, bytes);
    if (is_apart) length = put(out, length, " ", 1);
    at += bytes;
  }
  return length;
}

/* The steps of mteval-v14.pl with international tokenization, as sacrebleu takes them. */
static size_t split_intl(ee_str text, ee_arena *arena, ee_str **tokens) {
  text = take_step(text, part_after_any, arena);
  text = take_step(text, part_before_any, arena);
  text = take_step(text, part_symbols, arena);
  return split_space(text, arena, tokens);
}

/* All -------------------------------------------------------------------------------------------- */

size_t ee_tokens(ee_str text, ee_tokenizer tokenizer, ee_arena *arena, ee_str **tokens) {
  static const uint8_t squad[] = {EE_NORMAL_SQUAD}, casefold[] = {EE_NORMAL_CASEFOLD};
  ee_work(BYTE_WORK * (uint64_t)text.length);
  switch (tokenizer.kind) {
  case EE_TOKEN_WORDS: return split_words(text, arena, tokens);
  case EE_TOKEN_CHARACTERS: return split_characters(text, arena, tokens);
  case EE_TOKEN_NGRAMS: return split_ngrams(text, tokenizer.n, arena, tokens);
  case EE_TOKEN_SQUAD: return split_space(ee_normalize(text, squad, 1, arena), arena, tokens);
  case EE_TOKEN_ROUGE: return split_words(ee_normalize(text, casefold, 1, arena), arena, tokens);
  case EE_TOKEN_13A: return split_13a(text, arena, tokens);
  case EE_TOKEN_INTL: return split_intl(text, arena, tokens);
  default: return split_space(text, arena, tokens); /* EE_TOKEN_WHITESPACE */
  }
}

static void number_some(const ee_str *tokens, size_t count, ee_hash_index *index, token_list *known, ee_arena *arena,
                        ee_symbols *symbols) {
  uint32_t *numbers = ee_arena_alloc(arena, count * sizeof *numbers);
  for (size_t i = 0; i < count; i++) {
    uint64_t hash = ee_hash_bytes(tokens[i].data, tokens[i].length, 0);
    size_t at = 0, number = known->count, found;
    while (ee_hash_index_next(index, hash, &at, &found)) {
      if (!ee_str_equal(known->items[found], tokens[i])) continue; /* unreached: two tokens of one hash */
      number = found;
      break;
    }
    if (number == known->count) {
      known->items[known->count++] = tokens[i];
      ee_hash_index_add(index, hash, number);
    }
    numbers[i] = (uint32_t)number;
  }
  *symbols = (ee_symbols){numbers, count};
}

void ee_number_tokens(const ee_str *a, size_t a_count, const ee_str *b, size_t b_count, ee_arena *arena, ee_symbols *x,
                      ee_symbols *y) {
  ee_hash_index index = {.arena = arena};
  token_list known = {NULL, 0, 0};
  EE_LIST_RESERVE(&known, arena, a_count + b_count);
  ee_hash_index_reserve(&index, a_count + b_count);
  number_some(a, a_count, &index, &known, arena, x);
  number_some(b, b_count, &index, &known, arena, y);
}

void ee_token_symbols(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *arena, ee_symbols *x, ee_symbols *y) {
  ee_str *a_tokens, *b_tokens;
  size_t a_count = ee_tokens(a, tokenizer, arena, &a_tokens), b_count = ee_tokens(b, tokenizer, arena, &b_tokens);
  ee_number_tokens(a_tokens, a_count, b_tokens, b_count, arena, x, y);
}
