/* generate_orders.c: purchase orders for benchmarks, with other habits than generate.c's invoices.
 *
 * 40 header fields in five groups, items with long descriptions, titles in Title Case, texts in six scripts, escapes;
 * 3 KB a record, and 0.8 KB for each item. A quarter of the answer's values are wrong: letters that are swapped, lost
 * or doubled, capitals, texts that end early, other dates and amounts, nulls, missing and invented members; rows are
 * missing, invented and in another order. */
#include "generate_orders.h"

#include <stdio.h>
#include <string.h>

#include "random.h"

enum { GROUPS = 5, FIELDS = 8, MOST_ITEMS = 1000, COLUMNS = 8, SCRIPTS = 6, WORDS = 16, TEXT = 900 };

/* What a value is; the first four are numbers and other values without quotes. */
typedef enum value_kind { AMOUNT, RATE, COUNT, FLAG, CODE, DATE, TERM, NAME, TITLE, DESCRIPTION } value_kind;

typedef struct field {
  const char *key;
  value_kind kind;
} field;

static const char *const groups[GROUPS] = {"Order", "Buyer", "Seller", "Delivery", "Payment"};
static const field fields[GROUPS][FIELDS] = {
    {{"Number", CODE},
     {"Date", DATE},
     {"Title", TITLE},
     {"Description", DESCRIPTION},
     {"Currency", TERM},
     {"Reference", CODE},
     {"Version", COUNT},
     {"Urgent", FLAG}},
    {{"Name", NAME},
     {"Contact", NAME},
     {"Street", TITLE},
     {"City", NAME},
     {"Department", TITLE},
     {"TaxId", CODE},
     {"Phone", CODE},
     {"Account", CODE}},
    {{"Name", NAME},
     {"Contact", NAME},
     {"Street", TITLE},
     {"City", NAME},
     {"Department", TITLE},
     {"TaxId", CODE},
     {"Phone", CODE},
     {"Rating", RATE}},
    {{"Name", NAME},
     {"Street", TITLE},
     {"City", NAME},
     {"Date", DATE},
     {"Terms", TERM},
     {"Weight", AMOUNT},
     {"Parcels", COUNT},
     {"Instructions", DESCRIPTION}},
    {{"Terms", TITLE},
     {"Due", DATE},
     {"Bank", NAME},
     {"Account", CODE},
     {"Net", AMOUNT},
     {"Tax", AMOUNT},
     {"Total", AMOUNT},
     {"Discount", RATE}},
};
static const field columns[COLUMNS] = {
    {"Position", COUNT}, {"Article", CODE}, {"Title", TITLE},  {"Description", DESCRIPTION},
    {"Quantity", COUNT}, {"Unit", TERM},    {"Price", AMOUNT}, {"Amount", AMOUNT}};

static const char *const words[SCRIPTS][WORDS] = {
    {"Stainless", "Steel", "Hydraulic", "Pump", "With", "Integrated", "Pressure", "Control", "Heavy", "Duty", "Cable",
     "Set", "For", "Outdoor", "Mounting", "Bracket"},
    {"Größe", "Façade", "Élément", "Réglable", "Łącznik", "Düse", "Señal", "Ångström", "Précision", "Köpfe", "Montáž",
     "Câble", "Über", "Część", "Größter", "Vérin"},
    {"Насос", "Гидравлический", "Стальной", "Кабель", "Для", "Наружной", "Установки", "Клапан", "Высокого", "Давления",
     "Комплект", "Крепления", "Фильтр", "Масляный", "Двигатель", "Блок"},
    {"Αντλία", "Υδραυλική", "Ανοξείδωτο", "Καλώδιο", "Για", "Εξωτερική", "Χρήση", "Βαλβίδα", "Υψηλής", "Πίεσης", "Σετ",
     "Στήριξης", "Φίλτρο", "Λαδιού", "Κινητήρας", "Μονάδα"},
    {"不锈钢", "液压泵", "电缆", "户外", "安装", "支架", "高压", "阀门", "套件", "过滤器", "电机", "控制", "单元",
     "精密", "轴承", "エンジン"},
    {"مضخة", "هيدروليكية", "فولاذ", "كابل", "خارجي", "تركيب", "صمام", "ضغط", "عالي", "مجموعة", "تثبيت", "مرشح", "زيت",
     "محرك", "وحدة", "تحكم"},
};
static const char *const terms[] = {"EUR",    "Net 30 Days",        "Carriage Paid To",
                                    "Pieces", "Delivered At Place", "Box Of 12"};

typedef struct value {
  value_kind kind;
  unsigned number;
  char text[TEXT];
} value;

/* Appends `count` words of `script`, most of them; Chinese has no spaces. Long texts have line breaks. */
static void make_text(char *text, unsigned script, unsigned count) {
  size_t length = 0;
  for (unsigned i = 0; i < count && length < TEXT - 60; i++) {
    const char *between = i == 0 ? "" : i % 12 == 0 ? "\\n" : script == 4 ? "" : " ";
    const char *word = words[chance(10) ? 0 : script][below(WORDS)];
    length += (size_t)snprintf(text + length, TEXT - length, "%s%s", between, word);
    if (chance(8)) length += (size_t)snprintf(text + length, TEXT - length, " %u\\\"", 1 + below(96));
  }
}

static value make_value(value_kind kind, unsigned script) {
  value made = {.kind = kind, .number = kind == DATE ? below(3650) : kind == FLAG ? below(2) : 1 + below(2000000)};
  switch (kind) {
  case CODE:
    snprintf(made.text, TEXT, "%c%c-%06u/%u", 'A' + below(26), 'A' + below(26), below(1000000), below(10));
    break;
  case TERM: snprintf(made.text, TEXT, "%s", terms[below(sizeof terms / sizeof *terms)]); break;
  case NAME: make_text(made.text, script, 2 + below(2)); break;
  case TITLE: make_text(made.text, script, 3 + below(4)); break;
  case DESCRIPTION: make_text(made.text, script, 15 + below(25)); break;
  default: break;
  }
  return made;
}

/* Errors --------------------------------------------------------------------------------------- */

static size_t letter_length(const char *at) {
  size_t length = 1;
  while ((at[length] & 0xC0) == 0x80) length++;
  return length;
}

/* A place in `text`, before a letter that is neither an escape's nor the last one; NULL: not found. */
static char *find_letter(char *text) {
  for (int tries = 0; tries < 8; tries++) {
    char *at = text + below((unsigned)strlen(text));
    while ((*at & 0xC0) == 0x80) at--;
    char *next = at + letter_length(at);
    if (*next != '\0' && *at != '\\' && *next != '\\' && (at == text || at[-1] != '\\')) return at;
  }
  return NULL;
}

static void damage_text(char *text) {
  char *at = find_letter(text), kept[8];
  if (at == NULL) return;
  size_t length = letter_length(at), next = letter_length(at + length);
  unsigned way = below(12);
  memcpy(kept, at, length);
  if (way < 5) { /* swapped */
    memmove(at, at + length, next);
    memcpy(at + next, kept, length);
  } else if (way < 8) { /* lost */
    memmove(at, at + length, strlen(at + length) + 1);
  } else if (way < 10) { /* doubled */
    memmove(at + length, at, strlen(at) + 1);
  } else if (way == 10) { /* ends early */
    *at = '\0';
    if (at == text) strcpy(text, "?");
  } else { /* capitals */
    for (at = text; *at != '\0'; at++)
      if (*at >= 'a' && *at <= 'z' && (at == text || at[-1] != '\\')) *at = (char)(*at - 32);
  }
}

static void damage(value *it) {
  if (it->kind == FLAG)
    it->number ^= 1;
  else if (it->kind < CODE || it->kind == DATE)
    it->number += chance(50) ? 1 : 1 + below(5000);
  else
    for (unsigned errors = 1 + below(3); errors > 0; errors--) damage_text(it->text);
}

/* Printing ------------------------------------------------------------------------------------- */

static void print_value(const char *key, const value *it, int other_date) {
  unsigned n = it->number;
  printf("\"%s\":", key);
  switch (it->kind) {
  case AMOUNT: printf("%u.%02u", n / 100, n % 100); break;
  case RATE: printf("%u.%03u", n % 100, n / 100 % 1000); break;
  case COUNT: printf("%u", n % 5000); break;
  case FLAG: printf(n > 0 ? "true" : "false"); break;
  case DATE:
    if (other_date)
      printf("\"%02u.%02u.%u\"", 1 + n % 28, 1 + n / 28 % 12, 2016 + n / 336 % 20);
    else
      printf("\"%u-%02u-%02u\"", 2016 + n / 336 % 20, 1 + n / 28 % 12, 1 + n % 28);
    break;
  default: printf("\"%s\"", it->text); break;
  }
}

/* Prints the members of one group or item; in an answer some are wrong, null, missing or invented. */
static void print_members(const field *list, const value *values, unsigned count, int answer) {
  const char *between = "";
  for (unsigned i = 0; i < count; i++) {
    value it = values[i];
    unsigned way = answer ? below(100) : 99;
    if (way < 3) continue;
    printf("%s", between);
    between = ",";
    if (way < 6) {
      printf("\"%s\":null", list[i].key);
      continue;
    }
    if (way < 26) damage(&it);
    print_value(list[i].key, &it, answer && way >= 80);
  }
  if (answer && chance(3)) printf("%s\"Remark\":\"None\"", between);
}

static void print_order_document(value headers[GROUPS][FIELDS], value (*items)[COLUMNS], const unsigned *order,
                                 unsigned count, int answer) {
  for (unsigned i = 0; i < GROUPS; i++) {
    printf(i == 0 ? "{\"%s\":{" : ",\"%s\":{", groups[i]);
    print_members(fields[i], headers[i], FIELDS, answer);
    printf("}");
  }
  printf(",\"Items\":[");
  for (unsigned i = 0; i < count; i++) {
    printf(i == 0 ? "{" : ",{");
    print_members(columns, items[order[i]], COLUMNS, answer);
    printf("}");
  }
  printf("]}");
}

static void print_order(unsigned number, unsigned item_count) {
  static value headers[GROUPS][FIELDS], items[MOST_ITEMS + 1][COLUMNS]; /* after the items an invented one */
  unsigned order[MOST_ITEMS + 1], count = 0, script = chance(40) ? 0 : below(SCRIPTS);
  for (unsigned i = 0; i < GROUPS; i++)
    for (unsigned k = 0; k < FIELDS; k++) headers[i][k] = make_value(fields[i][k].kind, script);
  for (unsigned i = 0; i <= item_count; i++)
    for (unsigned k = 0; k < COLUMNS; k++) items[i][k] = make_value(columns[k].kind, script);
  for (unsigned i = 0; i < item_count; i++) {
    items[i][0].number = i + 1;
    order[i] = i;
  }
  printf("{\"id\":\"order-%07u\",\"truth\":", number);
  print_order_document(headers, items, order, item_count, 0);
  int shuffled = chance(40), invented = chance(30);
  for (unsigned i = 0; i < item_count; i++)
    if (!chance(3)) order[count++] = i;
  if (invented) order[count++] = item_count;
  for (unsigned i = count; i-- > 1;) {
    unsigned other = shuffled ? below(i + 1) : i - (unsigned)chance(4), kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  printf(",\"answer\":");
  print_order_document(headers, items, order, count, 1);
  printf("}\n");
}

void print_orders(unsigned count, unsigned items) {
  for (unsigned i = 1; i <= count; i++) print_order(i, items < MOST_ITEMS ? items : MOST_ITEMS);
}
