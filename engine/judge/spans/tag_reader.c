/* tag_reader.c: spans from tags, BIO, BIOES and BILOU, in arrays or in the lines of CoNLL's files.
 *
 * A tag is "O" (or "", or null) or a prefix, "-" or "_", and a label; a prefix alone has the label "". Read strictly, a
 * span is what the tagging allows: B I* of one label, in BIOES and BILOU closed by E or L, or S or U alone; other tags
 * are out of sequence, as seqeval's mode "strict" has it. Read as conlleval does (Tjong Kim Sang, Buchholz 2000), a tag
 * that cannot go on begins a span, and nothing is out of sequence. */
#include <string.h>

#include "base/work.h"
#include "judge/spans/spans.h"
#include "prim/normalize.h"

/* Tags of all taggings by what they do. */
typedef enum part { OUTSIDE, BEGIN, INSIDE, END, SINGLE, UNKNOWN } part;

typedef struct tag {
  part part;
  ee_str label;
} tag;

/* The text of a tag; data NULL for a value that is not a tag. */
static ee_str tag_text(const ee_value *value) {
  if (ee_type_of(value) == EE_NULL) return EE_STR("");
  return ee_type_of(value) == EE_STRING ? ee_value_text(value) : (ee_str){NULL, 0};
}

static tag read_tag(ee_str text) {
  if (text.data == NULL) return (tag){UNKNOWN, EE_STR("")};
  if (text.length == 0 || (text.length == 1 && text.data[0] == 'O')) return (tag){OUTSIDE, EE_STR("")};
  if (text.length > 1 && text.data[1] != '-' && text.data[1] != '_') return (tag){UNKNOWN, EE_STR("")};
  ee_str label = text.length > 2 ? (ee_str){text.data + 2, text.length - 2} : EE_STR("");
  switch (text.data[0]) {
  case 'B': return (tag){BEGIN, label};
  case 'I': return (tag){INSIDE, label};
  case 'E':
  case 'L': return (tag){END, label};
  case 'S':
  case 'U': return (tag){SINGLE, label};
  default: return (tag){UNKNOWN, EE_STR("")};
  }
}

/* Tagging -------------------------------------------------------------------------------------- */

/* The next line of a CoNLL text, without its end, and the tag in it, its last field; `*ends`: it ends a sentence, as an
 * empty line and -DOCSTART- do. False at the end of the text. */
static bool next_line(ee_str *rest, ee_str *found, bool *ends) {
  if (rest->length == 0) return false;
  const char *end = memchr(rest->data, '\n', rest->length);
  size_t length = end != NULL ? (size_t)(end - rest->data) : rest->length;
  ee_str line = ee_str_trim((ee_str){rest->data, length});
  size_t taken = end != NULL ? length + 1 : length;
  *rest = (ee_str){rest->data + taken, rest->length - taken};
  *ends = line.length == 0 || (line.length >= 10 && memcmp(line.data, "-DOCSTART-", 10) == 0);
  size_t from = line.length;
  while (from > 0 && line.data[from - 1] != ' ' && line.data[from - 1] != '\t') from--;
  /* A line of one field is a token without a tag. */
  *found = from > 0 ? (ee_str){line.data + from, line.length - from} : (ee_str){NULL, 0};
  return true;
}

static void see_tag(ee_str text, unsigned *seen) {
  if (text.length == 0 || read_tag(text).part == UNKNOWN) return;
  if (text.data[0] == 'L' || text.data[0] == 'U') *seen |= 1u << EE_TAGGING_BILOU;
  if (text.data[0] == 'E' || text.data[0] == 'S') *seen |= 1u << EE_TAGGING_BIOES;
}

/* Adds the taggings that the tags of `value` name: bit by ee_tagging. */
static void see_tags(const ee_value *value, unsigned *seen) {
  if (ee_type_of(value) == EE_STRING) {
    ee_str rest = ee_value_text(value), found;
    ee_work(rest.length);
    for (bool ends; next_line(&rest, &found, &ends);) see_tag(found, seen);
  }
  if (ee_type_of(value) != EE_ARRAY) return;
  for (const ee_value *element = ee_value_child(value); element != NULL; element = ee_value_next(element)) {
    ee_work(1);
    if (ee_type_of(element) == EE_STRING)
      see_tag(ee_value_text(element), seen);
    else
      for (const ee_value *inner = ee_type_of(element) == EE_ARRAY ? ee_value_child(element) : NULL; inner != NULL;
           inner = ee_value_next(inner))
        see_tag(tag_text(inner), seen);
  }
}

ee_tagging ee_span_tagging_of(const ee_value *value) {
  unsigned seen = 0;
  see_tags(value, &seen);
  if (seen & 1u << EE_TAGGING_BILOU) return EE_TAGGING_BILOU;
  return seen & 1u << EE_TAGGING_BIOES ? EE_TAGGING_BIOES : EE_TAGGING_AUTO;
}

/* Spans ---------------------------------------------------------------------------------------- */

/* The tags of one list, one after the other. */
typedef struct tag_reader {
  const ee_span_reader *from;
  ee_span_list *list;
  bool closes; /* BIOES, BILOU: a span has an end of its own */
  bool open;   /* a span has begun at `start` */
  bool bad;    /* tags out of sequence go on */
  ee_str label;
  uint64_t start, at;
} tag_reader;

static void add_span(tag_reader *r, uint64_t end) {
  r->open = false;
  if (!ee_span_label_counts(r->from->rules, r->label)) {
    r->list->left_out++;
    return;
  }
  uint32_t index = (uint32_t)r->list->count;
  *EE_LIST_ADD(r->list, r->from->arena) =
      (ee_span){.label = r->label, .start = r->start, .end = end, .index = index, .text = {NULL, 0}};
}

static void begin_span(tag_reader *r, ee_str label) {
  r->open = true;
  r->bad = false;
  r->label = label;
  r->start = r->at;
}

static const char *fault_text(const tag_reader *r, ee_str text, const char *what) {
  if (text.data == NULL) return ee_arena_printf(r->from->arena, "a value that is not a string %s", what);
  if (text.length == 0) text = EE_STR("O");
  size_t length = ee_utf8_cut(text, 40);
  return ee_arena_printf(r->from->arena, "tag '%.*s' %s", (int)length, text.data, what);
}

static void out_of_sequence(tag_reader *r, ee_str text, const char *what) {
  if (!r->bad) ee_span_list_fault(r->list, (uint32_t)r->at, r->list->faults > 0 ? "" : fault_text(r, text, what));
  r->bad = true;
}

/* A span that was begun and not closed. */
static void drop_open(tag_reader *r, ee_str text) {
  if (!r->open) return;
  r->open = false;
  r->bad = false;
  out_of_sequence(r, text, "comes before the end of a span (lenient = true ends it there)");
  r->bad = false;
}

static void end_strictly(tag_reader *r, ee_str text) {
  if (r->closes)
    drop_open(r, text);
  else if (r->open)
    add_span(r, r->at);
}

static void take_strictly(tag_reader *r, ee_str text, tag found) {
  bool goes_on =
      r->open && (found.part == INSIDE || (found.part == END && r->closes)) && ee_str_equal(found.label, r->label);
  if (goes_on) {
    if (found.part == END) add_span(r, r->at + 1);
    return;
  }
  end_strictly(r, text);
  switch (found.part) {
  case OUTSIDE: r->bad = false; return;
  case BEGIN: begin_span(r, found.label); return;
  case SINGLE:
    if (!r->closes) break;
    begin_span(r, found.label);
    add_span(r, r->at + 1);
    return;
  case UNKNOWN:
    r->bad = false;
    out_of_sequence(r, text, "is not a tag");
    r->bad = false;
    return;
  default: break;
  }
  out_of_sequence(r, text, "has no beginning before it (lenient = true begins a span there)");
}

/* conlleval: a span ends before B, S and O, after E and S, and where the label changes; it begins at B and S, after E,
 * S and O, and where the label changes. */
static void take_leniently(tag_reader *r, ee_str text, tag found) {
  if (found.part == UNKNOWN) {
    if (r->open) add_span(r, r->at);
    r->bad = false;
    out_of_sequence(r, text, "is not a tag");
    r->bad = false;
    return;
  }
  bool same = r->open && ee_str_equal(found.label, r->label);
  bool goes_on = same && (found.part == INSIDE || found.part == END);
  if (!goes_on) {
    if (r->open) add_span(r, r->at);
    if (found.part == OUTSIDE) return;
    r->list->repaired += found.part == INSIDE || found.part == END;
    begin_span(r, found.label);
  }
  if (found.part == END || found.part == SINGLE) add_span(r, r->at + 1);
}

static void end_sentence(tag_reader *r) {
  if (r->from->rules->lenient || !r->closes) {
    if (r->open) add_span(r, r->at);
  } else {
    drop_open(r, EE_STR(""));
  }
  r->bad = false;
}

static void take_tag(tag_reader *r, ee_str text) {
  tag found = read_tag(text);
  found.label = ee_nfc(found.label, r->from->arena);
  ee_work(1 + r->from->rules->label_count);
  if (r->from->rules->lenient)
    take_leniently(r, text, found);
  else
    take_strictly(r, text, found);
  r->at++;
}

void ee_span_tags_read(const ee_span_reader *reader, const ee_value *value, ee_tagging tagging, ee_span_list *list) {
  tag_reader r = {.from = reader, .list = list, .closes = tagging == EE_TAGGING_BIOES || tagging == EE_TAGGING_BILOU};
  list->place = EE_SPANS_TOKENS;
  if (ee_type_of(value) == EE_STRING) {
    ee_str rest = ee_value_text(value), found;
    ee_work(rest.length);
    for (bool ends; next_line(&rest, &found, &ends);) {
      if (ends)
        end_sentence(&r);
      else
        take_tag(&r, found);
    }
  }
  for (const ee_value *element = ee_type_of(value) == EE_ARRAY ? ee_value_child(value) : NULL; element != NULL;
       element = ee_value_next(element)) {
    if (ee_type_of(element) != EE_ARRAY) {
      take_tag(&r, tag_text(element));
      continue;
    }
    end_sentence(&r);
    for (const ee_value *inner = ee_value_child(element); inner != NULL; inner = ee_value_next(inner))
      take_tag(&r, tag_text(inner));
    end_sentence(&r);
  }
  end_sentence(&r);
  list->tokens = r.at;
  ee_work_bound(EE_BOUND_ITEMS, list->count, "spans in a list of tags");
}
