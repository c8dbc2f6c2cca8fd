/* test_planted.c: random invoices with errors planted into them: what share of each kind is found, and how much is
 * found where nothing was planted. */
#include "audit_fixture.h"

#include <stdlib.h>

#include "support/random.h"

#define INVOICES 240
#define ITEMS 4

static const char *const rules =
    "return ee.rules { ee.fields { name = 'header', ee.exact 'number', ee.exact 'kind', ee.fuzzy { 'vendor', threshold "
    "= 0.95 }, ee.date 'date', ee.numeric { 'net', tolerance = 0.005 }, ee.numeric { 'tax', tolerance = 0.005 },"
    " ee.numeric { 'total', tolerance = 0.005 } }, ee.line_items { 'items', match = 'name', ee.exact 'name',"
    " ee.numeric 'count', ee.numeric { 'price', tolerance = 0.005 }, ee.numeric { 'amount', tolerance = 0.005 } } }";

typedef struct item {
  char name[24];
  unsigned count, price, amount; /* cents */
} item;

typedef struct invoice {
  char id[16], number[16], kind[16], vendor[32], date[16];
  item items[ITEMS];
  size_t item_count;
  unsigned net, tax, total;
  bool misspelt, text_net; /* "totel" for "total"; net as a text */
  char raw_total[16];      /* instead of `total` where it is not empty */
} invoice;

typedef struct planted {
  ee_audit_kind kind;
  char id[16], path[24];
} planted;

static struct {
  invoice truth[INVOICES + 20], clean[INVOICES + 20];
  size_t count;
  planted planted[200];
  size_t planted_count;
} set;

static const char *one_of(test_random *random, const char *const *words, size_t count) {
  return words[test_random_below(random, count)];
}
#define ONE_OF(random, words) one_of(random, words, sizeof words / sizeof *words)

static void make_invoice(test_random *random, invoice *made, size_t number) {
  static const char *const firsts[] = {"Northwind", "Blue Harbor", "Kestrel", "Silver Oak", "Juniper", "Maplewood"};
  static const char *const seconds[] = {"Trading", "Supplies", "Foods", "Hardware", "Logistics"};
  static const char *const goods[] = {"paper", "desk lamp", "coffee", "bolts", "copper wire", "chair", "green tea"};
  static const char *const kinds[] = {"Invoice", "Invoice", "Invoice", "Receipt", "Statement"};
  *made = (invoice){.item_count = 1 + test_random_below(random, ITEMS)};
  snprintf(made->id, sizeof made->id, "doc-%03zu", number);
  snprintf(made->number, sizeof made->number, "INV-%06zu", test_random_below(random, 1000000));
  snprintf(made->kind, sizeof made->kind, "%s", ONE_OF(random, kinds));
  snprintf(made->vendor, sizeof made->vendor, "%s %s", ONE_OF(random, firsts), ONE_OF(random, seconds));
  snprintf(made->date, sizeof made->date, "%04zu-%02zu-%02zu", 2018 + test_random_below(random, 8),
           1 + test_random_below(random, 12), 1 + test_random_below(random, 28));
  for (size_t i = 0; i < made->item_count; i++) {
    item *at = &made->items[i];
    snprintf(at->name, sizeof at->name, "%s %zu", ONE_OF(random, goods), i);
    at->count = 1 + (unsigned)test_random_below(random, 12);
    at->price = 101 + (unsigned)test_random_below(random, 9000);
    at->amount = at->count * at->price;
    made->net += at->amount;
  }
  made->tax = (made->net * (test_random_below(random, 3) == 0 ? 0 : 19) + 50) / 100;
  made->total = made->net + made->tax;
}

static void print_money(ee_buffer *out, unsigned cents) { ee_buffer_addf(out, "%u.%02u", cents / 100, cents % 100); }

static void print_document(const invoice *at, ee_buffer *out) {
  ee_buffer_clear(out);
  ee_buffer_addf(out, "{\"number\":\"%s\",\"kind\":\"%s\",\"vendor\":\"%s\",\"date\":\"%s\",\"items\":[", at->number,
                 at->kind, at->vendor, at->date);
  for (size_t i = 0; i < at->item_count; i++) {
    ee_buffer_addf(out, "%s{\"name\":\"%s\",\"count\":%u,\"price\":", i > 0 ? "," : "", at->items[i].name,
                   at->items[i].count);
    print_money(out, at->items[i].price);
    ee_buffer_add_text(out, ",\"amount\":");
    print_money(out, at->items[i].amount);
    ee_buffer_add_text(out, "}");
  }
  ee_buffer_add_text(out, at->text_net ? "],\"net\":\"" : "],\"net\":");
  print_money(out, at->net);
  ee_buffer_add_text(out, at->text_net ? "\",\"tax\":" : ",\"tax\":");
  print_money(out, at->tax);
  ee_buffer_addf(out, ",\"%s\":", at->misspelt ? "totel" : "total");
  if (at->raw_total[0] != '\0')
    ee_buffer_addf(out, "\"%s\"", at->raw_total);
  else
    print_money(out, at->total);
  ee_buffer_add_text(out, "}");
}

/* What was scanned: other writings of date and numbers, some letters in upper case. */
static void print_source(const invoice *at, size_t number, ee_buffer *out) {
  int year, month, day;
  assert_int_equal(sscanf(at->date, "%d-%d-%d", &year, &month, &day), 3);
  static const char *const months[] = {"Jan",  "Feb", "Mar",  "Apr", "May", "June",
                                       "July", "Aug", "Sept", "Oct", "Nov", "Dec"};
  ee_buffer_clear(out);
  for (size_t i = 0; at->vendor[i] != '\0'; i++)
    ee_buffer_add_char(out, number % 2 == 0 && at->vendor[i] >= 'a' ? (char)(at->vendor[i] - 32) : at->vendor[i]);
  ee_buffer_addf(out, "\n%s no. %s\n", at->kind, at->number);
  if (number % 3 == 0)
    ee_buffer_addf(out, "Date %02d/%02d/%04d\n", day, month, year);
  else
    ee_buffer_addf(out, "Date %d %s %d\n", day, months[month - 1], year);
  for (size_t i = 0; i < at->item_count; i++) {
    ee_buffer_addf(out, "%u x %s at ", at->items[i].count, at->items[i].name);
    print_money(out, at->items[i].price);
    ee_buffer_add_text(out, " = ");
    print_money(out, at->items[i].amount);
    ee_buffer_add_text(out, "\n");
  }
  ee_buffer_add_text(out, "net ");
  print_money(out, at->net);
  ee_buffer_add_text(out, " tax ");
  print_money(out, at->tax);
  unsigned euros = at->total / 100;
  if (euros >= 1000)
    ee_buffer_addf(out, "\nTOTAL EUR %u,%03u.%02u", euros / 1000, euros % 1000, at->total % 100);
  else
    ee_buffer_addf(out, "\nTOTAL EUR %u.%02u", euros, at->total % 100);
}

static void plant(ee_audit_kind kind, const char *id, const char *path) {
  planted *made = &set.planted[set.planted_count++];
  made->kind = kind;
  snprintf(made->id, sizeof made->id, "%s", id);
  snprintf(made->path, sizeof made->path, "%s", path);
}

/* Each error in four records of their own. */
static void plant_errors(void) {
  static const char *const labels[] = {"invoice", "Invoice ", "Invioce", "INVOICE"};
  static const char *const dates[] = {"n/a", "n/a", "2021-13-45", "soon"};
  for (size_t i = 0; i < 40; i++) {
    invoice *at = &set.truth[i * 5];
    char path[24];
    size_t last = at->item_count - 1;
    switch (i / 4) {
    case 0:
      at->total += 1000;
      plant(EE_AUDIT_SUM, at->id, "total");
      plant(EE_AUDIT_NOT_IN_SOURCE, at->id, "total");
      plant(EE_AUDIT_CONTRADICTED, at->id, "total");
      break;
    case 1:
      at->items[last].amount += 90;
      snprintf(path, sizeof path, "items[%zu].amount", last);
      plant(EE_AUDIT_SUM, at->id, path);
      plant(EE_AUDIT_CONTRADICTED, at->id, path);
      break;
    case 2:
      at->vendor[3] = at->vendor[3] == 'x' ? 'y' : 'x';
      plant(EE_AUDIT_NOT_IN_SOURCE, at->id, "vendor");
      break;
    case 3:
      at->date[9] = at->date[9] == '1' ? '2' : '1';
      plant(EE_AUDIT_NOT_IN_SOURCE, at->id, "date");
      plant(EE_AUDIT_CONTRADICTED, at->id, "date");
      break;
    case 4:
      snprintf(at->kind, sizeof at->kind, "%s", labels[i % 4]);
      snprintf(set.clean[i * 5].kind, sizeof at->kind, "Invoice");
      plant(EE_AUDIT_LABEL, at->id, "kind");
      break;
    case 5:
      snprintf(at->date, sizeof at->date, "%s", dates[i % 4]);
      plant(EE_AUDIT_UNREADABLE, at->id, "date");
      break;
    case 6:
      snprintf(at->raw_total, sizeof at->raw_total, "1O%zu.5O", i);
      plant(EE_AUDIT_UNREADABLE, at->id, "total");
      break;
    case 7:
      at->misspelt = true;
      plant(EE_AUDIT_MISSPELT_KEY, at->id, "totel");
      break;
    case 8:
      at->text_net = true;
      plant(EE_AUDIT_MIXED_TYPE, at->id, "net");
      break;
    default: /* the same document twice, for two of them with another number */
      set.truth[set.count] = set.clean[set.count] = *at;
      snprintf(set.truth[set.count].id, sizeof at->id, "twin-%zu", i);
      snprintf(set.clean[set.count].id, sizeof at->id, "twin-%zu", i);
      if (i % 2 == 0) {
        snprintf(set.truth[set.count].number, sizeof at->number, "INV-999%03zu", i);
        plant(EE_AUDIT_SAME_SOURCE, at->id, "number");
      } else {
        plant(EE_AUDIT_DUPLICATE, at->id, "");
      }
      set.count++;
    }
  }
}

static void make_set(test_random *random, bool errors) {
  memset(&set, 0, sizeof set);
  set.count = INVOICES;
  for (size_t i = 0; i < INVOICES; i++) {
    make_invoice(random, &set.truth[i], i);
    set.clean[i] = set.truth[i];
  }
  if (errors) plant_errors();
}

/* What a model answers: the clean document with some mistakes. */
static void spoil(test_random *random, invoice *at, size_t percent) {
  if (test_random_below(random, 100) < percent) at->total += 1 + (unsigned)test_random_below(random, 500);
  if (test_random_below(random, 100) < percent) at->number[5] = (char)('0' + test_random_below(random, 10));
  if (test_random_below(random, 100) < percent) at->date[9] = (char)('0' + test_random_below(random, 9));
  for (size_t i = 0; i < at->item_count; i++)
    if (test_random_below(random, 100) < percent) at->items[i].amount += 1 + (unsigned)test_random_below(random, 500);
}

static const ee_audit_report *run_audit(fixture *f, test_random *random) {
  ee_buffer document = {0}, source = {0};
  fixture_start(f, rules, 0);
  for (size_t i = 0; i < set.count; i++) {
    print_document(&set.truth[i], &document);
    /* Twins have the source text of their originals. */
    size_t original = i < INVOICES ? i : 5 * (size_t)atoi(set.truth[i].id + 5);
    print_source(&set.clean[original], original, &source);
    add_truth(f, set.truth[i].id, ee_buffer_terminate(&document), ee_buffer_terminate(&source));
  }
  for (size_t model = 0; model < 4; model++) {
    begin_candidate(f, "model");
    for (size_t i = 0; i < set.count; i++) {
      invoice answer = set.clean[i];
      spoil(random, &answer, 4 + 3 * model);
      print_document(&answer, &document);
      add_answer(f, answer.id, ee_buffer_terminate(&document));
    }
  }
  ee_buffer_fini(&document);
  ee_buffer_fini(&source);
  return fixture_finish(f);
}

static bool is_found(const ee_audit_report *report, const planted *at) {
  if (find_finding(report, at->kind, at->id, at->path) != NULL) return true;
  return at->kind == EE_AUDIT_UNREADABLE && find_finding(report, at->kind, at->id, "date") != NULL;
}

static bool is_planted(const ee_audit_finding *finding) {
  for (size_t i = 0; i < set.planted_count; i++)
    for (size_t k = 0; k < finding->id_count; k++)
      if (ee_str_is(finding->ids[k], set.planted[i].id)) return true;
  return finding->id_count > 0 && finding->ids[0].length > 5 && memcmp(finding->ids[0].data, "twin-", 5) == 0;
}

static void finds_what_is_planted(void **state) {
  (void)state;
  test_random random = test_random_start("planted errors", 20251122);
  size_t all[EE_AUDIT_KINDS] = {0}, found[EE_AUDIT_KINDS] = {0}, wrong = 0, findings = 0;
  for (int round = 0; round < 5; round++) {
    fixture f;
    make_set(&random, true);
    const ee_audit_report *report = run_audit(&f, &random);
    for (size_t i = 0; i < set.planted_count; i++) {
      all[set.planted[i].kind]++;
      found[set.planted[i].kind] += is_found(report, &set.planted[i]);
    }
    for (size_t i = 0; i < report->count; i++) wrong += !is_planted(&report->findings[i]);
    findings += report->count;
    fixture_end(&f);
  }
  for (int kind = 0; kind < EE_AUDIT_KINDS; kind++)
    if (all[kind] > 0) print_message("%-14s %zu of %zu\n", ee_audit_kinds[kind].name, found[kind], all[kind]);
  print_message("%zu findings, %zu where nothing was planted\n", findings, wrong);
  for (int kind = 0; kind < EE_AUDIT_KINDS; kind++) {
    /* A candidate may be wrong as well, and a wrong letter may make another word of the text. */
    bool sure = kind != EE_AUDIT_CONTRADICTED && kind != EE_AUDIT_NOT_IN_SOURCE;
    assert_true((double)found[kind] >= (sure ? 1.0 : 0.85) * (double)all[kind]);
  }
  assert_true(20 * wrong <= findings);
}

static void finds_nothing_in_clean_data(void **state) {
  (void)state;
  test_random random = test_random_start("clean invoices", 20251123);
  size_t findings = 0;
  for (int round = 0; round < 5; round++) {
    fixture f;
    make_set(&random, false);
    const ee_audit_report *report = run_audit(&f, &random);
    findings += report->count;
    for (size_t i = 0; i < report->count; i++)
      print_message("%.*s %.*s: %.*s\n", EE_STR_ARG(report->findings[i].ids[0]), EE_STR_ARG(report->findings[i].path),
                    EE_STR_ARG(report->findings[i].evidence[0].reason));
    fixture_end(&f);
  }
  assert_true(findings <= 5); /* in 1,200 records: candidates that agree by chance */
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(finds_what_is_planted), cmocka_unit_test(finds_nothing_in_clean_data));
