/* generate.c: writes data for benchmarks, the same for the same arguments on every machine.
 *
 * Usage, with one record a line:
 *
 * - bench_generate invoices COUNT
 *   records of about 3 KB: 10 header fields, 10 line items of 6 fields; the answers have typos, nulls, missing fields
 *   and shuffled rows
 *
 * - bench_generate orders COUNT ITEMS
 *   generate_orders.c: records in six scripts with 40 header fields, ITEMS line items of 8 fields and many errors
 *
 * - bench_generate forms COUNT [ANSWERS]
 *   records of two flat objects of 11 keys: texts, a number, a boolean, a date, a list, a note of ten words; the
 * answers have typos, nulls, missing and invented keys, and notes said in other words. ANSWERS (1, 2, ...): the same
 * forms for each, with other answers
 *
 * - bench_generate images COUNT
 *   records of 5,000 images with 37,000 objects of 80 classes and COUNT detections: a few classes and images have most
 *   of them, half of the detections lie near an object
 *
 * - bench_generate tables COUNT ROWS
 *   records of two tables of ROWS line items of 6 fields, shuffled; a third of the answer's rows have typos, and many
 *   rows differ in a number only
 *
 * - bench_generate documents COUNT
 *   records of a document of 50 KB, some of it not ASCII, with 100 extractions of 1 to 8 words in the text of an
 * answer; one offset in a hundred is wrong
 *
 * - bench_generate small COUNT
 *   records of two texts that always differ: what one strategy costs, and what one case keeps */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate_orders.h"
#include "random.h"

#define ITEMS 10
#define IMAGES 5000
#define OBJECTS 37000
#define CLASSES 80

static const char *const suppliers[] = {
    "Acme Shipping GmbH",      "Nordisk Transport A/S", "Global Trade Partners Ltd", "Schmidt & Söhne KG",
    "Łódzkie Zakłady S.A.",    "Pacific Rim Imports",   "Société Générale de Fret",  "Müller Maschinenbau AG",
    "Hernández Hermanos S.L.", "Kuehn Logistics BV",
};
static const char *const goods[] = {
    "Ocean freight",      "Bunker adjustment", "Customs clearance",  "Steel bolt M8x40",  "Hydraulic pump",
    "Packing and labels", "Copper wire",       "Terminal handling",  "LED panel 60x60",   "Office chair",
    "Printer toner",      "Gear box assembly", "Rubber gasket",      "Documentation fee", "Cotton fabric",
    "Glass bottle",       "Aluminium profile", "Delivery order fee",
};
static const char *const currencies[] = {"EUR", "USD", "GBP", "PLN", "SEK"};
static const char *const incoterms[] = {"FOB", "CIF", "EXW", "DAP"};
static const char *const units[] = {"pcs", "kg", "m", "set"};
static const char *const months[] = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                     "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};

typedef struct item {
  char description[64];
  unsigned hs_code, quantity, unit, price_cents;
} item;

/* Swaps two neighbouring ASCII letters of `text`: a typo. */
static void add_typo(char *text) {
  size_t length = strlen(text);
  for (int tries = 0; tries < 8; tries++) {
    size_t at = below((unsigned)length - 1);
    if ((text[at] | text[at + 1]) & 0x80 || text[at] == text[at + 1] || text[at] == '"') continue;
    char kept = text[at];
    text[at] = text[at + 1];
    text[at + 1] = kept;
    return;
  }
}

static void print_item(const item *it, int first) {
  unsigned total = it->quantity * it->price_cents;
  printf("%s{\"description\":\"%s\",\"hs_code\":\"%04u.%02u\",\"quantity\":%u,\"unit\":\"%s\",\"unit_price\":%u.%02u,"
         "\"line_total\":%u.%02u}",
         first ? "" : ",", it->description, it->hs_code / 100, it->hs_code % 100, it->quantity, units[it->unit],
         it->price_cents / 100, it->price_cents % 100, total / 100, total % 100);
}

typedef struct header {
  char supplier[64], buyer[64];
  unsigned number, year, month, day, currency, incoterm, total, vat, weight;
  int iso_date;
} header;

static void print_document(const header *h, const item *items, const unsigned *order, unsigned count, unsigned nulls) {
  printf("{\"invoice\":{\"number\":\"INV-%04u-%06u\",", h->year, h->number);
  if (h->iso_date)
    printf("\"date\":\"%04u-%02u-%02u\",", h->year, h->month, h->day);
  else
    printf("\"date\":\"%02u-%s-%04u\",", h->day, months[h->month - 1], h->year);
  printf("\"currency\":\"%s\",", currencies[h->currency]);
  if (nulls & 1)
    printf("\"incoterm\":null,");
  else
    printf("\"incoterm\":\"%s\",", incoterms[h->incoterm]);
  printf("\"total\":%u.%02u,\"vat\":%u.%02u,", h->total / 100, h->total % 100, h->vat / 100, h->vat % 100);
  if (!(nulls & 2)) printf("\"net_weight\":%u.%u,", h->weight / 10, h->weight % 10);
  printf("\"line_items\":[");
  for (unsigned i = 0; i < count; i++) print_item(&items[order[i]], i == 0);
  printf("]},\"supplier\":{\"name\":\"%s\",\"vat_id\":\"DE%09u\"},\"buyer\":{\"name\":\"%s\"}}", h->supplier,
         h->number * 7919u % 1000000000u, h->buyer);
}

static void print_invoice(unsigned number) {
  header truth = {.number = number,
                  .year = 2020 + below(6),
                  .month = 1 + below(12),
                  .day = 1 + below(28),
                  .currency = below(5),
                  .incoterm = below(4),
                  .total = 10000 + below(10000000),
                  .weight = 10 + below(100000),
                  .iso_date = 1};
  truth.vat = truth.total / 5;
  snprintf(truth.supplier, sizeof truth.supplier, "%s", suppliers[below(10)]);
  snprintf(truth.buyer, sizeof truth.buyer, "%s", suppliers[below(10)]);
  item items[ITEMS];
  unsigned order[ITEMS];
  for (unsigned i = 0; i < ITEMS; i++) {
    items[i] = (item){.hs_code = 100000 + below(880000),
                      .quantity = 1 + below(50),
                      .unit = below(4),
                      .price_cents = 50 + below(50000)};
    snprintf(items[i].description, sizeof items[i].description, "%s %c%u", goods[below(18)], 'A' + (char)below(26),
             10 + below(90));
    order[i] = i;
  }
  printf("{\"id\":\"inv-%07u\",\"truth\":", number);
  print_document(&truth, items, order, ITEMS, chance(10) ? 1 : 0);

  header answer = truth;
  answer.iso_date = !chance(30);
  if (chance(15)) add_typo(answer.supplier);
  if (chance(10)) add_typo(answer.buyer);
  if (chance(5)) answer.total += 1 + below(900);
  if (chance(5)) answer.currency = below(5);
  for (unsigned i = 0; i < ITEMS; i++) {
    if (chance(12)) add_typo(items[i].description);
    if (chance(4)) items[i].price_cents += 1;
    if (chance(4)) items[i].hs_code = 100000 + below(880000);
  }
  unsigned count = chance(8) ? ITEMS - 1 : ITEMS;
  if (chance(30))
    for (unsigned i = count - 1; i > 0; i--) {
      unsigned other = below(i + 1), kept = order[i];
      order[i] = order[other];
      order[other] = kept;
    }
  printf(",\"answer\":");
  print_document(&answer, items, order, count, (chance(10) ? 1u : 0u) | (chance(5) ? 2u : 0u));
  printf("}\n");
}

/* Tables --------------------------------------------------------------------------------------- */

static void print_table(unsigned number, unsigned rows, item *items, unsigned *order) {
  for (unsigned i = 0; i < rows; i++) {
    items[i] = (item){.hs_code = 100000 + below(880000),
                      .quantity = 1 + below(50),
                      .unit = below(4),
                      .price_cents = 50 + below(50000)};
    snprintf(items[i].description, sizeof items[i].description, "%s %c%u", goods[below(18)], 'A' + (char)below(26),
             10 + below(90));
    order[i] = i;
  }
  printf("{\"id\":\"table-%07u\",\"truth\":{\"rows\":[", number);
  for (unsigned i = 0; i < rows; i++) print_item(&items[i], i == 0);
  for (unsigned i = rows - 1; i > 0; i--) {
    unsigned other = below(i + 1), kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  printf("]},\"answer\":{\"rows\":[");
  for (unsigned i = 0; i < rows; i++) {
    if (chance(33)) add_typo(items[order[i]].description);
    if (chance(4)) items[order[i]].price_cents += 1;
    if (i == 0 || !chance(2)) print_item(&items[order[i]], i == 0);
  }
  printf("]}}\n");
}

static void print_tables(unsigned count, unsigned rows) {
  item *items = calloc(rows, sizeof *items);
  unsigned *order = calloc(rows, sizeof *order);
  for (unsigned i = 1; i <= count && items != NULL && order != NULL; i++) print_table(i, rows, items, order);
  free(items);
  free(order);
}

/* Forms ---------------------------------------------------------------------------------------- */

#define NOTE_WORDS 10

static const char *const first_names[] = {"John", "Maria", "Wei",   "Aisha", "Peter",
                                          "Zoë",  "Lars",  "Ngozi", "Ana",   "Tomasz"};
static const char *const last_names[] = {"Smith",  "Garcia",   "Chen",  "Okafor", "Müller",
                                         "Jensen", "Kowalski", "Rossi", "Dubois", "Novak"};
static const char *const cities[] = {"Hamburg",  "Rotterdam", "Gdansk",  "Aarhus",
                                     "Valencia", "Marseille", "Trieste", "Antwerp"};
static const char *const statuses[] = {"open", "pending", "closed", "waiting for customer"};
static const char *const words[] = {
    "engineer", "senior",   "customer", "invoice",   "delivery", "refund",    "arrived",      "damaged",
    "contract", "renewal",  "account",  "password",  "shipment", "payment",   "received",     "delayed",
    "manager",  "office",   "printer",  "insurance", "booking",  "cancelled", "request",      "support",
    "warranty", "replaced", "package",  "address",   "updated",  "monthly",   "subscription", "upgrade",
};

typedef struct form {
  char name[48], email[48], city[24], note[NOTE_WORDS * 16];
  unsigned phone, year, month, day, cents, status, reference;
  int active;
} form;

static void print_form(const form *f, unsigned missing, const char *extra) {
  printf("{\"name\":\"%s\",\"email\":\"%s\",\"phone\":\"+49 40 %07u\",\"date\":\"%04u-%02u-%02u\",", f->name, f->email,
         f->phone, f->year, f->month, f->day);
  if (missing & 1)
    printf("\"amount\":null,");
  else
    printf("\"amount\":%u.%02u,", f->cents / 100, f->cents % 100);
  printf("\"active\":%s,", f->active ? "true" : "false");
  if (!(missing & 2)) printf("\"city\":\"%s\",", f->city);
  printf("\"status\":\"%s\",\"reference\":\"R-%06u\",\"tags\":[\"%s\",\"form\"],\"note\":\"%s\"%s}",
         statuses[f->status], f->reference, cities[f->reference % 8], f->note, extra);
}

static void make_note(const unsigned *chosen, char *note, size_t size) {
  size_t length = 0;
  for (unsigned i = 0; i < NOTE_WORDS; i++)
    length += (size_t)snprintf(note + length, size - length, "%s%s", i > 0 ? " " : "", words[chosen[i]]);
}

/* `answers` 0: one stream of draws for all records; else the same truth for every number, and answers that differ. */
static void print_form_record(unsigned number, unsigned answers) {
  if (answers > 0) state = ee_hash_mix(number);
  form truth = {.phone = below(10000000),
                .year = 2015 + below(11),
                .month = 1 + below(12),
                .day = 1 + below(28),
                .cents = below(1000000),
                .status = below(4),
                .reference = below(1000000),
                .active = chance(50)};
  const char *first = first_names[below(10)], *last = last_names[below(10)];
  snprintf(truth.name, sizeof truth.name, "%s %s", first, last);
  snprintf(truth.email, sizeof truth.email, "user%u@example.com", number);
  snprintf(truth.city, sizeof truth.city, "%s", cities[below(8)]);
  unsigned chosen[NOTE_WORDS];
  for (unsigned i = 0; i < NOTE_WORDS; i++) chosen[i] = below(sizeof words / sizeof *words);
  make_note(chosen, truth.note, sizeof truth.note);
  printf("{\"id\":\"form-%07u\",\"truth\":", number);
  print_form(&truth, chance(5) ? 1 : 0, "");

  form answer = truth;
  if (answers > 0) state = ee_hash_mix(state + answers);
  if (chance(20)) add_typo(answer.name);
  if (chance(10)) add_typo(answer.city);
  if (chance(5)) answer.cents += 1;
  if (chance(5)) answer.active = !answer.active;
  /* Nearly every note differs, so that nearly every one has to be compared. */
  for (unsigned i = 0; i < NOTE_WORDS; i++)
    if (chance(25)) chosen[i] = below(sizeof words / sizeof *words);
  unsigned at = below(NOTE_WORDS - 1), kept = chosen[at];
  chosen[at] = chosen[at + 1];
  chosen[at + 1] = kept;
  make_note(chosen, answer.note, sizeof answer.note);
  printf(",\"answer\":");
  print_form(&answer, (chance(10) ? 1u : 0u) | (chance(5) ? 2u : 0u), chance(10) ? ",\"comment\":\"none\"" : "");
  printf("}\n");
}

/* Images --------------------------------------------------------------------------------------- */

/* A box in hundredths of a pixel; scores in hundred-thousandths. */
typedef struct labelled {
  unsigned image, class, score, number;
  unsigned box[4];
} labelled;

static labelled make_object(void) {
  double often = unit();
  return (labelled){.image = (unsigned)(unit() * unit() * IMAGES),
                    .class = (unsigned)(often * often * often * CLASSES),
                    .box = {(unsigned)(unit() * 34000), (unsigned)(unit() * 34000),
                            800 + (unsigned)(unit() * unit() * 30000), 800 + (unsigned)(unit() * unit() * 30000)}};
}

/* Near an object, the better the higher the score, or anywhere. */
static labelled make_detection(const labelled *objects) {
  labelled detection = objects[below(OBJECTS)];
  double sure = unit(), blur = 0.4 * (1 - sure * unit());
  detection.score = (unsigned)(sure * (chance(50) ? 30000 : 100000));
  if (chance(50)) {
    detection = (labelled){.image = below(IMAGES), .class = detection.class, .score = detection.score};
    for (unsigned i = 0; i < 4; i++) detection.box[i] = 800 + (unsigned)(unit() * unit() * 30000);
    return detection;
  }
  for (unsigned i = 0; i < 4; i++) {
    double moved = detection.box[i] + detection.box[2 + i % 2] * blur * (unit() - 0.5);
    detection.box[i] = moved > 0 ? (unsigned)moved : 0;
  }
  return detection;
}

static int compare_images(const void *left, const void *right) {
  const labelled *a = left, *b = right;
  if (a->image != b->image) return a->image < b->image ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static void print_labelled(const labelled *it, int first, int detection) {
  printf("%s{\"bbox\":[%u.%02u,%u.%02u,%u.%02u,%u.%02u],\"category\":\"class %02u\"", first ? "" : ",",
         it->box[0] / 100, it->box[0] % 100, it->box[1] / 100, it->box[1] % 100, it->box[2] / 100, it->box[2] % 100,
         it->box[3] / 100, it->box[3] % 100, it->class);
  if (detection)
    printf(",\"score\":0.%05u}", it->score);
  else
    printf(",\"area\":%u,\"iscrowd\":%d}", it->box[2] / 100 * (it->box[3] / 100), chance(1));
}

/* Prints those of one image from `*at` on, as a list. */
static void print_list(const labelled *items, size_t count, size_t *at, unsigned image, int detections) {
  putchar('[');
  for (size_t first = *at; *at < count && items[*at].image == image; ++*at)
    print_labelled(&items[*at], *at == first, detections);
  putchar(']');
}

static int print_images(unsigned long count) {
  labelled *objects = calloc(OBJECTS, sizeof *objects), *detections = calloc(count + 1, sizeof *detections);
  if (objects == NULL || detections == NULL) return 5;
  for (size_t i = 0; i < OBJECTS; i++) objects[i] = make_object();
  for (size_t i = 0; i < count; i++) detections[i] = make_detection(objects);
  for (unsigned i = 0; i < OBJECTS; i++) objects[i].number = i;
  for (unsigned i = 0; i < count; i++) detections[i].number = i;
  qsort(objects, OBJECTS, sizeof *objects, compare_images);
  qsort(detections, count, sizeof *detections, compare_images);
  size_t object = 0, detection = 0;
  for (unsigned image = 0; image < IMAGES; image++) {
    printf("{\"id\":%u,\"expected\":", image);
    print_list(objects, OBJECTS, &object, image, 0);
    printf(",\"candidate\":");
    print_list(detections, count, &detection, image, 1);
    printf("}\n");
  }
  free(objects);
  free(detections);
  return 0;
}

/* Documents ------------------------------------------------------------------------------------ */

#define DOCUMENT_BYTES 50000
#define EXTRACTIONS 100
#define PHRASE 8

/* Where a word stands, in bytes and in UTF-16 code units. */
typedef struct placed_word {
  unsigned byte, unit, bytes, units;
} placed_word;

static placed_word place_word(const char *word, unsigned byte, unsigned unit) {
  placed_word placed = {.byte = byte, .unit = unit, .bytes = (unsigned)strlen(word)};
  for (const char *at = word; *at != '\0'; at++)
    placed.units += ((*at & 0xC0) != 0x80 ? 1u : 0u) + ((unsigned char)*at >= 0xF0 ? 1u : 0u);
  return placed;
}

static void print_extraction(const char *text, const placed_word *placed, unsigned count, int first) {
  static const char *const classes[] = {"party", "amount", "date", "term"};
  unsigned from = below(count - PHRASE), to = from + below(PHRASE);
  unsigned start = placed[from].unit + (unsigned)chance(1), end = placed[to].unit + placed[to].units;
  printf("%s{\\\"extractionClass\\\":\\\"%s\\\",\\\"quote\\\":\\\"%.*s\\\",\\\"offsetMode\\\":\\\"utf16_code_unit\\\","
         "\\\"charStart\\\":%u,"
         "\\\"charEnd\\\":%u,\\\"grounding\\\":\\\"explicit\\\"}",
         first ? "" : ",", classes[below(4)], (int)(placed[to].byte + placed[to].bytes - placed[from].byte),
         text + placed[from].byte, start, end);
}

static void print_document_record(unsigned number) {
  static char text[DOCUMENT_BYTES + 64];
  static placed_word placed[DOCUMENT_BYTES];
  unsigned byte = 0, unit = 0, count = 0;
  while (byte < DOCUMENT_BYTES) {
    const char *word = chance(2)    ? "\xF0\x9F\x98\x80"
                       : chance(10) ? suppliers[below(10)]
                                    : words[below(sizeof words / sizeof *words)];
    placed_word next = place_word(word, byte, unit);
    memcpy(text + byte, word, next.bytes);
    text[byte + next.bytes] = ' ';
    placed[count++] = next;
    byte += next.bytes + 1;
    unit += next.units + 1;
  }
  printf("{\"caseId\":\"document-%07u\",\"category\":\"bench\",\"documentText\":\"%.*s\",\"providerResponseText\":\"{"
         "\\\"extractions\\\":[",
         number, (int)byte, text);
  for (int i = 0; i < EXTRACTIONS; i++) print_extraction(text, placed, count, i == 0);
  printf("]}\",\"expected\":{\"emptyResultKind\":\"non_empty\",\"minExtractions\":1,\"maxExtractions\":%d}}\n",
         EXTRACTIONS);
}

int main(int argc, char **argv) {
  unsigned long count = argc >= 3 ? strtoul(argv[2], NULL, 10) : 0;
  static char buffer[1 << 20];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  if (argc == 3 && strcmp(argv[1], "invoices") == 0) {
    for (unsigned i = 1; i <= count; i++) print_invoice(i);
  } else if (argc == 4 && strcmp(argv[1], "orders") == 0) {
    print_orders((unsigned)count, (unsigned)atoi(argv[3]));
  } else if (argc == 3 && strcmp(argv[1], "forms") == 0) {
    for (unsigned i = 1; i <= count; i++) print_form_record(i, 0);
  } else if (argc == 4 && strcmp(argv[1], "forms") == 0 && atoi(argv[3]) > 0) {
    for (unsigned i = 1; i <= count; i++) print_form_record(i, (unsigned)atoi(argv[3]));
  } else if (argc == 3 && strcmp(argv[1], "images") == 0) {
    int status = print_images(count);
    if (status != 0) return status;
  } else if (argc == 3 && strcmp(argv[1], "documents") == 0) {
    for (unsigned i = 1; i <= count; i++) print_document_record(i);
  } else if (argc == 4 && strcmp(argv[1], "tables") == 0 && atoi(argv[3]) > 0) {
    print_tables((unsigned)count, (unsigned)atoi(argv[3]));
  } else if (argc == 3 && strcmp(argv[1], "small") == 0) {
    for (unsigned i = 1; i <= count; i++)
      printf("{\"id\":\"case-%08u\",\"truth\":{\"a\":\"key\",\"vat\":\"DE "
             "%08u\"},\"answer\":{\"a\":\"key\",\"vat\":\"de%08u\"}}\n",
             i, i * 7919u % 100000000u, i * 7919u % 100000000u);
  } else {
    fprintf(stderr, "usage: bench_generate invoices|forms|images|documents|small COUNT | tables COUNT ROWS | orders "
                    "COUNT ITEMS | forms "
                    "COUNT ANSWERS\n");
    return 2;
  }
  return fflush(stdout) == 0 ? 0 : 5;
}
