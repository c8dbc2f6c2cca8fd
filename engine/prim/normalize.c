/* normalize.c: the named normal forms of a text. Each returns its input if it changes nothing. */
#include "prim/normalize.h"

#include <utf8proc.h>

#include "prim/contact.h"
#include "prim/letter.h"
#include "prim/narrow.h"

const char *const ee_normal_form_names[EE_NORMAL_COUNT + 1] = {
    "trim",     "casefold", "nfkc", "collapse_space", "alnum", "digits", "text", "unaccent", "punctuation",
    "articles", "squad",    "url",  "email",          "phone", NULL};

int ee_normal_form_find(ee_str name) {
  for (int i = 0; i < EE_NORMAL_COUNT; i++) {
    if (ee_str_is(name, ee_normal_form_names[i])) return i;
  }
  return -1;
}

/* The code point at `text[at]` and its length in bytes, at least 1. */
static size_t code_point_at(ee_str text, size_t at, uint32_t *code_point) {
  *code_point = (unsigned char)text.data[at];
  if (*code_point < 0x80) return 1;
  size_t bytes = ee_utf8_decode(text.data + at, text.length - at, code_point);
  return bytes > 0 ? bytes : 1;
}

/* `text` itself if the new text is equal. */
static ee_str unless_same(ee_str text, const char *data, size_t length) {
  ee_str result = {data, length};
  return ee_str_equal(text, result) ? text : result;
}

static bool is_upper_ascii(char c) { return (unsigned char)(c - 'A') < 26; }

/* ASCII and known letters -------------------------------------------------------------------------- */

/* What a text has, as bits. */
#define HAS_OTHERS 1u /* bytes that are not ASCII */
#define HAS_UPPER 2u  /* upper-case letters of ASCII */

#ifdef HAVE_SSE2
static inline __m128i upper_letters(__m128i bytes) {
  const __m128i shift = _mm_set1_epi8(63), limit = _mm_set1_epi8(-102); /* 'A' + 63 is -128 */
  return _mm_cmplt_epi8(_mm_add_epi8(bytes, shift), limit);
}

static inline __m128i fold_block(__m128i bytes) {
  return _mm_or_si128(bytes, _mm_and_si128(upper_letters(bytes), _mm_set1_epi8(0x20)));
}

/* 16 bytes from `at` on, or those that are left and zeros. */
static inline __m128i block_at(ee_str text, size_t at) {
  const unsigned char *from = (const unsigned char *)text.data + at;
  return text.length - at >= 16 ? _mm_loadu_si128((const __m128i *)(const void *)from)
                                : ee_load_few(from, text.length - at);
}
#endif

static unsigned survey(ee_str text) {
#ifdef HAVE_SSE2
  __m128i all = _mm_setzero_si128(), upper = all;
  for (size_t at = 0; at < text.length; at += 16) {
    const __m128i block = block_at(text, at);
    all = _mm_or_si128(all, block);
    upper = _mm_or_si128(upper, upper_letters(block));
  }
  return (_mm_movemask_epi8(all) != 0 ? HAS_OTHERS : 0) | (_mm_movemask_epi8(upper) != 0 ? HAS_UPPER : 0);
#else
  unsigned found = ee_is_ascii(text.data, text.length) ? 0 : HAS_OTHERS;
  for (size_t at = 0; at < text.length; at++) found |= is_upper_ascii(text.data[at]) ? HAS_UPPER : 0;
  return found;
#endif
}

/* `out` has room for whole blocks of 16 bytes. */
static void fold_ascii(ee_str text, char *out) {
#ifdef HAVE_SSE2
  for (size_t at = 0; at < text.length; at += 16)
    _mm_storeu_si128((__m128i *)(void *)(out + at), fold_block(block_at(text, at)));
#else
  for (size_t at = 0; at < text.length; at++) {
    char c = text.data[at];
    out[at] = is_upper_ascii(c) ? (char)(c | 0x20) : c;
  }
#endif
}

/* The forms that change a text letter by letter, as bits. For ASCII and known letters their order does not matter. */
#define FOLDS 1u
#define UNACCENTS 2u
#define KEEPS_ALNUM 4u

static unsigned letter_form(uint8_t form) {
  return form == EE_NORMAL_CASEFOLD   ? FOLDS
         : form == EE_NORMAL_UNACCENT ? UNACCENTS
         : form == EE_NORMAL_ALNUM    ? KEEPS_ALNUM
                                      : 0;
}

/* The known letter `code_point` in `forms`. */
static inline uint32_t letter_in(uint32_t code_point, ee_letter letter, unsigned forms) {
  if ((forms & FOLDS) == 0) return (forms & UNACCENTS) != 0 ? letter.plain : code_point;
  if ((forms & UNACCENTS) == 0) return letter.folded;
  ee_letter_find(letter.folded, &letter); /* which is known, too */
  return letter.plain;
}

/* Which bytes of ASCII are letters and digits. */
static const bool is_alnum_byte[128] = {['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true};

/* The text in `forms`, which are constants where it matters, at `out`; its length, or SIZE_MAX if it has a letter that
 * is not known. */
static inline __attribute__((always_inline)) size_t put_letters(ee_str text, unsigned forms, char *out) {
  const unsigned fold = (forms & FOLDS) != 0 ? 0x20 : 0;
  const bool keeps_all = (forms & KEEPS_ALNUM) == 0;
  size_t length = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t c = (unsigned char)text.data[at];
    if (c < 0x80) {
#ifdef HAVE_SSE2
      if (keeps_all && fold != 0 && text.length - at >= 16) {
        const __m128i block = block_at(text, at);
        if (_mm_movemask_epi8(block) == 0) {
          _mm_storeu_si128((__m128i *)(void *)(out + length), fold_block(block));
          length += 16;
          at += 16;
          continue;
        }
      }
#endif
      if (keeps_all) {
        out[length++] = (char)((c | 0x20) - 'a' < 26 ? c | fold : c);
      } else {
        out[length] = (char)(c | fold); /* digits have this bit already */
        length += is_alnum_byte[c];
      }
      at++;
      continue;
    }
    /* Letters of two bytes, as in most texts that are not ASCII, begin with C3 to D4. */
    if (c - 0xc3 < 0x12 && text.length - at > 1 && ((unsigned char)text.data[at + 1] & 0xc0) == 0x80) {
      c = (c & 0x1f) << 6 | ((unsigned char)text.data[at + 1] & 0x3f);
      const uint32_t place = c - EE_FIRST_LETTER;
      if (place >= EE_LETTER_COUNT || ee_letter_table[place].folded == 0) return SIZE_MAX;
      c = letter_in(c, ee_letter_table[place], forms);
      if (c >= 0x80) {
        out[length++] = (char)(0xc0 | c >> 6);
        c = 0x80 | (c & 0x3f);
      }
      out[length++] = (char)c;
      at += 2;
      continue;
    }
    ee_letter letter;
    size_t bytes = ee_utf8_decode(text.data + at, text.length - at, &c);
    if (bytes == 0 || !ee_letter_find(c, &letter)) return SIZE_MAX;
    length += ee_utf8_encode(letter_in(c, letter, forms), out + length);
    at += bytes;
  }
  return length;
}

/* Brings `*text` into `forms` in one pass. False, and nothing is done, if it has a letter that is not known. No known
 * letter gets longer. */
static bool change_letters(ee_str *text, unsigned forms, unsigned has, ee_arena *arena) {
  const bool keeps_all = (forms & KEEPS_ALNUM) == 0;
  if (keeps_all && (has == 0 || (has == HAS_UPPER && (forms & FOLDS) == 0))) return true;
  char *out = ee_arena_alloc(arena, text->length + 16);
  if (keeps_all && has == HAS_UPPER) {
    fold_ascii(*text, out);
    *text = (ee_str){out, text->length};
    return true;
  }
  const unsigned all = FOLDS | UNACCENTS | KEEPS_ALNUM;
  size_t length = forms == FOLDS ? put_letters(*text, FOLDS, out)
                  : forms == all ? put_letters(*text, all, out)
                                 : put_letters(*text, forms, out);
  if (length == SIZE_MAX) return false;
  *text = unless_same(*text, out, length);
  return true;
}

/* The other letters, too ---------------------------------------------------------------------------- */

static ee_str casefold_any(ee_str text, ee_arena *arena) {
  /* Full case folding makes UTF-8 at most three times as long. */
  char *out = ee_arena_alloc(arena, 3 * text.length);
  size_t length = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point;
    at += code_point_at(text, at, &code_point);
    if (code_point < 0x80) {
      out[length++] = is_upper_ascii((char)code_point) ? (char)(code_point | 0x20) : (char)code_point;
      continue;
    }
    ee_letter letter;
    if (ee_letter_find(code_point, &letter)) {
      length += ee_utf8_encode(letter.folded, out + length);
      continue;
    }
    utf8proc_int32_t folded[8];
    int boundary = 0;
    utf8proc_ssize_t count =
        utf8proc_decompose_char((utf8proc_int32_t)code_point, folded, 8, UTF8PROC_CASEFOLD, &boundary);
    if (count < 1 || count > 8) return text; /* unreached: utf8proc folds each into one to three */
    for (utf8proc_ssize_t i = 0; i < count; i++) length += ee_utf8_encode((uint32_t)folded[i], out + length);
  }
  return unless_same(text, out, length);
}

static ee_str casefold(ee_str text, ee_arena *arena) {
  return change_letters(&text, FOLDS, survey(text), arena) ? text : casefold_any(text, arena);
}

/* Letters that Unicode does not decompose. */
static const struct {
  uint32_t letter;
  const char *plain;
} undecomposed[] = {{0xC6, "AE"}, {0xD0, "D"},  {0xD8, "O"},  {0xDE, "TH"}, {0xDF, "ss"}, {0xE6, "ae"},  {0xF0, "d"},
                    {0xF8, "o"},  {0xFE, "th"}, {0x110, "D"}, {0x111, "d"}, {0x126, "H"}, {0x127, "h"},  {0x131, "i"},
                    {0x138, "k"}, {0x141, "L"}, {0x142, "l"}, {0x14A, "N"}, {0x14B, "n"}, {0x152, "OE"}, {0x153, "oe"},
                    {0x166, "T"}, {0x167, "t"}, {0x180, "b"}, {0x197, "I"}, {0x268, "i"}, {0x1E9E, "SS"}};

static bool is_accent(utf8proc_int32_t code_point) {
  return (code_point >= 0x300 && code_point <= 0x36F) || (code_point >= 0x1AB0 && code_point <= 0x1AFF) ||
         (code_point >= 0x1DC0 && code_point <= 0x1DFF) || (code_point >= 0x20D0 && code_point <= 0x20FF) ||
         (code_point >= 0xFE20 && code_point <= 0xFE2F);
}

static size_t put_plain(uint32_t letter, bool fold_case, uint32_t *out) {
  for (size_t i = 0; i < sizeof undecomposed / sizeof *undecomposed; i++) {
    if (undecomposed[i].letter != letter) continue;
    size_t count = 0;
    for (const char *c = undecomposed[i].plain; *c != '\0'; c++) {
      out[count++] = (unsigned char)(fold_case ? *c | 0x20 : *c);
    }
    return count;
  }
  out[0] = letter;
  return 1;
}

/* The same for a letter that is not known. */
static size_t plain_parts(uint32_t code_point, bool fold_case, uint32_t out[EE_PLAIN_LETTER_LIMIT]) {
  out[0] = code_point;
  utf8proc_int32_t parts[EE_PLAIN_LETTER_LIMIT];
  utf8proc_option_t fold = fold_case ? UTF8PROC_CASEFOLD : 0;
  int boundary = 0;
  utf8proc_ssize_t count = utf8proc_decompose_char((utf8proc_int32_t)code_point, parts, EE_PLAIN_LETTER_LIMIT,
                                                   UTF8PROC_DECOMPOSE | fold, &boundary);
  if (count < 1 || count > EE_PLAIN_LETTER_LIMIT / 2) return 1; /* unreached: utf8proc makes one to four of each */
  bool has_accent = false;
  for (utf8proc_ssize_t i = 0; i < count; i++) has_accent = has_accent || is_accent(parts[i]);
  /* What has no accents stays composed: syllables of Hangul, vowels of two parts. */
  if (!has_accent)
    count = utf8proc_decompose_char((utf8proc_int32_t)code_point, parts, EE_PLAIN_LETTER_LIMIT, fold, &boundary);
  size_t written = 0;
  for (utf8proc_ssize_t i = 0; i < count; i++) {
    if (has_accent && is_accent(parts[i])) continue;
    written += put_plain((uint32_t)parts[i], fold_case, out + written);
  }
  return written; /* 0 for an accent of its own */
}

size_t ee_plain_letter(uint32_t code_point, bool fold_case, uint32_t out[EE_PLAIN_LETTER_LIMIT]) {
  ee_letter letter;
  if (code_point < 0x80) {
    out[0] = code_point;
    if (fold_case && is_upper_ascii((char)code_point)) out[0] |= 0x20;
    return 1;
  }
  if (!ee_letter_find(code_point, &letter)) return plain_parts(code_point, fold_case, out);
  out[0] = letter_in(code_point, letter, fold_case ? FOLDS | UNACCENTS : UNACCENTS);
  return 1;
}

#define NFC_OPTIONS (UTF8PROC_COMPOSE | UTF8PROC_STABLE)
#define NFKC_OPTIONS (NFC_OPTIONS | UTF8PROC_COMPAT)

/* Decomposes without sorting the marks. Returns the number of code points and writes the first `room` of them to `out`;
 * -1 if the text is not UTF-8. */
static utf8proc_ssize_t decompose(ee_str text, utf8proc_option_t options, utf8proc_int32_t *out,
                                  utf8proc_ssize_t room) {
  const utf8proc_uint8_t *data = (const utf8proc_uint8_t *)text.data;
  utf8proc_ssize_t length = (utf8proc_ssize_t)text.length, count = 0;
  int boundary = 0;
  for (utf8proc_ssize_t at = 0; at < length;) {
    utf8proc_int32_t code_point;
    utf8proc_ssize_t bytes = utf8proc_iterate(data + at, length - at, &code_point);
    if (bytes < 1) return -1;
    at += bytes;
    utf8proc_ssize_t left = count < room ? room - count : 0;
    utf8proc_ssize_t written =
        utf8proc_decompose_char(code_point, left > 0 ? out + count : NULL, left, options, &boundary);
    if (written < 0) return -1; /* unreached: every code point can be decomposed */
    count += written;
  }
  return count;
}

static unsigned combining_class(utf8proc_int32_t code_point) {
  return (unsigned)utf8proc_get_property(code_point)->combining_class;
}

/* Sorts a run of marks by combining class; stable. */
static void sort_few_marks(utf8proc_int32_t *marks, size_t count) {
  for (size_t i = 1; i < count; i++) {
    utf8proc_int32_t mark = marks[i];
    size_t at = i;
    for (; at > 0 && combining_class(marks[at - 1]) > combining_class(mark); at--) marks[at] = marks[at - 1];
    marks[at] = mark;
  }
}

/* The same by counting, in linear time. */
static void sort_many_marks(utf8proc_int32_t *marks, size_t count, ee_arena *arena) {
  ee_arena_mark before = ee_arena_get_mark(arena);
  utf8proc_int32_t *copy = ee_arena_alloc(arena, count * sizeof *copy);
  memcpy(copy, marks, count * sizeof *copy);
  size_t next[257] = {0}; /* the position of the next mark of each class */
  for (size_t i = 0; i < count; i++) next[combining_class(copy[i]) + 1]++;
  for (size_t i = 1; i < 257; i++) next[i] += next[i - 1];
  for (size_t i = 0; i < count; i++) marks[next[combining_class(copy[i])]++] = copy[i];
  ee_arena_rewind(arena, before);
}

/* Unicode's canonical ordering (section 3.11, D109). utf8proc_decompose() does this by swapping neighbours, whose time
 * grows with the square of the length for a hostile text of marks only. */
static void order_marks(utf8proc_int32_t *points, size_t count, ee_arena *arena) {
  for (size_t i = 0; i < count; i++) {
    if (points[i] < 0x300 || combining_class(points[i]) == 0) continue; /* the first mark is U+0300 */
    size_t start = i++;
    while (i < count && combining_class(points[i]) != 0) i++;
    if (i - start <= 16) {
      sort_few_marks(points + start, i - start);
    } else {
      sort_many_marks(points + start, i - start, arena);
    }
  }
}

/* NFC or NFKC, as `options` say. */
static ee_str compose(ee_str text, utf8proc_option_t options, ee_arena *arena) {
  /* Few texts grow when decomposed; for one that does, decompose() returns the room it needs. */
  utf8proc_ssize_t room = (utf8proc_ssize_t)text.length + 32;
  utf8proc_int32_t *buffer = ee_arena_alloc(arena, (size_t)room * sizeof *buffer);
  utf8proc_ssize_t count = decompose(text, options, buffer, room);
  if (count > room) {
    room = count;
    buffer = ee_arena_alloc(arena, (size_t)room * sizeof *buffer);
    count = decompose(text, options, buffer, room);
  }
  if (count < 0) return text;
  order_marks(buffer, (size_t)count, arena);
  count = utf8proc_normalize_utf32(buffer, count, options);
  if (count < 0) return text; /* unreached: every code point can be composed */
  /* The bytes overwrite the code points: none takes more than the four bytes it was read from. */
  char *out = (char *)buffer;
  size_t written = 0;
  for (utf8proc_ssize_t i = 0; i < count; i++) {
    utf8proc_int32_t code_point;
    memcpy(&code_point, out + (size_t)i * sizeof code_point, sizeof code_point);
    written += ee_utf8_encode((uint32_t)code_point, out + written);
  }
  return unless_same(text, out, written);
}

bool ee_nfc_may_change(uint32_t code_point) {
  if (code_point >= 0x370 && code_point <= 0x3FF) /* Greek, and three signs that have another code point */
    return code_point == 0x374 || code_point == 0x37E || code_point == 0x387;
  if (code_point >= 0x400 && code_point <= 0x52F) return code_point >= 0x483 && code_point <= 0x489; /* Cyrillic */
  if (code_point >= 0x620 && code_point <= 0x64A) return false;                                      /* Arabic */
  if (code_point >= 0x1100 && code_point <= 0x11FF) return true;  /* Jamo, which become syllables */
  if (code_point >= 0x1E00 && code_point <= 0x1EFF) return false; /* Latin letters with marks */
  if (code_point >= 0x3040 && code_point <= 0x30FF) return code_point >= 0x3097 && code_point <= 0x309C; /* Kana */
  if (code_point >= 0x4E00 && code_point <= 0x9FFF) return false;
  if (code_point >= 0xAC00 && code_point <= 0xD7A3) return false;
  const utf8proc_property_t *property = utf8proc_get_property((utf8proc_int32_t)code_point);
  bool is_mark = property->category >= UTF8PROC_CATEGORY_MN && property->category <= UTF8PROC_CATEGORY_ME;
  return is_mark || (property->decomp_type == 0 && property->decomp_seqindex != UINT16_MAX);
}

/* The first byte of the UTF-8 of U+0300, the first code point that NFC may change. */
#define FIRST_CHANGED 0xCC

ee_str ee_nfc(ee_str text, ee_arena *arena) {
  for (size_t at = 0; at < text.length;) {
    if ((unsigned char)text.data[at] < FIRST_CHANGED) {
      at++;
      continue;
    }
    uint32_t code_point;
    at += code_point_at(text, at, &code_point);
    if (ee_nfc_may_change(code_point)) return compose(text, NFC_OPTIONS, arena);
  }
  return text;
}

/* Whether no white space is in `text` but single spaces; false also where that takes a closer look. White space that is
 * not ASCII begins with one of the bytes C2, E1, E2 and E3. */
static bool has_single_spaces(ee_str text) {
#ifdef HAVE_SSE2
  unsigned before = 0;
  for (size_t at = 0; at < text.length; at += 16) {
    const __m128i block = block_at(text, at);
    const unsigned valid = text.length - at >= 16 ? 0xffff : (1u << (text.length - at)) - 1;
    const __m128i is_control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
    const __m128i is_lead = _mm_or_si128(
        _mm_cmpeq_epi8(block, _mm_set1_epi8((char)0xc2)),
        _mm_cmpeq_epi8(_mm_max_epu8(_mm_min_epu8(block, _mm_set1_epi8((char)0xe3)), _mm_set1_epi8((char)0xe1)), block));
    const unsigned spaces = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8(' ')));
    const unsigned others = (unsigned)_mm_movemask_epi8(_mm_or_si128(is_control, is_lead)) & valid;
    if ((others | (spaces & (spaces << 1 | before))) != 0) return false;
    before = spaces >> 15;
  }
#else
  unsigned char before = 0;
  for (size_t at = 0; at < text.length; at++) {
    unsigned char c = (unsigned char)text.data[at];
    if (c < ' ' || (c == ' ' && before == ' ') || c == 0xc2 || (c >= 0xe1 && c <= 0xe3)) return false;
    before = c;
  }
#endif
  return true;
}

static ee_str collapse_space(ee_str text, ee_arena *arena) {
  if (has_single_spaces(text)) return text;
  char *out = ee_arena_alloc(arena, text.length);
  size_t length = 0;
  bool in_space = false;
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point;
    size_t bytes = code_point_at(text, at, &code_point);
    bool space = ee_is_space(code_point);
    if (!space) {
      memcpy(out + length, text.data + at, bytes);
      length += bytes;
    } else if (!in_space) {
      out[length++] = ' ';
    }
    in_space = space;
    at += bytes;
  }
  return unless_same(text, out, length);
}

bool ee_is_alnum(uint32_t code_point) {
  ee_letter letter;
  if (code_point < 0x80) return (code_point | 0x20) - 'a' < 26 || code_point - '0' < 10;
  if (ee_letter_find(code_point, &letter)) return true;
  utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code_point);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}

static ee_str alnum(ee_str text, ee_arena *arena) {
  char *out = ee_arena_alloc(arena, text.length);
  size_t length = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point;
    size_t bytes = code_point_at(text, at, &code_point);
    if (ee_is_alnum(code_point)) {
      memcpy(out + length, text.data + at, bytes);
      length += bytes;
    }
    at += bytes;
  }
  return unless_same(text, out, length);
}

static bool is_decimal_digit(uint32_t code_point) {
  return utf8proc_category((utf8proc_int32_t)code_point) == UTF8PROC_CATEGORY_ND;
}

/* The value of a decimal digit. Unicode encodes digits in ascending groups of ten, so the distance from the start of an
 * unbroken run gives the value, also where several groups follow each other (mathematical digits). */
static char digit_of(uint32_t code_point) {
  uint32_t first = code_point;
  while (is_decimal_digit(first - 1)) first--;
  return (char)('0' + (code_point - first) % 10);
}

int ee_decimal_digit(uint32_t code_point) {
  if (code_point < 0x80) return code_point - '0' < 10 ? (int)(code_point - '0') : -1;
  return is_decimal_digit(code_point) ? digit_of(code_point) - '0' : -1;
}

static ee_str digits(ee_str text, ee_arena *arena) {
  char *out = ee_arena_alloc(arena, text.length);
  size_t length = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point;
    at += code_point_at(text, at, &code_point);
    int digit = ee_decimal_digit(code_point);
    if (digit >= 0) out[length++] = (char)('0' + digit);
  }
  return unless_same(text, out, length);
}

static ee_str unaccent(ee_str text, ee_arena *arena) {
  /* No letter becomes more than twice as long: the longest are U+1E9E and letters with two accents. */
  char *out = ee_arena_alloc(arena, 2 * text.length + 4);
  size_t length = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point, plain[EE_PLAIN_LETTER_LIMIT];
    at += code_point_at(text, at, &code_point);
    size_t count = ee_plain_letter(code_point, false, plain);
    for (size_t i = 0; i < count; i++) length += ee_utf8_encode(plain[i], out + length);
  }
  return unless_same(text, out, length);
}

static bool is_punctuation(uint32_t code_point) {
  utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code_point);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

/* Whether the punctuation `code_point` between `before` and `after` (0: none) belongs to a number. */
static bool is_of_number(uint32_t code_point, uint32_t before, uint32_t after) {
  switch (code_point) {
  case '.':
  case ',': return ee_decimal_digit(before) >= 0 && ee_decimal_digit(after) >= 0;
  case '-': return ee_decimal_digit(after) >= 0 && !ee_is_alnum(before);
  case '%':
  case 0x2030:
  case 0xFF05:
  case 0x66A: return true;
  default: return false;
  }
}

static bool is_dropped(uint32_t code_point) {
  return code_point == '.' || code_point == '\'' || code_point == 0x2019 || code_point == 0x2018;
}

static ee_str punctuation(ee_str text, ee_arena *arena) {
  char *out = ee_arena_alloc(arena, text.length);
  size_t length = 0;
  uint32_t before = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point, after = 0;
    size_t bytes = code_point_at(text, at, &code_point);
    if (at + bytes < text.length) code_point_at(text, at + bytes, &after);
    if (!is_punctuation(code_point) || is_of_number(code_point, before, after)) {
      memcpy(out + length, text.data + at, bytes);
      length += bytes;
      before = code_point;
    } else if (!is_dropped(code_point)) {
      out[length++] = ' ';
      before = ' ';
    }
    at += bytes;
  }
  return unless_same(text, out, length);
}

static bool is_article(ee_str word) {
  const char *w = word.data;
  if (word.length == 1) return (w[0] | 0x20) == 'a';
  if (word.length == 2) return (w[0] | 0x20) == 'a' && (w[1] | 0x20) == 'n';
  return word.length == 3 && (w[0] | 0x20) == 't' && (w[1] | 0x20) == 'h' && (w[2] | 0x20) == 'e';
}

/* Each article becomes a space. */
static ee_str articles(ee_str text, ee_arena *arena) {
  char *out = ee_arena_alloc(arena, text.length);
  size_t length = 0, start = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point = ' ';
    size_t bytes = code_point_at(text, at, &code_point);
    at += bytes;
    const bool is_inside = ee_is_alnum(code_point) || code_point == '_';
    if (is_inside && at < text.length) continue;
    ee_str word = {text.data + start, at - start - (is_inside ? 0 : bytes)};
    if (is_article(word)) {
      out[length++] = ' ';
      start += word.length;
    }
    memcpy(out + length, text.data + start, at - start);
    length += at - start;
    start = at;
  }
  return unless_same(text, out, length);
}

static ee_str drop_ascii_punctuation(ee_str text, ee_arena *arena) {
  char *out = ee_arena_alloc(arena, text.length);
  size_t length = 0;
  for (size_t at = 0; at < text.length; at++) {
    if (!ee_is_ascii_punctuation(text.data[at])) out[length++] = text.data[at];
  }
  return unless_same(text, out, length);
}

static ee_str single_spaces(ee_str text, ee_arena *arena) { return ee_str_trim(collapse_space(text, arena)); }

ee_str ee_normalize(ee_str text, const uint8_t *forms, size_t count, ee_arena *arena) {
  for (size_t i = 0; i < count && text.length > 0; i++) {
    unsigned changes = 0;
    size_t run = 0;
    for (unsigned more; i + run < count && (more = letter_form(forms[i + run])) != 0; run++) changes |= more;
    if (run > 0 && change_letters(&text, changes, survey(text), arena)) {
      i += run - 1;
      continue;
    }
    switch ((ee_normal_form)forms[i]) { /* unreached: all are listed */
    case EE_NORMAL_TRIM: text = ee_str_trim(text); break;
    case EE_NORMAL_CASEFOLD: text = casefold_any(text, arena); break; /* it has a letter that is not known */
    case EE_NORMAL_NFKC:
      if (!ee_is_ascii(text.data, text.length)) text = compose(text, NFKC_OPTIONS, arena);
      break;
    case EE_NORMAL_COLLAPSE_SPACE: text = collapse_space(text, arena); break;
    case EE_NORMAL_ALNUM: text = alnum(text, arena); break;
    case EE_NORMAL_DIGITS: text = digits(text, arena); break;
    case EE_NORMAL_UNACCENT: text = unaccent(text, arena); break;
    case EE_NORMAL_PUNCTUATION: text = single_spaces(punctuation(text, arena), arena); break;
    case EE_NORMAL_ARTICLES: text = single_spaces(articles(text, arena), arena); break;
    case EE_NORMAL_SQUAD:
      text = articles(drop_ascii_punctuation(casefold(text, arena), arena), arena);
      text = single_spaces(text, arena);
      break;
    case EE_NORMAL_URL: text = ee_normal_url(text, arena); break;
    case EE_NORMAL_EMAIL: text = ee_normal_email(text, arena); break;
    case EE_NORMAL_PHONE: text = ee_normal_phone(text, arena); break;
    case EE_NORMAL_TEXT:
    case EE_NORMAL_COUNT: break;
    }
  }
  return text;
}
