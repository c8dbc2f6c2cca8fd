/* test_labels.c: near-duplicate labels against comparing all pairs; misspelt keys. */
#include "audit_fixture.h"

#include <ctype.h>

#include "audit/checks.h"
#include "support/random.h"

#define MAX_WORDS 40

typedef struct word {
  char text[16];
  size_t count;
} word;

static void fold(const char *text, char *out) {
  for (; *text != '\0'; text++)
    if (*text != ' ' && *text != '-') *out++ = (char)tolower((unsigned char)*text);
  *out = '\0';
}

/* By the definition: words are of letters only, and have at least five. */
static bool slow_is_variant(const word *words, size_t count, size_t i) {
  size_t texts = 0;
  for (size_t k = 0; k < count; k++) texts += words[k].count;
  if (texts < 10 || 2 * count > texts || count < 2) return false;
  size_t ratio = 5 * count > texts ? 10 : 1;
  for (size_t k = 0; k < count; k++) {
    char a[16], b[16];
    if (k == i) continue;
    fold(words[i].text, a);
    fold(words[k].text, b);
    size_t own = words[i].count, other = words[k].count;
    bool more = other > own || (other == own && k < i);
    if (strcmp(a, b) == 0 && more && other >= 3 && other >= ratio * own) return true;
    if (ee_audit_one_edit(ee_str_from(words[i].text), ee_str_from(words[k].text)) && other >= 10 * own &&
        strlen(words[k].text) >= 5)
      return true;
  }
  return false;
}

static size_t make_words(test_random *random, word *words) {
  static const char *const stems[] = {"invoice", "receipt", "statement", "credit", "debit"};
  size_t count = 0, wanted = 2 + test_random_below(random, 12);
  for (int tries = 0; tries < 100 && count < wanted; tries++) {
    word *made = &words[count];
    size_t known = 0;
    strcpy(made->text, stems[test_random_below(random, 5)]);
    size_t length = strlen(made->text), at = test_random_below(random, length - 1);
    switch (test_random_below(random, 5)) {
    case 0: made->text[at] = (char)toupper((unsigned char)made->text[at]); break;
    case 1: made->text[at] = 'z'; break;
    case 2: memmove(made->text + at, made->text + at + 1, length - at); break;
    case 3: {
      char c = made->text[at];
      made->text[at] = made->text[at + 1];
      made->text[at + 1] = c;
      break;
    }
    default: break;
    }
    made->count =
        test_random_below(random, 3) == 0 ? 10 + test_random_below(random, 60) : 1 + test_random_below(random, 5);
    while (known < count && strcmp(words[known].text, made->text) != 0) known++;
    count += known == count;
  }
  return count;
}

static void labels_against_all_pairs(void **state) {
  (void)state;
  test_random random = test_random_start("labels", 31);
  size_t variants = 0;
  for (int round = 0; round < 2000; round++) {
    word words[MAX_WORDS];
    size_t count = make_words(&random, words), record = 0;
    fixture f;
    fixture_start(&f, NULL, 1u << EE_AUDIT_LABEL);
    for (size_t i = 0; i < count; i++) {
      for (size_t k = 0; k < words[i].count; k++) {
        char id[16], text[48];
        snprintf(id, sizeof id, "r%zu", record++);
        snprintf(text, sizeof text, "{\"kind\":\"%s\"}", words[i].text);
        add_truth(&f, id, text, NULL);
      }
    }
    const ee_audit_report *report = fixture_finish(&f);
    for (size_t i = 0; i < count; i++) {
      bool reported = false, wanted = slow_is_variant(words, count, i);
      for (size_t k = 0; k < report->count; k++)
        reported = reported || ee_str_is(report->findings[k].evidence[0].expected, words[i].text);
      variants += wanted;
      if (reported != wanted) fail_msg("round %d: '%s' reported %d, wanted %d", round, words[i].text, reported, wanted);
    }
    fixture_end(&f);
  }
  assert_true(variants > 1000);
}

static void copies_of_the_source_are_no_labels(void **state) {
  (void)state;
  fixture f;
  fixture_start(&f, NULL, 1u << EE_AUDIT_LABEL);
  for (int i = 0; i < 12; i++) {
    char id[16];
    snprintf(id, sizeof id, "r%d", i);
    add_truth(&f, id, i == 3 || i == 5 ? "{\"kind\":\"INVOICE\"}" : "{\"kind\":\"Invoice\"}",
              i == 5 ? "this INVOICE" : "this Invoice");
  }
  const ee_audit_report *report = fixture_finish(&f);
  assert_int_equal(report->count, 1);
  assert_non_null(find_finding(report, EE_AUDIT_LABEL, "r3", "kind"));
  fixture_end(&f);
}

static void misspelt_keys(void **state) {
  (void)state;
  static const struct {
    const char *last;
    const char *found; /* path; NULL: nothing */
  } cases[] = {
      {"{\"invoice_date\":\"x\",\"totel\":1}", "totel"},
      {"{\"Invoice Date\":\"x\",\"total\":1}", "Invoice Date"},
      {"{\"invoice_date\":\"x\",\"total\":1,\"totel\":1}", NULL}, /* both */
      {"{\"invoice_date\":\"x\",\"tip\":1}", NULL},               /* another key */
      {"{\"invoice_date\":\"x\",\"total2\":1}", NULL},            /* digits differ */
      {"{\"invoice_dtae\":\"x\",\"total\":1}", "invoice_dtae"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_start(&f, NULL, 1u << EE_AUDIT_MISSPELT_KEY);
    for (int k = 0; k < 9; k++) {
      char id[16];
      snprintf(id, sizeof id, "r%d", k);
      add_truth(&f, id, "{\"invoice_date\":\"x\",\"total\":1}", NULL);
    }
    add_truth(&f, "last", cases[i].last, NULL);
    const ee_audit_report *report = fixture_finish(&f);
    assert_int_equal(report->count, cases[i].found != NULL);
    if (cases[i].found != NULL) assert_non_null(find_finding(report, EE_AUDIT_MISSPELT_KEY, "last", cases[i].found));
    fixture_end(&f);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(labels_against_all_pairs),
             cmocka_unit_test(copies_of_the_source_are_no_labels), cmocka_unit_test(misspelt_keys));
