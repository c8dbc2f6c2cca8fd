/* json_reader.c: reads JSON in one pass, with one node for each value and one copy of each string.
 *
 * Open containers are on an explicit stack, so nesting costs no recursion. All strings of a document go to one pool of
 * the text's length, which is enough: decoded and with its NUL, no string is longer than its source with the quotes. */
#include "data/json/json_reader.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "data/json/json_scan.h"
#include "data/json/json_text.h"
#include "data/json/known_keys.h"
#include "prim/normalize.h"
#include "prim/number.h"

/* Of a function that would make the usual way through its caller longer if it were a part of it. */
#define SELDOM __attribute__((noinline))

/* Levels for which the stack has room at first: the whole stack has several pages, all of which the system's protection
 * of stacks has to touch, which would take a tenth of the time of a short record. */
#define SHALLOW 32

/* Bytes after the pool, because strings are copied in whole vectors. */
#define POOL_SLACK 32

/* An object or array that is not closed yet. */
typedef struct frame {
  ee_value *container;
  ee_value *last;              /* the last child, or NULL */
  uint64_t seen;               /* of an object: the bits of its keys, see key_bit() */
  uint64_t used;               /* of an object: the masks of the known keys that it has */
  bool mixed;                  /* it has other keys, too: then `seen` holds */
  ee_known_object *known;      /* of an object, or of the objects of an array; NULL: no key is known */
  ee_known_key *previous;      /* the last known key; NULL: none yet */
  ee_known_key *next;          /* the known key that should come now, or NULL */
  size_t marks;                /* reader.marks before it */
  const char *from;            /* where it begins */
  ee_respelling **respellings; /* reader.respellings_end before it */
  size_t spaces, lost;         /* reader.spaces and reader.lost before it */
  const ee_value *twin;        /* what is at its place in the member before, see find_twin(); NULL: nothing */
  const ee_value *twin_child;  /* the child of `twin` that may come next; of the document: the last member; or NULL */
  uint32_t behind;             /* children since the last one that is like that of `twin`, up to TWINS_TRIED - 1 */
} frame;

typedef struct reader {
  ee_arena *arena;
  const char *start, *end;
  char *pool; /* where the next string goes */
  const ee_json_options *options;
  const char *mistake; /* static */
  const char *mistake_at;
  ee_known_key *holder;   /* the known key of the value that comes next, or NULL */
  ee_known_object *known; /* without a holder: what is known of the value, or NULL */
  size_t depth;
  size_t marks;                    /* code points so far that NFC may change */
  size_t respelled;                /* places in the last string that would be written differently */
  size_t spaces;                   /* runs of white space between tokens so far */
  size_t lost;                     /* places so far where source and document differ in more than their spelling */
  ee_arena *sources;               /* NULL: they are not kept */
  size_t room;                     /* for sources and respellings: how many more */
  ee_respelling *respellings;      /* all so far */
  ee_respelling **respellings_end; /* where the next one is linked */
  size_t comparable;          /* bytes that may yet be compared in vain with those of twins; 0: none is looked for */
  size_t nodes;               /* so far */
  size_t used_before, memory; /* what the arena had in use, and what the document may take */
  frame *stack;               /* `shallow`, or in the arena */
  size_t levels;              /* of the stack */
  frame shallow[SHALLOW];
} reader;

/* Notes a mistake; returns NULL. */
static const char *fail(reader *r, const char *at, const char *mistake) {
  r->mistake = mistake;
  r->mistake_at = at;
  return NULL;
}

/* The same, but at the end of the text the mistake is that it ends. */
static const char *fail_expected(reader *r, const char *at, const char *mistake) {
  return fail(r, at, at == r->end ? "unexpected end of text" : mistake);
}

/* Memory is checked once in this many nodes, a power of two. */
#define NODES_BETWEEN 1024

/* Whether the document takes more memory than it may; then that is the mistake, at `at`. */
static SELDOM bool takes_too_much(reader *r, const char *at) {
  if (ee_arena_used(r->arena) - r->used_before <= r->memory) return false;
  ee_arena_pass_limit(r->arena);
  char bound[EE_BOUND_TEXT];
  const char *size = ee_size_text(ee_limits_get()->memory, bound);
  fail(r, at,
       ee_arena_printf(r->arena, "a document of more than %zu values takes more than %s of memory (--max-memory)",
                       r->nodes - 1, size));
  return true;
}

static inline bool is_too_large(reader *r, const char *at) {
  return ++r->nodes % NODES_BETWEEN == 0 && takes_too_much(r, at);
}

/* Member by member: compilers clear the whole with an instruction that takes longer to start than all of these. */
static inline void clear_node(ee_value *node) {
  node->json.next = node->json.prev = node->json.child = NULL;
  node->json.type = node->json.valueint = 0;
  node->json.valuestring = node->json.string = NULL;
  node->json.valuedouble = 0;
  node->length = node->key_length = 0;
  node->hash = node->key_hash = 0;
  node->index = NULL;
}

static inline ee_value *new_node(reader *r) {
  ee_value *node = ee_arena_alloc(r->arena, sizeof *node);
  clear_node(node);
  return node;
}

static inline const char *skip_space(reader *r, const char *at) {
  if (at == r->end || (unsigned char)*at > ' ' || !ee_json_is_space(*at)) return at;
  r->spaces++;
  return ee_json_skip_space(at + 1, r->end);
}

/* Sources -------------------------------------------------------------------------------------- */

/* At most one source or respelling is kept for this many bytes: together they take less memory than the values. */
#define BYTES_A_SOURCE 8
#define FEWEST_SOURCES 64

static void start_sources(reader *r, ee_arena *sources) {
  r->sources = sources;
  r->room = FEWEST_SOURCES + (size_t)(r->end - r->start) / BYTES_A_SOURCE;
  r->respellings = NULL;
  r->respellings_end = &r->respellings;
  r->spaces = r->lost = 0;
}

/* Notes that the token from `at` up to `after` is written differently: the key of `value`, or `value` itself. */
static SELDOM void note_respelled(reader *r, const char *at, const char *after, const ee_value *value, bool is_key) {
  if (r->sources == NULL) return;
  if (r->room == 0) {
    r->lost++;
    return;
  }
  r->room--;
  ee_respelling *respelling = ee_arena_alloc(r->sources, sizeof *respelling);
  *respelling = (ee_respelling){.at = at, .length = (size_t)(after - at), .value = value, .is_key = is_key};
  *r->respellings_end = respelling;
  r->respellings_end = &respelling->next;
}

/* Keeps the source of the container of `top`, which ends at `end`. */
static void keep_source(reader *r, const frame *top, const char *end) {
  if (r->lost != top->lost || r->room == 0) return;
  r->room--;
  ee_source *source = ee_arena_alloc(r->sources, sizeof *source);
  *source = (ee_source){.text = {top->from, (size_t)(end - top->from)},
                        .respellings = *top->respellings,
                        .spaced = r->spaces != top->spaces};
  ee_value_set_source(top->container, source);
}

/* Strings -------------------------------------------------------------------------------------- */

/* Copies the string whose opening quote is at `at` to the pool. Returns the place after the closing quote. */
static SELDOM const char *read_any_string(reader *r, const char *at, char **text, uint32_t *length) {
  const char *const opening = at++;
  const char *const end = r->end;
  char *out = r->pool;
  size_t marks = 0, respelled = 0;
  for (;;) {
    size_t plain = ee_json_copy_plain(at, end, out);
    at += plain;
    out += plain;
    if (at == end) return fail(r, opening, "unterminated string");
    unsigned char c = (unsigned char)*at;
    if (c == '"') break;
    if (c > 0x7f) {
      ee_json_text seen;
      const char *after = ee_json_copy_text(at, end, out, &seen);
      if (seen.invalid) return fail(r, after, "invalid UTF-8");
      marks += seen.composable;
      respelled += seen.respelled;
      out += after - at;
      at = after;
    } else if (c == '\\') {
      char meant = end - at > 1 ? ee_json_short_escapes[(unsigned char)at[1]] : '\0';
      if (meant != '\0') {
        respelled += meant == '/';
        *out++ = meant;
        at += 2;
        continue;
      }
      uint32_t code_point;
      const char *mistake;
      const char *after = ee_json_read_escape(at, end, &code_point, &mistake);
      if (after == NULL && r->options != NULL && r->options->lone_surrogates != NULL) {
        after = ee_json_lone_surrogate(at, end);
        code_point = 0xfffd;
        *r->options->lone_surrogates += after != NULL;
        r->lost += after != NULL;
      }
      if (after == NULL) return mistake != NULL ? fail(r, at, mistake) : fail(r, opening, "unterminated string");
      respelled++;
      at = after;
      if (code_point < 0x80) {
        *out++ = (char)code_point;
      } else {
        marks += code_point >= 0x300 && ee_nfc_may_change(code_point);
        out += ee_utf8_encode(code_point, out);
      }
    } else if (c < 0x20) {
      return fail(r, at, "control character in string");
    } else {
      /* A plain byte near the end of the text, where there is no whole vector. */
      respelled += c == 0x7f;
      *out++ = *at++;
    }
  }
  r->marks += marks;
  r->respelled = respelled;
  *out = '\0';
  *text = r->pool;
  *length = (uint32_t)(out - r->pool);
  r->pool = out + 1;
  return at + 1;
}

/* The same. Most strings are short and plain. */
static inline const char *read_string(reader *r, const char *at, char **text, uint32_t *length) {
  unsigned found = r->end - at > 16 ? ee_json_copy_short_string(at + 1, r->pool) : 16;
  if (found == 16) return read_any_string(r, at, text, length);
  r->respelled = 0;
  r->pool[found] = '\0';
  *text = r->pool;
  *length = found;
  r->pool += found + 1;
  return at + found + 2;
}

/* Numbers -------------------------------------------------------------------------------------- */

/* Whether the shortest text of `value` has another decimal value than the source text. */
static bool text_must_be_kept(ee_str text, double value) {
  if (!isfinite(value)) return true;
  char shortest[32];
  return ee_decimal_compare(text, (ee_str){shortest, ee_double_format(value, shortest)}) != 0;
}

/* Whether the shortest text of `value` is not `text`, which has the same decimal value: 1.50, 1e3, -0. Nearly all
 * numbers show it: whole numbers, and decimals that end in 0 or not. */
static inline bool is_written_longer(const ee_json_number *number, ee_str text, double value) {
  size_t extra = text.length - number->digit_count - number->negative;
  if (extra == 0 && number->digits != 0) return false;
  if (extra == 1 && text.data[text.length - 1] == '0') return true;
  if (extra == 1 && number->digit_count <= 15 && fabs(value) >= 0.001) return false;
  char shortest[32];
  return !ee_str_equal(text, (ee_str){shortest, ee_double_format(value, shortest)});
}

/* Whole numbers up to 2^53 and powers of ten up to 10^22 are exact as doubles, so one multiplication or division rounds
 * correctly (Clinger, How to Read Floating Point Numbers Accurately, PLDI 1990). All others take the slow way. The text
 * of whole numbers up to 2^53 and of decimals of up to 15 digits in the normal range need not be kept: reading the
 * shortest text of their double gives the same decimal value. */
static double number_value(reader *r, const ee_json_number *number, ee_str text, bool *keep) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  (void)r;
  *keep = false;
  if (number->digit_count <= 19) {
    uint64_t digits = number->digits;
    int exponent = number->exponent;
    if (digits == 0) return number->negative ? -0.0 : 0.0;
    if (digits <= UINT64_C(1) << 53 && exponent >= -22 && exponent <= 22) {
      /* Whole numbers are divided by 1, so that no branch tells them from decimals. */
      double value = exponent <= 0 ? (double)digits / powers[-exponent] : (double)digits * powers[exponent];
      if (number->negative) value = -value;
      *keep = exponent != 0 && digits >= UINT64_C(1000000000000000) && text_must_be_kept(text, value);
      return value;
    }
    double value = ee_decimal_to_double(text);
    bool normal = isfinite(value) && fabs(value) >= DBL_MIN;
    *keep = !(normal && digits < UINT64_C(1000000000000000)) && text_must_be_kept(text, value);
    return value;
  }
  double value = ee_decimal_to_double(text);
  *keep = text_must_be_kept(text, value);
  return value;
}

static inline const char *read_number(reader *r, const char *at, ee_value *node) {
  ee_json_number number;
  const char *after = ee_json_read_short_number(at, r->end, &number);
  if (after == NULL) after = ee_json_read_number(at, r->end, &number, &r->mistake, &r->mistake_at);
  if (after == NULL) {
    if (r->mistake_at == r->end) r->mistake = "unexpected end of text";
    return NULL;
  }
  node->json.type = cJSON_Number;
  ee_str text = {at, (size_t)(after - at)};
  bool keep;
  double value = number_value(r, &number, text, &keep);
  node->json.valuedouble = value;
  node->json.valueint = ee_saturated_int(value);
  bool longer = !keep && is_written_longer(&number, text, value);
  if (longer || number.digit_count > 15) note_respelled(r, at, after, node, false);
  if (keep || longer) {
    memcpy(r->pool, text.data, text.length);
    r->pool[text.length] = '\0';
    node->json.valuestring = r->pool;
    if (keep) node->length = (uint32_t)text.length;
    r->pool += text.length + 1;
  }
  return after;
}

/* Words ---------------------------------------------------------------------------------------- */

static const char *read_word(reader *r, const char *at, ee_value *node) {
  size_t left = (size_t)(r->end - at);
  if (left >= 4 && memcmp(at, "true", 4) == 0) {
    node->json.type = cJSON_True;
    node->json.valueint = 1;
    return at + 4;
  }
  if (left >= 5 && memcmp(at, "false", 5) == 0) {
    node->json.type = cJSON_False;
    return at + 5;
  }
  if (left >= 4 && memcmp(at, "null", 4) == 0) {
    node->json.type = cJSON_NULL;
    return at + 4;
  }
  return fail_expected(r, at, ee_json_value_mistake(at, r->end));
}

/* Members -------------------------------------------------------------------------------------- */

/* One of 64 bits for a key, by its length and its first and last bytes. Eight bytes can be read at any key, because the
 * pool has POOL_SLACK. */
static inline uint64_t key_bit(const char *key, uint32_t length) {
  uint64_t first, last = 0;
  memcpy(&first, key, 8);
  if (length >= 8) {
    memcpy(&last, key + length - 8, 8);
  } else {
    /* The shift drops the bytes that follow the key. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    first = length > 0 ? first << (64 - 8 * length) : 0;
#else
    first = length > 0 ? first >> (64 - 8 * length) : 0;
#endif
  }
  uint64_t hash = (first ^ (last << 1) ^ (last >> 63) ^ length) * UINT64_C(0x9e3779b97f4a7c15);
  return UINT64_C(1) << (hash >> 58);
}

static ee_value *find_member(const ee_value *object, const char *key, uint32_t length) {
  for (ee_value *member = (ee_value *)object->json.child; member != NULL; member = (ee_value *)member->json.next)
    if (member->key_length == length && memcmp(member->json.string, key, length) == 0) return member;
  return NULL;
}

/* Reports a duplicate key and clears the earlier member for the new value. */
static ee_value *reuse_member(reader *r, ee_value *member, const char *key_at) {
  if (r->options != NULL && r->options->on_duplicate_key != NULL)
    r->options->on_duplicate_key(r->options->user, ee_value_key(member), (size_t)(key_at - r->start));
  ee_value before = *member;
  r->lost++;
  clear_node(member);
  member->json.next = before.json.next;
  member->json.prev = before.json.prev;
  member->json.string = before.json.string;
  member->key_length = before.key_length;
  member->key_hash = before.key_hash;
  return member;
}

static inline void link_child(frame *top, ee_value *child) {
  if (top->last == NULL) {
    top->container->json.child = &child->json;
  } else {
    top->last->json.next = &child->json;
    child->json.prev = &top->last->json;
  }
  top->last = child;
  top->container->length += 1;
}

/* A member that is not in the object yet. */
static inline ee_value *new_member(reader *r, const ee_known_key *key) {
  ee_value *member = new_node(r);
  member->json.string = key->key;
  member->key_length = key->length;
  member->key_hash = key->hash;
  return member;
}

/* The member for `key`: a new one at the end, or the earlier one with this key. Small objects compare keys only if the
 * key's bit was seen, large ones use their index. */
static SELDOM ee_value *add_member(reader *r, frame *top, const ee_known_key *key, bool is_new, const char *key_at) {
  ee_value *object = top->container;
  if (!is_new && object->index == NULL && (!top->mixed || (top->seen & key->bit) != 0)) {
    ee_value *before = find_member(object, key->key, key->length);
    if (before != NULL) return reuse_member(r, before, key_at);
  }
  top->seen |= key->bit;
  ee_value *member = new_member(r, key);
  if (object->index != NULL) {
    ee_value *before = ee_value_index_add(object, member);
    if (before != NULL) return reuse_member(r, before, key_at);
  }
  link_child(top, member);
  if (object->length == EE_INDEX_ABOVE + 1) ee_value_index_members(r->arena, object);
  return member;
}

/* The place after the colon that follows a key and after white space. */
static inline const char *read_colon(reader *r, const char *at) {
  at = skip_space(r, at);
  if (at == r->end || *at != ':') return fail_expected(r, at, "expected ':'");
  return skip_space(r, at + 1);
}

/* The place after the member whose key begins at `at`, if it is left out; else NULL. A key with an escape never
 * is. A mistake in the member is found again, and reported, when it is read. */
static const char *skip_left_out(const reader *r, const char *at) {
  for (const char *const *key = r->options->left_out; *key != NULL; key++) {
    size_t length = strlen(*key);
    if ((size_t)(r->end - at) < length + 2 || memcmp(at + 1, *key, length) != 0 || at[length + 1] != '"') continue;
    ee_json_scan scan = {.start = r->start, .end = r->end};
    const char *after = ee_json_skip_space(at + length + 2, r->end);
    if (after == r->end || *after != ':') return NULL;
    after = ee_json_skip_value(&scan, after + 1);
    return after != NULL ? ee_json_skip_space(after, r->end) : NULL;
  }
  return NULL;
}

/* The known key at `at`, or NULL. Mostly it is the one that followed last; else the one found follows from now on. */
static inline ee_known_key *find_known(frame *top, const char *at, const char *end) {
  if (top->next != NULL && ee_known_key_is_at(top->next, at, end)) return top->next;
  return top->known != NULL ? ee_known_keys_find(top->known, at, end) : NULL;
}

/* Notes that the object has a known key. Returns whether it has no member with that key yet, for sure. */
static inline bool use_known(frame *top, ee_known_key *key) {
  if (key != top->next) *(top->previous != NULL ? &top->previous->next : &top->known->first) = key;
  bool is_new = !top->mixed && (top->used & key->mask) == 0;
  top->used |= key->mask;
  top->previous = key;
  top->next = key->next;
  return is_new;
}

/* A member whose key is known, as read_key(). */
static inline const char *read_known(reader *r, frame *top, const char *at, ee_known_key *key, ee_value **member) {
  bool is_new = use_known(top, key);
  const char *after = at + key->length + 2;
  after = after < r->end && *after == ':' ? skip_space(r, after + 1) : read_colon(r, after);
  if (after == NULL) return NULL;
  r->holder = key;
  if (is_new && top->container->length < EE_INDEX_ABOVE) {
    *member = new_member(r, key);
    link_child(top, *member);
  } else {
    *member = add_member(r, top, key, is_new, at);
  }
  return after;
}

/* Other keys are told apart by their bits, those of the known ones included. */
static void mix(frame *top) {
  if (top->mixed) return;
  top->mixed = true;
  for (const ee_known_key *key = top->known != NULL ? top->known->newest : NULL; key != NULL; key = key->before)
    if ((top->used & key->mask) != 0) top->seen |= key->bit;
}

/* Notes a key that is not known. One that has an escape, or would get one, or that NFC may change, is not for the next
 * objects: it is not `plain`. Returns as use_known(). */
static bool note_key(reader *r, frame *top, const ee_known_key *key, bool plain) {
  ee_known_key *known = NULL;
  if (top->known != NULL && plain)
    known = ee_known_keys_add(r->options->known, top->known, (ee_str){key->key, key->length}, key->bit);
  r->holder = known;
  if (known != NULL) return use_known(top, known);
  mix(top);
  return false;
}

/* Reads a key, its colon and white space, and sets `*member`, whose value follows. If the member is left out, `*member`
 * is NULL, and what follows is the place after its value. */
static SELDOM const char *read_key(reader *r, frame *top, const char *at, ee_value **member) {
  if (at == r->end || *at != '"') return fail_expected(r, at, "expected a key in double quotes");
  if (r->depth == 1 && r->options != NULL && r->options->left_out != NULL) {
    const char *after = skip_left_out(r, at);
    *member = NULL;
    r->lost += after != NULL;
    if (after != NULL) return after;
  }
  if (is_too_large(r, at)) return NULL;
  r->known = NULL;
  const char *key_at = at;
  ee_known_key key = {.hash = 0};
  size_t marks = r->marks;
  at = read_string(r, at, &key.key, &key.length);
  if (at == NULL) return NULL;
  const char *key_end = at;
  bool has_escape = (size_t)(key_end - key_at) != (size_t)key.length + 2, differs = r->respelled != 0;
  key.bit = key_bit(key.key, key.length);
  bool is_new = note_key(r, top, &key, r->marks == marks && !has_escape && !differs);
  at = read_colon(r, at);
  if (at == NULL) return NULL;
  *member = add_member(r, top, &key, is_new, key_at);
  if (differs) note_respelled(r, key_at, key_end, *member, true);
  return at;
}

/* Twins ---------------------------------------------------------------------------------------- */

/* Expected and candidate documents are mostly written alike, and in most of their arrays and objects nothing differs.
 * The twin of a member of the whole document is the member before it, and that of a container in it the one at the same
 * place in the twin. Where both have the same text, the second is not read: it gets the children of the first. */

/* Elements of the twin with which an element is compared, since some may be missing. */
#define TWINS_TRIED 3
/* Members of the twin that are passed over at most. */
#define MEMBERS_PASSED 64
/* So many bytes are compared in vain at most, for each byte of the document. */
#define COMPARED_A_BYTE 8

/* Where a container's text is, in a member that cJSON uses for numbers only. */
typedef struct extent {
  uint32_t at, length; /* length 0: the text says more than its values, such as keys that occur twice */
} extent;
_Static_assert(sizeof(extent) == sizeof(double), "an extent is kept in place of a number");

static extent extent_of(const ee_value *container) {
  extent found;
  memcpy(&found, &container->json.valuedouble, sizeof found);
  return found;
}

static inline void set_extent(reader *r, ee_value *container, const char *from, size_t length) {
  extent own = {(uint32_t)(from - r->start), (uint32_t)length};
  memcpy(&container->json.valuedouble, &own, sizeof own);
}

/* Whether the text at `at` begins with that of `twin`, of the same type as what is there. */
static bool is_like(reader *r, const ee_value *twin, const char *at) {
  if (twin->json.type != (*at == '{' ? cJSON_Object : cJSON_Array)) return false;
  extent text = extent_of(twin);
  if (text.length == 0 || (size_t)(r->end - at) < text.length || text.length > r->comparable) return false;
  if (memcmp(at, r->start + text.at, text.length) == 0) return true;
  r->comparable -= text.length;
  return false;
}

/* The element of the twin of `top` that is like the one at `at`, or NULL. Then `*twin` is the one at its place. Each is
 * found once at most. */
static const ee_value *find_like_element(reader *r, frame *top, const char *at, const ee_value **twin) {
  const ee_value *element = top->twin_child;
  uint32_t last = top->behind + 1 < TWINS_TRIED ? top->behind + 1 : TWINS_TRIED - 1;
  for (uint32_t i = 0; i <= last && element != NULL; i++, element = ee_value_next(element)) {
    if (is_like(r, element, at)) {
      top->twin_child = ee_value_next(element);
      top->behind = 0;
      return element;
    }
    if (i == top->behind) *twin = element;
  }
  if (top->behind + 1 < TWINS_TRIED)
    top->behind++;
  else if (top->twin_child != NULL)
    top->twin_child = ee_value_next(top->twin_child);
  return NULL;
}

/* What is at the place of `member` in the twin of `top`, or NULL. Keys that are known have the same bytes in memory. */
static const ee_value *find_twin_member(frame *top, const ee_value *member) {
  const ee_value *twin = top->twin_child;
  for (size_t i = 0; twin != NULL && i < MEMBERS_PASSED; i++, twin = ee_value_next(twin)) {
    if (twin->json.string != member->json.string) continue;
    top->twin_child = ee_value_next(twin);
    return twin;
  }
  return NULL;
}

/* The container that is like the one at `at`, whose node is `node` in `top`, or NULL; then `*twin` is its twin if it
 * has one. */
static const ee_value *find_like(reader *r, frame *top, const ee_value *node, const char *at, const ee_value **twin) {
  *twin = NULL;
  if (top->twin != NULL && top->container->json.type == cJSON_Array) return find_like_element(r, top, at, twin);
  const ee_value *found = top->twin != NULL ? find_twin_member(top, node) : NULL;
  if (r->depth == 1 && top->container->json.type == cJSON_Object) {
    found = top->twin_child;
    top->twin_child = node;
  }
  if (found == NULL) return NULL;
  if (is_like(r, found, at)) return found;
  int type = *at == '{' ? cJSON_Object : cJSON_Array;
  if (found->json.type == type) *twin = found;
  return NULL;
}

/* Makes `node` of the container `like`, which has the text that is at `at`. Returns the place after it. */
static const char *share(reader *r, ee_value *node, const ee_value *like, const char *at) {
  size_t length = extent_of(like).length;
  node->json.type = like->json.type;
  node->json.child = like->json.child;
  node->length = like->length;
  node->index = like->index;
  ee_value_set_plain(node, true);
  set_extent(r, node, at, length);
  const ee_source *source = ee_value_source(like);
  if (source == NULL) return at + length;
  ee_value_set_source(node, source);
  r->spaces += source->spaced;
  const char *from = source->text.data, *end = from + length;
  for (const ee_respelling *next = source->respellings; next != NULL && next->at < end; next = next->next) {
    const char *there = at + (next->at - from);
    note_respelled(r, there, there + next->length, next->value, next->is_key);
  }
  return at + length;
}

/* Documents ------------------------------------------------------------------------------------ */

/* Goes to the next value of the open container: that of `*node`, which is NULL if it was skipped. */
static inline const char *start_value(reader *r, frame *top, const char *at, ee_value **node) {
  if (top->container->json.type == cJSON_Object) {
    ee_known_key *key = find_known(top, at, r->end);
    if (key == NULL) return read_key(r, top, at, node);
    return is_too_large(r, at) ? NULL : read_known(r, top, at, key, node);
  }
  r->known = top->known;
  r->holder = NULL;
  if (is_too_large(r, at)) return NULL;
  *node = new_node(r);
  link_child(top, *node);
  return at;
}

static inline void open_frame(const reader *r, frame *top, ee_value *container, const ee_value *twin, const char *at) {
  ee_known_object *known = r->known;
  if (r->holder != NULL) known = ee_known_keys_inside(r->options->known, r->holder);
  *top = (frame){.container = container,
                 .marks = r->marks,
                 .from = at,
                 .respellings = r->respellings_end,
                 .spaces = r->spaces,
                 .lost = r->lost,
                 .twin = twin,
                 .twin_child = twin != NULL ? ee_value_child(twin) : NULL,
                 .known = known,
                 .next = known != NULL ? known->first : NULL};
}

static SELDOM void deepen(reader *r) {
  frame *stack = EE_NEW_ARRAY(r->arena, frame, EE_JSON_DEPTH_LIMIT);
  memcpy(stack, r->stack, r->depth * sizeof *stack);
  r->stack = stack;
  r->levels = EE_JSON_DEPTH_LIMIT;
}

/* Reads the value at `at` into `root`. Returns the place after it, or NULL after fail(). */
static const char *read_value(reader *r, const char *at, ee_value *root) {
  const char *const end = r->end;
  ee_value *node = root;
  frame *top = NULL;
  for (;;) {
    /* A value must start here. */
    if (at == end) return fail_expected(r, at, "");
    bool more = false; /* a child of the open container comes */
    if (*at == '{' || *at == '[') {
      const ee_value *twin = NULL, *like = NULL;
      if (r->comparable > 0 && top != NULL) like = find_like(r, top, node, at, &twin);
      if (like != NULL) {
        at = skip_space(r, share(r, node, like, at));
      } else {
        bool is_object = *at == '{';
        if (r->depth == EE_JSON_DEPTH_LIMIT) return fail(r, at, "nesting deeper than 512");
        if (r->depth == r->levels) deepen(r);
        node->json.type = is_object ? cJSON_Object : cJSON_Array;
        top = &r->stack[r->depth++];
        open_frame(r, top, node, twin, at);
        at = skip_space(r, at + 1);
        more = at == end || *at != (is_object ? '}' : ']');
      }
    } else {
      if (*at == '"') {
        const char *from = at;
        node->json.type = cJSON_String;
        at = read_string(r, at, &node->json.valuestring, &node->length);
        if (r->respelled != 0 && at != NULL) note_respelled(r, from, at, node, false);
      } else if (ee_json_is_digit(*at) || *at == '-') {
        at = read_number(r, at, node);
      } else {
        at = read_word(r, at, node);
      }
      if (at == NULL) return NULL;
      if (top == NULL) return at;
      at = skip_space(r, at);
    }
    /* A child, a comma and a child, or the container's end. The outer container may end too. */
    for (;;) {
      if (!more && at < end && *at == ',') {
        more = true;
        at = skip_space(r, at + 1);
      }
      if (more) {
        at = start_value(r, top, at, &node);
        if (at == NULL) return NULL;
        if (node != NULL) break;
        more = false;
        continue;
      }
      bool is_object = top->container->json.type == cJSON_Object;
      if (at == end || *at != (is_object ? '}' : ']'))
        return fail_expected(r, at, is_object ? "expected ',' or '}'" : "expected ',' or ']'");
      at++;
      /* As in cJSON, the first child's prev is the last child. */
      if (top->last != NULL) top->container->json.child->prev = &top->last->json;
      bool plain = r->marks == top->marks;
      ee_value_set_plain(top->container, plain);
      if (r->sources != NULL) keep_source(r, top, at);
      if (r->comparable > 0 && plain && r->lost == top->lost)
        set_extent(r, top->container, top->from, (size_t)(at - top->from));
      r->depth -= 1;
      if (r->depth == 0) return at;
      top = &r->stack[r->depth - 1];
      at = skip_space(r, at);
    }
  }
}

/* Counts lines, which is only needed for a mistake. */
static void report_mistake(const reader *r, ee_error *error) {
  size_t line = 1;
  const char *line_start = r->start;
  for (;;) {
    const char *newline = memchr(line_start, '\n', (size_t)(r->mistake_at - line_start));
    if (newline == NULL) break;
    line++;
    line_start = newline + 1;
  }
  ee_error_at(error, EE_ERROR_DATA, NULL, line, (size_t)(r->mistake_at - line_start) + 1, "%s", r->mistake);
  if (error != NULL) error->offset = (uint64_t)(r->mistake_at - r->start);
}

static ee_value *read_text(ee_arena *arena, ee_str text, const ee_json_options *options, size_t *prefix_end,
                           ee_error *error) {
  /* The stack is not cleared: that would cost more than reading a short record. */
  reader r;
  r.arena = arena;
  r.start = text.data != NULL ? text.data : "";
  r.end = r.start + text.length;
  r.options = options;
  r.depth = 0;
  r.stack = r.shallow;
  r.levels = SHALLOW;
  r.known = options != NULL && options->known != NULL ? options->known->root : NULL;
  r.holder = NULL;
  r.marks = r.nodes = r.respelled = 0;
  r.comparable = options != NULL && options->shares && options->known != NULL ? text.length * COMPARED_A_BYTE : 0;
  start_sources(&r, options != NULL ? options->sources : NULL);
  r.used_before = ee_arena_used(arena);
  size_t left = ee_arena_left(arena), bound = ee_bound_size(EE_BOUND_MEMORY);
  r.memory = left < bound ? left : bound;
  const char *at = r.start;
  ee_value *root = NULL;
  if (text.length > UINT32_MAX) {                /* unreached: texts of 4 GiB */
    at = fail(&r, at, "text longer than 4 GiB"); /* unreached: the same */
  } else if (text.length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) {
    at = fail(&r, at, "byte order mark before the document");
  } else {
    r.pool = ee_arena_alloc(arena, text.length + 1 + POOL_SLACK);
    root = new_node(&r);
    if (prefix_end == NULL) at = ee_json_skip_space(at, r.end);
    at = read_value(&r, at, root);
    if (at != NULL && prefix_end != NULL) {
      *prefix_end = (size_t)(at - r.start);
    } else if (at != NULL) {
      at = ee_json_skip_space(at, r.end);
      if (at != r.end) at = fail(&r, at, "text after the document");
    }
  }
  if (at != NULL) return root;
  report_mistake(&r, error);
  return NULL;
}

ee_value *ee_json_read(ee_arena *arena, ee_str text, const ee_json_options *options, ee_error *error) {
  return read_text(arena, text, options, NULL, error);
}

ee_value *ee_json_read_data(ee_arena *arena, ee_str text, ee_error *error) {
  uint64_t ignored = 0;
  return read_text(arena, text, &(ee_json_options){.lone_surrogates = &ignored}, NULL, error);
}

ee_value *ee_json_read_prefix(ee_arena *arena, ee_str text, size_t *end, ee_error *error) {
  return read_text(arena, text, NULL, end, error);
}

bool ee_json_is_blank(ee_str text) {
  for (size_t i = 0; i < text.length; i++) {
    if (!ee_json_is_space(text.data[i])) return false;
  }
  return true;
}

bool ee_json_has_more_values_than(ee_str text, size_t limit) {
  size_t values = 1;
  for (size_t i = 0; i < text.length; i++)
    values += text.data[i] == ',' || text.data[i] == '[' || text.data[i] == '{' || text.data[i] == ':';
  return values > limit;
}
