/* documents.c: random business documents, and candidates for them. */
#include "support/documents.h"

#include <string.h>

const char *const test_slot_paths[TEST_SLOTS] = {"code", "total", "weight",  "date",          "currency",
                                                 "tags", "paid",  "address", "supplier.name", "supplier.vat"};
const char *const test_cell_names[TEST_CELLS] = {"description", "sku", "quantity", "price", "delivered", "note"};

static size_t below(test_random *random, size_t limit) { return test_random_below(random, limit); }
static bool one_in(test_random *random, size_t chances) { return test_random_below(random, chances) == 0; }
#define PICK(random, list) ((list)[test_random_below((random), sizeof(list) / sizeof *(list))])

/* Values --------------------------------------------------------------------------------------- */

static const char *number(test_random *random, ee_arena *arena) {
  const char *sign = one_in(random, 4) ? "-" : "";
  switch (below(random, 6)) {
  case 0: return ee_arena_printf(arena, "%zu", below(random, 6));
  case 1: return ee_arena_printf(arena, "%s%zu.%02zu", sign, below(random, 20), below(random, 100));
  case 2: return ee_arena_printf(arena, "%s%zu.0", sign, 1 + below(random, 9));
  case 3: return ee_arena_printf(arena, "%s%zue2", sign, 1 + below(random, 9));
  case 4: return ee_arena_printf(arena, "9007199254740%zu", 992 + below(random, 4));
  default: return ee_arena_printf(arena, "%s%zu", sign, 1 + below(random, 2000));
  }
}

static const char *words(test_random *random, ee_arena *arena, size_t most) {
  static const char *const list[] = {"ocean", "freight", "Fee",    "fee",       "handling", "of", "GmbH", "Müller",
                                     "10+",   "not",     "Straße", "n\\u0065t", "café",     "at", "TEU 2"};
  const char *text = PICK(random, list);
  for (size_t left = below(random, most); left > 0; left--) {
    text = ee_arena_printf(arena, "%s%s%s", text, one_in(random, 8) ? "  " : " ", PICK(random, list));
  }
  return ee_arena_printf(arena, "\"%s\"", text);
}

/* Days are few, so that two dates are often the same day in other words. */
static const char *date(test_random *random, ee_arena *arena) {
  unsigned day = 10 + (unsigned)below(random, 4);
  switch (below(random, 7)) {
  case 0: return ee_arena_printf(arena, "\"%u-JAN-2025\"", day);
  case 1: return ee_arena_printf(arena, "\"%u Jan 2025\"", day);
  case 2: return ee_arena_printf(arena, "\"Jan %u, 2025\"", day);
  case 3: return ee_arena_printf(arena, "\"2025-01-%uT1%zu:30:00Z\"", day, below(random, 3));
  case 4: return ee_arena_printf(arena, "\"03/0%zu/2025\"", 1 + below(random, 4));
  default: return ee_arena_printf(arena, "\"2025-01-%u\"", day);
  }
}

static const char *list(test_random *random, ee_arena *arena) {
  static const char *const elements[] = {"\"a\"", "\"b\"", "\"B \"", "1", "1.0", "true", "null", "[2]", "{\"k\":1}"};
  const char *text = PICK(random, elements);
  for (size_t left = below(random, 5); left > 0; left--) {
    text = ee_arena_printf(arena, "%s,%s", text, PICK(random, elements));
  }
  return ee_arena_printf(arena, "[%s]", text);
}

static const char *code(test_random *random, ee_arena *arena) {
  return ee_arena_printf(arena, "\"INV-%zu\"", below(random, 20));
}

/* A value of any kind: what a model writes where something else belongs. */
static const char *anything(test_random *random, ee_arena *arena) {
  static const char *const oddities[] = {"true",      "false",         "[]",          "{}", "1e999",
                                         "\"12abc\"", "\"$1,234.50\"", "{\"x\":null}"};
  switch (below(random, 6)) {
  case 0: return number(random, arena);
  case 1: return words(random, arena, 4);
  case 2: return date(random, arena);
  case 3: return list(random, arena);
  case 4: return ee_arena_printf(arena, "\"%zu.%zu\"", below(random, 30), below(random, 10));
  default: return PICK(random, oddities);
  }
}

const char *test_slot_value(test_random *random, test_slot slot, ee_arena *arena) {
  static const char *const currencies[] = {"\"EUR\"", "\"USD\"", "\"eur\"", "\"GBP\""};
  if (slot == TEST_CODE) return code(random, arena);
  if (one_in(random, 10)) return anything(random, arena);
  switch (slot) {
  case TEST_TOTAL:
  case TEST_WEIGHT: return number(random, arena);
  case TEST_DATE: return date(random, arena);
  case TEST_CURRENCY: return PICK(random, currencies);
  case TEST_TAGS: return list(random, arena);
  case TEST_PAID: return one_in(random, 2) ? "true" : "false";
  case TEST_ADDRESS:
    return ee_arena_printf(arena, "{\"street\":%s,\"zip\":%zu}", words(random, arena, 2), below(random, 3));
  default: return words(random, arena, 4);
  }
}

const char *test_cell_value(test_random *random, test_cell cell, ee_arena *arena) {
  if (one_in(random, 20)) return anything(random, arena);
  switch (cell) {
  case TEST_SKU: return ee_arena_printf(arena, one_in(random, 4) ? "%zu" : "\"S%zu\"", below(random, 5));
  case TEST_QUANTITY: return ee_arena_printf(arena, "%zu", 1 + below(random, 3));
  case TEST_PRICE: return number(random, arena);
  case TEST_DELIVERED: return date(random, arena);
  case TEST_NOTE: return words(random, arena, 2);
  default: return words(random, arena, 4);
  }
}

/* Something close to a value: a digit or a letter changed, or an element doubled. */
static const char *nearly(test_random *random, ee_arena *arena, const char *text) {
  size_t length = strlen(text);
  char *copy = ee_arena_copy(arena, text, length);
  for (int tries = 0; tries < 8; tries++) {
    size_t at = below(random, length);
    char c = copy[at];
    if (text[0] == '[') return length == 2 ? "[7]" : ee_arena_printf(arena, "[%.*s,7]", (int)(length - 2), text + 1);
    if (at > 0 && text[at - 1] == '\\') continue;
    if (text[0] == '"' && strchr(text, '\\') == NULL && c >= 'a' && c <= 'z') {
      copy[at] = one_in(random, 2) ? (char)(c - 'a' + 'A') : 'q';
      return copy;
    }
    /* Only the last digit, which keeps a number a number. */
    if (c >= '1' && c <= '8' && (at + 1 == length || copy[at + 1] == '"')) {
      copy[at] = (char)(c + 1);
      return copy;
    }
  }
  return copy;
}

/* Documents ------------------------------------------------------------------------------------ */

static void make_item(test_random *random, ee_arena *arena, test_item *item) {
  for (size_t i = 0; i < TEST_CELLS; i++) {
    item->cells[i] = one_in(random, 6) ? NULL : test_cell_value(random, (test_cell)i, arena);
  }
}

/* An item that is like `other` but for a cell or two. */
static void make_similar(test_random *random, ee_arena *arena, const test_item *other, test_item *item) {
  *item = *other;
  for (size_t left = below(random, 3); left > 0; left--) {
    size_t cell = below(random, TEST_CELLS);
    if (item->cells[cell] == NULL || one_in(random, 3)) {
      item->cells[cell] = one_in(random, 3) ? NULL : test_cell_value(random, (test_cell)cell, arena);
    } else {
      item->cells[cell] = nearly(random, arena, item->cells[cell]);
    }
  }
}

void test_document_make(test_random *random, ee_arena *arena, test_document *document) {
  *document = (test_document){0};
  for (size_t i = 0; i < TEST_SLOTS; i++) {
    if (!one_in(random, 5)) document->slots[i] = test_slot_value(random, (test_slot)i, arena);
  }
  document->row_count = below(random, TEST_ROWS + 1);
  for (size_t i = 0; i < document->row_count; i++) {
    if (!one_in(random, 5)) document->rows[i] = anything(random, arena);
  }
  document->item_count = below(random, TEST_ITEMS - 1);
  for (size_t i = 0; i < document->item_count; i++) {
    if (i > 0 && one_in(random, 3)) {
      make_similar(random, arena, &document->items[below(random, i)], &document->items[i]);
    } else {
      make_item(random, arena, &document->items[i]);
    }
  }
}

static const char *answer(test_random *random, ee_arena *arena, const char *expected, const char *other) {
  switch (below(random, 8)) {
  case 0: return other;
  case 1: return NULL;
  case 2: return anything(random, arena);
  case 3: return expected != NULL ? nearly(random, arena, expected) : NULL;
  default: return expected;
  }
}

void test_document_answer(test_random *random, ee_arena *arena, const test_document *expected,
                          test_document *candidate) {
  *candidate = (test_document){0};
  for (size_t i = 0; i < TEST_SLOTS; i++) {
    candidate->slots[i] = answer(random, arena, expected->slots[i], test_slot_value(random, (test_slot)i, arena));
  }
  candidate->row_count = one_in(random, 3) ? below(random, TEST_ROWS + 1) : expected->row_count;
  for (size_t i = 0; i < candidate->row_count; i++) {
    candidate->rows[i] = answer(random, arena, expected->rows[i], NULL);
  }
  for (size_t i = 0; i < expected->item_count && candidate->item_count < TEST_ITEMS; i++) {
    test_item *item = &candidate->items[candidate->item_count];
    switch (below(random, 8)) {
    case 0: break;
    case 1:
      make_item(random, arena, item);
      candidate->item_count++;
      break;
    case 2:
      *item = expected->items[i];
      candidate->item_count++;
      if (candidate->item_count < TEST_ITEMS) candidate->items[candidate->item_count++] = expected->items[i];
      break;
    case 3:
    case 4:
    case 5:
      make_similar(random, arena, &expected->items[i], item);
      candidate->item_count++;
      break;
    default:
      *item = expected->items[i];
      candidate->item_count++;
      break;
    }
  }
  if (one_in(random, 2)) test_document_move_items(random, candidate, NULL);
}

void test_document_move_items(test_random *random, test_document *document, size_t *order) {
  for (size_t i = 0; order != NULL && i < document->item_count; i++) order[i] = i;
  for (size_t i = document->item_count; i > 1; i--) {
    size_t j = below(random, i);
    test_item item = document->items[i - 1];
    document->items[i - 1] = document->items[j];
    document->items[j] = item;
    if (order == NULL) continue;
    size_t from = order[i - 1];
    order[i - 1] = order[j];
    order[j] = from;
  }
}

/* Printing ------------------------------------------------------------------------------------- */

enum { MOST_MEMBERS = 16 };

/* The members of an object, until they are printed. */
typedef struct member_list {
  const char *keys[MOST_MEMBERS];
  const char *values[MOST_MEMBERS];
  size_t count;
} member_list;

static void add_member(const test_spelling *spelling, member_list *list, const char *key, const char *value) {
  static const char *const empties[] = {NULL, "null", "\"\"", "\" \\t\"", "\"N/A\"", "\" - \"", "\"\\u00a0\""};
  if (value == NULL && spelling->nulls != NULL) value = PICK(spelling->nulls, empties);
  if (value == NULL) return;
  list->keys[list->count] = key;
  list->values[list->count++] = value;
}

static void print_members(const test_spelling *spelling, member_list *list, ee_buffer *out) {
  for (size_t i = list->count; spelling->keys != NULL && i > 1; i--) {
    size_t j = below(spelling->keys, i);
    const char *key = list->keys[i - 1], *value = list->values[i - 1];
    list->keys[i - 1] = list->keys[j];
    list->values[i - 1] = list->values[j];
    list->keys[j] = key;
    list->values[j] = value;
  }
  ee_buffer_add_char(out, '{');
  for (size_t i = 0; i < list->count; i++) {
    ee_buffer_addf(out, "%s\"%s\":%s", i > 0 ? "," : "", list->keys[i], list->values[i]);
  }
  ee_buffer_add_char(out, '}');
}

/* The text of an object, which lives in `arena`. */
static const char *members_text(const test_spelling *spelling, member_list *list, ee_arena *arena) {
  ee_buffer text;
  ee_buffer_init(&text);
  print_members(spelling, list, &text);
  const char *copy = ee_arena_copy(arena, text.data, text.length);
  ee_buffer_fini(&text);
  return copy;
}

static const char *supplier_text(const test_document *document, const test_spelling *spelling, ee_arena *arena) {
  const char *name = document->slots[TEST_NAME], *vat = document->slots[TEST_VAT];
  if (name == NULL && vat == NULL && (spelling->nulls == NULL || one_in(spelling->nulls, 2))) return NULL;
  member_list list = {.count = 0};
  add_member(spelling, &list, "name", name);
  add_member(spelling, &list, "vat", vat);
  return members_text(spelling, &list, arena);
}

static const char *rows_text(const test_document *document, const test_spelling *spelling, ee_arena *arena) {
  if (document->row_count == 0) return NULL;
  const char *text = "";
  for (size_t i = 0; i < document->row_count; i++) {
    member_list list = {.count = 0};
    add_member(spelling, &list, "value", document->rows[i]);
    text = ee_arena_printf(arena, "%s%s%s", text, i > 0 ? "," : "", members_text(spelling, &list, arena));
  }
  return ee_arena_printf(arena, "[%s]", text);
}

static const char *items_text(const test_document *document, const test_spelling *spelling, ee_arena *arena) {
  if (document->item_count == 0) return NULL;
  const char *text = "";
  for (size_t i = 0; i < document->item_count; i++) {
    member_list list = {.count = 0};
    for (size_t k = 0; k < TEST_CELLS; k++) {
      add_member(spelling, &list, test_cell_names[k], document->items[i].cells[k]);
    }
    text = ee_arena_printf(arena, "%s%s%s", text, i > 0 ? "," : "", members_text(spelling, &list, arena));
  }
  return ee_arena_printf(arena, "[%s]", text);
}

void test_document_print(const test_document *document, const test_spelling *spelling, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t depth = 0;
  for (const char *at = spelling->prefix; at != NULL && *at != '\0'; at = strchr(at, '.') + 1, depth++) {
    ee_buffer_addf(out, "{\"%.*s\":", (int)(strchr(at, '.') - at), at);
  }
  member_list list = {.count = 0};
  for (size_t i = 0; i < TEST_NAME; i++) add_member(spelling, &list, test_slot_paths[i], document->slots[i]);
  add_member(spelling, &list, "supplier", supplier_text(document, spelling, &arena));
  add_member(spelling, &list, "rows", rows_text(document, spelling, &arena));
  add_member(spelling, &list, "items", items_text(document, spelling, &arena));
  print_members(spelling, &list, out);
  for (; depth > 0; depth--) ee_buffer_add_char(out, '}');
  ee_arena_fini(&arena);
}
