/* local_words.c: the words of a text, as the local provider compares them.
 *
 * A text is folded as a whole (NFKC, case, digits of all scripts, apostrophes) and cut into words. The stems of words
 * are kept in a table, because stemming costs several times as much as everything else and texts of one data set share
 * their words. */
#include "provider/local_words.h"

#include <string.h>
#include <utf8proc.h>
#ifdef EE_WITH_STEMMER
#include <libstemmer.h>
#endif

#include "base/error.h"
#include "base/hash_index.h"
#include "base/late_library.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/pool.h"
#include "prim/normalize.h"
#include "prim/number.h"

#ifdef EE_WITH_STEMMER
#define FUNCTIONS(FUNCTION)                                                                                            \
  FUNCTION(sb_stemmer_delete, delete)                                                                                  \
  FUNCTION(sb_stemmer_length, length)                                                                                  \
  FUNCTION(sb_stemmer_list, list)                                                                                      \
  FUNCTION(sb_stemmer_new, new)                                                                                        \
  FUNCTION(sb_stemmer_stem, stem)

static struct { FUNCTIONS(EE_LATE_MEMBER) } stemmers = {FUNCTIONS(EE_LATE_VALUE(EE_STEMMER_LINKED))};
static ee_late_library library = {
    EE_STEMMER_FILE, "libstemmer0d", {FUNCTIONS(EE_LATE_NAME)}, &stemmers, EE_STEMMER_LINKED};
#endif

/* The table of stems: a word has two possible places, and a new one replaces the older of the two. Words of more than
 * MEMO_BYTES are stemmed each time, words of more than MAX_STEMMED bytes not at all. */
enum { MEMO_PAIRS = 4096, MEMO_BYTES = 23, MAX_STEMMED = 128 };

typedef struct memo {
  uint64_t key_hash;
  uint64_t stem_hash;
  char key[MEMO_BYTES];
  uint8_t key_length; /* 0: free */
  char stem[MEMO_BYTES];
  uint8_t stem_length : 7;
  uint8_t is_stop_word : 1;
} memo;

struct ee_word_reader {
#ifdef EE_WITH_STEMMER
  struct sb_stemmer *stemmer;
  ee_cleanup cleanup;
#endif
  bool is_english;
  memo *memos; /* 2 * MEMO_PAIRS */
};

/* The text is valid until the next word is looked up. */
typedef struct stem {
  ee_str text;
  uint64_t hash;
  bool is_stop_word;
} stem;

/* The words read so far, in `arena`. */
typedef struct word_list {
  EE_LIST(ee_word);
  bool keep_stop_words;
  ee_arena *arena;
} word_list;

/* Stop words ----------------------------------------------------------------------------------- */

/* Articles, pronouns, prepositions, conjunctions and auxiliary verbs of English, sorted bytewise. Left out: negations
 * ("no", "nor", "not", "without"), prepositions that compare ("above", "after", "under"), and words that in lower case
 * often mean something else ("may", the month; "us", the country). */
static const char *const english_stop_words[] = {
    "a",       "about",      "across",     "along",   "although", "am",      "among", "an",       "and",
    "are",     "around",     "as",         "at",      "be",       "because", "been",  "being",    "beside",
    "besides", "between",    "but",        "by",      "can",      "could",   "did",   "do",       "does",
    "doing",   "during",     "for",        "from",    "had",      "has",     "have",  "having",   "he",
    "her",     "hers",       "herself",    "him",     "himself",  "his",     "i",     "if",       "in",
    "into",    "is",         "it",         "its",     "itself",   "me",      "might", "mine",     "must",
    "my",      "myself",     "of",         "on",      "onto",     "or",      "our",   "ours",     "ourselves",
    "per",     "shall",      "she",        "should",  "so",       "than",    "that",  "the",      "their",
    "theirs",  "them",       "themselves", "there",   "these",    "they",    "this",  "those",    "though",
    "through", "throughout", "to",         "toward",  "towards",  "upon",    "via",   "was",      "we",
    "were",    "what",       "whereas",    "whether", "which",    "while",   "who",   "whom",     "whose",
    "will",    "with",       "within",     "would",   "you",      "your",    "yours", "yourself", "yourselves",
};

static bool is_english_stop_word(ee_str word) {
  size_t from = 0, to = sizeof english_stop_words / sizeof *english_stop_words;
  while (from < to) {
    size_t middle = (from + to) / 2;
    int order = ee_str_compare(word, ee_str_from(english_stop_words[middle]));
    if (order == 0) return true;
    if (order < 0)
      to = middle;
    else
      from = middle + 1;
  }
  return false;
}

/* Stems ---------------------------------------------------------------------------------------- */

static bool has_ascii_digit(ee_str word) {
  for (size_t i = 0; i < word.length; i++) {
    if ((unsigned char)(word.data[i] - '0') < 10) return true;
  }
  return false;
}

/* A word with digits is a name ("b12", "iso9001") and has no stem. */
static ee_str stem_text(ee_word_reader *reader, ee_str word) {
#ifdef EE_WITH_STEMMER
  if (word.length > MAX_STEMMED || has_ascii_digit(word)) return word;
  const sb_symbol *text = stemmers.stem(reader->stemmer, (const sb_symbol *)word.data, (int)word.length);
  if (text == NULL) ee_out_of_memory();
  int length = stemmers.length(reader->stemmer);
  if (length > 0) return (ee_str){(const char *)text, (size_t)length};
#else
  (void)reader;
  (void)has_ascii_digit;
#endif
  return word;
}

static stem find_stem(ee_word_reader *reader, ee_str word) {
  uint64_t hash = ee_hash_bytes(word.data, word.length, 0);
  memo *pair = &reader->memos[2 * (hash % MEMO_PAIRS)];
  for (memo *m = pair; m < pair + 2 && word.length <= MEMO_BYTES; m++) {
    /* unreached: two words of one hash */
    if (m->key_hash == hash && m->key_length == word.length && memcmp(m->key, word.data, word.length) == 0)
      return (stem){{m->stem, m->stem_length}, m->stem_hash, m->is_stop_word};
  }
  stem found = {.text = stem_text(reader, word), .is_stop_word = reader->is_english && is_english_stop_word(word)};
  found.hash = ee_hash_bytes(found.text.data, found.text.length, 0);
  if (word.length <= MEMO_BYTES && found.text.length <= MEMO_BYTES) {
    pair[1] = pair[0];
    pair[0] = (memo){.key_hash = hash,
                     .stem_hash = found.hash,
                     .key_length = (uint8_t)word.length,
                     .stem_length = (uint8_t)(found.text.length & 0x7f),
                     .is_stop_word = found.is_stop_word};
    memcpy(pair[0].key, word.data, word.length);
    memcpy(pair[0].stem, found.text.data, found.text.length);
  }
  return found;
}

/* The list ------------------------------------------------------------------------------------- */

static void append(word_list *list, ee_word word) { *EE_LIST_ADD(list, list->arena) = word; }

static void append_copy(word_list *list, ee_str text, uint64_t hash) {
  char *copy = ee_arena_alloc(list->arena, text.length);
  memcpy(copy, text.data, text.length);
  append(list, (ee_word){{copy, text.length}, hash, false});
}

static void append_stem(ee_word_reader *reader, word_list *list, ee_str word) {
  if (reader->is_english && ee_str_equal(word, EE_STR("cannot"))) {
    append_stem(reader, list, EE_STR("can"));
    word = EE_STR("not");
  }
  stem found = find_stem(reader, word);
  if (!found.is_stop_word || list->keep_stop_words) append_copy(list, found.text, found.hash);
}

/* Numbers -------------------------------------------------------------------------------------- */

/* Appends the number of the plain decimal text `digits` ("007", "1.50"). Equal values get equal texts: without
 * redundant zeros, without a minus before 0. */
static void append_decimal(word_list *list, ee_str digits, bool negative) {
  const char *from = digits.data, *end = from + digits.length;
  const char *point = memchr(from, '.', digits.length);
  const char *whole_end = point != NULL ? point : end;
  while (point != NULL && end > point && (end[-1] == '0' || end[-1] == '.')) end--;
  while (from < whole_end && *from == '0') from++;
  if (from == end) negative = false; /* zero */
  char *text = ee_arena_alloc(list->arena, (size_t)(end - from) + 2), *out = text;
  if (negative) *out++ = '-';
  if (from == whole_end) *out++ = '0';
  memcpy(out, from, (size_t)(end - from));
  out += end - from;
  ee_str value = {text, (size_t)(out - text)};
  append(list, (ee_word){value, ee_hash_bytes(value.data, value.length, 1), true});
}

/* Appends a run of digits with points and commas: as one number if it reads as one ("1,234.5", or "1.234,5" if only
 * that makes sense), else each part as a number ("15.01.2024"). */
static void append_number(word_list *list, ee_str run, bool negative) {
  const char *first = run.data, *end = run.data + run.length;
  const char *comma = memchr(first, ',', run.length);
  const char *point = memchr(first, '.', run.length);
  bool one_point = point == NULL || memchr(point + 1, '.', (size_t)(end - point) - 1) == NULL;
  if (comma == NULL && one_point) {
    append_decimal(list, run, negative);
    return;
  }
  /* In "0,123" the comma is not a thousands separator. */
  bool grouped = comma == NULL || comma - first > 1 || *first != '0';
  double value;
  ee_str digits;
  if ((grouped && ee_number_parse(run, (ee_number_format){.decimal = '.'}, list->arena, &value, &digits)) ||
      ee_number_parse(run, (ee_number_format){.decimal = ','}, list->arena, &value, &digits)) {
    append_decimal(list, digits, negative);
    return;
  }
  for (const char *at = first; at < end; at++) {
    const char *part = at;
    while (at < end && *at != '.' && *at != ',') at++;
    append_decimal(list, (ee_str){part, (size_t)(at - part)}, negative);
    negative = false;
  }
}

/* Folding -------------------------------------------------------------------------------------- */

static utf8proc_category_t category_of(uint32_t code_point) { return utf8proc_category((utf8proc_int32_t)code_point); }

/* ee_words_read() is given valid UTF-8; a bad byte would be read as U+FFFD. */
static size_t code_point_at(ee_str text, size_t at, uint32_t *code_point) {
  size_t bytes = ee_utf8_decode(text.data + at, text.length - at, code_point);
  if (bytes > 0) return bytes; /* unreached: the text is valid UTF-8 */
  *code_point = 0xfffd;        /* unreached: the text is valid UTF-8 */
  return 1;                    /* unreached: the text is valid UTF-8 */
}

/* The ASCII form of a sign, if it has one, else the sign. 0 for an invisible character that does not separate words
 * (soft hyphen, joiners, variation selectors). */
static uint32_t plain_sign(uint32_t code_point) {
  switch (code_point) {
  case 0x2019:
  case 0x02bc: return '\'';
  case 0x2212: return '-';
  case 0x066b: return '.';
  case 0x066c: return ',';
  case 0x200b: return ' '; /* zero width space */
  default: break;
  }
  if ((code_point >= 0xfe00 && code_point <= 0xfe0f) || (code_point >= 0xe0100 && code_point <= 0xe01ef)) return 0;
  return category_of(code_point) == UTF8PROC_CATEGORY_CF ? 0 : code_point;
}

static ee_str fold(ee_str text, ee_arena *arena) {
  static const uint8_t forms[] = {EE_NORMAL_NFKC, EE_NORMAL_CASEFOLD}, digits[] = {EE_NORMAL_DIGITS};
  text = ee_normalize(text, forms, 2, arena);
  if (ee_is_ascii(text.data, text.length)) return text;
  char *out = ee_arena_alloc(arena, text.length);
  size_t length = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point;
    size_t bytes = code_point_at(text, at, &code_point);
    if (code_point < 0x80) {
      out[length++] = (char)code_point;
    } else if (category_of(code_point) == UTF8PROC_CATEGORY_ND) {
      out[length++] = ee_normalize((ee_str){text.data + at, bytes}, digits, 1, arena).data[0];
    } else if (plain_sign(code_point) == code_point) {
      memcpy(out + length, text.data + at, bytes);
      length += bytes;
    } else if (plain_sign(code_point) != 0) {
      out[length++] = (char)plain_sign(code_point);
    }
    at += bytes;
  }
  return (ee_str){out, length};
}

/* Cutting -------------------------------------------------------------------------------------- */

typedef enum kind {
  OTHER,
  SPACE,  /* white space and opening brackets: a minus after it is a sign */
  LETTER, /* at the beginning of a word and inside it */
  MARK,   /* only inside a word */
  DIGIT,
  ALONE /* a letter of a script without spaces: a word by itself */
} kind;

static const uint8_t ascii_kinds[128] = {
    ['\t'] = SPACE, ['\n'] = SPACE, ['\v'] = SPACE, ['\f'] = SPACE,        ['\r'] = SPACE,         [' '] = SPACE,
    ['('] = SPACE,  ['['] = SPACE,  ['{'] = SPACE,  ['0' ... '9'] = DIGIT, ['a' ... 'z'] = LETTER,
};

/* Han, Hiragana, Katakana and Thai. The caller has checked that `c` is a letter, mark or digit. */
static bool is_of_script_without_spaces(uint32_t c) {
  return (c >= 0x0e00 && c <= 0x0e7f) || (c >= 0x2e80 && c <= 0x2fdf) || (c >= 0x3005 && c <= 0x3007) ||
         (c >= 0x3021 && c <= 0x3029) || (c >= 0x3038 && c <= 0x303b) || (c >= 0x3041 && c <= 0x30ff) ||
         (c >= 0x31f0 && c <= 0x31ff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x4e00 && c <= 0x9fff) ||
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0x1aff0 && c <= 0x1b16f) || (c >= 0x20000 && c <= 0x3ffff);
}

static kind kind_of(uint32_t code_point) {
  if (ee_is_space(code_point)) return SPACE;
  utf8proc_category_t category = category_of(code_point);
  if (category == UTF8PROC_CATEGORY_PS) return SPACE;
  if (category < UTF8PROC_CATEGORY_LU || category > UTF8PROC_CATEGORY_NO) return OTHER;
  if (is_of_script_without_spaces(code_point)) return ALONE;
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME ? MARK : LETTER;
}

/* The kind of the character at `at`, and its length in bytes; OTHER of length 0 at the end. */
static kind look(ee_str text, size_t at, size_t *bytes) {
  *bytes = 0;
  if (at >= text.length) return OTHER;
  unsigned char byte = (unsigned char)text.data[at];
  *bytes = 1;
  if (byte < 0x80) return (kind)ascii_kinds[byte];
  uint32_t code_point;
  *bytes = code_point_at(text, at, &code_point);
  return kind_of(code_point);
}

static bool digit_at(ee_str text, size_t at) { return at < text.length && (unsigned char)(text.data[at] - '0') < 10; }

static bool ends_in(ee_str text, ee_str end) {
  return text.length >= end.length && memcmp(text.data + text.length - end.length, end.data, end.length) == 0;
}

/* Cuts a contracted word off the end of `word` and returns its full form: "" for 's, NULL when there is none. */
static const char *take_short_form(ee_str *word) {
  static const struct {
    ee_str end;
    const char *word;
  } forms[] = {{{"n't", 3}, "not"},  {{"'s", 2}, ""},      {{"'re", 3}, "are"}, {{"'ve", 3}, "have"},
               {{"'ll", 3}, "will"}, {{"'d", 2}, "would"}, {{"'m", 2}, "am"}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (word->length <= forms[i].end.length || !ends_in(*word, forms[i].end)) continue;
    word->length -= forms[i].end.length;
    if (i > 0) return forms[i].word;
    if (ee_str_is(*word, "ca")) *word = EE_STR("can");
    if (ee_str_is(*word, "wo")) *word = EE_STR("will");
    if (ee_str_is(*word, "sha")) *word = EE_STR("shall");
    if (ee_str_is(*word, "ai")) *word = EE_STR("is");
    return forms[i].word;
  }
  return NULL;
}

/* An English word with apostrophes inside: contracted words are appended in full, other apostrophes are dropped
 * ("o'brien"). */
static void append_contraction(ee_word_reader *reader, word_list *list, ee_str word) {
  enum { MAX_FORMS = 3 }; /* "couldn't've" has two */
  const char *after[MAX_FORMS];
  size_t count = 0;
  for (const char *form; count < MAX_FORMS && (form = take_short_form(&word)) != NULL;) {
    if (*form != '\0') after[count++] = form;
  }
  char *text = ee_arena_alloc(list->arena, word.length);
  size_t length = 0, digits = 0;
  for (size_t i = 0; i < word.length; i++) {
    if (word.data[i] == '\'') continue;
    digits += digit_at(word, i);
    text[length++] = word.data[i];
  }
  if (digits == length) /* "1990's" */
    append_decimal(list, (ee_str){text, length}, false);
  else
    append_stem(reader, list, (ee_str){text, length});
  while (count > 0) append_stem(reader, list, ee_str_from(after[--count]));
}

/* Reads the run of letters, marks and digits at `at`, and appends its words; returns where it ends. */
static size_t read_run(ee_word_reader *reader, word_list *list, ee_str text, size_t at, bool negative) {
  size_t start = at, bytes;
  bool only_digits = true, apostrophe = false;
  for (;;) {
    kind found = look(text, at, &bytes);
    if (found == LETTER || found == MARK) {
      only_digits = false;
    } else if (found != DIGIT) {
      size_t ignored;
      if (bytes == 0 || text.data[at] != '\'' || !reader->is_english || look(text, at + 1, &ignored) != LETTER) break;
      apostrophe = true;
      only_digits = false;
    }
    at += bytes;
  }
  if (only_digits) {
    while (at < text.length && (text.data[at] == '.' || text.data[at] == ',') && digit_at(text, at + 1)) {
      for (at++; digit_at(text, at);) at++;
    }
    append_number(list, (ee_str){text.data + start, at - start}, negative);
  } else if (apostrophe) {
    append_contraction(reader, list, (ee_str){text.data + start, at - start});
  } else {
    append_stem(reader, list, (ee_str){text.data + start, at - start});
  }
  return at;
}

/* The length of "-", "." or "-." at `at` when a digit follows; else 0. */
static size_t sign_before_number(ee_str text, size_t at, bool *negative, bool *point) {
  size_t start = at;
  *negative = text.data[at] == '-';
  at += *negative;
  *point = at < text.length && text.data[at] == '.';
  at += *point;
  return digit_at(text, at) ? at - start : 0;
}

/* ".5": the digits up to the end of their run are a fraction. */
static size_t read_fraction(word_list *list, ee_str text, size_t at, bool negative) {
  size_t end = at;
  while (digit_at(text, end)) end++;
  append_decimal(list, (ee_str){text.data + at - 1, end - at + 1}, negative);
  return end;
}

size_t ee_words_read(ee_word_reader *reader, ee_str text, bool keep_stop_words, ee_arena *arena, ee_word **words) {
  text = fold(text, arena);
  /* A word and its space take six bytes of English. */
  word_list list = {.keep_stop_words = keep_stop_words, .arena = arena};
  EE_LIST_RESERVE(&list, arena, text.length / 5 + 4);
  bool sign_is_possible = true;
  for (size_t at = 0, bytes; at < text.length;) {
    kind found = look(text, at, &bytes);
    bool negative = false, point = false;
    if (found == OTHER && sign_is_possible && (text.data[at] == '-' || text.data[at] == '.')) {
      size_t sign = sign_before_number(text, at, &negative, &point);
      if (sign > 0) {
        at += sign;
        found = DIGIT;
      }
    }
    sign_is_possible = found == SPACE;
    if (point && found == DIGIT) {
      at = read_fraction(&list, text, at, negative);
    } else if (found == LETTER || found == DIGIT) {
      at = read_run(reader, &list, text, at, negative);
    } else {
      if (found == ALONE) append_copy(&list, (ee_str){text.data + at, bytes}, ee_hash_bytes(text.data + at, bytes, 0));
      at += bytes;
    }
  }
  *words = list.items;
  return list.count;
}

/* Readers -------------------------------------------------------------------------------------- */

#ifdef EE_WITH_STEMMER
/* Without a suggestion, all names are listed: there are about thirty. */
static void unknown_language(ee_str language, ee_error *error) {
  char name[64];
  size_t length = ee_utf8_cut(language, sizeof name - 1);
  memcpy(name, language.data, length);
  name[length] = '\0';
  const char *const *known = (const char *const *)stemmers.list();
  const char *meant = ee_did_you_mean(name, known);
  if (meant != NULL) {
    ee_error_set(error, EE_ERROR_RULES, "unknown language '%s' for the provider 'local' (did you mean '%s'?)", name,
                 meant);
    return;
  }
  ee_buffer list;
  ee_buffer_init(&list);
  for (size_t i = 0; known[i] != NULL; i++) ee_buffer_addf(&list, "%s%s", i > 0 ? ", " : "", known[i]);
  ee_error_set(error, EE_ERROR_RULES, "unknown language '%s' for the provider 'local' (there are: %s)", name,
               ee_buffer_terminate(&list));
  ee_buffer_fini(&list);
}

static struct sb_stemmer *new_stemmer(ee_str language, ee_error *error) {
  for (const char *const *name = (const char *const *)stemmers.list(); *name != NULL; name++) {
    if (!ee_str_is(language, *name)) continue;
    struct sb_stemmer *stemmer = stemmers.new(*name, NULL);
    if (stemmer == NULL) ee_out_of_memory();
    return stemmer;
  }
  unknown_language(language, error);
  return NULL;
}

static void delete_stemmer(void *stemmer) { stemmers.delete(stemmer); }
#endif

ee_status ee_words_load(ee_error *error) {
#ifdef EE_WITH_STEMMER
  return ee_late_library_load(&library, error);
#else
  return ee_error_set(error, EE_ERROR_RULES,
                      "this evalengine was built without libstemmer, which the provider 'local' needs");
#endif
}

ee_word_reader *ee_word_reader_new(ee_str language, ee_error *error) {
  if (ee_words_load(error) != EE_OK) return NULL;
#ifdef EE_WITH_STEMMER
  ee_word_reader *reader = ee_calloc(1, sizeof *reader);
  reader->stemmer = new_stemmer(language, error);
  if (reader->stemmer == NULL) {
    ee_free(reader);
    return NULL;
  }
  ee_cleanup_add(&reader->cleanup, delete_stemmer, reader->stemmer);
  reader->is_english = ee_str_is(language, "english");
  reader->memos = ee_calloc(2 * MEMO_PAIRS, sizeof *reader->memos);
  return reader;
#else
  (void)language;
  return NULL; /* ee_words_load() fails */
#endif
}

void ee_word_reader_free(ee_word_reader *reader) {
  if (reader == NULL) return;
#ifdef EE_WITH_STEMMER
  ee_cleanup_remove(&reader->cleanup);
  stemmers.delete(reader->stemmer);
#endif
  ee_free(reader->memos);
  ee_free(reader);
}
