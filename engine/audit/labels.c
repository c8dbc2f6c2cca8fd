/* labels.c: near-duplicate labels.
 *
 * Applies to paths with at least 10 texts, mostly not numbers, at most half of them distinct.
 * A label is reported when a more frequent one (at least 3 times)
 *   - is the same without case, accents, spaces and '.,-_/' (weight 0.6); where more than a fifth of the texts are
 *     distinct, which are rather names than labels, only if the other one is ten times as frequent; or
 *   - differs by one edit (a letter more, less, another, or two exchanged) inside a word of at least five letters, and
 *     is ten times as frequent (weight 0.5).
 * Digits must agree. A value that occurs exactly so in its record's source text was copied from there and is not
 * reported.
 *
 * More than 20 variants at one path are one finding with weight 0.02: the values are free text, not labels.
 *
 * Labels with one edit are found by the hashes of the texts with one letter left out: linear in their number. Only the
 * first 20,000 distinct texts of a path are compared. */
#include "audit/checks.h"
#include "prim/normalize.h"
#include "prim/number.h"

#define MIN_TEXTS 10
#define MIN_USUAL 3
#define VARIANT_WEIGHT 0.6
#define EDIT_WEIGHT 0.5
#define EDIT_RATIO 10
#define EDIT_WORD 5
/* Max values of a label that are separate findings. */
#define MAX_SINGLE 5
/* Labels of a path that are variants of others; where there are more, they are one finding. */
#define MAX_VARIANTS 20
#define PROSE_WEIGHT 0.02
#define MAX_LABELS 20000
/* Bytes of a label. */
#define MAX_LABEL 80

typedef struct label {
  const ee_audit_value *value;
  ee_str plain;
  size_t usual; /* the label that it is a variant of, or its own number */
  bool edit;    /* it differs by one edit */
  double weight;
  const char *reason;    /* NULL: no finding */
  ee_audit_entry *entry; /* of many values; NULL: each is a finding */
} label;

typedef struct labels {
  ee_audit *audit;
  ee_arena *arena;
  uint32_t column;
  label *items;
  size_t count;
  ee_hash_index index; /* by hash of the value: those with a finding */
  uint64_t *spared;    /* by label: values that occur in the source text */
} labels;

static bool has_digit(ee_str text) {
  for (size_t i = 0; i < text.length; i++)
    if ((unsigned char)(text.data[i] - '0') < 10) return true;
  return false;
}

/* Without case and accents, without spaces, and unless it has digits, between which a sign says something, without
 * '.,-_/'. */
static ee_str plain_label(ee_str text, ee_arena *arena) {
  static const uint8_t forms[] = {EE_NORMAL_NFKC};
  ee_str composed = ee_normalize(text, forms, 1, arena);
  bool digits = has_digit(composed);
  char *out = ee_arena_alloc(arena, 4 * EE_PLAIN_LETTER_LIMIT * composed.length);
  size_t length = 0;
  for (size_t at = 0; at < composed.length;) {
    uint32_t c = (unsigned char)composed.data[at], plain[EE_PLAIN_LETTER_LIMIT];
    size_t bytes = ee_utf8_decode(composed.data + at, composed.length - at, &c);
    at += bytes > 0 ? bytes : 1;
    if (ee_is_space(c) || (!digits && c < 0x80 && c != 0 && strchr(".,-_/", (int)c) != NULL)) continue;
    size_t count = ee_plain_letter(c, true, plain);
    for (size_t i = 0; i < count; i++) length += ee_utf8_encode(plain[i], out + length);
  }
  return (ee_str){out, length};
}

/* Whether the path has labels; collects those that can be compared. */
static bool collect(labels *self, const ee_audit_column *column) {
  uint64_t texts = 0, numbers = 0;
  size_t distinct = 0;
  self->items = EE_NEW_ARRAY(self->arena, label, column->values.count);
  self->count = 0;
  for (size_t i = 0; i < column->values.count; i++) {
    const ee_audit_value *value = &column->values.items[i];
    if (value->type != EE_STRING) continue;
    double ignored;
    distinct++;
    texts += value->count;
    if (ee_number_parse(value->text, (ee_number_format){.decimal = '.', .money = true}, self->arena, &ignored, NULL))
      numbers += value->count;
    if (value->whole && value->text.length <= MAX_LABEL && self->count < MAX_LABELS)
      self->items[self->count++] = (label){.value = value, .plain = plain_label(value->text, self->arena)};
  }
  if (texts < MIN_TEXTS || distinct < 2 || 2 * distinct > texts || 2 * numbers > texts) return false;
  if (self->count == MAX_LABELS)
    ee_audit_note_that(self->audit, EE_AUDIT_LABEL, "of %zu distinct values of %.*s only %d were compared", distinct,
                       EE_STR_ARG(column->path), MAX_LABELS);
  for (size_t i = 0; i < self->count; i++) self->items[i].usual = i;
  return true;
}

static uint64_t count_of(const labels *self, size_t number) { return self->items[number].value->count; }

/* Makes `rare` a variant of `usual` if that is more frequent than what it is a variant of so far. */
static void make_variant(labels *self, size_t rare, size_t usual, bool edit) {
  label *item = &self->items[rare];
  if (item->usual != rare && (item->edit < edit || count_of(self, item->usual) >= count_of(self, usual))) return;
  item->usual = usual;
  item->edit = edit;
}

static void find_variants(labels *self, bool names) {
  ee_hash_index index = {.arena = self->arena};
  uint64_t ratio = names ? EDIT_RATIO : 1;
  for (size_t i = 0; i < self->count; i++) {
    ee_str plain = self->items[i].plain;
    uint64_t hash = ee_hash_bytes(plain.data, plain.length, 0);
    size_t at = 0, other;
    while (plain.length > 0 && ee_hash_index_next(&index, hash, &at, &other)) {
      if (!ee_str_equal(self->items[other].plain, plain)) continue;
      bool more = count_of(self, i) > count_of(self, other);
      size_t rare = more ? other : i, usual = more ? i : other;
      if (count_of(self, usual) >= MIN_USUAL && count_of(self, usual) >= ratio * count_of(self, rare))
        make_variant(self, rare, usual, false);
    }
    ee_hash_index_add(&index, hash, i);
  }
}

/* Whether what differs is inside a word of at least EDIT_WORD letters of `usual`, and not a digit. */
static bool is_inside_word(ee_str rare, ee_str usual) {
  size_t start = 0;
  while (start < rare.length && start < usual.length && rare.data[start] == usual.data[start]) start++;
  if (start == usual.length && start > 0) start--;
  size_t from = start, to = start, letters = 0;
  while (from > 0 && usual.data[from - 1] != ' ') from--;
  while (to < usual.length && usual.data[to] != ' ') to++;
  for (size_t i = from; i < to; i++) {
    unsigned char c = (unsigned char)usual.data[i];
    letters += (unsigned char)((c | 0x20) - 'a') < 26 || c >= 0xc0; /* a letter, or the start of one */
  }
  return letters >= EDIT_WORD;
}

static bool same_digits(ee_str a, ee_str b) {
  uint64_t hashes[2] = {0, 0};
  const ee_str texts[2] = {a, b};
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < texts[k].length; i++)
      if ((unsigned char)(texts[k].data[i] - '0') < 10)
        hashes[k] = ee_hash_mix(hashes[k] + (unsigned char)texts[k].data[i]);
  return hashes[0] == hashes[1];
}

static void compare_texts(labels *self, size_t i, size_t other) {
  bool more = count_of(self, i) > count_of(self, other);
  size_t rare = more ? other : i, usual = more ? i : other;
  ee_str a = self->items[rare].value->text, b = self->items[usual].value->text;
  if (count_of(self, usual) < EDIT_RATIO * count_of(self, rare) || !same_digits(a, b)) return;
  if (ee_audit_one_edit(a, b) && is_inside_word(a, b)) make_variant(self, rare, usual, true);
}

/* Two texts that are one edit apart share a text with at most one code point left out. Exchanged neighbours do, too. */
static void find_edits(labels *self) {
  ee_arena_mark mark = ee_arena_get_mark(self->arena);
  ee_hash_index index = {.arena = self->arena};
  char shorter[MAX_LABEL];
  for (size_t i = 0; i < self->count; i++) {
    ee_str text = self->items[i].value->text;
    if (text.length + 1 < EDIT_WORD) continue;
    for (size_t from = 0, to; from <= text.length; from = to) {
      to = from + 1; /* a character is left out; at the end none */
      while (to < text.length && ((unsigned char)text.data[to] & 0xc0) == 0x80) to++;
      memcpy(shorter, text.data, from);
      size_t rest = from < text.length ? text.length - to : 0;
      memcpy(shorter + from, text.data + (text.length - rest), rest);
      uint64_t hash = ee_hash_bytes(shorter, from + rest, 0);
      size_t at = 0, other, last = SIZE_MAX;
      bool known = false;
      while (ee_hash_index_next(&index, hash, &at, &other)) {
        known = known || other == i;
        if (other == i || other == last) continue;
        last = other;
        compare_texts(self, i, other);
      }
      if (!known) ee_hash_index_add(&index, hash, i);
    }
  }
  ee_arena_rewind(self->arena, mark);
}

/* Findings ---------------------------------------------------------------------------------------- */

static void look_at_value(void *user, const ee_audit_node *node, ee_arena *arena, bool report) {
  (void)arena;
  labels *self = user;
  if (node->column != self->column || ee_type_of(node->value) != EE_STRING) return;
  size_t at = 0, number;
  if (!ee_hash_index_next(&self->index, ee_value_hash(node->value), &at, &number)) return;
  const label *rare = &self->items[number];
  ee_str source = ee_audit_source(self->audit, node->record), text = ee_value_text(node->value);
  /* The space at the end of a label is not one of the text. */
  bool copied = source.length > 0 && ee_str_trim(text).length == text.length &&
                memmem(source.data, source.length, text.data, text.length) != NULL;
  if (!report)
    self->spared[number] += copied;
  else if (rare->entry != NULL)
    ee_audit_affect(self->audit, rare->entry, node->record);
  else if (rare->reason != NULL && !copied)
    ee_audit_blame(self->audit, EE_AUDIT_LABEL, node->record, node->path, rare->weight, text,
                   self->items[rare->usual].value->text, "%s", rare->reason);
}

static void look_for_source(void *user, const ee_audit_node *node, ee_arena *arena) {
  look_at_value(user, node, arena, false);
}

static void name_records(void *user, const ee_audit_node *node, ee_arena *arena) {
  look_at_value(user, node, arena, true);
}

static const char *difference_of(const label *rare, const label *usual, ee_arena *arena) {
  static const uint8_t folded[] = {EE_NORMAL_CASEFOLD}, spaced[] = {EE_NORMAL_COLLAPSE_SPACE, EE_NORMAL_TRIM};
  ee_str a = rare->value->text, b = usual->value->text;
  if (rare->edit) return "one letter";
  if (ee_str_equal(ee_normalize(a, folded, 1, arena), ee_normalize(b, folded, 1, arena))) return "case";
  if (ee_str_equal(ee_normalize(a, spaced, 2, arena), ee_normalize(b, spaced, 2, arena))) return "spaces";
  return "case, spaces, accents or signs";
}

/* Whether enough labels have variants to take them for free text. */
static bool is_prose(const labels *self) {
  size_t variants = 0;
  for (size_t i = 0; i < self->count; i++)
    variants += self->items[i].usual != i && self->spared[i] < self->items[i].value->count;
  return variants > MAX_VARIANTS;
}

/* One finding for all of them. */
static void report_prose(labels *self, ee_str path) {
  uint64_t values = 0, variants = 0;
  label *first = &self->items[0]; /* the caller has seen that some are rare */
  for (size_t i = 0; i < self->count; i++) {
    label *rare = &self->items[i];
    if (rare->usual == i || self->spared[i] == rare->value->count) continue;
    if (variants == 0) first = rare;
    values += rare->value->count - self->spared[i];
    variants++;
  }
  ee_audit_entry *entry = ee_audit_find(self->audit, EE_AUDIT_LABEL, path, PROSE_WEIGHT, values, first->value->text,
                                        self->items[first->usual].value->text,
                                        "%llu values at this path, such as this one, differ from more frequent ones by "
                                        "case, spaces or one letter: they look like free text, not labels",
                                        (unsigned long long)variants);
  for (size_t i = 0; i < self->count; i++) self->items[i].entry = entry;
  ee_audit_walk(self->audit, name_records, self);
}

static void report_labels(labels *self) {
  bool any = false;
  self->index = (ee_hash_index){.arena = self->arena};
  self->spared = EE_NEW_ARRAY(self->arena, uint64_t, self->count);
  for (size_t i = 0; i < self->count; i++) {
    if (self->items[i].usual == i) continue;
    ee_hash_index_add(&self->index, self->items[i].value->hash, i);
    any = true;
  }
  if (!any) return;
  if (self->audit->report.with_source > 0) ee_audit_walk(self->audit, look_for_source, self);
  ee_str path = self->audit->columns.items[self->column].path;
  if (is_prose(self)) {
    report_prose(self, path);
    return;
  }
  for (size_t i = 0; i < self->count; i++) {
    label *rare = &self->items[i], *usual = &self->items[rare->usual];
    if (usual == rare || self->spared[i] == rare->value->count) continue;
    uint64_t values = rare->value->count - self->spared[i];
    rare->weight = rare->edit ? EDIT_WEIGHT : VARIANT_WEIGHT;
    rare->reason = ee_arena_printf(self->arena, "occurs %llu time%s; '%.*s', which differs by %s, %llu times",
                                   (unsigned long long)rare->value->count, rare->value->count == 1 ? "" : "s",
                                   EE_STR_ARG(usual->value->text), difference_of(rare, usual, self->arena),
                                   (unsigned long long)usual->value->count);
    if (values > MAX_SINGLE)
      rare->entry = ee_audit_find(self->audit, EE_AUDIT_LABEL, path, rare->weight, values, rare->value->text,
                                  usual->value->text, "%s", rare->reason);
  }
  ee_audit_walk(self->audit, name_records, self);
}

void ee_audit_check_labels(ee_audit *audit) {
  if (!ee_audit_wants(audit, EE_AUDIT_LABEL)) return;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (uint32_t i = 0; i < audit->columns.count; i++) {
    labels self = {.audit = audit, .arena = &arena, .column = i};
    const ee_audit_column *column = &audit->columns.items[i];
    if (collect(&self, column)) {
      find_variants(&self, 5 * self.count > column->types[EE_STRING]);
      find_edits(&self);
      report_labels(&self);
    }
    ee_arena_reset(&arena, (size_t)1 << 20);
  }
  ee_arena_fini(&arena);
}
