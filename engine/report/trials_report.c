/* trials_report.c: the section of trials. */
#include "report/trials_report.h"

#include <inttypes.h>
#include <math.h>

#include "data/json/json_reader.h"
#include "judge/details.h"
#include "prim/sort.h"

/* Fields and cases on a page; JSON has all fields, and EE_UNSTABLE_CASES cases. */
#define FIELDS_LISTED 20
#define CASES_LISTED 10
/* Scores of one case, and its fields that differ. */
#define SCORES_LISTED 5
#define DIFFERENCES_LISTED 2

/* Figures -------------------------------------------------------------------------------------- */

static ee_ranged mean_of(const ee_sample *sample, double confidence) { return ee_ranged_of_sample(sample, confidence); }

static ee_ranged ratio_of(const ee_trial_ratio *ratio, double confidence) {
  ee_ratio_sums sums = ee_trial_ratio_sums(ratio);
  ee_metric metric = {ratio->b > 0, ee_fixed_mean(ratio->a, ratio->b)};
  return ee_ranged_of(metric, &sums, confidence);
}

static ee_metric share(uint64_t part, uint64_t whole) {
  return (ee_metric){whole > 0, whole > 0 ? (double)part / (double)whole : 0};
}

/* The parts of the variance of the cases' means (Miller 2024, "Adding Error Bars to Evals"): what trials add to it, and
 * the rest, which is between cases. */
typedef struct spread {
  ee_metric between, within; /* standard deviations: of the cases' expected scores, of the trials of one case */
  ee_metric by_trials;       /* the share of the mean's variance that more trials would take away */
} spread;

static spread spread_of(const ee_trial_figures *figures) {
  double deviation = ee_sample_deviation(&figures->mean), all = deviation * deviation;
  bool any = figures->repeated > 0;
  double noise = any ? ee_fixed_mean(figures->within, figures->repeated) : 0;
  double between = all > noise ? all - noise : 0;
  return (spread){.between = {any && figures->cases > 1, sqrt(between)},
                  .within = {any, any ? sqrt(ee_fixed_mean(figures->variance, figures->repeated)) : 0},
                  .by_trials = {any && all > 0, all > 0 ? fmin(1, noise / all) : 0}};
}

/* Whether pass@k is shown where there is little room: small k, powers of 2, and the largest. */
static bool is_shown(const ee_trial_figures *figures, size_t size) {
  unsigned k = ee_pass_sizes[size];
  bool last = size + 1 == EE_PASS_SIZES || figures->at[size + 1].count == 0;
  return figures->at[size].count > 0 && (k <= 5 || (k & (k - 1)) == 0 || last);
}

/* The case with one judge has the judge's figures. */
static bool is_repetition(const ee_trial_total *total, size_t judge) { return judge == 1 && total->judges.count == 2; }

static ee_str name_of(const ee_trial_total *total, size_t judge) {
  return judge == 0 ? EE_STR("case") : total->judges.items[judge].name;
}

/* The page -------------------------------------------------------------------------------------- */

/* "40 cases, 198 trials: 38 with 5, 2 with 4" */
static const char *describe_counts(const ee_trial_total *total, ee_arena *arena) {
  size_t numbers = 0, only = 0, listed = 0;
  for (size_t i = 1; i <= EE_TRIALS_COUNTED; i++)
    if (total->by_trials[i] > 0) numbers++, only = i;
  const char *text = ee_arena_printf(arena, "%" PRIu64 " case%s", total->cases, total->cases == 1 ? "" : "s");
  if (numbers == 1 && only < EE_TRIALS_COUNTED)
    return ee_arena_printf(arena, "%s with %zu trial%s%s", text, only, only == 1 ? "" : "s",
                           total->cases == 1 ? "" : " each");
  text = ee_arena_printf(arena, "%s, %" PRIu64 " trials:", text, total->trials);
  for (size_t i = EE_TRIALS_COUNTED; i > 0; i--) {
    if (total->by_trials[i] == 0) continue;
    if (listed++ == 5) return ee_arena_printf(arena, "%s, ...", text);
    text = ee_arena_printf(arena, "%s%s %" PRIu64 " with %zu%s", text, listed > 1 ? "," : "", total->by_trials[i], i,
                           i == EE_TRIALS_COUNTED ? " or more" : "");
  }
  return text;
}

static void add_counts(const ee_trial_total *total, ee_page *page) {
  const char *text = describe_counts(total, &page->arena);
  ee_line_addf(page, ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH), EE_INK_PLAIN, "  %s", text);
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_PARAGRAPH), ee_cell_words(text, EE_INK_PLAIN));
}

static void add_cells(ee_grid *grid, ee_str of, const char *what, ee_ranged value, uint64_t cases) {
  ee_cell *cells = ee_grid_add(grid);
  cells[0] = ee_cell_data(of, EE_INK_PLAIN);
  cells[1] = ee_cell_words(what, EE_INK_PLAIN);
  cells[2] = ee_cell_metric(grid->arena, value.metric, EE_INK_BOLD);
  cells[3] = ee_cell_interval(grid->arena, value.interval, EE_INK_DIM);
  cells[4] = ee_cell_count(grid->arena, cases, EE_INK_DIM);
}

static void add_figures(const ee_trial_total *total, double confidence, ee_page *page) {
  const ee_column columns[] = {
      {.name = "of", .left = true, .name_column = true},
      {.name = "figure", .left = true},
      {.name = "value"},
      {.name = ee_arena_printf(&page->arena, "(%s)", ee_confidence_text(&page->arena, confidence))},
      {.name = "cases"}};
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, sizeof columns / sizeof *columns);
  for (size_t i = 0; i < total->judges.count; i++) {
    const ee_trial_figures *figures = &total->judges.items[i];
    ee_str name = name_of(total, i);
    if (figures->cases > 0 && !is_repetition(total, i)) {
      add_cells(grid, name, "mean score of the trials", mean_of(&figures->mean, confidence), figures->cases);
      add_cells(grid, name, "score of the best trial", mean_of(&figures->best, confidence), figures->cases);
      add_cells(grid, name, "score of the worst trial", mean_of(&figures->worst, confidence), figures->cases);
    }
    if (figures->one.b == 0) continue;
    add_cells(grid, name, "fields right in one trial", ratio_of(&figures->one, confidence), figures->one.cases);
    if (figures->voted.b > 0)
      add_cells(grid, name, "fields right by vote", ratio_of(&figures->voted, confidence), figures->voted.cases);
    add_cells(grid, name, "fields right in some trial", ratio_of(&figures->any, confidence), figures->any.cases);
    add_cells(grid, name, "fields right in all trials", ratio_of(&figures->every, confidence), figures->every.cases);
  }
}

static void add_passes(const ee_trial_total *total, double confidence, ee_page *page) {
  const char *head = ee_arena_printf(&page->arena, "(%s)", ee_confidence_text(&page->arena, confidence));
  const ee_column columns[] = {{.name = "of", .left = true, .name_column = true},
                               {.name = "k"},
                               {.name = "pass@k"},
                               {.name = head},
                               {.name = "pass^k"},
                               {.name = head},
                               {.name = "cases"}};
  ee_page_space(page);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, sizeof columns / sizeof *columns);
  for (size_t i = 0; i < total->judges.count; i++) {
    const ee_trial_figures *figures = &total->judges.items[i];
    for (size_t k = 0; k < EE_PASS_SIZES && !is_repetition(total, i); k++) {
      if (!is_shown(figures, k)) continue;
      ee_ranged at = mean_of(&figures->at[k], confidence), all = mean_of(&figures->all[k], confidence);
      ee_cell *cells = ee_grid_add(grid);
      cells[0] = ee_cell_data(name_of(total, i), EE_INK_PLAIN);
      cells[1] = ee_cell_count(&page->arena, ee_pass_sizes[k], EE_INK_PLAIN);
      cells[2] = ee_cell_metric(&page->arena, at.metric, EE_INK_BOLD);
      cells[3] = ee_cell_interval(&page->arena, at.interval, EE_INK_DIM);
      cells[4] = ee_cell_metric(&page->arena, all.metric, EE_INK_BOLD);
      cells[5] = ee_cell_interval(&page->arena, all.interval, EE_INK_DIM);
      cells[6] = ee_cell_count(&page->arena, figures->at[k].count, EE_INK_DIM);
    }
  }
}

/* Fields, the least stable first; ties by judge and name. */
typedef struct ranked_field {
  const ee_trial_field_total *field;
  size_t number;
} ranked_field;

static bool flips_less(const ranked_field *a, const ranked_field *b) {
  unsigned __int128 left = (unsigned __int128)a->field->flips * b->field->cases;
  unsigned __int128 right = (unsigned __int128)b->field->flips * a->field->cases;
  if (left != right) return left > right;
  left = (unsigned __int128)a->field->differ * b->field->votes;
  right = (unsigned __int128)b->field->differ * a->field->votes;
  return left != right ? left > right : a->number < b->number;
}

EE_DEFINE_SORT(sort_fields, ranked_field, flips_less)

/* The fields that some case has in several trials; `*count` of them, in `arena`. */
static const ranked_field *rank_fields(const ee_trial_total *total, size_t *count, ee_arena *arena) {
  ranked_field *fields = EE_NEW_ARRAY(arena, ranked_field, total->fields.count);
  *count = 0;
  for (size_t i = 0; i < total->fields.count; i++)
    if (total->fields.items[i].cases > 0) fields[(*count)++] = (ranked_field){&total->fields.items[i], i};
  sort_fields(fields, *count, arena);
  return fields;
}

static ee_metric kappa_of(const ee_trial_field_total *field) {
  ee_kappa kappa = ee_fleiss_kappa(&field->agreement, field->outcomes, 2);
  return (ee_metric){kappa.defined, kappa.value};
}

static ee_metric same_of(const ee_trial_field_total *field) {
  return (ee_metric){field->votes > 0, ee_fixed_mean(field->same, field->votes)};
}

static ee_metric one_of(const ee_trial_field_total *field) {
  return (ee_metric){field->cases > 0, ee_fixed_mean(field->one, field->cases)};
}

/* "header: total" where there are several judges. */
static ee_cell field_cell(const ee_trial_total *total, const ee_trial_field_total *field, ee_page *page) {
  ee_str judge = total->judges.items[field->judge].name;
  if (total->judges.count <= 2) return ee_cell_data(field->name, EE_INK_PLAIN);
  const char *text = ee_arena_printf(&page->arena, "%.*s: %.*s", EE_STR_ARG(judge), EE_STR_ARG(field->name));
  return ee_cell_data(ee_str_from(text), EE_INK_PLAIN);
}

static void add_fields(const ee_trial_total *total, ee_page *page) {
  static const ee_column columns[] = {{.name = "field", .left = true, .name_column = true},
                                      {.name = "cases"},
                                      {.name = "flips"},
                                      {.name = "kappa"},
                                      {.name = "same answer"},
                                      {.name = "one"},
                                      {.name = "vote"},
                                      {.name = "some"},
                                      {.name = "all"}};
  enum { COLUMNS = sizeof columns / sizeof *columns };
  size_t count, stable = 0;
  const ranked_field *fields = rank_fields(total, &count, &page->arena);
  if (count == 0) return;
  ee_page_space(page);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, COLUMNS);
  for (size_t i = 0; i < count; i++) {
    const ee_trial_field_total *field = fields[i].field;
    if (i >= FIELDS_LISTED || (i >= 3 && field->flips + field->differ == 0)) {
      stable++;
      continue;
    }
    const ee_metric values[] = {kappa_of(field),
                                same_of(field),
                                one_of(field),
                                share(field->elected, field->votes),
                                share(field->any, field->cases),
                                share(field->every, field->cases)};
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = field_cell(total, field, page);
    cells[1] = ee_cell_count(&page->arena, field->cases, EE_INK_DIM);
    cells[2] = ee_cell_count_dim(&page->arena, field->flips, EE_INK_YELLOW);
    for (size_t k = 0; k + 3 < COLUMNS; k++) cells[k + 3] = ee_cell_metric(&page->arena, values[k], EE_INK_PLAIN);
    if (values[0].defined && values[0].value < 0) /* a score is never negative */
      cells[3] = ee_cell_words(ee_arena_printf(&page->arena, "%.3f", values[0].value), EE_INK_PLAIN);
  }
  if (stable > 0)
    ee_grid_add(grid)[0] = ee_cell_words(
        ee_arena_printf(&page->arena, "%zu more%s", stable, count - stable < FIELDS_LISTED ? ", stable" : ""),
        EE_INK_DIM);
}

/* "total: right 2, '12' 1; number: ..." of an unstable case. */
static const char *describe(const ee_value *entry, bool judges, ee_arena *arena) {
  const char *text = "";
  size_t count = 0;
  const ee_value *list = ee_value_member(entry, EE_STR("fields"), NULL);
  for (const ee_value *field = ee_value_child(list); field != NULL; field = ee_value_next(field)) {
    if (count++ == DIFFERENCES_LISTED) return ee_arena_printf(arena, "%s; ...", text);
    ee_str name = ee_value_get_text(field, "field", ""), judge = ee_value_get_text(field, "judge", "");
    double right = ee_value_number(ee_value_member(field, EE_STR("right"), NULL));
    text = ee_arena_printf(arena, "%s%s%.*s%s%.*s:", text, *text != '\0' ? "; " : "", judges ? (int)judge.length : 0,
                           judge.data, judges ? ": " : "", EE_STR_ARG(name));
    const char *comma = "";
    if (right > 0) text = ee_arena_printf(arena, "%s %.0f right", text, right), comma = ",";
    const ee_value *answers = ee_value_member(field, EE_STR("answers"), NULL);
    for (const ee_value *answer = answers != NULL ? ee_value_child(answers) : NULL; answer != NULL;
         answer = ee_value_next(answer), comma = ",") {
      ee_str value = ee_value_get_text(answer, "value", "");
      double trials = ee_value_number(ee_value_member(answer, EE_STR("trials"), NULL));
      if (value.length == 0)
        text = ee_arena_printf(arena, "%s%s %.0f empty", text, comma, trials);
      else
        text = ee_arena_printf(arena, "%s%s %.0f '%.*s'", text, comma, trials, EE_STR_ARG(value));
    }
    if (answers == NULL)
      text = ee_arena_printf(arena, "%s%s %.0f wrong", text, comma,
                             ee_value_number(ee_value_member(field, EE_STR("wrong"), NULL)));
  }
  return text;
}

/* "1.000 0.667 1.000" */
static const char *list_scores(const ee_value *entry, ee_arena *arena) {
  const char *text = "";
  size_t count = 0;
  const ee_value *list = ee_value_member(entry, EE_STR("scores"), NULL);
  for (const ee_value *score = ee_value_child(list); score != NULL; score = ee_value_next(score)) {
    if (count++ == SCORES_LISTED) return ee_arena_printf(arena, "%s ...", text);
    ee_str one = ee_cell_score(arena, ee_value_number(score), EE_INK_PLAIN).text;
    text = ee_arena_printf(arena, "%s%s%.*s", text, count > 1 ? " " : "", EE_STR_ARG(one));
  }
  return text;
}

static void add_unstable(const ee_trial_total *total, ee_page *page) {
  static const ee_column columns[] = {{.name = "least stable case", .left = true, .name_column = true},
                                      {.name = "passed"},
                                      {.name = "scores", .left = true, .spare = 1},
                                      {.name = "differs", .left = true, .fill = true}};
  if (total->unstable_count == 0) return;
  ee_page_space(page);
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, sizeof columns / sizeof *columns);
  for (size_t i = 0; i < total->unstable_count && i < CASES_LISTED; i++) {
    const ee_buffer *json = &total->unstable[i].json;
    const ee_value *entry = ee_json_read_data(&page->arena, (ee_str){json->data, json->length}, NULL);
    if (entry == NULL) continue;
    ee_str id = ee_value_get_text(entry, "id", "");
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_data(id, EE_INK_PLAIN);
    cells[1] = ee_cell_words(ee_arena_printf(&page->arena, "%.0f of %.0f",
                                             ee_value_number(ee_value_member(entry, EE_STR("passed"), NULL)),
                                             ee_value_number(ee_value_member(entry, EE_STR("trials"), NULL))),
                             EE_INK_PLAIN);
    cells[2] = ee_cell_words(list_scores(entry, &page->arena), EE_INK_PLAIN);
    cells[3] = ee_cell_data(ee_str_from(describe(entry, total->judges.count > 2, &page->arena)), EE_INK_PLAIN);
    cells[3].max_columns = 0;
  }
}

static const char *percent_text(ee_arena *arena, ee_metric metric) {
  return ee_arena_printf(arena, "%.0f %%", 100 * metric.value);
}

typedef struct note_list {
  EE_LIST(ee_str);
} note_list;

/* What voting would gain, of the judge with the most votes. */
static void add_vote_note(const ee_trial_total *total, ee_page *page, note_list *notes) {
  const ee_trial_figures *most = NULL;
  for (size_t i = 1; i < total->judges.count; i++)
    if (total->judges.items[i].voted.b > (most != NULL ? most->voted.b : 0)) most = &total->judges.items[i];
  if (most == NULL) return;
  *EE_LIST_ADD(notes, &page->arena) = EE_STR(
      "one, vote, some, all: shares of fields that are right in one trial, by the most frequent answer of the "
      "case's trials, in at least one of them, and in all; flips: cases in which the field is right in some only");
}

static void add_notes(const ee_trial_total *total, ee_trial_rule rule, ee_page *page) {
  ee_arena *arena = &page->arena;
  const ee_trial_figures *whole = &total->judges.items[0];
  note_list notes = {0};
#define NOTE(...) (*EE_LIST_ADD(&notes, arena) = ee_str_from(ee_arena_printf(arena, __VA_ARGS__)))
  spread parts = spread_of(whole);
  if (whole->repeated == 0)
    NOTE("no case has several trials: nothing is known of how they differ");
  else if (parts.by_trials.defined)
    NOTE("scores differ by %.3f between cases and by %.3f between the trials of a case (standard deviations); trials "
         "are "
         "%s of the variance of the mean: %s",
         parts.between.value, parts.within.value, percent_text(arena, parts.by_trials),
         parts.by_trials.value < 0.5 ? "more cases narrow its interval, more trials hardly"
                                     : "more trials of each case narrow its interval, too");
  add_vote_note(total, page, &notes);
  const uint64_t(*verdicts)[3] = total->verdicts;
  static const char *const by[EE_TRIAL_RULES] = {"the mean of their trials", "their best trial", "their worst trial",
                                                 "the lower end of the interval of their mean"};
  NOTE("verdicts of cases by %s: pass %" PRIu64 ", borderline %" PRIu64 ", fail %" PRIu64 "; %" PRIu64
       " pass in some trial, %" PRIu64 " in all",
       by[rule], verdicts[rule][0], verdicts[rule][1], verdicts[rule][2], verdicts[EE_TRIALS_ANY][0],
       verdicts[EE_TRIALS_ALL][0]);
  uint64_t most = 0;
  for (uint64_t i = 1; i <= EE_TRIALS_COUNTED; i++)
    if (total->by_trials[i] > 0) most = i;
  if (total->fewest < most)
    NOTE("cases have %" PRIu64 " to %" PRIu64 " trials (fewest: '%.*s'): each case counts the same, and is in pass@k "
         "only up to its own number",
         total->fewest, most, EE_STR_ARG(total->fewest_case.id));
  if (total->nameless > 0)
    NOTE("%" PRIu64 " record%s no trial in the data", total->nameless, total->nameless == 1 ? " has" : "s have");
  if (total->others > 0)
    NOTE("%" PRIu64 " case%s: in the mean score above, but not here", total->others,
         total->others == 1 ? " has no trial" : "s have no trial");
  if (total->fields_cut) NOTE("only the first %d fields are compared between trials", EE_TRIAL_FIELDS);
#undef NOTE
  ee_page_space(page);
  ee_page_notes(page, EE_MEDIUM_ALL, notes.items, notes.count);
}

void ee_trials_page(const ee_trial_total *total, double confidence, ee_trial_rule rule, ee_page *page) {
  ee_page_section(page, EE_STR("trials"));
  if (!ee_trial_total_any(total)) return;
  ee_page_space(page);
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_HEADING), ee_cell_words("trials", EE_INK_BOLD));
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_HEADING), ee_cell_words("Trials", EE_INK_PLAIN));
  add_counts(total, page);
  ee_page_space(page);
  add_figures(total, confidence, page);
  add_passes(total, confidence, page);
  add_fields(total, page);
  add_unstable(total, page);
  add_notes(total, rule, page);
}

/* JSON ------------------------------------------------------------------------------------------ */

static void json_verdicts(const ee_trial_total *total, ee_json_out *json) {
  ee_json_open(json, "case_verdicts", '{');
  for (size_t i = 0; i < EE_TRIAL_RULES; i++) {
    ee_json_open_as(json, ee_trial_rule_names[i], '{', EE_JSON_LINE);
    for (int v = EE_VERDICT_PASS; v <= EE_VERDICT_FAIL; v++)
      ee_json_add_count(json, ee_verdict_name((ee_verdict)v), total->verdicts[i][v]);
    ee_json_close(json, '}');
  }
  ee_json_close(json, '}');
}

static void json_sizes(const ee_trial_figures *figures, double confidence, ee_json_out *json) {
  ee_json_open_as(json, "pass", '[', EE_JSON_ROWS);
  for (size_t k = 0; k < EE_PASS_SIZES; k++) {
    if (figures->at[k].count == 0) continue;
    ee_json_open(json, NULL, '{');
    ee_json_add_count(json, "k", ee_pass_sizes[k]);
    ee_json_add_ranged(json, "pass_at_k", mean_of(&figures->at[k], confidence));
    ee_json_add_ranged(json, "pass_all_k", mean_of(&figures->all[k], confidence));
    ee_json_add_count(json, "cases", figures->at[k].count);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

static void json_fields(const ee_trial_total *total, size_t judge, ee_json_out *json) {
  size_t count;
  const ranked_field *fields = rank_fields(total, &count, json->arena);
  ee_json_open_as(json, "fields", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < count; i++) {
    const ee_trial_field_total *field = fields[i].field;
    if (field->judge != judge) continue;
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "name", field->name);
    ee_json_add_count(json, "cases", field->cases);
    ee_json_add_count(json, "trials", field->trials);
    ee_json_add_count(json, "flips", field->flips);
    ee_json_add_metric(json, "flip_rate", share(field->flips, field->cases));
    ee_json_add_metric(json, "kappa", kappa_of(field));
    ee_json_add_metric(json, "same_answer", same_of(field));
    ee_json_add_count(json, "several_answers", field->differ);
    ee_json_add_metric(json, "right_in_one", one_of(field));
    ee_json_add_metric(json, "right_by_vote", share(field->elected, field->votes));
    ee_json_add_metric(json, "right_in_some", share(field->any, field->cases));
    ee_json_add_metric(json, "right_in_all", share(field->every, field->cases));
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

static void json_figures(const ee_trial_total *total, size_t judge, double confidence, ee_json_out *json) {
  const ee_trial_figures *figures = &total->judges.items[judge];
  spread parts = spread_of(figures);
  ee_kappa kappa = ee_fleiss_kappa(&figures->agreement, figures->outcomes, 2);
  ee_json_add_count(json, "cases", figures->cases);
  ee_json_add_count(json, "cases_with_several", figures->repeated);
  ee_json_add_ranged(json, "mean_score", mean_of(&figures->mean, confidence));
  ee_json_add_metric(json, "deviation_between_cases", parts.between);
  ee_json_add_metric(json, "deviation_between_trials", parts.within);
  ee_json_add_metric(json, "variance_share_of_trials", parts.by_trials);
  ee_json_add_ranged(json, "best_trial", mean_of(&figures->best, confidence));
  ee_json_add_ranged(json, "worst_trial", mean_of(&figures->worst, confidence));
  ee_json_add_count(json, "flips", figures->flips);
  ee_json_add_metric(json, "kappa", (ee_metric){kappa.defined, kappa.value});
  json_sizes(figures, confidence, json);
  if (figures->one.b == 0) return;
  ee_json_add_ranged(json, "fields_right_in_one", ratio_of(&figures->one, confidence));
  ee_json_add_ranged(json, "fields_right_by_vote", ratio_of(&figures->voted, confidence));
  ee_json_add_ranged(json, "fields_right_in_some", ratio_of(&figures->any, confidence));
  ee_json_add_ranged(json, "fields_right_in_all", ratio_of(&figures->every, confidence));
  json_fields(total, judge, json);
}

void ee_trials_json(const ee_trial_total *total, double confidence, ee_json_out *json) {
  if (!ee_trial_total_any(total)) return;
  ee_json_open(json, "trials", '{');
  ee_json_add_count(json, "trials", total->trials);
  if (total->nameless > 0) ee_json_add_count(json, "nameless", total->nameless);
  if (total->others > 0) ee_json_add_count(json, "cases_without_trials", total->others);
  ee_json_open_as(json, "cases_by_trials", '[', EE_JSON_ROWS);
  for (size_t i = 1; i <= EE_TRIALS_COUNTED; i++) {
    if (total->by_trials[i] == 0) continue;
    ee_json_open(json, NULL, '{');
    ee_json_add_count(json, "trials", i);
    ee_json_add_count(json, "cases", total->by_trials[i]);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
  json_verdicts(total, json);
  json_figures(total, 0, confidence, json);
  ee_json_open(json, "judges", '[');
  for (size_t i = 1; i < total->judges.count; i++) {
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "name", total->judges.items[i].name);
    json_figures(total, i, confidence, json);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
  ee_json_open_as(json, "least_stable", '[', EE_JSON_ROWS);
  for (size_t i = 0; i < total->unstable_count; i++) {
    ee_json_next(json, NULL);
    ee_buffer_add(json->out, total->unstable[i].json.data, total->unstable[i].json.length);
  }
  ee_json_close(json, ']');
  ee_json_close(json, '}');
}

/* Stored rows ----------------------------------------------------------------------------------- */

/* The answers of wrong fields, as the row lists them. */
static void set_answers(const ee_stored_judge *stored, ee_trial_field *fields, size_t count, ee_arena *scratch) {
  const ee_value *details = ee_value_member(stored->entry, EE_STR("details"), NULL);
  const ee_value *list = ee_value_member(details, EE_STR("mismatches"), NULL);
  if (ee_type_of(list) != EE_ARRAY) return;
  size_t seen = 0;
  for (const ee_value *item = ee_value_child(list); item != NULL && seen < EE_DETAILS_SHOWN;
       item = ee_value_next(item), seen++) {
    ee_str name = ee_value_get_text(item, "field", "");
    if (name.length == 0) name = ee_value_get_text(item, "path", "");
    for (size_t i = 0; i < count; i++) {
      if (!ee_str_equal(fields[i].name, name)) continue;
      if (fields[i].answer.data == NULL)
        fields[i].answer = ee_trial_answer(ee_value_member(item, EE_STR("candidate"), NULL), scratch);
      break;
    }
  }
}

static void fill_judge(const ee_stored_judge *stored, ee_trial_judge *judge, ee_arena *scratch) {
  ee_trial_field *fields = EE_NEW_ARRAY(scratch, ee_trial_field, stored->attribute_count);
  size_t count = 0;
  for (size_t i = 0; i < stored->attribute_count; i++) {
    const ee_stored_attribute *attribute = &stored->attributes[i];
    if (!attribute->derived) fields[count++] = (ee_trial_field){.name = attribute->name, .counts = attribute->counts};
  }
  set_answers(stored, fields, count, scratch);
  *judge = (ee_trial_judge){.name = stored->name,
                            .has_score = stored->has_score,
                            .score = stored->score,
                            .verdict = stored->verdict,
                            .fields = fields,
                            .field_count = count};
}

void ee_trials_add_row(ee_trial_total *total, const ee_stored_row *row, ee_arena *scratch) {
  if (row->trial.data == NULL) {
    total->others++;
    return;
  }
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_trial_judge *judges = EE_NEW_ARRAY(scratch, ee_trial_judge, row->judge_count + 1);
  judges[0] = (ee_trial_judge){.has_score = !row->unscored, .score = row->score, .verdict = row->verdict};
  for (size_t i = 0; i < row->judge_count; i++) {
    fill_judge(&row->judges[i], &judges[i + 1], scratch);
    judges[i + 1].position = row->judges[i].place;
  }
  ee_trial_total_add(
      total, &(ee_trial){.id = row->base, .name = row->trial, .judges = judges, .judge_count = row->judge_count + 1});
  ee_arena_rewind(scratch, mark);
}
