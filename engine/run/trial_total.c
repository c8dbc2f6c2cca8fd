/* trial_total.c: trials put together by case, then added up. */
#include "run/trial_total.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "judge/details.h"
#include "judge/judge.h"
#include "prim/normalize.h"
#include "prim/number.h"
#include "prim/sort.h"

/* Memory that the arenas keep when the total is emptied. */
#define ARENA_KEPT ((size_t)1 << 20)
/* Bytes of an answer that are kept to be shown; fields of an unstable case, and answers of each. */
#define ANSWER_KEPT 60
#define FIELDS_SHOWN 12
#define ANSWERS_SHOWN 6
/* The confidence of the interval of EE_TRIALS_INTERVAL. */
#define RULE_CONFIDENCE 0.95

/* Open cases ------------------------------------------------------------------------------------ */

/* The scores of a case's trials by one judge. */
typedef struct trial_scores {
  ee_sample sample;
  double best, worst;
  ee_verdict best_verdict, worst_verdict;
  uint64_t passes;
} trial_scores;

typedef struct trial_answer {
  uint64_t hash; /* of the whole text */
  ee_str text;   /* its beginning */
  ee_str trial;  /* the first that gave it, by name */
  uint32_t votes;
  bool right;
} trial_answer;

typedef struct trial_score {
  ee_str trial; /* its name */
  double score;
} trial_score;

typedef struct trial_field {
  uint32_t field; /* its number among the total's fields */
  uint32_t right, wrong;
  bool unknown; /* an answer is not known: there is no most frequent one */
  EE_LIST(trial_answer);
} trial_field;

struct ee_trial_case {
  ee_str id;
  uint64_t trials;
  struct {
    EE_LIST(trial_score);
  } scores; /* of the case, one a trial that has a score */
  struct {
    EE_LIST(trial_scores);
  } judges;
  EE_LIST(trial_field);
};

/* Lists of an open case begin with room for what nearly all cases have: there are many of them. */
#define START_LIST(list, total, room)                                                                                  \
  ((list)->capacity > 0                                                                                                \
       ? (void)0                                                                                                       \
       : (void)((list)->items = ee_arena_alloc(&(total)->cases_arena, (room) * sizeof *(list)->items),                 \
                (list)->capacity = (room)))

static bool is_number(ee_str text) {
  for (size_t i = 0; i < text.length; i++)
    if (text.data[i] < '0' || text.data[i] > '9') return false;
  return true;
}

/* The order of trials: numbers by their value, then other names in byte order. */
static int compare_trials(ee_str a, ee_str b) {
  bool numbers = is_number(a);
  if (numbers != is_number(b)) return numbers ? -1 : 1;
  if (numbers && a.length != b.length) return a.length < b.length ? -1 : 1;
  return ee_str_compare(a, b);
}

static uint64_t hash_text(ee_str text, uint64_t seed) { return ee_hash_bytes(text.data, text.length, seed); }

static ee_str copy(ee_arena *arena, ee_str text) {
  return (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
}

static ee_trial_case *find_case(const ee_trial_total *total, ee_str id, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&total->open_index, hash, &at, &number))
    if (ee_str_equal(total->open.items[number]->id, id)) return total->open.items[number];
  return NULL;
}

/* Finds or adds. */
static ee_trial_case *case_of(ee_trial_total *total, ee_str id) {
  uint64_t hash = hash_text(id, 0);
  ee_trial_case *found = find_case(total, id, hash);
  if (found != NULL) return found;
  found = EE_NEW(&total->cases_arena, ee_trial_case);
  found->id = copy(&total->cases_arena, id);
  ee_hash_index_add(&total->open_index, hash, total->open.count);
  *EE_LIST_ADD(&total->open, NULL) = found;
  return found;
}

/* The number of a judge, at `near` in most cases. */
static size_t judge_of(ee_trial_total *total, ee_str name, size_t position, size_t near) {
  bool is_near = near < total->judges.count && ee_str_equal(total->judges.items[near].name, name);
  size_t number = is_near ? near : 0;
  while (number < total->judges.count && !is_near && !ee_str_equal(total->judges.items[number].name, name)) number++;
  if (number == total->judges.count)
    *EE_LIST_ADD(&total->judges, NULL) = (ee_trial_figures){.name = copy(&total->names, name)};
  if (position > total->judges.items[number].position) total->judges.items[number].position = position;
  return number;
}

/* Finds or adds. `near`: where it most likely is. */
static size_t field_of(ee_trial_total *total, size_t judge, ee_str name, size_t near) {
  const ee_trial_field_total *guess = near < total->fields.count ? &total->fields.items[near] : NULL;
  if (guess != NULL && guess->judge == judge && ee_str_equal(guess->name, name)) return near;
  uint64_t hash = hash_text(name, judge);
  size_t at = 0, number;
  while (ee_hash_index_next(&total->field_index, hash, &at, &number)) {
    const ee_trial_field_total *field = &total->fields.items[number];
    if (field->judge == judge && ee_str_equal(field->name, name)) return number;
  }
  ee_hash_index_add(&total->field_index, hash, total->fields.count);
  *EE_LIST_ADD(&total->fields, NULL) =
      (ee_trial_field_total){.judge = (uint32_t)judge, .name = copy(&total->field_names, name)};
  return total->fields.count - 1;
}

static trial_scores *scores_of(ee_trial_total *total, ee_trial_case *open, size_t judge) {
  START_LIST(&open->judges, total, total->judges.count);
  while (open->judges.count <= judge) *EE_LIST_ADD(&open->judges, &total->cases_arena) = (trial_scores){0};
  return &open->judges.items[judge];
}

/* The field in the case: finds or adds. They are in the same order in all trials, but for a few. */
static trial_field *field_in(ee_trial_total *total, ee_trial_case *open, size_t number, size_t *next) {
  for (size_t i = 0; i < open->count; i++) {
    size_t at = (*next + i) % open->count;
    if (open->items[at].field != number) continue;
    *next = at + 1;
    return &open->items[at];
  }
  START_LIST(open, total, total->fields.count);
  trial_field *added = EE_LIST_ADD(open, &total->cases_arena);
  *added = (trial_field){.field = (uint32_t)number};
  return added;
}

/* Adds the votes of an answer; its texts are copied. */
static void add_votes(ee_trial_total *total, trial_field *field, const trial_answer *from) {
  for (size_t i = 0; i < field->count; i++) {
    trial_answer *answer = &field->items[i];
    if (answer->right != from->right || answer->hash != from->hash) continue;
    answer->votes += from->votes;
    if (compare_trials(from->trial, answer->trial) < 0) answer->trial = copy(&total->cases_arena, from->trial);
    return;
  }
  START_LIST(field, total, 1);
  trial_answer *added = EE_LIST_ADD(field, &total->cases_arena);
  *added = *from;
  added->text = copy(&total->cases_arena, (ee_str){from->text.data, ee_utf8_cut(from->text, ANSWER_KEPT)});
  added->trial = copy(&total->cases_arena, from->trial);
}

static void add_field(ee_trial_total *total, ee_trial_case *open, size_t number, ee_str trial,
                      const ee_trial_field *field, size_t *next) {
  const ee_counts *counts = &field->counts;
  uint64_t wrong = counts->fp > counts->fn ? counts->fp : counts->fn, values = counts->tp + counts->tn + wrong;
  if (values == 0) return; /* not judged, or its expected value cannot be read */
  trial_field *in = field_in(total, open, number, next);
  bool right = wrong == 0;
  in->right += right;
  in->wrong += !right;
  in->unknown = in->unknown || values > 1 || (!right && field->answer.data == NULL);
  if (in->unknown) return;
  trial_answer answer = {.trial = trial, .votes = 1, .right = right, .text = right ? EE_STR("") : field->answer};
  if (!right) answer.hash = hash_text(field->answer, 0);
  add_votes(total, in, &answer);
}

static void merge_scores(trial_scores *to, const trial_scores *from) {
  if (from->sample.count == 0) return;
  if (to->sample.count == 0) {
    *to = *from;
    return;
  }
  ee_sample_merge(&to->sample, &from->sample);
  if (from->best > to->best) to->best = from->best;
  if (from->worst < to->worst) to->worst = from->worst;
  if (from->best_verdict < to->best_verdict) to->best_verdict = from->best_verdict;
  if (from->worst_verdict > to->worst_verdict) to->worst_verdict = from->worst_verdict;
  to->passes += from->passes;
}

static void add_score(ee_trial_total *total, ee_trial_case *open, size_t judge, ee_str trial,
                      const ee_trial_judge *judged) {
  trial_scores one = {.best = judged->score,
                      .worst = judged->score,
                      .best_verdict = judged->verdict,
                      .worst_verdict = judged->verdict,
                      .passes = judged->verdict == EE_VERDICT_PASS};
  ee_sample_add(&one.sample, judged->score);
  merge_scores(scores_of(total, open, judge), &one);
  if (judge > 0) return;
  START_LIST(&open->scores, total, 4);
  *EE_LIST_ADD(&open->scores, &total->cases_arena) = (trial_score){copy(&total->cases_arena, trial), judged->score};
}

/* Unstable cases -------------------------------------------------------------------------------- */

/* Whether `a`, whose id is given, comes before `b`. */
static bool is_less_stable(const ee_unstable_case *a, ee_str id, const ee_unstable_case *b) {
  if (a->flips != b->flips) return a->flips > b->flips;
  if (a->spread != b->spread) return a->spread > b->spread;
  if (a->differ != b->differ) return a->differ > b->differ;
  return ee_str_compare(id, (ee_str){b->id.data, b->id.length}) < 0;
}

/* Makes room for an unstable case among the listed ones; NULL when it is not among them. */
static ee_unstable_case *list_unstable(ee_trial_total *total, const ee_unstable_case *found, ee_str id) {
  size_t place = total->unstable_count;
  while (place > 0 && is_less_stable(found, id, &total->unstable[place - 1])) place--;
  if (place == EE_UNSTABLE_CASES) return NULL;
  if (total->unstable_count < EE_UNSTABLE_CASES) total->unstable_count++;
  ee_unstable_case spare = total->unstable[total->unstable_count - 1];
  memmove(&total->unstable[place + 1], &total->unstable[place],
          (total->unstable_count - 1 - place) * sizeof *total->unstable);
  ee_buffer_clear(&spare.json);
  ee_buffer_clear(&spare.id);
  ee_buffer_add_str(&spare.id, id);
  total->unstable[place] = *found;
  total->unstable[place].json = spare.json;
  total->unstable[place].id = spare.id;
  return &total->unstable[place];
}

static bool score_before(const trial_score *a, const trial_score *b) {
  int order = compare_trials(a->trial, b->trial);
  return order != 0 ? order < 0 : a->score < b->score;
}
EE_DEFINE_SORT(sort_scores, trial_score, score_before)

static bool answer_before(const trial_answer *a, const trial_answer *b) {
  int order = compare_trials(a->trial, b->trial);
  return order != 0 ? order < 0 : a->hash < b->hash;
}
EE_DEFINE_SORT(sort_answers, trial_answer, answer_before)

static bool is_unstable(const trial_field *field) {
  return (field->right > 0 && field->wrong > 0) || (!field->unknown && field->count > 1);
}

static void write_field(const ee_trial_total *total, const trial_field *field, ee_buffer *out) {
  const ee_trial_field_total *of = &total->fields.items[field->field];
  ee_buffer_add_text(out, "{\"judge\":");
  ee_json_write_string(out, total->judges.items[of->judge].name);
  ee_buffer_add_text(out, ",\"field\":");
  ee_json_write_string(out, of->name);
  ee_buffer_addf(out, ",\"right\":%u,\"wrong\":%u", field->right, field->wrong);
  if (!field->unknown) {
    ee_buffer_add_text(out, ",\"answers\":[");
    size_t shown = 0;
    for (size_t i = 0; i < field->count; i++) {
      if (field->items[i].right || shown++ >= ANSWERS_SHOWN) continue;
      ee_buffer_add_text(out, shown > 1 ? ",{\"value\":" : "{\"value\":");
      ee_json_write_string(out, field->items[i].text);
      ee_buffer_addf(out, ",\"trials\":%u}", field->items[i].votes);
    }
    ee_buffer_add_char(out, ']');
  }
  ee_buffer_add_char(out, '}');
}

/* A field by its names. */
typedef struct named_field {
  ee_str judge, name;
  const trial_field *field;
} named_field;

static bool named_before(const named_field *a, const named_field *b) {
  int order = ee_str_compare(a->judge, b->judge);
  return order != 0 ? order < 0 : ee_str_compare(a->name, b->name) < 0;
}
EE_DEFINE_SORT(sort_named, named_field, named_before)

static void write_unstable_fields(ee_trial_total *total, const ee_trial_case *open, ee_buffer *out) {
  ee_arena_mark mark = ee_arena_get_mark(&total->cases_arena);
  named_field *fields = EE_NEW_ARRAY(&total->cases_arena, named_field, open->count);
  size_t count = 0;
  for (size_t i = 0; i < open->count; i++) {
    const ee_trial_field_total *of = &total->fields.items[open->items[i].field];
    if (is_unstable(&open->items[i]))
      fields[count++] = (named_field){total->judges.items[of->judge].name, of->name, &open->items[i]};
  }
  sort_named(fields, count, &total->cases_arena);
  for (size_t i = 0; i < count && i < FIELDS_SHOWN; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    write_field(total, fields[i].field, out);
  }
  ee_arena_rewind(&total->cases_arena, mark);
}

static void write_unstable(ee_trial_total *total, const ee_trial_case *open, ee_buffer *out) {
  ee_buffer_add_text(out, "{\"id\":");
  ee_json_write_string(out, open->id);
  ee_buffer_add_text(out, ",\"trials\":");
  ee_json_write_count(out, open->trials);
  ee_buffer_add_text(out, ",\"passed\":");
  ee_json_write_count(out, open->judges.count > 0 ? open->judges.items[0].passes : 0);
  ee_buffer_add_text(out, ",\"scores\":[");
  for (size_t i = 0; i < open->scores.count && i < EE_TRIALS_COUNTED; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    ee_json_write_score(out, open->scores.items[i].score);
  }
  ee_buffer_add_text(out, "],\"fields\":[");
  write_unstable_fields(total, open, out);
  ee_buffer_add_text(out, "]}");
}

/* Closing --------------------------------------------------------------------------------------- */

static double variance_of(const ee_sample *sample) {
  double deviation = ee_sample_deviation(sample);
  return deviation * deviation;
}

static void add_figures(ee_trial_figures *to, const trial_scores *scores) {
  uint64_t count = scores->sample.count, passes = scores->passes;
  if (count == 0) return;
  to->cases++;
  to->trials += count;
  ee_sample_add(&to->mean, ee_sample_mean(&scores->sample));
  ee_sample_add(&to->best, scores->best);
  ee_sample_add(&to->worst, scores->worst);
  for (size_t i = 0; i < EE_PASS_SIZES && ee_pass_sizes[i] <= count; i++) {
    ee_sample_add(&to->at[i], ee_pass_at_k(count, passes, ee_pass_sizes[i]));
    ee_sample_add(&to->all[i], ee_pass_all_k(count, passes, ee_pass_sizes[i]));
  }
  if (count < 2) return;
  double variance = variance_of(&scores->sample);
  to->repeated++;
  ee_fixed_add(&to->variance, ee_fixed_from(variance));
  ee_fixed_add(&to->within, ee_fixed_from(variance / (double)count));
  to->flips += passes > 0 && passes < count;
  const uint32_t outcomes[2] = {(uint32_t)passes, (uint32_t)(count - passes)};
  ee_fleiss_add(&to->agreement, to->outcomes, outcomes, 2);
}

static double lower_end(const ee_sample *sample) {
  double mean = ee_sample_mean(sample);
  if (sample->count < 2) return mean;
  double half =
      ee_critical_point(RULE_CONFIDENCE, sample->count - 1) * ee_sample_deviation(sample) / sqrt((double)sample->count);
  return mean - half > 0 ? mean - half : 0;
}

static void add_verdicts(ee_trial_total *total, const trial_scores *scores) {
  total->verdicts[EE_TRIALS_MEAN][ee_verdict_of(ee_sample_mean(&scores->sample), total->limits)]++;
  total->verdicts[EE_TRIALS_ANY][scores->best_verdict]++;
  total->verdicts[EE_TRIALS_ALL][scores->worst_verdict]++;
  total->verdicts[EE_TRIALS_INTERVAL][ee_verdict_of(lower_end(&scores->sample), total->limits)]++;
}

/* The answer of most trials, of equally frequent ones the first; they are sorted. */
static const trial_answer *elect(const trial_field *field) {
  const trial_answer *best = &field->items[0];
  for (size_t i = 1; i < field->count; i++)
    if (field->items[i].votes > best->votes) best = &field->items[i];
  return best;
}

static double share_of_same(const trial_field *field) {
  double pairs = 0, trials = (double)field->right + field->wrong;
  for (size_t i = 0; i < field->count; i++) pairs += (double)field->items[i].votes * (field->items[i].votes - 1);
  return pairs / (trials * (trials - 1));
}

static void add_ratio(ee_trial_ratio *ratio, uint64_t a, uint64_t b) {
  if (b == 0) return;
  ratio->cases++;
  ratio->a += a;
  ratio->b += b;
  ratio->aa += a * a;
  ratio->ab += a * b;
  ratio->bb += b * b;
}

/* What the fields of one judge in one case add to its figures. */
typedef struct field_sums {
  uint64_t right, trials, elected, votes, any, every, fields;
} field_sums;

static void add_repeated_field(ee_trial_field_total *to, const trial_field *field, field_sums *sums) {
  uint64_t trials = field->right + field->wrong;
  bool elected = !field->unknown && elect(field)->right;
  to->cases++;
  to->trials += trials;
  to->right += field->right;
  to->flips += field->right > 0 && field->wrong > 0;
  to->any += field->right > 0;
  to->every += field->wrong == 0;
  const uint32_t outcomes[2] = {field->right, field->wrong};
  ee_fleiss_add(&to->agreement, to->outcomes, outcomes, 2);
  sums->fields++;
  sums->trials += trials;
  sums->right += field->right;
  sums->any += field->right > 0;
  sums->every += field->wrong == 0;
  if (field->unknown) return;
  to->votes++;
  to->elected += elected;
  to->differ += field->count > 1;
  ee_fixed_add(&to->same, ee_fixed_from(share_of_same(field)));
  sums->votes++;
  sums->elected += elected;
}

static void add_fields(ee_trial_total *total, const ee_trial_case *open, ee_unstable_case *unstable) {
  ee_arena_mark mark = ee_arena_get_mark(&total->cases_arena);
  field_sums *sums = EE_NEW_ARRAY(&total->cases_arena, field_sums, total->judges.count);
  for (size_t i = 0; i < open->count; i++) {
    const trial_field *field = &open->items[i];
    ee_trial_field_total *to = &total->fields.items[field->field];
    if (field->right + field->wrong < 2) continue;
    add_repeated_field(to, field, &sums[to->judge]);
    unstable->flips += field->right > 0 && field->wrong > 0;
    unstable->differ += !field->unknown && field->count > 1;
  }
  for (size_t i = 0; i < total->judges.count; i++) {
    ee_trial_figures *figures = &total->judges.items[i];
    add_ratio(&figures->one, sums[i].right, sums[i].trials);
    add_ratio(&figures->voted, sums[i].elected, sums[i].votes);
    add_ratio(&figures->any, sums[i].any, sums[i].fields);
    add_ratio(&figures->every, sums[i].every, sums[i].fields);
  }
  ee_arena_rewind(&total->cases_arena, mark);
}

static void note_trials(ee_trial_total *total, uint64_t trials, ee_str id) {
  if (total->fewest > 0 && trials > total->fewest) return;
  if (trials < total->fewest) total->fewest_case.id = (ee_str){NULL, 0};
  total->fewest = trials;
  if (ee_case_example_wants(&total->fewest_case, id))
    ee_case_example_offer(&total->fewest_case, &total->names, id, EE_STR(""), EE_STR(""));
}

static void close_case(ee_trial_total *total, const ee_trial_case *open) {
  ee_unstable_case unstable = {0};
  sort_scores(open->scores.items, open->scores.count, &total->cases_arena);
  for (size_t i = 0; i < open->count; i++)
    sort_answers(open->items[i].items, open->items[i].count, &total->cases_arena);
  total->cases++;
  total->by_trials[open->trials < EE_TRIALS_COUNTED ? open->trials : EE_TRIALS_COUNTED]++;
  note_trials(total, open->trials, open->id);
  for (size_t i = 0; i < open->judges.count; i++) add_figures(&total->judges.items[i], &open->judges.items[i]);
  add_fields(total, open, &unstable);
  if (open->judges.count == 0 || open->judges.items[0].sample.count == 0) return;
  const trial_scores *scores = &open->judges.items[0];
  add_verdicts(total, scores);
  unstable.spread = scores->best - scores->worst;
  if (unstable.flips + unstable.differ == 0 && unstable.spread <= 0) return;
  ee_unstable_case *listed = list_unstable(total, &unstable, open->id);
  if (listed != NULL) write_unstable(total, open, &listed->json);
}

static void drop_open(ee_trial_total *total) {
  total->open.count = 0;
  ee_hash_index_clear(&total->open_index);
  ee_arena_reset(&total->cases_arena, ARENA_KEPT);
}

/* Bounds and order ------------------------------------------------------------------------------ */

/* A field total with the name of its judge. */
typedef struct judged_field {
  ee_str judge;
  ee_trial_field_total total;
} judged_field;

static bool judged_before(const judged_field *a, const judged_field *b) {
  int order = ee_str_compare(a->judge, b->judge);
  return order != 0 ? order < 0 : ee_str_compare(a->total.name, b->total.name) < 0;
}
EE_DEFINE_SORT(sort_judged, judged_field, judged_before)

/* Sorts the fields by judge and name, and keeps EE_TRIAL_FIELDS of them. Only while no case is open: those refer to the
 * fields by number. */
static void settle_fields(ee_trial_total *total) {
  size_t count = total->fields.count;
  ee_arena scratch, names;
  ee_arena_init(&scratch, 0);
  ee_arena_init(&names, 0);
  judged_field *fields = EE_NEW_ARRAY(&scratch, judged_field, count);
  for (size_t i = 0; i < count; i++)
    fields[i] = (judged_field){total->judges.items[total->fields.items[i].judge].name, total->fields.items[i]};
  sort_judged(fields, count, &scratch);
  total->fields_cut = total->fields_cut || count > EE_TRIAL_FIELDS;
  if (count > EE_TRIAL_FIELDS) count = EE_TRIAL_FIELDS;
  ee_hash_index_clear(&total->field_index);
  for (size_t i = 0; i < count; i++) {
    ee_trial_field_total *field = &total->fields.items[i];
    *field = fields[i].total;
    field->name = copy(&names, field->name);
    ee_hash_index_add(&total->field_index, hash_text(field->name, field->judge), i);
  }
  total->fields.count = count;
  ee_arena_fini(&scratch);
  ee_arena_fini(&total->field_names);
  total->field_names = names;
}

/* When there are a quarter more fields than are kept. */
static void bound_fields(ee_trial_total *total) {
  if (total->open.count == 0 && total->fields.count > EE_TRIAL_FIELDS + EE_TRIAL_FIELDS / 4) settle_fields(total);
}

typedef struct placed_judge {
  ee_trial_figures figures;
  uint32_t number; /* so far */
} placed_judge;

static bool placed_before(const placed_judge *a, const placed_judge *b) {
  if (a->figures.position != b->figures.position) return a->figures.position < b->figures.position;
  return ee_str_compare(a->figures.name, b->figures.name) < 0;
}
EE_DEFINE_SORT(sort_placed, placed_judge, placed_before)

static void settle_judges(ee_trial_total *total) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  placed_judge *judges = EE_NEW_ARRAY(&scratch, placed_judge, total->judges.count);
  uint32_t *numbers = EE_NEW_ARRAY(&scratch, uint32_t, total->judges.count);
  for (size_t i = 0; i < total->judges.count; i++) judges[i] = (placed_judge){total->judges.items[i], (uint32_t)i};
  sort_placed(judges, total->judges.count, &scratch);
  for (size_t i = 0; i < total->judges.count; i++) {
    total->judges.items[i] = judges[i].figures;
    numbers[judges[i].number] = (uint32_t)i;
  }
  for (size_t i = 0; i < total->fields.count; i++) total->fields.items[i].judge = numbers[total->fields.items[i].judge];
  ee_arena_fini(&scratch);
}

void ee_trial_total_finish(ee_trial_total *total) {
  for (size_t i = 0; i < total->open.count; i++) close_case(total, total->open.items[i]);
  drop_open(total);
  settle_judges(total);
  settle_fields(total);
}

/* Adding ---------------------------------------------------------------------------------------- */

void ee_trial_total_init(ee_trial_total *total, ee_verdict_limits limits) {
  *total = (ee_trial_total){.limits = limits};
  ee_arena_init(&total->names, 0);
  ee_arena_init(&total->field_names, 0);
  ee_arena_init(&total->cases_arena, 0);
}

void ee_trial_total_fini(ee_trial_total *total) {
  for (size_t i = 0; i < EE_UNSTABLE_CASES; i++) {
    ee_buffer_fini(&total->unstable[i].json);
    ee_buffer_fini(&total->unstable[i].id);
  }
  EE_LIST_FINI(&total->judges);
  EE_LIST_FINI(&total->fields);
  EE_LIST_FINI(&total->open);
  ee_hash_index_fini(&total->field_index);
  ee_hash_index_fini(&total->open_index);
  ee_arena_fini(&total->names);
  ee_arena_fini(&total->field_names);
  ee_arena_fini(&total->cases_arena);
  *total = (ee_trial_total){0};
}

void ee_trial_total_clear(ee_trial_total *total) {
  total->others = 0;
  if (total->trials == 0) return;
  ee_trial_total kept = *total;
  drop_open(&kept);
  ee_hash_index_clear(&kept.field_index);
  ee_arena_reset(&kept.names, ARENA_KEPT);
  ee_arena_reset(&kept.field_names, ARENA_KEPT);
  *total = (ee_trial_total){.limits = kept.limits,
                            .field_index = kept.field_index,
                            .open_index = kept.open_index,
                            .names = kept.names,
                            .field_names = kept.field_names,
                            .cases_arena = kept.cases_arena};
  total->judges.items = kept.judges.items;
  total->judges.capacity = kept.judges.capacity;
  total->fields.items = kept.fields.items;
  total->fields.capacity = kept.fields.capacity;
  total->open.items = kept.open.items;
  total->open.capacity = kept.open.capacity;
  for (size_t i = 0; i < EE_UNSTABLE_CASES; i++)
    total->unstable[i] = (ee_unstable_case){.json = kept.unstable[i].json, .id = kept.unstable[i].id};
}

static void add_judge(ee_trial_total *total, ee_trial_case *open, size_t judge, ee_str trial,
                      const ee_trial_judge *judged) {
  if (judged->has_score) add_score(total, open, judge, trial, judged);
  size_t near = 0, next = 0;
  for (size_t i = 0; i < judged->field_count; i++) {
    size_t number = field_of(total, judge, judged->fields[i].name, near);
    near = number + 1;
    add_field(total, open, number, trial, &judged->fields[i], &next);
  }
}

void ee_trial_total_add(ee_trial_total *total, const ee_trial *trial) {
  ee_trial_case *open = case_of(total, trial->id);
  total->trials++;
  total->nameless += trial->name.length == 0;
  open->trials++;
  for (size_t i = 0; i < trial->judge_count; i++) {
    const ee_trial_judge *judged = &trial->judges[i];
    add_judge(total, open, judge_of(total, judged->name, judged->position, i), trial->name, judged);
  }
  if (!trial->last || total->open.count > 1) return;
  close_case(total, open);
  drop_open(total);
  bound_fields(total);
}

/* The answers of the wrong fields of a judge, from its first mismatches: rows have no more. */
static void set_answers(const ee_judge_result *judged, ee_trial_field *fields, size_t count, ee_arena *scratch) {
  for (size_t i = 0; i < judged->mismatch_count && i < EE_DETAILS_SHOWN; i++) {
    const ee_mismatch *mismatch = &judged->mismatches[i];
    for (size_t k = 0; k < count; k++) {
      if (!ee_str_equal(fields[k].name, mismatch->attribute)) continue;
      if (fields[k].answer.data == NULL) fields[k].answer = ee_trial_answer(mismatch->candidate, scratch);
      break;
    }
  }
}

static void fill_judge(const ee_judge_result *judged, ee_trial_judge *judge, ee_arena *scratch) {
  ee_trial_field *fields = EE_NEW_ARRAY(scratch, ee_trial_field, judged->attribute_count);
  size_t count = 0;
  for (size_t i = 0; i < judged->attribute_count; i++) {
    const ee_attribute_result *attribute = &judged->attributes[i];
    bool derived = attribute->slot >= 0 && judged->judge->attributes[attribute->slot].derived;
    if (!derived) fields[count++] = (ee_trial_field){.name = attribute->name, .counts = attribute->counts};
  }
  set_answers(judged, fields, count, scratch);
  *judge = (ee_trial_judge){.name = judged->judge->name,
                            .position = judged->judge->number + 1,
                            .has_score = !judged->unscored,
                            .score = judged->score,
                            .verdict = judged->verdict,
                            .fields = fields,
                            .field_count = count};
}

void ee_trial_total_add_case(ee_trial_total *total, const ee_case_result *result, ee_arena *scratch) {
  const ee_case *source = result->source;
  if (source->trial.data == NULL) {
    total->others++;
    return;
  }
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_trial_judge *judges = EE_NEW_ARRAY(scratch, ee_trial_judge, result->judge_count + 1);
  judges[0] = (ee_trial_judge){.has_score = !result->unscored, .score = result->score, .verdict = result->verdict};
  for (size_t i = 0; i < result->judge_count; i++) fill_judge(&result->judges[i], &judges[i + 1], scratch);
  bool last = source->trials != NULL && source->trial_number == ee_case_trial_count(source);
  ee_trial_total_add(total, &(ee_trial){.id = ee_case_base(source),
                                        .name = source->trial,
                                        .last = last,
                                        .judges = judges,
                                        .judge_count = result->judge_count + 1});
  ee_arena_rewind(scratch, mark);
}

/* Answers ---------------------------------------------------------------------------------------- */

ee_str ee_trial_answer(const ee_value *value, ee_arena *arena) {
  static const uint8_t forms[] = {EE_NORMAL_TRIM, EE_NORMAL_COLLAPSE_SPACE};
  ee_type type = ee_type_of(value);
  char digits[32];
  ee_str text;
  double number;
  if (type <= EE_NULL) return EE_STR("");
  if (type == EE_STRING) {
    text = ee_normalize(ee_value_text(value), forms, sizeof forms, arena);
    if (text.length == 0) return EE_STR("");
    if (!ee_number_parse(text, (ee_number_format){.decimal = '.'}, arena, &number, NULL)) return text;
    return copy(arena, (ee_str){digits, ee_double_format(number, digits)});
  }
  if (type == EE_NUMBER) return copy(arena, ee_value_number_text(value, digits));
  ee_buffer out;
  ee_buffer_init(&out);
  ee_json_write_canonical(&out, value, arena);
  text = copy(arena, (ee_str){out.data, out.length});
  ee_buffer_fini(&out);
  return text;
}

/* Merging --------------------------------------------------------------------------------------- */

static void merge_ratio(ee_trial_ratio *to, const ee_trial_ratio *from) {
  to->cases += from->cases;
  to->a += from->a;
  to->b += from->b;
  to->aa += from->aa;
  to->ab += from->ab;
  to->bb += from->bb;
}

static void merge_figures(ee_trial_figures *to, const ee_trial_figures *from) {
  to->cases += from->cases;
  to->repeated += from->repeated;
  to->trials += from->trials;
  ee_sample_merge(&to->mean, &from->mean);
  ee_sample_merge(&to->best, &from->best);
  ee_sample_merge(&to->worst, &from->worst);
  ee_fixed_add(&to->within, from->within);
  ee_fixed_add(&to->variance, from->variance);
  to->flips += from->flips;
  ee_fleiss_merge(&to->agreement, &from->agreement);
  for (int i = 0; i < 2; i++) to->outcomes[i] += from->outcomes[i];
  for (size_t i = 0; i < EE_PASS_SIZES; i++) {
    ee_sample_merge(&to->at[i], &from->at[i]);
    ee_sample_merge(&to->all[i], &from->all[i]);
  }
  merge_ratio(&to->one, &from->one);
  merge_ratio(&to->voted, &from->voted);
  merge_ratio(&to->any, &from->any);
  merge_ratio(&to->every, &from->every);
}

static void merge_field(ee_trial_field_total *to, const ee_trial_field_total *from) {
  to->cases += from->cases;
  to->trials += from->trials;
  to->right += from->right;
  to->flips += from->flips;
  to->differ += from->differ;
  to->any += from->any;
  to->every += from->every;
  to->votes += from->votes;
  to->elected += from->elected;
  ee_fleiss_merge(&to->agreement, &from->agreement);
  for (int i = 0; i < 2; i++) to->outcomes[i] += from->outcomes[i];
  ee_fixed_add(&to->same, from->same);
}

/* Where the judges and fields of one total are in another. */
typedef struct numbers {
  size_t *judges, *fields;
} numbers;

static void merge_case(ee_trial_total *total, const ee_trial_case *from, const numbers *map) {
  ee_trial_case *to = case_of(total, from->id);
  to->trials += from->trials;
  START_LIST(&to->scores, total, 4);
  for (size_t i = 0; i < from->scores.count; i++) {
    trial_score score = from->scores.items[i];
    score.trial = copy(&total->cases_arena, score.trial);
    *EE_LIST_ADD(&to->scores, &total->cases_arena) = score;
  }
  for (size_t i = 0; i < from->judges.count; i++)
    merge_scores(scores_of(total, to, map->judges[i]), &from->judges.items[i]);
  size_t next = 0;
  for (size_t i = 0; i < from->count; i++) {
    const trial_field *field = &from->items[i];
    trial_field *in = field_in(total, to, map->fields[field->field], &next);
    in->right += field->right;
    in->wrong += field->wrong;
    in->unknown = in->unknown || field->unknown;
    for (size_t k = 0; k < field->count && !in->unknown; k++) add_votes(total, in, &field->items[k]);
  }
}

void ee_trial_total_merge(ee_trial_total *total, const ee_trial_total *other) {
  total->others += other->others;
  if (other->trials == 0) return;
  numbers map = {ee_calloc(other->judges.count + 1, sizeof *map.judges),
                 ee_calloc(other->fields.count + 1, sizeof *map.fields)};
  total->trials += other->trials;
  total->cases += other->cases;
  total->nameless += other->nameless;
  total->fields_cut = total->fields_cut || other->fields_cut;
  for (size_t i = 0; i <= EE_TRIALS_COUNTED; i++) total->by_trials[i] += other->by_trials[i];
  if (other->fewest > 0) note_trials(total, other->fewest, other->fewest_case.id);
  for (size_t i = 0; i < EE_TRIAL_RULES; i++)
    for (size_t k = 0; k < 3; k++) total->verdicts[i][k] += other->verdicts[i][k];
  for (size_t i = 0; i < other->judges.count; i++) {
    map.judges[i] = judge_of(total, other->judges.items[i].name, other->judges.items[i].position, i);
    merge_figures(&total->judges.items[map.judges[i]], &other->judges.items[i]);
  }
  for (size_t i = 0; i < other->fields.count; i++) {
    const ee_trial_field_total *from = &other->fields.items[i];
    map.fields[i] = field_of(total, map.judges[from->judge], from->name, i);
    merge_field(&total->fields.items[map.fields[i]], from);
  }
  for (size_t i = 0; i < other->unstable_count; i++) {
    const ee_unstable_case *from = &other->unstable[i];
    ee_unstable_case *listed = list_unstable(total, from, (ee_str){from->id.data, from->id.length});
    if (listed == NULL) break;
    ee_buffer_add(&listed->json, from->json.data, from->json.length);
  }
  for (size_t i = 0; i < other->open.count; i++) merge_case(total, other->open.items[i], &map);
  free(map.judges);
  free(map.fields);
  bound_fields(total);
}

ee_ratio_sums ee_trial_ratio_sums(const ee_trial_ratio *ratio) {
  return (ee_ratio_sums){.units = ratio->cases,
                         .a = (double)ratio->a,
                         .b = (double)ratio->b,
                         .aa = (double)ratio->aa,
                         .ab = (double)ratio->ab,
                         .bb = (double)ratio->bb};
}

/* State ----------------------------------------------------------------------------------------- */

/* In a state, judges, fields and open cases are sorted. `at[i]` is where the one that is written as the i-th is, and
 * `as[i]` is as which one the i-th is written. Where they are read, the two orders are one. */
typedef struct state_order {
  uint32_t *at, *as;
} state_order;

typedef struct state_name {
  size_t position; /* of judges, else 0 */
  ee_str judge, name;
  uint32_t number;
} state_name;

static bool state_before(const state_name *a, const state_name *b) {
  if (a->position != b->position) return a->position < b->position;
  int order = ee_str_compare(a->judge, b->judge);
  return order != 0 ? order < 0 : ee_str_compare(a->name, b->name) < 0;
}
EE_DEFINE_SORT(sort_state_names, state_name, state_before)

/* `names` are sorted where the state is written. */
static state_order order_of(const ee_state_line *line, state_name *names, size_t count, ee_arena *scratch) {
  state_order order = {EE_NEW_ARRAY(scratch, uint32_t, count), EE_NEW_ARRAY(scratch, uint32_t, count)};
  if (!ee_state_reading(line)) sort_state_names(names, count, scratch);
  for (size_t i = 0; i < count; i++) {
    order.at[i] = names[i].number;
    order.as[names[i].number] = (uint32_t)i;
  }
  return order;
}

EE_STATE_COVERS(ee_trial_ratio, 48);

static void ratio_state(ee_state_line *line, ee_trial_ratio *ratio) {
  ee_state_begin(line);
  ee_state_count(line, &ratio->cases);
  ee_state_count(line, &ratio->a);
  ee_state_count(line, &ratio->b);
  ee_state_count(line, &ratio->aa);
  ee_state_count(line, &ratio->ab);
  ee_state_count(line, &ratio->bb);
  ee_state_end(line);
}

EE_STATE_COVERS(ee_fleiss, 32);

static void fleiss_state(ee_state_line *line, ee_fleiss *fleiss) {
  ee_state_begin(line);
  ee_state_count(line, &fleiss->items);
  ee_state_count(line, &fleiss->unanimous);
  ee_state_fixed(line, &fleiss->agreement);
  ee_state_end(line);
}

EE_STATE_COVERS(ee_trial_figures, 480 + 2 * EE_PASS_SIZES * sizeof(ee_sample));

static void figures_state(ee_state_line *line, ee_trial_figures *figures, ee_arena *names) {
  ee_state_begin(line);
  ee_state_text(line, names, &figures->name);
  ee_state_size(line, &figures->position);
  ee_state_count(line, &figures->cases);
  ee_state_count(line, &figures->repeated);
  ee_state_count(line, &figures->trials);
  ee_state_sample(line, &figures->mean);
  ee_state_sample(line, &figures->best);
  ee_state_sample(line, &figures->worst);
  ee_state_fixed(line, &figures->within);
  ee_state_fixed(line, &figures->variance);
  ee_state_count(line, &figures->flips);
  fleiss_state(line, &figures->agreement);
  ee_state_counts(line, figures->outcomes, 2);
  for (size_t i = 0; i < EE_PASS_SIZES; i++) ee_state_sample(line, &figures->at[i]);
  for (size_t i = 0; i < EE_PASS_SIZES; i++) ee_state_sample(line, &figures->all[i]);
  ratio_state(line, &figures->one);
  ratio_state(line, &figures->voted);
  ratio_state(line, &figures->any);
  ratio_state(line, &figures->every);
  ee_state_end(line);
}

static state_order judges_state(ee_state_line *line, ee_trial_total *total, ee_arena *scratch) {
  size_t count = ee_state_items(line, total->judges.count);
  state_name *names = EE_NEW_ARRAY(scratch, state_name, count);
  for (size_t i = 0; i < count; i++) names[i].number = (uint32_t)i;
  for (size_t i = 0; i < count && !ee_state_reading(line); i++) {
    names[i].position = total->judges.items[i].position;
    names[i].name = total->judges.items[i].name;
  }
  state_order order = order_of(line, names, count, scratch);
  for (size_t i = 0; i < count && !ee_state_failed(line); i++) {
    ee_trial_figures read = {0};
    figures_state(line, ee_state_reading(line) ? &read : &total->judges.items[order.at[i]], &total->names);
    if (ee_state_reading(line)) *EE_LIST_ADD(&total->judges, NULL) = read;
    if (ee_state_reading(line) && read.name.data == NULL) ee_state_fail(line);
  }
  ee_state_end(line);
  /* The first one is the case as a whole. */
  if (total->trials + total->cases > 0 &&
      (total->judges.count == 0 || total->judges.items[order.at[0]].name.length > 0))
    ee_state_fail(line);
  return order;
}

EE_STATE_COVERS(ee_trial_field_total, 160);

static void field_total_state(ee_state_line *line, ee_trial_field_total *field, const state_order *judges,
                              size_t judge_count, ee_arena *names) {
  uint32_t judge = ee_state_reading(line) ? 0 : judges->as[field->judge];
  ee_state_begin(line);
  ee_state_small(line, &judge, UINT32_MAX);
  if (judge >= judge_count) ee_state_fail(line);
  if (ee_state_reading(line)) field->judge = judge;
  ee_state_text(line, names, &field->name);
  ee_state_count(line, &field->cases);
  ee_state_count(line, &field->trials);
  ee_state_count(line, &field->right);
  ee_state_count(line, &field->flips);
  ee_state_count(line, &field->differ);
  ee_state_count(line, &field->any);
  ee_state_count(line, &field->every);
  ee_state_count(line, &field->votes);
  ee_state_count(line, &field->elected);
  fleiss_state(line, &field->agreement);
  ee_state_counts(line, field->outcomes, 2);
  ee_state_fixed(line, &field->same);
  ee_state_end(line);
}

static state_order fields_state(ee_state_line *line, ee_trial_total *total, const state_order *judges,
                                ee_arena *scratch) {
  size_t count = ee_state_items(line, total->fields.count);
  state_name *names = EE_NEW_ARRAY(scratch, state_name, count);
  for (size_t i = 0; i < count; i++) names[i].number = (uint32_t)i;
  for (size_t i = 0; i < count && !ee_state_reading(line); i++) {
    names[i].judge = total->judges.items[total->fields.items[i].judge].name;
    names[i].name = total->fields.items[i].name;
  }
  state_order order = order_of(line, names, count, scratch);
  for (size_t i = 0; i < count && !ee_state_failed(line); i++) {
    ee_trial_field_total read = {0};
    ee_trial_field_total *field = ee_state_reading(line) ? &read : &total->fields.items[order.at[i]];
    field_total_state(line, field, judges, total->judges.count, &total->field_names);
    if (!ee_state_reading(line) || ee_state_failed(line)) continue;
    if (read.name.data == NULL || field_of(total, read.judge, read.name, 0) != i)
      ee_state_fail(line);
    else
      total->fields.items[i] = (ee_trial_field_total){.name = total->fields.items[i].name};
    merge_field(&total->fields.items[i], &read);
    total->fields.items[i].judge = read.judge;
  }
  ee_state_end(line);
  return order;
}

EE_STATE_COVERS(ee_unstable_case, 64);

/* What is read is a document, since reports are made of it. */
static void unstable_state(ee_state_line *line, ee_unstable_case *unstable) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  ee_str id = {unstable->id.data, unstable->id.length}, json = {unstable->json.data, unstable->json.length};
  if (!ee_state_reading(line) && id.data == NULL) id = EE_STR("");
  ee_state_begin(line);
  ee_state_small(line, &unstable->flips, UINT32_MAX);
  ee_state_small(line, &unstable->differ, UINT32_MAX);
  ee_state_real(line, &unstable->spread);
  ee_state_text(line, &scratch, &id);
  ee_state_text(line, &scratch, &json);
  ee_state_end(line);
  if (ee_state_reading(line)) {
    if (ee_type_of(ee_json_read_data(&scratch, json, NULL)) != EE_OBJECT) ee_state_fail(line);
    ee_buffer_clear(&unstable->id);
    ee_buffer_clear(&unstable->json);
    ee_buffer_add_str(&unstable->id, id);
    ee_buffer_add_str(&unstable->json, json);
  }
  ee_arena_fini(&scratch);
}

static void unstables_state(ee_state_line *line, ee_trial_total *total) {
  size_t count = ee_state_items(line, total->unstable_count);
  if (count > EE_UNSTABLE_CASES) ee_state_fail(line);
  for (size_t i = 0; i < count && !ee_state_failed(line); i++) unstable_state(line, &total->unstable[i]);
  if (ee_state_reading(line)) total->unstable_count = ee_state_failed(line) ? 0 : count;
  ee_state_end(line);
}

/* Open cases. */

static void verdict_state(ee_state_line *line, ee_verdict *verdict) {
  uint32_t number = (uint32_t)*verdict;
  ee_state_small(line, &number, EE_VERDICT_FAIL);
  *verdict = (ee_verdict)number;
}

EE_STATE_COVERS(trial_scores, 80);

static void scores_state(ee_state_line *line, trial_scores *scores) {
  ee_state_begin(line);
  ee_state_sample(line, &scores->sample);
  ee_state_real(line, &scores->best);
  ee_state_real(line, &scores->worst);
  verdict_state(line, &scores->best_verdict);
  verdict_state(line, &scores->worst_verdict);
  ee_state_count(line, &scores->passes);
  ee_state_end(line);
  if (scores->passes > scores->sample.count || !isfinite(scores->best) || !isfinite(scores->worst)) ee_state_fail(line);
}

EE_STATE_COVERS(trial_answer, 48);

/* Answers of a field with unknown ones do not count. */
static void answers_state(ee_state_line *line, ee_trial_total *total, trial_field *field) {
  if (!ee_state_reading(line)) sort_answers(field->items, field->count, &total->cases_arena);
  size_t count = ee_state_items(line, field->unknown ? 0 : field->count);
  for (size_t i = 0; i < count && !ee_state_failed(line); i++) {
    trial_answer answer = ee_state_reading(line) ? (trial_answer){0} : field->items[i];
    ee_state_begin(line);
    ee_state_count(line, &answer.hash);
    ee_state_text(line, &total->cases_arena, &answer.text);
    ee_state_text(line, &total->cases_arena, &answer.trial);
    ee_state_small(line, &answer.votes, UINT32_MAX);
    ee_state_flag(line, &answer.right);
    ee_state_end(line);
    if (ee_state_reading(line) && !ee_state_failed(line)) add_votes(total, field, &answer);
  }
  ee_state_end(line);
}

EE_STATE_COVERS(trial_field, 40);

static void case_field_state(ee_state_line *line, ee_trial_total *total, trial_field *field) {
  ee_state_begin(line);
  ee_state_small(line, &field->field, UINT32_MAX);
  if (ee_state_reading(line) && field->field >= total->fields.count) ee_state_fail(line);
  ee_state_small(line, &field->right, UINT32_MAX);
  ee_state_small(line, &field->wrong, UINT32_MAX);
  ee_state_flag(line, &field->unknown);
  answers_state(line, total, field);
  if (!field->unknown && field->count == 0) ee_state_fail(line);
  ee_state_end(line);
}

static bool field_before(const trial_field *a, const trial_field *b) { return a->field < b->field; }
EE_DEFINE_SORT(sort_case_fields, trial_field, field_before)

static void case_fields_state(ee_state_line *line, ee_trial_total *total, ee_trial_case *open,
                              const state_order *fields, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  trial_field *sorted = EE_NEW_ARRAY(scratch, trial_field, open->count);
  for (size_t i = 0; i < open->count; i++) {
    sorted[i] = open->items[i];
    sorted[i].field = fields->as[open->items[i].field];
  }
  sort_case_fields(sorted, open->count, scratch);
  size_t count = ee_state_items(line, open->count);
  for (size_t i = 0; i < count && !ee_state_failed(line); i++) {
    trial_field field = ee_state_reading(line) ? (trial_field){0} : sorted[i];
    case_field_state(line, total, &field);
    if (!ee_state_reading(line)) continue;
    if (open->count > 0 && field.field <= open->items[open->count - 1].field) ee_state_fail(line);
    *EE_LIST_ADD(open, &total->cases_arena) = field;
  }
  ee_state_end(line);
  ee_arena_rewind(scratch, mark);
}

static void case_scores_state(ee_state_line *line, ee_trial_total *total, ee_trial_case *open) {
  if (!ee_state_reading(line)) sort_scores(open->scores.items, open->scores.count, &total->cases_arena);
  size_t count = ee_state_items(line, open->scores.count);
  for (size_t i = 0; i < count && !ee_state_failed(line); i++) {
    trial_score score = ee_state_reading(line) ? (trial_score){0} : open->scores.items[i];
    ee_state_begin(line);
    ee_state_text(line, &total->cases_arena, &score.trial);
    ee_state_real(line, &score.score);
    ee_state_end(line);
    if (!isfinite(score.score)) ee_state_fail(line);
    if (ee_state_reading(line)) *EE_LIST_ADD(&open->scores, &total->cases_arena) = score;
  }
  ee_state_end(line);
}

EE_STATE_COVERS(struct ee_trial_case, 96);

/* Of a case that is read, `open` has its id only. */
static void case_state(ee_state_line *line, ee_trial_total *total, ee_trial_case *open, const state_order *judges,
                       const state_order *fields, ee_arena *scratch) {
  ee_state_count(line, &open->trials);
  case_scores_state(line, total, open);
  for (size_t i = 0; i < total->judges.count; i++) {
    trial_scores none = {0};
    bool there = ee_state_reading(line) || judges->at[i] < open->judges.count;
    scores_state(line, there ? scores_of(total, open, ee_state_reading(line) ? i : judges->at[i]) : &none);
  }
  case_fields_state(line, total, open, fields, scratch);
}

static void open_cases_state(ee_state_line *line, ee_trial_total *total, const state_order *judges,
                             const state_order *fields, ee_arena *scratch) {
  size_t count = ee_state_items(line, total->open.count);
  state_name *names = EE_NEW_ARRAY(scratch, state_name, count);
  for (size_t i = 0; i < count; i++)
    names[i] =
        (state_name){.number = (uint32_t)i, .name = ee_state_reading(line) ? EE_STR("") : total->open.items[i]->id};
  state_order order = order_of(line, names, count, scratch);
  for (size_t i = 0; i < count && !ee_state_failed(line); i++) {
    ee_str id = ee_state_reading(line) ? (ee_str){0} : total->open.items[order.at[i]]->id;
    ee_state_begin(line);
    ee_state_text(line, scratch, &id);
    ee_trial_case *open = case_of(total, id);
    if (open->trials > 0 && ee_state_reading(line)) ee_state_fail(line);
    case_state(line, total, open, judges, fields, scratch);
    if (open->trials == 0) ee_state_fail(line);
    ee_state_end(line);
  }
  ee_state_end(line);
}

EE_STATE_COVERS(ee_trial_total, 1232 + sizeof(ee_case_example) + EE_UNSTABLE_CASES * sizeof(ee_unstable_case));

void ee_trial_total_state(ee_state_line *line, ee_trial_total *total) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  ee_state_begin(line);
  ee_state_count(line, &total->cases);
  ee_state_count(line, &total->trials);
  ee_state_count(line, &total->nameless);
  ee_state_count(line, &total->others);
  ee_state_begin(line);
  ee_state_counts(line, total->by_trials, EE_TRIALS_COUNTED + 1);
  ee_state_end(line);
  ee_state_count(line, &total->fewest);
  ee_case_example_state(line, &total->names, &total->fewest_case);
  for (size_t i = 0; i < EE_TRIAL_RULES; i++) ee_state_counts(line, total->verdicts[i], 3);
  state_order judges = judges_state(line, total, &scratch);
  state_order fields = fields_state(line, total, &judges, &scratch);
  ee_state_flag(line, &total->fields_cut);
  unstables_state(line, total);
  open_cases_state(line, total, &judges, &fields, &scratch);
  ee_state_end(line);
  ee_arena_fini(&scratch);
}
