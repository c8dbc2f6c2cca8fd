/* choose.c: the decisions, one function a kind of value. */
#include "infer/choose.h"

#include <inttypes.h>
#include <stdio.h>

#include "judge/confidence.h"
#include "prim/edit.h"

typedef struct chooser {
  const ee_profile *profile;
  ee_arena *arena;
  ee_choices *choices;
  bool drop_unanswered; /* what no candidate has is not judged */
} chooser;

/* A path that at least this many candidates lack, and none has, is not judged: they were not asked for it. */
#define CANDIDATES_THAT_TELL 5

typedef struct choice_list {
  EE_LIST(ee_choice);
} choice_list;

typedef struct choice_pointers {
  EE_LIST(const ee_choice *);
} choice_pointers;

/* Words ---------------------------------------------------------------------------------------- */

/* `"8.20"`, `"8.20" and "$5"`, `1, 2 and 3`. */
static const char *examples_text(chooser *self, const ee_value_profile *part) {
  size_t count = part->distinct < EE_PROFILE_EXAMPLES ? part->distinct : EE_PROFILE_EXAMPLES;
  if (count == 0 && part->examples[0].text.data != NULL) count = 1;
  const char *text = "";
  for (size_t i = 0; i < count; i++)
    text = ee_arena_printf(self->arena, "%s%s%.*s", text,
                           i == 0          ? ""
                           : i + 1 < count ? ", "
                                           : " and ",
                           EE_STR_ARG(part->examples[i].text));
  return text;
}

static const char *share_text(chooser *self, uint64_t part, uint64_t whole) {
  if (part == whole && whole == 1) return "the only value";
  if (part == whole) return ee_arena_printf(self->arena, "all %" PRIu64 " values", whole);
  return ee_arena_printf(self->arena, "%" PRIu64 " of %" PRIu64 " values", part, whole);
}

/* "all 120 values, such as "8.20" and "$5"" */
static const char *reason_text(chooser *self, uint64_t read, const ee_value_profile *part) {
  return ee_arena_printf(self->arena, "%s, such as %s", share_text(self, read, ee_value_profile_count(part)),
                         examples_text(self, part));
}

static const char *join(chooser *self, const char *a, const char *b) {
  return a == NULL || *a == '\0' ? b : b == NULL || *b == '\0' ? a : ee_arena_printf(self->arena, "%s; %s", a, b);
}

/* Adds `text` to a list of options. */
static void add_option(chooser *self, ee_choice *choice, const char *text) {
  choice->options = *choice->options == '\0' ? text : ee_arena_printf(self->arena, "%s, %s", choice->options, text);
}

static void add_remark(chooser *self, ee_choice *choice, const char *text) {
  choice->remark = join(self, choice->remark, text);
}

static void add_doubt(chooser *self, ee_choice *choice, const char *text) {
  choice->doubt = join(self, choice->doubt, text);
}

/* Whether the last word of the key says one of `words` (NULL-terminated): "invoice_no", "invoiceNo", "ZIP". */
static bool key_says(const ee_profile_node *node, const char *const *words) {
  while (node->is_element && node->parent != NULL) node = node->parent;
  char folded[64];
  size_t length = 0;
  for (size_t i = 0; i < node->key.length && length + 2 < sizeof folded; i++) {
    char c = node->key.data[i];
    bool upper = c >= 'A' && c <= 'Z';
    if (upper && i > 0 && node->key.data[i - 1] >= 'a' && node->key.data[i - 1] <= 'z') folded[length++] = '_';
    folded[length++] = upper ? (char)(c - 'A' + 'a') : c == '-' || c == ' ' || c == '.' ? '_' : c;
  }
  folded[length] = '\0';
  for (; *words != NULL; words++) {
    size_t size = strlen(*words);
    for (const char *at = folded; (at = strstr(at, *words)) != NULL; at++)
      if ((at == folded || at[-1] == '_') && (at[size] == '\0' || at[size] == '_' || at[size] == 's')) return true;
  }
  return false;
}

/* Scalars -------------------------------------------------------------------------------------- */

/* Whether a reading fits the field: it reads at least nine of ten values. */
static bool is_enough(uint64_t read, uint64_t values) { return read == values || (values - read) * 10 <= values; }

/* Adds a doubt if the reading fails for any expected value, or for many candidates. `what` is "a number". */
static void doubt_reading(chooser *self, ee_choice *choice, ee_reading reading, const char *what) {
  static const char *const names[] = {"expected", "candidate"};
  for (int i = 0; i < EE_PROFILE_PARTS; i++) {
    const ee_value_profile *part = choice->node->parts[i];
    uint64_t values = ee_value_profile_count(part), unread = values > 0 ? values - part->read[reading] : 0;
    if (unread == 0 || (i == EE_PROFILE_CANDIDATE && is_enough(values - unread, values))) continue;
    const ee_example *example = &part->unread[reading];
    const char *shown = ""; /* arrays and objects are shown by another doubt */
    if (example->text.length > 0)
      shown = ee_arena_printf(self->arena, ", e.g. %.*s in case '%.*s'", EE_STR_ARG(example->text),
                              EE_STR_ARG(example->id));
    add_doubt(self, choice,
              ee_arena_printf(self->arena, "%" PRIu64 " of %" PRIu64 " %s values cannot be read as %s%s", unread,
                              values, names[i], what, shown));
  }
}

/* The reading of `readings` that reads most expected values; of equals, most candidates; of equals, the first. */
static ee_reading best_reading(const ee_profile_node *node, const ee_reading *readings, size_t count) {
  const ee_value_profile *expected = node->parts[EE_PROFILE_EXPECTED], *candidate = node->parts[EE_PROFILE_CANDIDATE];
  ee_reading best = readings[0];
  for (size_t i = 1; i < count; i++) {
    uint64_t more = expected->read[readings[i]], most = expected->read[best];
    if (more == most && candidate != NULL) {
      more = candidate->read[readings[i]];
      most = candidate->read[best];
    }
    if (more > most) best = readings[i];
  }
  return best;
}

static void choose_exact(chooser *self, ee_choice *choice, const char *read_as, const char *options) {
  const ee_value_profile *part = choice->node->parts[EE_PROFILE_EXPECTED];
  choice->kind = EE_CHOICE_FIELD;
  choice->strategy = "exact";
  choice->read_as = read_as;
  choice->options = options;
  choice->read = choice->values;
  choice->reason = reason_text(self, choice->read, part);
}

/* Whether one side has numbers or booleans where texts are compared: then 5 must equal "5". */
static bool has_other_types(const ee_choice *choice) {
  for (int i = 0; i < EE_PROFILE_PARTS; i++) {
    const ee_value_profile *part = choice->node->parts[i];
    if (part != NULL && part->types[EE_NUMBER] + part->types[EE_TRUE] + part->types[EE_FALSE] > 0) return true;
  }
  return false;
}

static const char *forms_of_codes(const ee_choice *choice) {
  return has_other_types(choice) ? "normalize = { \"text\", \"trim\" }" : "normalize = \"trim\"";
}

static const char *forms_of_labels(const ee_choice *choice) {
  return has_other_types(choice) ? "normalize = { \"text\", \"trim\", \"casefold\" }"
                                 : "normalize = { \"trim\", \"casefold\" }";
}

/* Texts of digits, a few of them with something else ("15; 43", "1/38"): numbers of houses or pages: only the
 * same text is right. */
static bool is_numeral(const ee_choice *choice, const ee_value_profile *part, uint64_t read) {
  const ee_value_profile *candidate = choice->node->parts[EE_PROFILE_CANDIDATE];
  return part->types[EE_STRING] == choice->values && read < choice->values && part->digits_only == read &&
         (candidate == NULL || candidate->fractions == 0);
}

static bool choose_number(chooser *self, ee_choice *choice) {
  static const ee_reading readings[] = {EE_READING_POINT, EE_READING_COMMA, EE_READING_MONEY_POINT,
                                        EE_READING_MONEY_COMMA};
  const ee_value_profile *part = choice->node->parts[EE_PROFILE_EXPECTED];
  ee_reading reading = best_reading(choice->node, readings, 4);
  if (!is_enough(part->read[reading], choice->values)) return false;
  bool money = reading == EE_READING_MONEY_POINT || reading == EE_READING_MONEY_COMMA;
  bool comma = reading == EE_READING_COMMA || reading == EE_READING_MONEY_COMMA;
  if (!money && is_numeral(choice, part, part->read[reading])) {
    choose_exact(self, choice, "codes", forms_of_codes(choice));
    add_remark(self, choice,
               ee_arena_printf(self->arena, "%" PRIu64 " of them %s; compared as text",
                               choice->values - part->read[reading],
                               choice->values - part->read[reading] == 1 ? "is not a number" : "are not numbers"));
    return true;
  }
  choice->kind = EE_CHOICE_FIELD;
  choice->strategy = "numeric";
  choice->read = part->read[reading];
  const char *kind = money ? "amounts of money" : part->fractions == 0 ? "whole numbers" : "numbers";
  choice->read_as = comma ? ee_arena_printf(self->arena, "%s with a decimal comma", kind) : kind;
  if (money) add_option(self, choice, "format = \"money\"");
  if (comma) add_option(self, choice, "decimal = \",\"");
  choice->reason = reason_text(self, choice->read, part);
  if (part->fractions > 0 && part->decimals <= 4) {
    char tolerance[16];
    snprintf(tolerance, sizeof tolerance, "0.%.*s5", (int)part->decimals, "0000");
    add_option(self, choice, ee_arena_printf(self->arena, "tolerance = %s", tolerance));
    add_remark(self, choice, ee_arena_printf(self->arena, "a difference of up to %s counts as equal", tolerance));
  } else if (part->fractions > 0) {
    add_option(self, choice, "tolerance = 0.001, relative = true");
    add_remark(self, choice, "a difference of up to 0.1 % counts as equal");
  }
  doubt_reading(self, choice, reading, money ? "an amount of money" : "a number");
  return true;
}

/* Day before month, or month before day? Values that only one order reads decide, otherwise unambiguous dates of
 * candidates. */
static ee_reading date_order(const ee_profile_node *node, bool *ambiguous) {
  static const ee_reading orders[] = {EE_READING_DMY, EE_READING_MDY, EE_READING_YMD};
  const ee_value_profile *expected = node->parts[EE_PROFILE_EXPECTED], *candidate = node->parts[EE_PROFILE_CANDIDATE];
  ee_reading best = best_reading(node, orders, 3);
  uint64_t dmy = expected->read[EE_READING_DMY], mdy = expected->read[EE_READING_MDY];
  bool open = dmy == mdy && dmy == expected->read[best];
  if (open && node->equal_as_dmy != node->equal_as_mdy)
    return node->equal_as_dmy > node->equal_as_mdy ? EE_READING_DMY : EE_READING_MDY;
  open = open && (candidate == NULL || candidate->read[EE_READING_DMY] == candidate->read[EE_READING_MDY]);
  *ambiguous = open;
  return best;
}

/* Dates of ISO 8601, some of them only a month or a year: the same text is the same date, and no other is. */
static bool is_partly_iso(const ee_choice *choice, const ee_value_profile *part, const ee_value_profile *candidate) {
  uint64_t answers = ee_value_profile_count(candidate);
  return part->iso_dates == choice->values && part->read[EE_READING_DATE] < choice->values &&
         part->read[EE_READING_DATE] > 0 && (answers == 0 || candidate->iso_dates * 10 >= answers * 9);
}

static bool choose_date(chooser *self, ee_choice *choice) {
  const ee_profile_node *node = choice->node;
  const ee_value_profile *part = node->parts[EE_PROFILE_EXPECTED], *candidate = node->parts[EE_PROFILE_CANDIDATE];
  static const char *const words[] = {"date", "day", "datum", "dob", "birth", "due", "issued", "expiry", NULL};
  if (part->types[EE_STRING] != choice->values) return false;
  if (part->digits_only * 2 > choice->values && !(part->shortest == 8 && part->longest == 8 && key_says(node, words)))
    return false;
  if (is_partly_iso(choice, part, candidate)) {
    choose_exact(self, choice, "dates, some without day or month", forms_of_codes(choice));
    add_remark(self, choice, "compared as text");
    return true;
  }
  bool ambiguous = false;
  ee_reading order = date_order(node, &ambiguous);
  bool plain = part->read[EE_READING_DATE] >= part->read[order] &&
               (candidate == NULL || candidate->read[EE_READING_DATE] >= candidate->read[order]);
  if (plain) order = EE_READING_DATE;
  if (!is_enough(part->read[order], choice->values)) return false;
  choice->kind = EE_CHOICE_FIELD;
  choice->strategy = "date";
  choice->read = part->read[order];
  choice->reason = reason_text(self, choice->read, part);
  switch (order) {
  case EE_READING_DMY: choice->read_as = "dates, day before month"; break;
  case EE_READING_MDY: choice->read_as = "dates, month before day"; break;
  case EE_READING_YMD: choice->read_as = "dates, year first"; break;
  default: choice->read_as = "dates"; break;
  }
  if (!plain && ambiguous) {
    choice->read_as = "dates, order of day and month unclear";
    choice->doubt = "no value shows whether the day or the month comes first, so a date like 03/04/2025 matches only "
                    "the same text; add order = \"DMY\" or order = \"MDY\"";
    return true;
  }
  if (!plain)
    add_option(self, choice,
               order == EE_READING_DMY   ? "order = \"DMY\""
               : order == EE_READING_MDY ? "order = \"MDY\""
                                         : "order = \"YMD\"");
  uint64_t other = part->read[order == EE_READING_DMY ? EE_READING_MDY : EE_READING_DMY];
  if ((order == EE_READING_DMY || order == EE_READING_MDY) && other < choice->read)
    add_remark(self, choice,
               ee_arena_printf(self->arena, "if %s came first, only %" PRIu64 " of %" PRIu64 " could be read",
                               order == EE_READING_DMY ? "the month" : "the day", other, choice->values));
  doubt_reading(self, choice, order, "a date");
  return true;
}

/* A few texts that each occur many times. */
static bool is_label(const ee_choice *choice, const ee_value_profile *part) {
  static const char *const words[] = {"name",        "company", "vendor",  "supplier", "customer", "merchant",
                                      "seller",      "buyer",   "address", "city",     "street",   "title",
                                      "description", "person",  "author",  NULL};
  return part->distinct <= 20 && choice->values >= 5 * part->distinct && part->longest <= 40 &&
         part->words <= 3 * choice->values && !key_says(choice->node, words);
}

/* Numbers of invoices, article codes, currencies: mostly one word, with digits or short in capitals. */
static bool is_code(const ee_choice *choice, const ee_value_profile *part) {
  static const char *const words[] = {"id",     "code", "no",        "number",   "nr",   "num", "sku",
                                      "iban",   "bic",  "vat",       "isbn",     "ean",  "zip", "postcode",
                                      "postal", "ref",  "reference", "currency", "uuid", NULL};
  uint64_t n = choice->values;
  bool one_word = part->one_word * 10 >= n * 9;
  if (part->longest > 64) return false;
  if (one_word && part->with_digit * 10 >= n * 8) return true;
  if (one_word && part->longest <= 5 && part->with_lower == 0) return true;
  return key_says(choice->node, words) && part->with_digit * 10 >= n * 8 && part->words <= 4 * n;
}

/* Adds a doubt if at least half of the texts are dates or amounts, but too few to judge the field so. */
static void doubt_texts(chooser *self, ee_choice *choice) {
  const ee_value_profile *part = choice->node->parts[EE_PROFILE_EXPECTED];
  static const struct {
    ee_reading reading;
    const char *what;
  } kinds[] = {{EE_READING_DMY, "dates"},
               {EE_READING_MDY, "dates"},
               {EE_READING_MONEY_POINT, "amounts"},
               {EE_READING_MONEY_COMMA, "amounts"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    uint64_t read = part->read[kinds[i].reading];
    if (read * 2 < choice->values || part->digits_only * 2 > choice->values) continue;
    const ee_example *example = &part->unread[kinds[i].reading];
    add_doubt(self, choice,
              ee_arena_printf(self->arena,
                              "%" PRIu64 " of %" PRIu64 " values are %s, the others are not, e.g. %.*s in case '%.*s'",
                              read, choice->values, kinds[i].what, EE_STR_ARG(example->text), EE_STR_ARG(example->id)));
    return;
  }
}

static void choose_text(chooser *self, ee_choice *choice) {
  const ee_value_profile *part = choice->node->parts[EE_PROFILE_EXPECTED];
  choice->kind = EE_CHOICE_FIELD;
  choice->strategy = "fuzzy";
  choice->read = choice->values;
  choice->reason = reason_text(self, choice->read, part);
  if (part->words > 20 * choice->values) {
    choice->read_as = "long texts";
    add_option(self, choice, "algorithm = \"token_f1\", threshold = 0.8, score = \"similarity\"");
    add_remark(self, choice, "scored by the share of common words");
  } else {
    choice->read_as = part->words > 4 * choice->values ? "texts" : "names";
    /* A text with another number in it ("Q1 2024", "12 Main Street") is another text. */
    bool has_digits = part->with_digit > 0;
    add_option(self, choice, has_digits ? "threshold = 0.85, same_digits = true" : "threshold = 0.85");
    add_remark(self, choice,
               has_digits ? "up to 15 % of the letters may differ, no digit" : "up to 15 % of the letters may differ");
  }
  if (has_other_types(choice)) add_option(self, choice, forms_of_labels(choice));
}

/* Digits that are not a quantity. */
static bool is_digit_code(const ee_choice *choice, const ee_value_profile *part) {
  static const char *const words[] = {"id",    "code",    "no",  "number", "nr",  "num",      "sku",
                                      "phone", "tel",     "fax", "mobile", "zip", "postcode", "postal",
                                      "iban",  "account", "vat", "isbn",   "ean", "ref",      NULL};
  if (part->digits_only != choice->values) return false;
  return part->leading_zero > 0 || key_says(choice->node, words) || part->longest > 15 ||
         (part->shortest == part->longest && part->longest >= 5 && choice->values > 1);
}

/* A value of one kind, or of several scalar types. */
static void choose_scalar(chooser *self, ee_choice *choice) {
  const ee_value_profile *part = choice->node->parts[EE_PROFILE_EXPECTED];
  uint64_t n = choice->values, texts = part->types[EE_STRING];
  uint64_t booleans = part->types[EE_TRUE] + part->types[EE_FALSE];
  const ee_value_profile *candidate = choice->node->parts[EE_PROFILE_CANDIDATE];
  if (booleans == n) {
    bool texts_too = candidate != NULL && candidate->types[EE_STRING] > 0;
    choose_exact(self, choice, "true or false", texts_too ? "normalize = { \"text\", \"casefold\" }" : "");
  } else if (texts == n && is_digit_code(choice, part)) {
    choose_exact(self, choice, "codes", forms_of_codes(choice));
  } else if (choose_date(self, choice) || choose_number(self, choice)) {
    return;
  } else if (texts * 2 < n) {
    choose_exact(self, choice, "values of several types", forms_of_labels(choice));
    add_remark(self, choice, "compared as text: 5 equals \"5\"");
  } else if (part->phones * 10 >= n * 9) {
    choose_exact(self, choice, "telephone numbers", "normalize = \"digits\"");
  } else if (part->addresses * 10 >= n * 9) {
    choose_exact(self, choice, "email or web addresses", "normalize = { \"trim\", \"casefold\" }");
  } else if (is_label(choice, part)) {
    choose_exact(self, choice, "labels", forms_of_labels(choice));
    choice->reason = ee_arena_printf(self->arena, "%zu distinct texts in %" PRIu64 " values: %s%s", part->distinct, n,
                                     examples_text(self, part), part->distinct > EE_PROFILE_EXAMPLES ? ", ..." : "");
  } else if (is_code(choice, part)) {
    choose_exact(self, choice, "codes", forms_of_codes(choice));
  } else {
    choose_text(self, choice);
  }
  if (texts == n && booleans == 0) doubt_texts(self, choice);
}

/* Arrays --------------------------------------------------------------------------------------- */

static void choose_members(chooser *self, const ee_profile_node *node, const ee_profile_node *base, choice_list *out);
static ee_choice start_choice(chooser *self, const ee_profile_node *node, const ee_profile_node *base);

static const char *const box_words[] = {"box",      "boxes",    "bbox",         "bboxes",      "boundingbox",
                                        "bounding", "rect",     "rectangle",    "region",      "polygon",
                                        "poly",     "quad",     "points",       "coordinates", "coords",
                                        "position", "location", "segmentation", "contour",     NULL};

/* The format of boxes at `part`, all of whose `arrays` are boxes; NULL when they are not. */
static const char *box_format(const ee_profile_node *node, const ee_value_profile *part, uint64_t arrays) {
  if (arrays == 0 || !key_says(node, box_words)) return NULL;
  if (part->boxes_by_corner == arrays) return "xyxy";
  if (part->boxes_by_size == arrays) return "xywh";
  return part->polygons == arrays ? "polygon" : NULL;
}

static const char *box_words_of(const char *format) {
  return strcmp(format, "xyxy") == 0   ? "boxes by two corners"
         : strcmp(format, "xywh") == 0 ? "boxes by corner and size"
                                       : "polygons";
}

static void choose_box(chooser *self, ee_choice *choice, const char *format, bool many) {
  const ee_value_profile *part = choice->node->parts[EE_PROFILE_EXPECTED];
  choice->kind = many ? EE_CHOICE_BOXES : EE_CHOICE_FIELD;
  choice->strategy = "iou";
  choice->read = choice->values;
  choice->read_as = many ? ee_arena_printf(self->arena, "arrays of %s", box_words_of(format)) : box_words_of(format);
  choice->reason = reason_text(self, choice->read, part);
  if (strcmp(format, "xyxy") != 0) add_option(self, choice, ee_arena_printf(self->arena, "format = \"%s\"", format));
  if (many) add_option(self, choice, "match = \"optimal\"");
  add_option(self, choice, "threshold = 0.5");
}

/* How elements of a set are compared, from how one of them would be. */
static void choose_set(chooser *self, ee_choice *choice, const ee_profile_node *element) {
  const ee_value_profile *part = choice->node->parts[EE_PROFILE_EXPECTED];
  choice->kind = EE_CHOICE_FIELD;
  choice->strategy = "set";
  choice->read = choice->values;
  choice->read_as = "arrays, in any order";
  choice->reason = reason_text(self, choice->read, part);
  const ee_value_profile *inner = element != NULL ? element->parts[EE_PROFILE_EXPECTED] : NULL;
  if (ee_value_profile_count(inner) == 0) return;
  add_remark(self, choice, "each array counts as one value");
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a profile with values
  if (inner->types[EE_ARRAY] + inner->types[EE_OBJECT] > 0) {
    choice->read_as = "arrays of arrays or objects, in any order";
    choice->doubt = "each element is compared as a whole";
    return;
  }
  ee_choice one = start_choice(self, element, element);
  choose_scalar(self, &one);
  choice->read_as = ee_arena_printf(self->arena, "arrays of %s, in any order", one.read_as);
  choice->reason = ee_arena_printf(self->arena, "%" PRIu64 " elements in %s, such as %s", one.values,
                                   share_text(self, choice->values, choice->values), examples_text(self, inner));
  choice->doubt = one.doubt;
  if (strcmp(one.strategy, "exact") == 0)
    add_option(self, choice, one.options);
  else if (strcmp(one.strategy, "numeric") != 0 || *one.options != '\0')
    add_option(self, choice, ee_arena_printf(self->arena, "match = ee.%s { %s }", one.strategy, one.options));
}

/* Where candidates give one value, an array of expected ones holds several right answers. */
static bool choose_alternatives(chooser *self, ee_choice *choice, const ee_profile_node *element) {
  const ee_value_profile *part = choice->node->parts[EE_PROFILE_EXPECTED];
  const ee_value_profile *candidate = choice->node->parts[EE_PROFILE_CANDIDATE];
  uint64_t answers = ee_value_profile_count(candidate);
  if (element == NULL || answers == 0 || part->arrays_of_scalars + part->empty_arrays < choice->values) return false;
  if ((candidate->types[EE_ARRAY] + candidate->types[EE_OBJECT]) * 10 > answers) return false;
  ee_choice one = start_choice(self, element, element);
  if (one.values == 0) return false;
  choose_scalar(self, &one);
  choice->kind = EE_CHOICE_FIELD;
  choice->strategy = one.strategy;
  choice->options = one.options;
  choice->alternatives = true;
  add_option(self, choice, "alternatives = true");
  choice->read = choice->values;
  choice->read_as = ee_arena_printf(self->arena, "%s, several correct answers", one.read_as);
  choice->reason = ee_arena_printf(self->arena, "%" PRIu64 " answers in %s, such as %s", one.values,
                                   share_text(self, choice->values, choice->values),
                                   examples_text(self, element->parts[EE_PROFILE_EXPECTED]));
  add_remark(self, choice, "a candidate that equals any of them is correct");
  choice->doubt = one.doubt;
  return true;
}

/* Candidates that are arrays where one value is expected, or the other way round, can never match. */
static void doubt_candidates(chooser *self, ee_choice *choice) {
  const ee_value_profile *candidate = choice->node->parts[EE_PROFILE_CANDIDATE];
  bool is_items = choice->kind == EE_CHOICE_ITEMS;
  if ((choice->kind != EE_CHOICE_FIELD && !is_items) || candidate == NULL || choice->values == 0) return;
  if (choice->node->several[EE_PROFILE_CANDIDATE] > 0) return; /* said already */
  const ee_value_profile *part = choice->node->parts[EE_PROFILE_EXPECTED];
  uint64_t answers = ee_value_profile_count(candidate);
  uint64_t lists = candidate->types[EE_ARRAY] + candidate->types[EE_OBJECT];
  bool scalars = part->types[EE_ARRAY] + part->types[EE_OBJECT] == 0, arrays = part->types[EE_ARRAY] == choice->values;
  if (scalars && lists * 10 > answers) {
    const char *pattern = ee_confidence_pattern_of(candidate->examples[0].text);
    add_doubt(self, choice,
              ee_arena_printf(self->arena,
                              "%" PRIu64 " of %" PRIu64 " candidate values are arrays or objects, such as %.*s%s%s%s",
                              lists, answers, EE_STR_ARG(candidate->examples[0].text),
                              pattern != NULL ? "; in the rules, confidence = \"" : "", pattern != NULL ? pattern : "",
                              pattern != NULL ? "\" takes the values out" : ""));
  }
  uint64_t others = answers - candidate->types[EE_ARRAY];
  if ((is_items || (arrays && strcmp(choice->strategy, "set") == 0)) && others * 10 > answers)
    add_doubt(self, choice,
              ee_arena_printf(self->arena, "%" PRIu64 " of %" PRIu64 " candidate values are not arrays%s", others,
                              answers,
                              choice->node->parent == NULL && candidate->types[EE_OBJECT] == answers
                                  ? ": --candidate NAME takes the member that is one"
                                  : ""));
}

static bool choose_items(chooser *self, ee_choice *choice, const ee_profile_node *element) {
  choice_list inner = {0};
  choose_members(self, element, element, &inner);
  size_t judged = 0;
  for (size_t i = 0; i < inner.count; i++)
    judged += inner.items[i].kind != EE_CHOICE_NOT_JUDGED && inner.items[i].values > 0;
  if (judged == 0) return false;
  choice->kind = EE_CHOICE_ITEMS;
  choice->read_as = "arrays of objects, paired by their fields";
  choice->inner = inner.items;
  choice->inner_count = inner.count;
  choice->read = choice->values;
  const ee_value_profile *part = choice->node->parts[EE_PROFILE_EXPECTED];
  const ee_value_profile *items = element->parts[EE_PROFILE_EXPECTED];
  choice->reason =
      ee_arena_printf(self->arena, "%s are arrays of objects, with %" PRIu64 " items in all",
                      share_text(self, part->types[EE_ARRAY], choice->values), ee_value_profile_count(items));
  return true;
}

/* The elements of the arrays at `node`; NULL: they have none. */
static const ee_profile_node *element_of(const ee_profile_node *node) {
  const ee_profile_node *at = node->first;
  while (at != NULL && !at->is_element) at = at->next;
  return at;
}

static void choose_array(chooser *self, ee_choice *choice) {
  const ee_profile_node *node = choice->node;
  const ee_value_profile *part = node->parts[EE_PROFILE_EXPECTED];
  uint64_t arrays = part->types[EE_ARRAY] - part->empty_arrays;
  const ee_profile_node *element = element_of(node);
  const ee_value_profile *inner = element != NULL ? element->parts[EE_PROFILE_EXPECTED] : NULL;
  const char *format = box_format(node, part, arrays);
  bool top = node->parent != NULL;
  for (const ee_profile_node *at = node; at != NULL; at = at->parent) top = top && !at->is_element;
  if (format != NULL && part->empty_arrays == 0 && arrays == choice->values) {
    choose_box(self, choice, format, false);
    return;
  }
  uint64_t shapes = ee_value_profile_count(inner);
  format = inner != NULL && shapes == inner->present && inner->types[EE_ARRAY] == shapes && inner->empty_arrays == 0
               ? box_format(node, inner, shapes)
               : NULL;
  if (top && format != NULL && element->several[EE_PROFILE_EXPECTED] == 0) {
    choose_box(self, choice, format, true);
    return;
  }
  if (arrays > 0 && part->arrays_of_objects == arrays && element != NULL && choose_items(self, choice, element)) return;
  bool vector = arrays > 1 && part->arrays_of_numbers == arrays && part->shortest_array == part->longest_array &&
                part->longest_array > 1;
  if (vector && part->empty_arrays == 0) {
    choose_exact(self, choice, ee_arena_printf(self->arena, "arrays of %zu numbers, in order", part->longest_array),
                 "");
    return;
  }
  if (!choose_alternatives(self, choice, element)) choose_set(self, choice, element);
}

/* Objects -------------------------------------------------------------------------------------- */

/* An object whose keys are data: many keys, each in few of the objects; or too many to keep. */
static bool has_varying_keys(const ee_profile_node *node) {
  uint64_t objects = ee_value_profile_count(node->parts[EE_PROFILE_EXPECTED]), present = 0, members = 0;
  for (const ee_profile_node *at = node->first; at != NULL; at = at->next) {
    if (at->parts[EE_PROFILE_EXPECTED] == NULL) continue;
    members++;
    present += at->parts[EE_PROFILE_EXPECTED]->present;
  }
  return node->capped || (members > 40 && objects >= 5 && present * 10 < members * objects);
}

static void choose_whole(chooser *self, ee_choice *choice, const char *read_as, const char *doubt) {
  choose_exact(self, choice, read_as, "");
  add_doubt(self, choice, doubt);
}

/* Adds a doubt about the few values of another type. */
static void doubt_type(chooser *self, ee_choice *choice, uint64_t usual, const char *type, const char *effect) {
  add_doubt(self, choice,
            ee_arena_printf(self->arena, "%" PRIu64 " of %" PRIu64 " expected values %s not %s: %s",
                            choice->values - usual, choice->values, choice->values - usual == 1 ? "is" : "are", type,
                            effect));
}

/* Several correct answers ---------------------------------------------------------------------- */

/* `count` values are {"anyOf": [...]}, and no rule for their path reads them so. */
static void doubt_several(chooser *self, ee_choice *choice, uint64_t count, const char *why) {
  add_doubt(self, choice,
            ee_arena_printf(self->arena, "%" PRIu64 " expected value%s {\"anyOf\": [...]}, compared as %s: %s", count,
                            count == 1 ? " is" : "s are", count == 1 ? "an object" : "objects", why));
}

/* A path whose expected values hold several correct answers: judged as its answers are, with `alternatives`. */
static void choose_several(chooser *self, ee_choice *choice) {
  const ee_profile_node *node = choice->node;
  const ee_value_profile *part = node->parts[EE_PROFILE_EXPECTED];
  uint64_t several = node->several[EE_PROFILE_EXPECTED], more = node->answers - several;
  uint64_t arrays = part->types[EE_ARRAY], containers = part->types[EE_OBJECT] + arrays;
  const ee_profile_node *element = element_of(node);
  const ee_value_profile *inner = element != NULL ? element->parts[EE_PROFILE_EXPECTED] : NULL;
  bool sets = arrays > 0 && arrays == choice->values && part->arrays_of_scalars + part->empty_arrays == arrays;
  /* A plain array is a set, unless its elements are empty. */
  bool plain_sets = sets && (inner == NULL || inner->empty == 0);
  const char *why = NULL;
  if (node->several[EE_PROFILE_CANDIDATE] > 0)
    why = "candidates have such objects, too";
  else if (arrays > node->answer_arrays && !plain_sets)
    why = "the arrays of other cases would be read as several answers, too";
  if (why != NULL || (containers > 0 && !sets))
    choose_exact(self, choice, containers == choice->values ? "arrays or objects" : "values of several types", "");
  else if (sets)
    choose_set(self, choice, element);
  else if (choice->values > 0)
    choose_scalar(self, choice);
  else
    choose_exact(self, choice, "always empty", "");
  uint64_t unread = choice->values - choice->read;
  choice->values = choice->values > more ? choice->values - more : 0; /* answers may be empty */
  choice->read = choice->values > unread ? choice->values - unread : 0;
  choice->reason = ee_arena_printf(
      self->arena, "%" PRIu64 " of the values %s {\"anyOf\": [...]}, with %" PRIu64 " answer%s in all, such as %s",
      several, several == 1 ? "is" : "are", node->answers, node->answers == 1 ? "" : "s",
      containers + choice->values > 0 ? examples_text(self, part) : "null");
  if (why != NULL) {
    doubt_several(self, choice, several, why);
    return;
  }
  if (strcmp(choice->strategy, "exact") == 0 && containers > 0)
    add_doubt(self, choice,
              "each answer is compared as a whole; ee.tree with alternatives = true compares its members");
  choice->alternatives = true;
  add_option(self, choice, "alternatives = true");
  choice->read_as = ee_arena_printf(self->arena, "%s, several correct answers", choice->read_as);
  add_remark(self, choice, "a candidate that equals any of them is correct");
}

/* Values {"anyOf": [...]} below a path. */
static uint64_t several_inside(const ee_profile_node *node) {
  uint64_t count = 0;
  for (const ee_profile_node *at = node->first; at != NULL; at = at->next)
    count += at->several[EE_PROFILE_EXPECTED] + several_inside(at);
  return count;
}

/* Adds a doubt if something inside of what is compared as a whole holds several correct answers. */
static void doubt_inside(chooser *self, ee_choice *choice) {
  if (choice->kind == EE_CHOICE_NOT_JUDGED) return;
  const ee_profile_node *element = element_of(choice->node);
  uint64_t count =
      choice->kind != EE_CHOICE_ITEMS ? several_inside(choice->node) : element->several[EE_PROFILE_EXPECTED];
  if (count > 0) doubt_several(self, choice, count, "only ee.tree with alternatives = true reads them here");
}

static void choose_value(chooser *self, ee_choice *choice, const ee_profile_node *base, choice_list *out) {
  const ee_profile_node *node = choice->node;
  const ee_value_profile *part = node->parts[EE_PROFILE_EXPECTED];
  uint64_t objects = part->types[EE_OBJECT], arrays = part->types[EE_ARRAY];
  const ee_value_profile *candidate = node->parts[EE_PROFILE_CANDIDATE];
  if (choice->values == 0 && self->profile->candidates > 0 && ee_value_profile_count(candidate) == 0) {
    choice->reason = "always empty, in candidates too";
  } else if (node->several[EE_PROFILE_EXPECTED] > 0) {
    choose_several(self, choice);
  } else if (choice->values == 0) {
    choose_exact(self, choice, "always empty", "");
    choice->reason = ee_arena_printf(
        self->arena, "empty in all %" PRIu64 " places; any value in a candidate counts as invented", part->present);
  } else if (objects > 0 && is_enough(objects, choice->values) && part->empty_containers < objects &&
             !has_varying_keys(node) && node->first != NULL) {
    choose_members(self, node, base, out);
    if (objects == choice->values) return;
    choice->reason = ee_arena_printf(self->arena, "%s are objects", share_text(self, objects, choice->values));
    choice->read_as = "objects";
    doubt_type(self, choice, objects, "an object", "judged as empty");
  } else if (objects == choice->values) {
    choose_whole(self, choice, "objects whose keys vary",
                 node->first != NULL ? "compared as a whole, because their keys differ from case to case; ee.custom or "
                                       "ee.judge can compare them part by part"
                                     : NULL);
  } else if (arrays > 0 && is_enough(arrays, choice->values)) {
    choose_array(self, choice);
    choice->read = arrays;
    if (arrays < choice->values) doubt_type(self, choice, arrays, "an array", "the judge reports an error");
  } else if (objects + arrays == 0) {
    choose_scalar(self, choice);
  } else {
    choose_whole(self, choice, "values of several types",
                 ee_arena_printf(self->arena,
                                 "%" PRIu64 " objects, %" PRIu64 " arrays and %" PRIu64
                                 " other values are compared as a whole",
                                 objects, arrays, choice->values - objects - arrays));
  }
  doubt_candidates(self, choice);
  doubt_inside(self, choice);
  *EE_LIST_ADD(out, self->arena) = *choice;
}

/* Names ---------------------------------------------------------------------------------------- */

/* The array whose elements `node` is in, or NULL. */
static const ee_profile_node *array_of(const ee_profile_node *node) {
  for (; node != NULL; node = node->parent)
    if (node->is_element) return node->parent;
  return NULL;
}

/* A path and its other name go through as many arrays. */
static size_t count_arrays(const ee_profile_node *node) {
  size_t count = 0;
  for (; node != NULL; node = node->parent) count += node->is_element;
  return count;
}

static double key_similarity(const ee_profile_node *a, const ee_profile_node *b, ee_arena *arena) {
  if (a->key.length == 0 || b->key.length == 0) return 0;
  if (a->key.length <= b->key.length ? strstr(b->key.data, a->key.data) != NULL
                                     : strstr(a->key.data, b->key.data) != NULL)
    return 0.8;
  return ee_levenshtein_similarity(a->key, b->key, arena);
}

/* The path that candidates use instead of `node`'s, which they (nearly) never have; NULL: none is likely. */
static const ee_profile_node *find_other_name(chooser *self, const ee_profile_node *node, uint64_t *equal) {
  const ee_profile *profile = self->profile;
  uint64_t lacking = node->lacking[EE_PROFILE_CANDIDATE];
  const ee_profile_node *best = NULL;
  double best_share = 0;
  for (size_t i = 0; i < profile->renamings.count; i++) {
    const ee_renaming *at = &profile->renamings.items[i];
    if (at->expected != node || ee_value_profile_count(at->candidate->parts[EE_PROFILE_EXPECTED]) > 0) continue;
    uint64_t unexpected = at->candidate->lacking[EE_PROFILE_EXPECTED];
    uint64_t both = lacking < unexpected ? lacking : unexpected;
    double similarity = key_similarity(node, at->candidate, self->arena), share = (double)at->equal / (double)both;
    bool likely = (share >= 0.5 && at->equal >= 2) || (share >= 0.1 && similarity >= 0.5);
    if (!likely || share + 0.2 * similarity <= best_share) continue;
    best_share = share + 0.2 * similarity;
    best = at->candidate;
    *equal = at->equal;
  }
  return best;
}

static bool candidates_lack(const ee_profile_node *node) {
  const ee_value_profile *expected = node->parts[EE_PROFILE_EXPECTED], *candidate = node->parts[EE_PROFILE_CANDIDATE];
  return ee_value_profile_count(candidate) * 20 <= ee_value_profile_count(expected) &&
         node->lacking[EE_PROFILE_CANDIDATE] > 0;
}

static bool is_below(const ee_profile_node *node, const ee_profile_node *ancestor) {
  for (; node != NULL; node = node->parent)
    if (node == ancestor) return true;
  return false;
}

/* The same for an array, from the values of its elements: an array of the candidates whose values are
 * equal at half of the paths inside in half of the cases, or whose name is alike. */
static const ee_profile_node *find_other_array(chooser *self, const ee_profile_node *node, uint64_t *equal) {
  const ee_profile *profile = self->profile;
  const ee_profile_node *best = NULL;
  const ee_profile_node *element = element_of(node);
  size_t leaves = element != NULL && element->members > 0 ? element->members : 1, most = 0;
  for (size_t i = 0; i < profile->renamings.count; i++) {
    const ee_profile_node *array = array_of(profile->renamings.items[i].candidate);
    if (array == NULL || array == best || ee_value_profile_count(array->parts[EE_PROFILE_EXPECTED]) > 0) continue;
    size_t agreeing = 0;
    uint64_t cases = 0;
    for (size_t j = 0; j < profile->renamings.count; j++) {
      const ee_renaming *at = &profile->renamings.items[j];
      if (array_of(at->expected) != node || array_of(at->candidate) != array) continue;
      uint64_t lacking = at->expected->lacking[EE_PROFILE_CANDIDATE];
      agreeing += at->equal * 2 >= lacking && at->equal >= 1;
      if (at->equal > cases) cases = at->equal;
    }
    bool alike = key_similarity(node, array, self->arena) >= 0.5;
    bool likely = agreeing > 0 && (alike || (leaves > 1 && agreeing * 2 >= leaves && cases >= 2));
    if (!likely || agreeing <= most) continue;
    most = agreeing;
    best = array;
    *equal = cases;
  }
  return best;
}

/* Whether values of an array are at this path on the candidate's side. */
static bool lacks_array(const ee_profile_node *node) {
  return ee_value_profile_count(node->parts[EE_PROFILE_CANDIDATE]) * 20 <=
         ee_value_profile_count(node->parts[EE_PROFILE_EXPECTED]);
}

static void name_in_candidates(chooser *self, ee_choice *choice, const ee_profile_node *base) {
  const ee_profile_node *node = choice->node, *other = NULL;
  uint64_t equal = 0;
  if (self->profile->candidates == 0) return;
  bool array =
      choice->kind == EE_CHOICE_ITEMS || choice->kind == EE_CHOICE_BOXES || strcmp(choice->strategy, "set") == 0;
  if (array && lacks_array(node))
    other = find_other_array(self, node, &equal);
  else if (!array && candidates_lack(node))
    other = find_other_name(self, node, &equal);
  if (other == NULL || count_arrays(other) != count_arrays(node)) return;
  /* Inside an array both are elements; the arrays may have different names, too. */
  const ee_profile_node *from = NULL;
  if (base != self->profile->root) {
    const ee_profile_node *other_array = array_of(other);
    if (array && other_array != NULL && is_below(other, other_array)) other_array = array_of(other);
    if (other_array == NULL) return;
    from = element_of(other_array);
  } else if (array_of(other) != NULL && !array) {
    return;
  }
  ee_str path = ee_profile_path(other, from, self->arena);
  if (path.length == 0 || ee_str_equal(path, choice->path)) return;
  choice->candidate = path;
  choice->other = other;
  add_remark(self, choice,
             ee_arena_printf(self->arena, "candidates call it '%.*s' (same value in %" PRIu64 " case%s)",
                             EE_STR_ARG(path), equal, equal == 1 ? "" : "s"));
}

/* Placeholders --------------------------------------------------------------------------------- */

static bool is_strict(const ee_choice *choice) {
  static const char *const strict[] = {"numeric", "date", "iou", NULL};
  if (choice->strategy == NULL) return choice->kind != EE_CHOICE_NOT_JUDGED;
  for (const char *const *at = strict; *at != NULL; at++)
    if (strcmp(*at, choice->strategy) == 0) return true;
  return choice->values == 0 ? false : choice->node->parts[EE_PROFILE_EXPECTED]->types[EE_STRING] == 0;
}

/* A judge of an array has no null_values of its own: the text counts as empty everywhere. */
static void add_null_value(chooser *self, ee_choice *choice, ee_str text) {
  if (choice->kind == EE_CHOICE_FIELD) {
    choice->null_values[choice->null_value_count++] = text;
    return;
  }
  ee_choices *all = self->choices;
  for (size_t i = 0; i < all->null_value_count; i++)
    if (ee_str_equal(all->null_values[i], text)) return;
  if (all->null_value_count < EE_PROFILE_PLACEHOLDERS) all->null_values[all->null_value_count++] = text;
}

/* Texts such as "-" that mean "no value" in this field. */
static void choose_null_values(chooser *self, ee_choice *choice, const ee_profile_node *node) {
  const char *list = "";
  for (size_t i = 0; i < node->placeholder_count; i++) {
    const ee_placeholder *at = &node->placeholders[i];
    if (!at->sure && !is_strict(choice)) continue;
    add_null_value(self, choice, at->text);
    list = ee_arena_printf(self->arena, "%s%s\"%.*s\" (%" PRIu64 " time%s)", list, *list != '\0' ? ", " : "",
                           EE_STR_ARG(at->text), at->count, at->count == 1 ? "" : "s");
  }
  if (*list != '\0') add_remark(self, choice, ee_arena_printf(self->arena, "counted as empty: %s", list));
}

/* All paths ------------------------------------------------------------------------------------ */

static ee_choice start_choice(chooser *self, const ee_profile_node *node, const ee_profile_node *base) {
  return (ee_choice){.node = node,
                     .kind = EE_CHOICE_NOT_JUDGED,
                     .path = ee_profile_path(node, base, self->arena),
                     .full_path = ee_profile_path(node, NULL, self->arena),
                     .read_as = "not judged",
                     .options = "",
                     .reason = "",
                     .remark = "",
                     .values = ee_value_profile_count(node->parts[EE_PROFILE_EXPECTED])};
}

/* The member that records are joined on, where the record is the document. */
static bool is_id(const chooser *self, const ee_profile_node *node) {
  const ee_profile *profile = self->profile;
  return node->parent == profile->root && profile->documents == profile->cases && profile->cases > 0 &&
         node->equal_to_id == profile->cases;
}

/* Whether no candidate has the path, although candidates have its parent. */
static bool is_unanswered(const chooser *self, const ee_profile_node *node) {
  if (!self->drop_unanswered || node->parts[EE_PROFILE_CANDIDATE] != NULL) return false;
  return ee_value_profile_count(node->parent->parts[EE_PROFILE_CANDIDATE]) >= CANDIDATES_THAT_TELL &&
         ee_value_profile_count(node->parts[EE_PROFILE_EXPECTED]) > 0;
}

/* Undoes the choices for `choice`'s path (the items from `first` on), unless candidates have it under another name.
 */
static void drop_unanswered(chooser *self, ee_choice *choice, choice_list *out, size_t first) {
  for (size_t i = first; i < out->count; i++)
    if (out->items[i].other != NULL) return;
  bool one = out->count == first + 1 && out->items[first].node == choice->node;
  if (one) *choice = out->items[first];
  if (choice->kind != EE_CHOICE_FIELD) choice->strategy = NULL;
  choice->kind = EE_CHOICE_NOT_JUDGED;
  choice->unanswered = true;
  choice->read = 0;
  choice->inner_count = 0;
  choice->read_as = "not judged";
  choice->reason = ee_arena_printf(self->arena, "only expected documents have it: %" PRIu64 " value%s", choice->values,
                                   choice->values == 1 ? "" : "s");
  choice->doubt =
      ee_arena_printf(self->arena, "no candidate has this field; its %" PRIu64 " expected value%s not judged",
                      choice->values, choice->values == 1 ? " is" : "s are");
  choice->remark = "";
  out->count = first;
  *EE_LIST_ADD(out, self->arena) = *choice;
}

static void choose_members(chooser *self, const ee_profile_node *node, const ee_profile_node *base, choice_list *out) {
  for (const ee_profile_node *at = node->first; at != NULL; at = at->next) {
    if (at->is_element) continue; /* of the few values that are arrays */
    ee_choice choice = start_choice(self, at, base);
    size_t before = out->count;
    if (is_id(self, at)) {
      choice.read_as = "the id, not judged";
      choice.reason = "cases are joined on it";
      *EE_LIST_ADD(out, self->arena) = choice;
    } else if (at->parts[EE_PROFILE_EXPECTED] == NULL) {
      uint64_t count = ee_value_profile_count(at->parts[EE_PROFILE_CANDIDATE]);
      choice.reason = ee_arena_printf(self->arena, "only candidates have it: %" PRIu64 " value%s%s%s", count,
                                      count == 1 ? "" : "s", count > 0 ? ", such as " : "",
                                      count > 0 ? examples_text(self, at->parts[EE_PROFILE_CANDIDATE]) : "");
      *EE_LIST_ADD(out, self->arena) = choice;
    } else {
      choose_value(self, &choice, base, out);
      if (out->count == before + 1 && out->items[before].node == at &&
          out->items[before].kind != EE_CHOICE_NOT_JUDGED) {
        name_in_candidates(self, &out->items[before], base);
        choose_null_values(self, &out->items[before], at);
      }
      if (is_unanswered(self, at)) drop_unanswered(self, &choice, out, before);
    }
    if (at->parts[EE_PROFILE_EXPECTED] != NULL && at->parts[EE_PROFILE_EXPECTED]->empty_containers > 0)
      self->choices->containers = true;
  }
}

/* Whether a choice among `items` takes the path of `node` (or one above it) as the candidates' name. */
static bool is_other_name(const ee_choice *items, size_t count, const ee_profile_node *node) {
  for (size_t i = 0; i < count; i++) {
    if (items[i].other != NULL && is_below(node, items[i].other)) return true;
    if (is_other_name(items[i].inner, items[i].inner_count, node)) return true;
  }
  return false;
}

/* Removes candidate-only paths that are another name of a judged path. */
static void drop_other_names(choice_list *list, const choice_list *all) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    ee_choice *choice = &list->items[i];
    choice_list inner = {choice->inner, choice->inner_count, choice->inner_count};
    drop_other_names(&inner, all);
    choice->inner_count = inner.count;
    if (choice->kind == EE_CHOICE_NOT_JUDGED && is_other_name(all->items, all->count, choice->node)) continue;
    list->items[kept++] = *choice;
  }
  list->count = kept;
}

/* Paths that no candidate has are not judged, since the expected side may have members of its own; but if candidates
 * have none of the paths, all are judged. */
static bool choose_all(chooser *self, choice_list *list) {
  ee_choices *choices = self->choices;
  const ee_profile *profile = self->profile;
  const ee_value_profile *root = profile->root->parts[EE_PROFILE_EXPECTED];
  list->count = 0;
  if (root->types[EE_OBJECT] == ee_value_profile_count(root)) {
    choose_members(self, profile->root, profile->root, list);
  } else {
    ee_choice choice = start_choice(self, profile->root, profile->root);
    choice.path = choice.full_path = EE_STR("$");
    choose_value(self, &choice, profile->root, list);
    if (list->count > 0) choose_null_values(self, &list->items[list->count - 1], profile->root);
  }
  drop_other_names(list, list);
  choices->judged = 0;
  for (size_t i = 0; i < list->count; i++) choices->judged += list->items[i].kind != EE_CHOICE_NOT_JUDGED;
  return choices->judged > 0;
}

static bool is_sparse(const ee_profile *profile, const choice_list *list) {
  uint64_t values = 0, fields = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].kind != EE_CHOICE_FIELD || list->items[i].values == 0) continue;
    values += list->items[i].values;
    fields++;
  }
  return values * 4 < fields * profile->cases * 3;
}

/* Whether an array is empty in more than a quarter of the cases. */
static bool has_sparse_lists(const ee_profile *profile, const choice_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    const ee_choice *choice = &list->items[i];
    if (choice->kind != EE_CHOICE_ITEMS && choice->kind != EE_CHOICE_BOXES) continue;
    uint64_t filled = choice->values - choice->node->parts[EE_PROFILE_EXPECTED]->empty_arrays;
    if (filled * 4 < profile->cases * 3) return true;
  }
  return false;
}

void ee_choose(const ee_profile *profile, ee_arena *arena, ee_choices *choices) {
  *choices = (ee_choices){0};
  if (ee_value_profile_count(profile->root->parts[EE_PROFILE_EXPECTED]) == 0) return;
  chooser self = {profile, arena, choices, !profile->judge_all && profile->candidates >= CANDIDATES_THAT_TELL};
  choice_list list = {0};
  if (!choose_all(&self, &list) && self.drop_unanswered) {
    self.drop_unanswered = false;
    choose_all(&self, &list);
  }
  choices->items = list.items;
  choices->count = list.count;
  choices->sparse = is_sparse(profile, &list);
  choices->sparse_lists = has_sparse_lists(profile, &list);
}

static void add_unanswered(const ee_choice *items, size_t count, ee_arena *arena, choice_pointers *found, size_t *all) {
  for (size_t i = 0; i < count; i++) {
    const ee_choice *choice = &items[i];
    if (choice->unanswered) *EE_LIST_ADD(found, arena) = choice;
    *all += choice->unanswered || (choice->kind != EE_CHOICE_NOT_JUDGED && choice->inner_count == 0);
    add_unanswered(choice->inner, choice->inner_count, arena, found, all);
  }
}

size_t ee_choices_unanswered(const ee_choices *choices, ee_arena *arena, const ee_choice ***unanswered, size_t *all) {
  choice_pointers found = {0};
  *all = 0;
  add_unanswered(choices->items, choices->count, arena, &found, all);
  *unanswered = found.items;
  return found.count;
}

/* Members ------------------------------------------------------------------------------------------ */

static const ee_profile_node *member_of(const ee_profile_node *node, ee_str key) {
  const ee_profile_node *at = node->first;
  while (at != NULL && (at->is_element || !ee_str_equal(at->key, key))) at = at->next;
  return at;
}

/* How many members of `node` on the side `part` have the name of a member of the document of the other side. */
static size_t count_common(const ee_profile *profile, const ee_profile_node *node, ee_profile_part part) {
  ee_profile_part other = part == EE_PROFILE_EXPECTED ? EE_PROFILE_CANDIDATE : EE_PROFILE_EXPECTED;
  size_t count = 0;
  for (const ee_profile_node *at = node->first; at != NULL; at = at->next) {
    if (at->parts[part] == NULL || at->is_element) continue;
    const ee_profile_node *same = member_of(profile->root, at->key);
    count += same != NULL && same->parts[other] != NULL;
  }
  return count;
}

const ee_profile_node *ee_choose_member(const ee_profile *profile, ee_profile_part part) {
  const ee_profile_node *best = NULL;
  size_t most = count_common(profile, profile->root, part);
  for (const ee_profile_node *at = profile->root->first; at != NULL; at = at->next) {
    const ee_value_profile *values = at->parts[part];
    if (values == NULL || values->types[EE_OBJECT] * 2 < ee_value_profile_count(values)) continue;
    if (values->types[EE_OBJECT] * 2 < profile->cases) continue;
    size_t common = count_common(profile, at, part);
    if (common <= most) continue;
    most = common;
    best = at;
  }
  return best;
}
