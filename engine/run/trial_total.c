/* trial_total.c: trials put together by case, then added up. */
#include "run/trial_total.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "data/json/json_writer.h"
#include "judge/details.h"
#include "judge/judge.h"
#include "prim/normalize.h"
#include "prim/number.h"
#include "prim/sort.h"
#include "run/open_trials.h"

/* Memory that the arenas keep when the total is emptied. */
#define ARENA_KEPT ((size_t)1 << 20)
/* Fields of an unstable case that are shown, and answers of each. */
#define FIELDS_SHOWN 12
#define ANSWERS_SHOWN 6
/* The confidence of the interval of EE_TRIALS_INTERVAL. */
#define RULE_CONFIDENCE 0.95

static ee_str copy(ee_arena *arena, ee_str text) {
  return (ee_str){ee_arena_copy(arena, text.data, text.length), text.length};
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

static bool is_unstable(const ee_open_field *field) {
  return (field->right > 0 && field->wrong > 0) || (!field->unknown && field->count > 1);
}

static void write_field(const ee_trial_total *total, const ee_open_field *field, ee_buffer *out) {
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
  const ee_open_field *field;
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

static void add_figures(ee_trial_figures *to, const ee_open_scores *scores) {
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

static void add_verdicts(ee_trial_total *total, const ee_open_scores *scores) {
  total->verdicts[EE_TRIALS_MEAN][ee_verdict_of(ee_sample_mean(&scores->sample), total->limits)]++;
  total->verdicts[EE_TRIALS_ANY][scores->best_verdict]++;
  total->verdicts[EE_TRIALS_ALL][scores->worst_verdict]++;
  total->verdicts[EE_TRIALS_INTERVAL][ee_verdict_of(lower_end(&scores->sample), total->limits)]++;
}

/* The answer of most trials, of equally frequent ones the first; they are sorted. */
static const ee_open_answer *elect(const ee_open_field *field) {
  const ee_open_answer *best = &field->items[0];
  for (size_t i = 1; i < field->count; i++)
    if (field->items[i].votes > best->votes) best = &field->items[i];
  return best;
}

static double share_of_same(const ee_open_field *field) {
  double pairs = 0, trials = (double)field->right + field->wrong;
  for (size_t i = 0; i < field->count; i++) pairs += (double)field->items[i].votes * (field->items[i].votes - 1);
  return pairs / (trials * (trials - 1));
}

static void add_ratio(ee_trial_ratio *ratio, double a, uint64_t b) {
  if (b == 0) return;
  ratio->cases++;
  ratio->b += b;
  ratio->bb += b * b;
  ee_fixed_add(&ratio->a, ee_fixed_from(a));
  ee_fixed_add(&ratio->aa, ee_fixed_from(a * a));
  ee_fixed_add(&ratio->ab, ee_fixed_from(a * (double)b));
}

/* What the fields of one judge in one case add to its figures. */
typedef struct field_sums {
  ee_fixed one;
  uint64_t elected, votes, any, every, fields;
} field_sums;

static void add_repeated_field(ee_trial_field_total *to, const ee_open_field *field, field_sums *sums) {
  uint64_t trials = field->right + field->wrong;
  bool elected = !field->unknown && elect(field)->right;
  ee_fixed one = ee_fixed_from((double)field->right / (double)trials);
  to->cases++;
  to->trials += trials;
  ee_fixed_add(&to->one, one);
  to->flips += field->right > 0 && field->wrong > 0;
  to->any += field->right > 0;
  to->every += field->wrong == 0;
  const uint32_t outcomes[2] = {field->right, field->wrong};
  ee_fleiss_add(&to->agreement, to->outcomes, outcomes, 2);
  sums->fields++;
  ee_fixed_add(&sums->one, one);
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
    const ee_open_field *field = &open->items[i];
    ee_trial_field_total *to = &total->fields.items[field->field];
    if (field->right + field->wrong < 2) continue;
    add_repeated_field(to, field, &sums[to->judge]);
    unstable->flips += field->right > 0 && field->wrong > 0;
    unstable->differ += !field->unknown && field->count > 1;
  }
  for (size_t i = 0; i < total->judges.count; i++) {
    ee_trial_figures *figures = &total->judges.items[i];
    add_ratio(&figures->one, ee_fixed_value(sums[i].one), sums[i].fields);
    add_ratio(&figures->voted, (double)sums[i].elected, sums[i].votes);
    add_ratio(&figures->any, (double)sums[i].any, sums[i].fields);
    add_ratio(&figures->every, (double)sums[i].every, sums[i].fields);
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

static void close_case(ee_trial_total *total, ee_trial_case *open) {
  ee_unstable_case unstable = {0};
  ee_open_case_sort(total, open);
  total->cases++;
  total->by_trials[open->trials < EE_TRIALS_COUNTED ? open->trials : EE_TRIALS_COUNTED]++;
  note_trials(total, open->trials, open->id);
  for (size_t i = 0; i < open->judges.count; i++) add_figures(&total->judges.items[i], &open->judges.items[i]);
  add_fields(total, open, &unstable);
  if (open->judges.count == 0 || open->judges.items[0].sample.count == 0) return;
  const ee_open_scores *scores = &open->judges.items[0];
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
    ee_hash_index_add(&total->field_index, ee_hash_bytes(field->name.data, field->name.length, field->judge), i);
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

void ee_trial_total_add(ee_trial_total *total, const ee_trial *trial) {
  ee_trial_case *open = ee_open_case_of(total, trial->id);
  total->trials++;
  total->nameless += trial->name.length == 0;
  open->trials++;
  for (size_t i = 0; i < trial->judge_count; i++) {
    const ee_trial_judge *judged = &trial->judges[i];
    ee_open_case_add(total, open, ee_trial_judge_of(total, judged->name, judged->position, i), trial->name, judged);
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
  to->b += from->b;
  to->bb += from->bb;
  ee_fixed_add(&to->a, from->a);
  ee_fixed_add(&to->aa, from->aa);
  ee_fixed_add(&to->ab, from->ab);
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
  ee_fixed_add(&to->one, from->one);
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

void ee_trial_total_merge(ee_trial_total *total, const ee_trial_total *other) {
  total->others += other->others;
  if (other->trials == 0) return;
  /* Where its judges and fields are in this total. */
  size_t *judges = ee_calloc(other->judges.count + 1, sizeof *judges);
  size_t *fields = ee_calloc(other->fields.count + 1, sizeof *fields);
  total->trials += other->trials;
  total->cases += other->cases;
  total->nameless += other->nameless;
  total->fields_cut = total->fields_cut || other->fields_cut;
  for (size_t i = 0; i <= EE_TRIALS_COUNTED; i++) total->by_trials[i] += other->by_trials[i];
  if (other->fewest > 0) note_trials(total, other->fewest, other->fewest_case.id);
  for (size_t i = 0; i < EE_TRIAL_RULES; i++)
    for (size_t k = 0; k < 3; k++) total->verdicts[i][k] += other->verdicts[i][k];
  for (size_t i = 0; i < other->judges.count; i++) {
    judges[i] = ee_trial_judge_of(total, other->judges.items[i].name, other->judges.items[i].position, i);
    merge_figures(&total->judges.items[judges[i]], &other->judges.items[i]);
  }
  for (size_t i = 0; i < other->fields.count; i++) {
    const ee_trial_field_total *from = &other->fields.items[i];
    fields[i] = ee_trial_field_of(total, judges[from->judge], from->name, i);
    merge_field(&total->fields.items[fields[i]], from);
  }
  for (size_t i = 0; i < other->unstable_count; i++) {
    const ee_unstable_case *from = &other->unstable[i];
    ee_unstable_case *listed = list_unstable(total, from, (ee_str){from->id.data, from->id.length});
    if (listed == NULL) break;
    ee_buffer_add(&listed->json, from->json.data, from->json.length);
  }
  for (size_t i = 0; i < other->open.count; i++) ee_open_case_merge(total, other->open.items[i], judges, fields);
  ee_free(judges);
  ee_free(fields);
  bound_fields(total);
}

ee_ratio_sums ee_trial_ratio_sums(const ee_trial_ratio *ratio) {
  return (ee_ratio_sums){.units = ratio->cases,
                         .a = ee_fixed_value(ratio->a),
                         .b = (double)ratio->b,
                         .aa = ee_fixed_value(ratio->aa),
                         .ab = ee_fixed_value(ratio->ab),
                         .bb = (double)ratio->bb};
}
