/* hostname.c: see hostname.h. */
#include "prim/hostname.h"

#include <utf8proc.h>

#include "prim/normalize.h"

#define LABEL_MAX 63
#define NAME_MAX_LENGTH 253
/* Code points of a label that may be short enough when encoded: each takes a character at least. */
#define POINTS_MAX LABEL_MAX

/* The first code point that is not ASCII. */
#define FIRST_POINT 128

/* A label as code points. */
typedef struct label {
  uint32_t points[POINTS_MAX];
  size_t count;
} label;

static bool is_lower(uint32_t c) { return c >= 'a' && c <= 'z'; }
static bool is_digit(uint32_t c) { return c >= '0' && c <= '9'; }
static bool is_not_ascii(uint32_t c) { return c >= FIRST_POINT; }
static bool is_between(uint32_t c, uint32_t first, uint32_t last) { return c >= first && c <= last; }
static uint32_t to_lower(uint32_t c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

/* Punycode (RFC 3492) ---------------------------------------------------------------------------- */

enum { BASE = 36, T_MIN = 1, T_MAX = 26, SKEW = 38, DAMP = 700, FIRST_BIAS = 72 };

static uint32_t adapt(uint32_t delta, uint32_t count, bool is_first) {
  uint32_t k = 0;
  delta = is_first ? delta / DAMP : delta / 2;
  delta += delta / count;
  for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE) delta /= BASE - T_MIN;
  return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static uint32_t threshold(uint32_t k, uint32_t bias) {
  return k <= bias + T_MIN ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
}

/* The value of a letter in lower case or a digit. */
static uint32_t digit_value(char c) {
  return is_lower((unsigned char)c) ? (uint32_t)(c - 'a') : (uint32_t)(c - '0') + 26;
}

/* Decodes what follows "xn--": letters in lower case, digits and hyphens, less than a label. False if it is not
 * Punycode. */
static bool decode(ee_str text, label *out) {
  size_t basic = text.length;
  while (basic > 0 && text.data[basic - 1] != '-') basic--;
  out->count = 0;
  // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): a text has as many bytes as it says
  for (size_t i = 0; i + 1 < basic; i++) out->points[out->count++] = (unsigned char)text.data[i];
  uint32_t point = FIRST_POINT, bias = FIRST_BIAS;
  uint64_t i = 0;
  for (size_t at = basic; at < text.length;) {
    uint64_t before = i, weight = 1;
    for (uint32_t k = BASE;; k += BASE) {
      if (at == text.length) return false;
      uint32_t digit = digit_value(text.data[at++]);
      i += digit * weight;
      uint32_t t = threshold(k, bias);
      if (i > UINT32_MAX) return false;
      if (digit < t) break;
      weight *= BASE - t; /* it was at most i, since the digit is not 0 */
    }
    uint32_t count = (uint32_t)out->count + 1;
    bias = adapt((uint32_t)(i - before), count, before == 0);
    point += (uint32_t)(i / count);
    i %= count;
    if (point > 0x10ffff || is_between(point, 0xd800, 0xdfff)) return false;
    memmove(out->points + i + 1, out->points + i, (out->count - i) * sizeof *out->points);
    out->points[i++] = point;
    out->count++;
  }
  return true;
}

/* Appends a character while there is room; `*length` counts on. */
static void put(char out[LABEL_MAX], size_t *length, char c) {
  if (*length < LABEL_MAX) out[*length] = c;
  ++*length;
}

static void put_number(char out[LABEL_MAX], size_t *length, uint32_t number, uint32_t bias) {
  static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  for (uint32_t k = BASE;; k += BASE) {
    uint32_t t = threshold(k, bias);
    if (number < t) break;
    put(out, length, digits[t + (number - t) % (BASE - t)]);
    number = (number - t) / (BASE - t);
  }
  put(out, length, digits[number]); // NOLINT(clang-analyzer-core.CallAndMessage): less than BASE
}

/* Encodes without "xn--" and returns the length, which may be more than `out` holds. */
static size_t encode(const label *in, char out[LABEL_MAX]) {
  size_t length = 0;
  uint32_t done = 0;
  for (size_t i = 0; i < in->count; i++)
    if (in->points[i] < FIRST_POINT) put(out, &length, (char)in->points[i]), done++;
  const uint32_t basic = done;
  if (basic > 0) put(out, &length, '-');
  uint32_t point = FIRST_POINT, bias = FIRST_BIAS, delta = 0;
  while (done < in->count) {
    uint32_t next = UINT32_MAX;
    for (size_t i = 0; i < in->count; i++)
      if (in->points[i] >= point && in->points[i] < next) next = in->points[i];
    delta += (next - point) * (done + 1); /* at most 0x10ffff * 64 */
    point = next;
    for (size_t i = 0; i < in->count; i++) {
      if (in->points[i] < point) delta++;
      if (in->points[i] != point) continue;
      put_number(out, &length, delta, bias);
      bias = adapt(delta, done + 1, done == basic);
      delta = 0;
      done++;
    }
    delta++;
    point++;
  }
  return length;
}

/* Code points (RFC 5892) ------------------------------------------------------------------------- */

typedef enum idna_class { DISALLOWED, ALLOWED, BY_CONTEXT } idna_class;

static bool is_listed(uint32_t c, const uint32_t *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (list[i] == c) return true;
  return false;
}
#define IS_LISTED(c, list) is_listed(c, list, sizeof(list) / sizeof *(list))

static bool is_arabic_digit(uint32_t c) { return is_between(c, 0x660, 0x669); }
static bool is_extended_digit(uint32_t c) { return is_between(c, 0x6f0, 0x6f9); }

/* Whether NFKC and case folding change it. */
static bool is_unstable(uint32_t c, ee_arena *scratch) {
  static const uint8_t forms[] = {EE_NORMAL_NFKC, EE_NORMAL_CASEFOLD, EE_NORMAL_NFKC};
  char text[4];
  ee_str written = {text, ee_utf8_encode(c, text)};
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  bool same = ee_str_equal(ee_normalize(written, forms, sizeof forms, scratch), written);
  ee_arena_rewind(scratch, mark);
  return !same;
}

static bool is_ignorable(uint32_t c) {
  if ((c & 0xfffe) == 0xfffe || is_between(c, 0xfdd0, 0xfdef)) return true; /* noncharacters */
  bool in_block = is_between(c, 0x20d0, 0x20ff) || is_between(c, 0x1d100, 0x1d24f);
  bool is_jamo = is_between(c, 0x1100, 0x11ff) || is_between(c, 0xa960, 0xa97f) || is_between(c, 0xd7b0, 0xd7ff);
  return in_block || is_jamo || ee_is_space(c) || utf8proc_get_property((utf8proc_int32_t)c)->ignorable;
}

static idna_class class_of(uint32_t c, ee_arena *scratch) {
  static const uint32_t allowed[] = {0xdf, 0x3c2, 0x6fd, 0x6fe, 0xf0b, 0x3007};
  static const uint32_t by_context[] = {0xb7, 0x375, 0x5f3, 0x5f4, 0x30fb, 0x200c, 0x200d};
  static const uint32_t disallowed[] = {0x640, 0x7fa, 0x302e, 0x302f, 0x3031, 0x3032, 0x3033, 0x3034, 0x3035, 0x303b};
  if (c < FIRST_POINT) return is_lower(c) || is_digit(c) || c == '-' ? ALLOWED : DISALLOWED;
  if (IS_LISTED(c, allowed)) return ALLOWED;
  if (IS_LISTED(c, by_context) || is_arabic_digit(c) || is_extended_digit(c)) return BY_CONTEXT;
  if (IS_LISTED(c, disallowed) || is_ignorable(c)) return DISALLOWED;
  switch (utf8proc_category((utf8proc_int32_t)c)) {
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LO:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_ND:
  case UTF8PROC_CATEGORY_MN:
  case UTF8PROC_CATEGORY_MC: return is_unstable(c, scratch) ? DISALLOWED : ALLOWED;
  default: return DISALLOWED;
  }
}

/* Contexts (RFC 5892, appendix A) ---------------------------------------------------------------- */

static bool is_greek(uint32_t c) { return is_between(c, 0x370, 0x3ff) || is_between(c, 0x1f00, 0x1fff); }
static bool is_hebrew(uint32_t c) { return is_between(c, 0x591, 0x5f4) || is_between(c, 0xfb1d, 0xfb4f); }
static bool is_kana_or_han(uint32_t c) {
  bool kana = is_between(c, 0x3041, 0x3096) || is_between(c, 0x309d, 0x309f) || is_between(c, 0x30a1, 0x30fa) ||
              is_between(c, 0x30fd, 0x30ff) || is_between(c, 0x31f0, 0x31ff) || is_between(c, 0x1b000, 0x1b167);
  bool han = c == 0x3005 || c == 0x3007 || is_between(c, 0x3021, 0x3029) || is_between(c, 0x3400, 0x4dbf) ||
             is_between(c, 0x4e00, 0x9fff) || is_between(c, 0xf900, 0xfaff) || is_between(c, 0x20000, 0x323af);
  return kana || han;
}

static bool is_virama(uint32_t c) { return utf8proc_get_property((utf8proc_int32_t)c)->combining_class == 9; }
static bool is_mark(uint32_t c) {
  utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME;
}

/* Letters of the Arabic block join the letter before them, and unless they are listed, also the one after. Not for
 * marks, which are skipped. */
static bool joins_before(uint32_t c) {
  bool letter = is_between(c, 0x620, 0x64a) || is_between(c, 0x66e, 0x6d3) || c == 0x6d5 || is_between(c, 0x6ee, 0x6ff);
  return letter && !is_extended_digit(c) && c != 0x621 && c != 0x674 && c != 0x6fd && c != 0x6fe;
}
static bool joins_after(uint32_t c) {
  static const uint32_t right_only[] = {0x627, 0x629, 0x648, 0x6c0, 0x6cd, 0x6cf, 0x6d2, 0x6d3, 0x6d5, 0x6ee, 0x6ef};
  bool listed = IS_LISTED(c, right_only) || is_between(c, 0x622, 0x625) || is_between(c, 0x62f, 0x632) ||
                is_between(c, 0x671, 0x677) || is_between(c, 0x688, 0x699) || is_between(c, 0x6c3, 0x6cb);
  return joins_before(c) && !listed;
}

static bool joins_around(const label *in, size_t at) {
  size_t before = at, after = at + 1;
  while (before > 0 && is_mark(in->points[before - 1])) before--;
  while (after < in->count && is_mark(in->points[after])) after++;
  return before > 0 && after < in->count && joins_after(in->points[before - 1]) && joins_before(in->points[after]);
}

static bool has(const label *in, bool (*test)(uint32_t c)) {
  for (size_t i = 0; i < in->count; i++)
    if (test(in->points[i])) return true;
  return false;
}

static bool fits_context(const label *in, size_t at) {
  uint32_t before = at > 0 ? in->points[at - 1] : 0, after = at + 1 < in->count ? in->points[at + 1] : 0;
  switch (in->points[at]) {
  case 0x200c: return is_virama(before) || joins_around(in, at);
  case 0x200d: return is_virama(before);
  case 0xb7: return before == 'l' && after == 'l';
  case 0x375: return is_greek(after);
  case 0x5f3:
  case 0x5f4: return is_hebrew(before);
  case 0x30fb: return has(in, is_kana_or_han);
  default: return !(has(in, is_arabic_digit) && has(in, is_extended_digit));
  }
}

/* Directions (RFC 5893) -------------------------------------------------------------------------- */

static utf8proc_bidi_class_t direction(uint32_t c) {
  return (utf8proc_bidi_class_t)utf8proc_get_property((utf8proc_int32_t)c)->bidi_class;
}

static bool is_from_right(uint32_t c) {
  utf8proc_bidi_class_t found = direction(c);
  return found == UTF8PROC_BIDI_CLASS_R || found == UTF8PROC_BIDI_CLASS_AL || found == UTF8PROC_BIDI_CLASS_AN;
}

/* The rule for labels of a name that has letters or digits from right to left. */
static bool fits_direction(const label *in) {
  utf8proc_bidi_class_t first = direction(in->points[0]);
  bool from_right = first == UTF8PROC_BIDI_CLASS_R || first == UTF8PROC_BIDI_CLASS_AL;
  if (!from_right && first != UTF8PROC_BIDI_CLASS_L) return false;
  bool european = false, arabic = false, good_end = false;
  for (size_t i = 0; i < in->count; i++) {
    switch (direction(in->points[i])) { /* unreached: the other classes, as below */
    case UTF8PROC_BIDI_CLASS_L:
      if (from_right) return false;
      good_end = true;
      break;
    case UTF8PROC_BIDI_CLASS_R:
    case UTF8PROC_BIDI_CLASS_AL:
    case UTF8PROC_BIDI_CLASS_AN:
      if (!from_right) return false;
      arabic = arabic || direction(in->points[i]) == UTF8PROC_BIDI_CLASS_AN;
      good_end = true;
      break;
    case UTF8PROC_BIDI_CLASS_EN: european = good_end = true; break;
    case UTF8PROC_BIDI_CLASS_NSM: break;
    case UTF8PROC_BIDI_CLASS_ES:
    case UTF8PROC_BIDI_CLASS_CS:
    case UTF8PROC_BIDI_CLASS_ET:
    case UTF8PROC_BIDI_CLASS_ON:
    case UTF8PROC_BIDI_CLASS_BN: good_end = false; break;
    default: return false; /* unreached: the other classes are spaces and controls */
    }
  }
  return good_end && !(from_right && european && arabic);
}

/* Labels ----------------------------------------------------------------------------------------- */

/* A label with other letters than ASCII's. */
static bool fits_idna(const label *in, ee_arena *scratch) {
  const uint32_t *points = in->points;
  if (points[0] == '-' || points[in->count - 1] == '-' || is_mark(points[0])) return false;
  if (in->count >= 4 && points[2] == '-' && points[3] == '-') return false;
  char text[4 * POINTS_MAX];
  ee_str written = {text, 0};
  for (size_t i = 0; i < in->count; i++) {
    idna_class found = class_of(points[i], scratch);
    if (found == DISALLOWED || (found == BY_CONTEXT && !fits_context(in, i))) return false;
    written.length += ee_utf8_encode(points[i], text + written.length);
  }
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  bool is_normal = ee_str_equal(ee_nfc(written, scratch), written);
  ee_arena_rewind(scratch, mark);
  return is_normal;
}

/* A label that begins with "xn--", in lower case: decodes it into `in`. */
static bool read_encoded(label *in, ee_arena *scratch) {
  char text[LABEL_MAX], again[LABEL_MAX];
  ee_str rest = {text, in->count - 4};
  for (size_t i = 4; i < in->count; i++) text[i - 4] = (char)in->points[i];
  label decoded;
  if (!decode(rest, &decoded) || !has(&decoded, is_not_ascii) || !fits_idna(&decoded, scratch)) return false;
  /* Each number is written in one way; only a hyphen may be too many, after no letters. */
  if (encode(&decoded, again) != rest.length) return false;
  *in = decoded;
  return true;
}

/* Whether a label of ASCII letters, digits and hyphens, in lower case, is one of RFC 1123. */
static bool fits_ascii(const label *in) { return in->points[0] != '-' && in->points[in->count - 1] != '-'; }

/* Reads the next label of `name` from `*at`, in lower case. False if it is not one; `*length` is what it takes when it
 * is encoded. */
static bool read_label(ee_str name, size_t *at, bool is_international, label *out, size_t *length, ee_arena *scratch) {
  bool is_ascii = true, has_upper = false;
  out->count = 0;
  while (*at < name.length) {
    uint32_t c;
    size_t bytes = ee_utf8_decode(name.data + *at, name.length - *at, &c);
    if (c == '.' || (is_international && (c == 0x3002 || c == 0xff0e || c == 0xff61))) break;
    *at += bytes;
    if (out->count == POINTS_MAX) return false;
    has_upper = has_upper || to_lower(c) != c;
    is_ascii = is_ascii && c < FIRST_POINT;
    out->points[out->count++] = is_ascii ? to_lower(c) : c;
    if (is_ascii && class_of(to_lower(c), scratch) != ALLOWED) return false;
  }
  *length = out->count;
  if (out->count == 0) return false;
  if (is_ascii) {
    bool is_encoded = out->count > 4 && out->points[0] == 'x' && out->points[1] == 'n' && out->points[2] == '-' &&
                      out->points[3] == '-';
    return is_encoded ? read_encoded(out, scratch) : fits_ascii(out);
  }
  char encoded[LABEL_MAX];
  if (!is_international || has_upper || !fits_idna(out, scratch)) return false;
  *length = encode(out, encoded) + 4;
  return *length <= LABEL_MAX;
}

/* All labels of a name; `is_bidi`: the rule for directions holds. */
static bool read_labels(ee_str name, bool is_international, bool is_bidi, bool *has_right, ee_arena *scratch) {
  label found;
  size_t at = 0, total = 0, length;
  while (true) {
    if (!read_label(name, &at, is_international, &found, &length, scratch)) return false;
    if (is_bidi && !fits_direction(&found)) return false;
    *has_right = *has_right || has(&found, is_from_right);
    total += length;
    if (total > NAME_MAX_LENGTH) return false;
    if (at == name.length) return true;
    total++;
    at += ee_utf8_decode(name.data + at, name.length - at, &(uint32_t){0}); /* the dot */
  }
}

bool ee_hostname_valid(ee_str name, bool is_international, ee_arena *scratch) {
  bool has_right = false;
  if (!read_labels(name, is_international, false, &has_right, scratch)) return false;
  return !has_right || read_labels(name, is_international, true, &has_right, scratch);
}
