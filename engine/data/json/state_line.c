/* state_line.c: values of totals as nested arrays of JSON, or packed as bytes. */
#include "data/json/state_line.h"

#include <assert.h>
#include <string.h>

#include "base/base64.h"
#include "data/json/json_writer.h"

/* Whole numbers from here on are texts: others read JSON's numbers as doubles. */
#define EXACT_BELOW (UINT64_C(1) << 53)
/* A run of zeros is a negative number, which a reader needs as an exact one. */
#define ZEROS_LIMIT (EXACT_BELOW - 1)

typedef struct ee_state_level level;

static level *top(ee_state_line *line) { return &line->levels[line->depth - 1]; }

void ee_state_fail(ee_state_line *line) { line->failed = true; }

/* Writing arrays ------------------------------------------------------------------------------- */

static void add_comma(ee_buffer *out, level *in) {
  if (in->any) ee_buffer_add_char(out, ',');
  in->any = true;
}

static void add_zeros(ee_buffer *out, level *in) {
  if (in->zeros == 0) return;
  add_comma(out, in);
  if (in->zeros == 1)
    ee_buffer_add_char(out, '0');
  else
    ee_buffer_addf(out, "-%llu", (unsigned long long)in->zeros);
  in->zeros = 0;
}

/* Opens the brackets that were put off because there were only zeros, and goes to the place of the next value. */
static ee_buffer *next_place(ee_state_line *line) {
  for (size_t i = 0; i < line->depth; i++) {
    level *in = &line->levels[i];
    if (!in->there) ee_buffer_add_char(line->out, '[');
    in->there = true;
    if (i + 1 < line->depth && line->levels[i + 1].there) continue;
    add_zeros(line->out, in);
    add_comma(line->out, in);
  }
  return line->out;
}

static void write_zero(ee_state_line *line) {
  if (top(line)->list)
    ee_buffer_add_char(next_place(line), '0');
  else
    top(line)->zeros++;
}

/* Reading arrays ------------------------------------------------------------------------------- */

/* The next value; NULL is a zero. */
static const ee_value *next_value(ee_state_line *line) {
  level *in = top(line);
  if (line->failed || !in->there) return NULL;
  if (in->zeros > 0) {
    in->zeros--;
    return NULL;
  }
  const ee_value *value = in->next;
  if (value == NULL) {
    line->failed |= in->list;
    return NULL;
  }
  in->next = ee_value_next(value);
  in->left--;
  if (ee_type_of(value) != EE_NUMBER || ee_value_number(value) > 0) return value;
  int64_t whole;
  if (!ee_value_whole(value, &whole) || whole < -(int64_t)ZEROS_LIMIT || (in->list && whole != 0))
    line->failed = true;
  else if (whole < 0)
    in->zeros = (uint64_t)-whole - 1;
  return NULL;
}

/* The next value, which has to be of this type. */
static const ee_value *next_of(ee_state_line *line, ee_type type) {
  const ee_value *value = next_value(line);
  if (value == NULL || ee_type_of(value) == type) return value;
  line->failed = true;
  return NULL;
}

/* Both ----------------------------------------------------------------------------------------- */

static void push(ee_state_line *line, bool list, const ee_value *array) {
  assert(line->depth < EE_STATE_DEPTH);
  level *in = &line->levels[line->depth++];
  *in = (level){.list = list, .there = array != NULL};
  if (array == NULL) return;
  in->next = ee_value_child(array);
  in->left = ee_value_count(array);
}

/* The array is written when something in it is. */
static void begin(ee_state_line *line, bool list) {
  if (line->packed) return;
  push(line, list, ee_state_reading(line) ? next_of(line, EE_ARRAY) : NULL);
}

void ee_state_begin(ee_state_line *line) { begin(line, false); }

void ee_state_end(ee_state_line *line) {
  if (line->packed) return;
  assert(line->depth > 1);
  level ended = *top(line);
  if (ee_state_reading(line)) {
    line->failed |= ended.next != NULL || ended.zeros > 0;
    line->depth--;
  } else {
    line->depth--;
    if (ended.there)
      ee_buffer_add_char(line->out, ']');
    else
      write_zero(line);
  }
}

void ee_state_write(ee_state_line *line, ee_buffer *out) {
  *line = (ee_state_line){.out = out};
  push(line, false, NULL);
}

void ee_state_read(ee_state_line *line, const ee_value *value) {
  bool is_array = ee_type_of(value) == EE_ARRAY;
  *line = (ee_state_line){.failed = !is_array};
  push(line, false, is_array ? value : NULL);
}

bool ee_state_close(ee_state_line *line) {
  assert(line->depth == 1 && !line->packed);
  level *in = top(line);
  if (ee_state_reading(line))
    line->failed |= in->next != NULL || in->zeros > 0;
  else
    ee_buffer_add_text(line->out, in->there ? "]" : "[]");
  ee_buffer_fini(&line->bytes);
  return !line->failed;
}

/* Packed --------------------------------------------------------------------------------------- */

void ee_state_begin_packed(ee_state_line *line) {
  assert(!line->packed);
  ee_buffer_clear(&line->bytes);
  line->packed = true;
  if (!ee_state_reading(line)) return;
  const ee_value *text = next_of(line, EE_STRING);
  if (text != NULL && !ee_base64_read(&line->bytes, ee_value_text(text))) line->failed = true;
  line->from = ee_unpacker_of(&line->bytes);
}

static bool is_zero(const ee_buffer *bytes) {
  for (size_t i = 0; i < bytes->length; i++)
    if (bytes->data[i] != 0) return false;
  return true;
}

void ee_state_end_packed(ee_state_line *line) {
  assert(line->packed);
  line->packed = false;
  if (ee_state_reading(line)) {
    line->failed |= line->from.at < line->from.end;
  } else if (is_zero(&line->bytes)) {
    write_zero(line);
  } else {
    ee_buffer *out = next_place(line);
    ee_buffer_add_char(out, '"');
    ee_base64_write(out, line->bytes.data, line->bytes.length);
    ee_buffer_add_char(out, '"');
  }
}

static size_t bytes_left(const ee_state_line *line) { return (size_t)(line->from.end - line->from.at); }

/* Where to read from; NULL is zeros: after a mistake, and where all of it is zero. */
static ee_unpacker *unpacker(ee_state_line *line) {
  return line->failed || line->bytes.length == 0 ? NULL : &line->from;
}

static uint64_t unpack(ee_state_line *line) {
  ee_unpacker *from = unpacker(line);
  uint64_t value = from != NULL ? ee_unpack_count(from) : 0;
  line->failed |= from != NULL && from->failed;
  return value;
}

static double unpack_real(ee_state_line *line) {
  ee_unpacker *from = unpacker(line);
  double value = from != NULL ? ee_unpack_real(from) : 0;
  line->failed |= from != NULL && from->failed;
  return value;
}

static uint64_t unpack_bits(ee_state_line *line) {
  ee_unpacker *from = unpacker(line);
  uint64_t bits = from != NULL ? ee_unpack_bits(from) : 0;
  line->failed |= from != NULL && from->failed;
  return bits;
}

/* Hexadecimal ---------------------------------------------------------------------------------- */

static size_t write_hex(unsigned __int128 value, char digits[32]) {
  size_t count = 0;
  for (unsigned __int128 rest = value; rest != 0; rest >>= 4) count++;
  for (size_t i = count; i > 0; i--, value >>= 4) digits[i - 1] = "0123456789abcdef"[(unsigned)value & 15];
  return count;
}

/* False if there are other characters, or too many. */
static bool read_hex(ee_str text, size_t limit, unsigned __int128 *value) {
  *value = 0;
  bool right = text.length <= limit;
  for (size_t i = 0; right && i < text.length; i++) {
    int digit = ee_hex_digit(text.data[i]);
    right = digit >= 0;
    *value = *value << 4 | (unsigned)(digit & 15);
  }
  return right;
}

/* Values --------------------------------------------------------------------------------------- */

size_t ee_state_items(ee_state_line *line, size_t count) {
  uint64_t items = count;
  begin(line, true);
  if (!ee_state_reading(line)) {
    if (line->packed || count > 0) ee_state_count(line, &items);
    return count;
  }
  items = 0;
  if (line->packed || top(line)->there) ee_state_count(line, &items);
  if (items > (line->packed ? bytes_left(line) : top(line)->left)) line->failed = true;
  return line->failed ? 0 : (size_t)items;
}

static void write_count(ee_state_line *line, uint64_t value) {
  char digits[32];
  if (line->packed)
    ee_pack_count(&line->bytes, value);
  else if (value == 0)
    write_zero(line);
  else if (value < EXACT_BELOW)
    ee_buffer_add_u64(next_place(line), value);
  else
    ee_json_write_string(next_place(line), (ee_str){digits, write_hex(value, digits)});
}

static uint64_t read_count(ee_state_line *line) {
  if (line->packed) return unpack(line);
  const ee_value *value = next_value(line);
  int64_t whole;
  unsigned __int128 number;
  if (value == NULL) return 0;
  if (ee_type_of(value) == EE_NUMBER && ee_value_whole(value, &whole)) return (uint64_t)whole;
  if (ee_type_of(value) == EE_STRING && read_hex(ee_value_text(value), 16, &number)) return (uint64_t)number;
  line->failed = true;
  return 0;
}

void ee_state_count(ee_state_line *line, uint64_t *value) {
  if (ee_state_reading(line))
    *value = read_count(line);
  else
    write_count(line, *value);
}

/* A number of at most `limit`. */
static uint64_t limited(ee_state_line *line, uint64_t value, uint64_t limit) {
  ee_state_count(line, &value);
  if (value <= limit) return value;
  line->failed = true;
  return 0;
}

void ee_state_size(ee_state_line *line, size_t *value) {
  size_t read = (size_t)limited(line, *value, SIZE_MAX);
  if (ee_state_reading(line)) *value = read;
}

void ee_state_small(ee_state_line *line, uint32_t *value, uint32_t limit) {
  uint32_t read = (uint32_t)limited(line, *value, limit);
  if (ee_state_reading(line)) *value = read;
}

void ee_state_flag(ee_state_line *line, bool *value) {
  bool read = limited(line, *value, 1) == 1;
  if (ee_state_reading(line)) *value = read;
}

/* The bits from the highest on, without the zeros at the end. */
static void write_real(ee_state_line *line, double value) {
  uint64_t bits;
  char digits[32];
  memcpy(&bits, &value, sizeof bits);
  if (line->packed) {
    ee_pack_real(&line->bytes, value);
  } else if (bits == 0) {
    write_zero(line);
  } else {
    for (int i = 0; i < 16; i++) digits[i] = "0123456789abcdef"[bits >> (60 - 4 * i) & 15];
    size_t length = 16 - (size_t)__builtin_ctzll(bits) / 4;
    ee_json_write_string(next_place(line), (ee_str){digits, length});
  }
}

static double read_real(ee_state_line *line) {
  uint64_t bits = 0;
  double value;
  unsigned __int128 number;
  if (line->packed) return unpack_real(line);
  const ee_value *text = next_of(line, EE_STRING);
  if (text != NULL && read_hex(ee_value_text(text), 16, &number))
    bits = (uint64_t)(number << 4 * (16 - ee_value_text(text).length));
  else
    line->failed |= text != NULL;
  memcpy(&value, &bits, sizeof value);
  return value;
}

void ee_state_real(ee_state_line *line, double *value) {
  if (ee_state_reading(line))
    *value = read_real(line);
  else
    write_real(line, *value);
}

/* Sums ----------------------------------------------------------------------------------------- */

enum { UNIT_BITS = 60, UNIT_DIGITS = UNIT_BITS / 4 };

/* "1f4.8": the whole part, and after a point the rest without the zeros at its end. */
static void write_fixed(ee_state_line *line, ee_fixed sum) {
  bool negative = sum.units < 0;
  unsigned __int128 units = negative ? -(unsigned __int128)sum.units : (unsigned __int128)sum.units;
  char text[64], *to = text;
  if (negative) *to++ = '-';
  to += write_hex(units >> UNIT_BITS, to);
  uint64_t rest = (uint64_t)units & ((UINT64_C(1) << UNIT_BITS) - 1);
  if (rest != 0) {
    *to++ = '.';
    for (; rest != 0; rest = rest << 4 & ((UINT64_C(1) << UNIT_BITS) - 1))
      *to++ = "0123456789abcdef"[rest >> (UNIT_BITS - 4)];
  }
  ee_json_write_string(next_place(line), (ee_str){text, (size_t)(to - text)});
}

static bool parse_fixed(ee_str text, ee_fixed *sum) {
  bool negative = text.length > 0 && text.data[0] == '-';
  if (negative) text = (ee_str){text.data + 1, text.length - 1};
  const char *point = text.length > 0 ? memchr(text.data, '.', text.length) : NULL;
  size_t whole = point != NULL ? (size_t)(point - text.data) : text.length;
  size_t digits = point != NULL ? text.length - whole - 1 : 0;
  unsigned __int128 high, low = 0;
  if (!read_hex((ee_str){text.data, whole}, 17, &high)) return false;
  if (point != NULL && !read_hex((ee_str){point + 1, digits}, UNIT_DIGITS, &low)) return false;
  if (high >> (127 - UNIT_BITS) != 0) return false;
  unsigned __int128 units = high << UNIT_BITS | low << 4 * (UNIT_DIGITS - digits);
  sum->units = negative ? -(__int128)units : (__int128)units;
  return true;
}

static ee_fixed read_fixed(ee_state_line *line) {
  ee_fixed sum = {0};
  const ee_value *text = next_of(line, EE_STRING);
  if (text != NULL && !parse_fixed(ee_value_text(text), &sum)) line->failed = true;
  return sum;
}

static void pack_fixed(ee_state_line *line, ee_fixed sum) {
  ee_pack_bits(&line->bytes, (uint64_t)((unsigned __int128)sum.units >> 64));
  ee_pack_bits(&line->bytes, (uint64_t)sum.units);
}

static ee_fixed unpack_fixed(ee_state_line *line) {
  unsigned __int128 high = unpack_bits(line);
  return (ee_fixed){(__int128)(high << 64 | unpack_bits(line))};
}

void ee_state_fixed(ee_state_line *line, ee_fixed *value) {
  if (ee_state_reading(line))
    *value = line->packed ? unpack_fixed(line) : read_fixed(line);
  else if (line->packed)
    pack_fixed(line, *value);
  else if (value->units == 0)
    write_zero(line);
  else
    write_fixed(line, *value);
}

/* Texts ---------------------------------------------------------------------------------------- */

static void write_text(ee_state_line *line, ee_str text) {
  if (line->packed) {
    ee_pack_count(&line->bytes, text.data != NULL ? (uint64_t)text.length + 1 : 0);
    if (text.data != NULL) ee_buffer_add_str(&line->bytes, text);
  } else if (text.data == NULL) {
    write_zero(line);
  } else {
    ee_json_write_string(next_place(line), text);
  }
}

/* Borrowed from the line. */
static ee_str read_text(ee_state_line *line) {
  if (!line->packed) {
    const ee_value *value = next_of(line, EE_STRING);
    return value != NULL ? ee_value_text(value) : (ee_str){0};
  }
  uint64_t length = unpack(line);
  if (length == 0) return (ee_str){0};
  length--;
  const char *bytes = length <= bytes_left(line) ? (const char *)ee_unpack_bytes(&line->from, (size_t)length) : NULL;
  if (bytes != NULL && ee_utf8_valid_prefix(bytes, (size_t)length) == length) return (ee_str){bytes, (size_t)length};
  line->failed = true;
  return (ee_str){0};
}

void ee_state_text(ee_state_line *line, ee_arena *arena, ee_str *text) {
  if (!ee_state_reading(line)) {
    write_text(line, *text);
    return;
  }
  *text = read_text(line);
  if (text->data != NULL) text->data = ee_arena_copy(arena, text->data, text->length);
}

/* What many totals have ------------------------------------------------------------------------ */

void ee_state_counts(ee_state_line *line, uint64_t *values, size_t count) {
  for (size_t i = 0; i < count; i++) ee_state_count(line, &values[i]);
}

EE_STATE_COVERS(ee_counts, 56);

void ee_state_confusion(ee_state_line *line, ee_counts *counts) {
  ee_state_begin(line);
  ee_state_count(line, &counts->tp);
  ee_state_count(line, &counts->tn);
  ee_state_count(line, &counts->fp);
  ee_state_count(line, &counts->fn);
  ee_state_count(line, &counts->wrong);
  ee_state_count(line, &counts->unread);
  ee_state_count(line, &counts->unread_candidates);
  ee_state_end(line);
}

EE_STATE_COVERS(ee_sample, 48);

void ee_state_sample(ee_state_line *line, ee_sample *sample) {
  ee_state_begin(line);
  ee_state_count(line, &sample->count);
  ee_state_fixed(line, &sample->sum);
  ee_state_fixed(line, &sample->sum_of_squares);
  ee_state_end(line);
}

EE_STATE_COVERS(ee_exact_sum, 552);

/* Without carries equal sums would not be equal texts. */
void ee_state_exact_sum(ee_state_line *line, ee_exact_sum *sum) {
  enum { LAST = EE_EXACT_SUM_LIMBS - 1 };
  if (!ee_state_reading(line)) ee_exact_sum_carry(sum);
  ee_state_begin(line);
  for (size_t i = 0; i <= LAST; i++) {
    uint64_t limb = (uint64_t)sum->limbs[i];
    ee_state_count(line, &limb);
    if (i < LAST && limb > UINT32_MAX) ee_state_fail(line);
    if (ee_state_reading(line)) sum->limbs[i] = (int64_t)limb;
  }
  ee_state_end(line);
}
