/* worker.c: judging one block of records, and before that the requests to a provider that judging it needs. */
#include "run/worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/hash_index.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/work.h"
#include "data/files/image_boxes.h"
#include "data/json/json_reader.h"
#include "judge/plan.h"

/* What a worker keeps of a buffer from block to block. */
#define BUFFER_KEPT ((size_t)8 << 20)
/* Duplicate keys of one record that are reported one by one. */
#define MAX_KEYS_LISTED 10
/* Bytes of an id or key in a message. */
#define NAME_SHOWN 100
/* What a worker keeps of its memory from case to case. */
#define ARENA_KEPT ((size_t)4 << 20)

void ee_worker_init(ee_worker *worker, const ee_plan *plan, const ee_run_options *options) {
  *worker = (ee_worker){.plan = plan, .options = options};
  const ee_run_hooks *hooks = &options->hooks;
  worker->counts_only = hooks->format == NULL && hooks->format_collected == NULL && options->detail != EE_DETAIL_FULL;
  worker->takes_boxes = ee_plan_takes_boxes(plan) && worker->counts_only && !options->kinds &&
                        options->choice.where_count == 0 && options->choice.wants == NULL;
  ee_arena_init(&worker->arena, 0);
  ee_known_keys_init(&worker->keys);
  ee_arena_init(&worker->sources, 0);
  ee_arena_set_limit(&worker->arena, (size_t)ee_limits_get()->memory);
  ee_block_init(&worker->block);
  ee_buffer_init(&worker->ids);
  ee_buffer_init(&worker->texts);
  ee_buffer_init(&worker->rows);
  ee_buffer_init(&worker->collected);
  ee_error_list_init(&worker->rule_errors);
  ee_error_list_init(&worker->warnings);
  ee_totals_init(&worker->totals, plan);
}

ee_status ee_worker_open(ee_worker *worker, ee_error *error) {
  if (worker->opened.plan != NULL) return EE_OK;
  const ee_run_options *options = worker->options;
  return ee_open_plan_init(&worker->opened, worker->plan, options->provider, options->interrupted, error);
}

void ee_worker_fini(ee_worker *worker) {
  ee_open_plan_fini(&worker->opened);
  ee_arena_fini(&worker->arena);
  ee_known_keys_fini(&worker->keys);
  ee_arena_fini(&worker->sources);
  ee_block_fini(&worker->block);
  EE_LIST_FINI(&worker->pending);
  EE_LIST_FINI(&worker->entries);
  EE_LIST_FINI(&worker->notices);
  ee_buffer_fini(&worker->ids);
  ee_buffer_fini(&worker->texts);
  ee_buffer_fini(&worker->rows);
  ee_buffer_fini(&worker->collected);
  ee_error_list_fini(&worker->rule_errors);
  ee_error_list_fini(&worker->warnings);
  ee_totals_fini(&worker->totals);
}

void ee_judged_block_init(ee_judged_block *aside, const ee_plan *plan) {
  *aside = (ee_judged_block){0};
  ee_block_init(&aside->block);
  ee_buffer_init(&aside->ids);
  ee_buffer_init(&aside->texts);
  ee_buffer_init(&aside->rows);
  ee_buffer_init(&aside->collected);
  ee_totals_init(&aside->totals, plan);
}

void ee_judged_block_fini(ee_judged_block *aside) {
  ee_block_fini(&aside->block);
  EE_LIST_FINI(&aside->entries);
  EE_LIST_FINI(&aside->notices);
  ee_buffer_fini(&aside->ids);
  ee_buffer_fini(&aside->texts);
  ee_buffer_fini(&aside->rows);
  ee_buffer_fini(&aside->collected);
  ee_totals_fini(&aside->totals);
}

#define SWAP(member)                                                                                                   \
  do {                                                                                                                 \
    _Static_assert(sizeof worker->member == sizeof aside->member, "a member of the same type");                        \
    char kept[sizeof worker->member];                                                                                  \
    memcpy(kept, &worker->member, sizeof kept);                                                                        \
    memcpy(&worker->member, &aside->member, sizeof kept);                                                              \
    memcpy(&aside->member, kept, sizeof kept);                                                                         \
  } while (0)

void ee_worker_swap(ee_worker *worker, ee_judged_block *aside) {
  SWAP(block);
  SWAP(records_before);
  SWAP(errors_before);
  SWAP(first);
  SWAP(last);
  SWAP(errors_taken);
  SWAP(next_error);
  SWAP(entries);
  SWAP(notices);
  SWAP(ids);
  SWAP(texts);
  SWAP(rows);
  SWAP(collected);
  SWAP(totals);
}

static void trim(ee_buffer *buffer) {
  if (buffer->capacity > BUFFER_KEPT) ee_buffer_fini(buffer);
}

void ee_worker_trim(ee_worker *worker) {
  trim(&worker->rows);
  trim(&worker->collected);
  trim(&worker->texts);
  trim(&worker->ids);
  trim(&worker->block.text);
}

uint64_t ee_worker_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Adds the time since `*since` to `*sum` and restarts it. */
static void lap(const ee_worker *worker, uint64_t *since, uint64_t *sum) {
  if (!worker->options->timings) return;
  uint64_t now = ee_worker_now();
  *sum += now - *since;
  *since = now;
}

/* Notices -------------------------------------------------------------------------------------- */

static size_t keep_text(ee_worker *worker, const char *text) {
  size_t at = worker->texts.length;
  ee_buffer_add(&worker->texts, text, strlen(text) + 1);
  return at;
}

static void add_notice(ee_worker *worker, ee_status status, const char *file, size_t line, size_t column,
                       const char *message) {
  ee_notice *notice = EE_LIST_ADD(&worker->notices, NULL);
  *notice = (ee_notice){.status = status, .file = SIZE_MAX, .line = line, .column = column};
  if (file != NULL) notice->file = keep_text(worker, file);
  notice->message = keep_text(worker, message);
}

void ee_worker_notice(const ee_worker *worker, size_t number, ee_error *error) {
  const ee_notice *notice = &worker->notices.items[number];
  const char *file = notice->file == SIZE_MAX ? worker->block.file : worker->texts.data + notice->file;
  ee_error_at(error, notice->status, file, notice->line, notice->column, "%s", worker->texts.data + notice->message);
}

/* Adds a notice about the place `line`:`column` inside the record's text (from 1; 0: the record as a whole). */
static void add_record_notice(ee_worker *worker, const ee_record_span *span, ee_status status, size_t line,
                              size_t column, const char *message) {
  if (line <= 1 && column > 0) column += (size_t)span->column - 1;
  uint64_t first = ee_block_line(&worker->block, span->line);
  if (first > 0 || worker->block.before == NULL) {
    add_notice(worker, status, NULL, (size_t)first + (line > 0 ? line - 1 : 0), column, message);
    return;
  }
  ee_error error;
  ee_error_at(&error, status, worker->block.file, (size_t)span->line, 0, "%s", message);
  error.offset = span->byte;
  ee_block_place_error(&worker->block, &error);
  add_notice(worker, status, error.file, 0, 0, message);
}

/* Duplicate keys of the record that is being read. */
typedef struct key_watch {
  ee_worker *worker;
  const ee_record_span *span;
  size_t count;
  size_t line, line_start, scanned; /* at the last duplicate, so that lines are counted once */
} key_watch;

static void on_duplicate_key(void *user, ee_str key, size_t offset) {
  key_watch *watch = user;
  if (++watch->count > MAX_KEYS_LISTED) return;
  const char *text = watch->worker->block.text.data + watch->span->offset;
  if (offset < watch->scanned) watch->line = watch->line_start = watch->scanned = 0;
  for (; watch->scanned < offset; watch->scanned++) {
    if (text[watch->scanned] != '\n') continue;
    watch->line++;
    watch->line_start = watch->scanned + 1;
  }
  char message[NAME_SHOWN + 64];
  snprintf(message, sizeof message, "duplicate key '%.*s', the last one counts", (int)ee_utf8_cut(key, NAME_SHOWN),
           key.length > 0 ? key.data : "");
  add_record_notice(watch->worker, watch->span, EE_OK, watch->line + 1, offset - watch->line_start + 1, message);
}

static void note_more_keys(const key_watch *watch) {
  if (watch->count <= MAX_KEYS_LISTED) return;
  char message[64];
  snprintf(message, sizeof message, "%zu more duplicate keys in this record", watch->count - MAX_KEYS_LISTED);
  add_record_notice(watch->worker, watch->span, EE_OK, 0, 0, message);
}

/* Keeps no more errors than a run lists. A missing reply has no location in the rule file: it gets the record's. */
static void add_rule_notices(ee_worker *worker, const ee_record_span *span) {
  for (size_t i = 0; i < worker->warnings.count; i++) {
    add_record_notice(worker, span, EE_OK, 0, 0, worker->warnings.items[i].message);
    worker->notices.items[worker->notices.count - 1].once = true;
  }
  for (size_t i = 0; i < worker->rule_errors.count; i++) {
    const ee_error *error = &worker->rule_errors.items[i];
    if (error->status == EE_ERROR_PROVIDER) {
      if (worker->provider_notices++ < EE_RULE_ERRORS_LISTED)
        add_record_notice(worker, span, EE_ERROR_PROVIDER, 0, 0, error->message);
    } else if (worker->rule_notices++ < EE_RULE_ERRORS_LISTED) {
      if (error->status != EE_ERROR_LIMIT || error->file[0] != '\0')
        add_notice(worker, error->status, error->file, error->line, error->column, error->message);
      else
        add_record_notice(worker, span, error->status, 0, 0, error->message);
    }
  }
}

/* The buffer is NULL if all ids of the block are empty. */
ee_str ee_worker_id(const ee_worker *worker, const ee_entry *entry) {
  if (entry->id_length == 0) return EE_STR("");
  return (ee_str){worker->ids.data + entry->id, entry->id_length};
}

ee_str ee_worker_collected(const ee_worker *worker, const ee_entry *entry) {
  return (ee_str){worker->collected.data + entry->collected, entry->collected_length};
}

static void add_duplicate_notice(ee_worker *worker, const ee_entry *entry) {
  ee_str id = ee_worker_id(worker, entry);
  if (entry->trial > 0) id.length = entry->base_length;
  char message[NAME_SHOWN + 400], line[32] = "";
  if (entry->first.line > 0) snprintf(line, sizeof line, ":%" PRIu64, entry->first.line);
  if (entry->first.file == NULL)
    snprintf(message, sizeof message, "duplicate id '%.*s' (an earlier part has it)", (int)ee_utf8_cut(id, NAME_SHOWN),
             id.data);
  else
    snprintf(message, sizeof message, "duplicate id '%.*s' (first at %.255s%s)", (int)ee_utf8_cut(id, NAME_SHOWN),
             id.data, entry->first.file, line);
  add_record_notice(worker, &worker->block.records[entry->number], EE_ERROR_DATA, 0, 0, message);
}

/* Records -------------------------------------------------------------------------------------- */

static void keep_id(ee_worker *worker, const ee_case *current, ee_entry *entry) {
  ee_str id = current->id;
  entry->id = worker->ids.length;
  entry->id_length = id.length;
  entry->base_length = ee_case_base(current).length;
  entry->id_hash = ee_id_hash(id);
  entry->unnamed = current->unnamed;
  ee_buffer_add_str(&worker->ids, id);
}

/* Finds the parts of a record; false with `error` when it is not a case. */
static bool read_case(ee_worker *worker, const ee_record_span *span, const ee_value *record, ee_case *current,
                      ee_error *error) {
  ee_expected_set *expected = worker->options->expected;
  if (worker->absent) return ee_expected_set_read_absent(expected, ee_value_text(record), &worker->arena, current);
  const ee_record_paths *paths = &worker->plan->paths;
  const ee_record_place place = ee_block_place(&worker->block, span);
  if (ee_expected_set_read(expected, record, paths, &place, &worker->arena, current, error) != EE_OK) return false;
  if (ee_record_trials_are_files(paths))
    ee_case_name_trial(current, ee_str_from(ee_arena_printf(&worker->arena, "%zu", worker->block.operand + 1)),
                       &worker->arena);
  return true;
}

/* Makes the case of a record that can be had as boxes. The text counts for the hash of the records. */
static bool read_boxes(ee_worker *worker, const ee_record_span *span, ee_case *current) {
  const ee_block *block = &worker->block;
  if (!worker->takes_boxes || worker->absent || block->make_boxes == NULL) return false;
  ee_image_boxes *boxes = ee_arena_alloc(&worker->arena, sizeof *boxes);
  uint64_t number = block->first_made + (uint64_t)(span - block->records);
  if (!block->make_boxes(block->boxes_user, number, &worker->arena, boxes) || worker->arena.over) {
    ee_arena_reset(&worker->arena, ARENA_KEPT);
    return false;
  }
  const ee_value *nothing = ee_value_new(&worker->arena, EE_ARRAY);
  *current = (ee_case){.id = boxes->id,
                       .boxes = boxes,
                       .expected = nothing,
                       .candidate = nothing,
                       .candidate_state = EE_CANDIDATE_READ,
                       .text_hash = span->hash};
  return true;
}

/* Reads the record into the case's arena; false with a notice when it is in error. */
static bool read_record(ee_worker *worker, ee_record_span *span, ee_case *current) {
  span->hash = ee_hash_bytes(worker->block.text.data + span->offset, span->length, 0);
  if (read_boxes(worker, span, current)) return true;
  ee_str text = {worker->block.text.data + span->offset, span->length};
  key_watch watch = {.worker = worker, .span = span};
  uint64_t surrogates = 0;
  /* The candidate is written to rows as it is read, where it can be. */
  ee_json_options options = {.on_duplicate_key = on_duplicate_key,
                             .user = &watch,
                             .lone_surrogates = &surrogates,
                             .sources = worker->options->hooks.format != NULL ? &worker->sources : NULL,
                             .known = &worker->keys,
                             .shares = true};
  ee_error error;
  if (options.sources != NULL) ee_arena_reset(&worker->sources, ARENA_KEPT);
  const ee_value *record = ee_json_read(&worker->arena, text, &options, &error);
  note_more_keys(&watch);
  if (record == NULL) {
    add_record_notice(worker, span, EE_ERROR_DATA, error.line, error.column, error.message);
    return false;
  }
  bool good = read_case(worker, span, record, current, &error);
  if (worker->arena.over) {
    char reason[EE_WORK_REASON];
    add_record_notice(worker, span, EE_ERROR_DATA, 0, 0, ee_work_reason(0, reason));
    return false;
  }
  surrogates += good ? current->lone_surrogates : 0;
  worker->totals.lone_surrogates += surrogates;
  if (surrogates > 0) add_record_notice(worker, span, EE_OK, 0, 0, "half a surrogate pair in a string, read as U+FFFD");
  current->text_hash = span->hash;
  if (good) return true;
  add_record_notice(worker, span, EE_ERROR_DATA, 0, 0, error.message);
  return false;
}

static void judge_case(ee_worker *worker, const ee_record_span *span, const ee_case *current, ee_entry *entry,
                       uint64_t *since) {
  ee_context context = ee_open_plan_context(&worker->opened, &worker->arena);
  context.rule_errors = &worker->rule_errors;
  context.warnings = &worker->warnings;
  context.is_final_round = true;
  context.detail = worker->options->detail;
  context.kinds = worker->options->kinds;
  context.counts_only = worker->counts_only;
  worker->rule_errors.count = worker->warnings.count = 0;
  ee_case_result result;
  ee_work_end end = ee_plan_judge(worker->plan, &context, current, &result);
  /* After an interrupt results of judges whose programs were killed are not valid. */
  bool killed = worker->plan->runs_programs && ee_flag_is_set(worker->options->interrupted);
  worker->cut = end == EE_WORK_INTERRUPTED || killed;
  if (worker->cut) return;
  add_rule_notices(worker, span);
  entry->rule_error = result.rule_errors > 0;
  entry->given_up = result.given_up > 0;
  entry->no_reply = result.provider_failures > 0;
  entry->failed = !result.unscored && result.verdict == EE_VERDICT_FAIL;
  ee_totals_add(&worker->totals, &result, &worker->arena);
  lap(worker, since, &worker->timings.judge_ns);
  const ee_run_hooks *hooks = &worker->options->hooks;
  if (hooks->format_collected != NULL) {
    entry->collected = worker->collected.length;
    hooks->format_collected(hooks->user, &result, &worker->arena, &worker->collected);
    entry->collected_length = worker->collected.length - entry->collected;
  }
  if (hooks->format != NULL) hooks->format(hooks->user, &result, &worker->arena, &worker->rows);
  if (hooks->format == NULL && hooks->format_collected == NULL) return;
  lap(worker, since, &worker->timings.write_ns);
}

/* True when the data set selects a judge for the case. */
static bool has_judge(const ee_plan *plan, ee_str id) {
  size_t count = 1;
  if (plan->selection != NULL) ee_selection_find(plan->selection, id, &count);
  return count > 0;
}

/* True when --only and --where select the case. */
static bool is_chosen(const ee_run_options *options, const ee_case *current, ee_arena *arena) {
  return ee_case_choice_keeps(&options->choice, current, arena);
}

static ee_entry *add_entry(ee_worker *worker, ee_entry_kind kind, size_t number) {
  ee_entry *entry = EE_LIST_ADD(&worker->entries, NULL);
  *entry = (ee_entry){.kind = kind, .number = number};
  return entry;
}

/* Judges the candidates of a record one after the other; at most `max` of them. An entry for each. */
static void judge_candidates(ee_worker *worker, size_t number, ee_case *current, size_t max, uint64_t *since) {
  const ee_record_span *span = &worker->block.records[number];
  size_t count = ee_case_trial_count(current);
  for (size_t i = 0; i < count && i < max && !worker->cut; i++) {
    ee_arena_mark mark = ee_arena_get_mark(&worker->arena);
    if (i > 0) ee_case_take_trial(current, i, &worker->plan->paths, &worker->arena);
    ee_entry *entry = add_entry(worker, EE_ENTRY_SCORED, number);
    entry->trial = current->trial_number;
    keep_id(worker, current, entry);
    judge_case(worker, span, current, entry, since);
    if (worker->cut) worker->entries.count--;
    if (i > 0 && !worker->cut) worker->totals.lone_surrogates += current->lone_surrogates;
    if (i > 0) ee_arena_rewind(&worker->arena, mark);
  }
}

/* `max`: the most candidates of one record that are judged. */
static void judge_record(ee_worker *worker, size_t number, size_t max, uint64_t *since) {
  ee_record_span *span = &worker->block.records[number];
  size_t entries = worker->entries.count, notices = worker->notices.count;
  uint64_t surrogates = worker->totals.lone_surrogates;
  ee_case current;
  bool readable = read_record(worker, span, &current);
  lap(worker, since, &worker->timings.read_ns);
  if (!readable) {
    add_entry(worker, EE_ENTRY_UNREADABLE, number);
    worker->totals.records++;
    worker->totals.unreadable++;
  } else if (!is_chosen(worker->options, &current, &worker->arena)) {
    add_entry(worker, EE_ENTRY_FILTERED, number);
    worker->totals.records += !current.absent;
    worker->totals.filtered += !current.absent;
  } else if (!has_judge(worker->plan, ee_case_base(&current))) {
    add_entry(worker, EE_ENTRY_FILTERED, number);
    worker->totals.records += !current.absent;
    worker->totals.unjudged++;
  } else {
    judge_candidates(worker, number, &current, max, since);
    if (worker->cut && worker->entries.count == entries) {
      worker->notices.count = notices;
      worker->totals.lone_surrogates = surrogates;
    }
  }
  ee_arena_reset(&worker->arena, ARENA_KEPT);
}

/* A record that was judged before the run was resumed: what it asks for is marked, and its id is taken. */
static void pass_record(ee_worker *worker, size_t number) {
  size_t notices = worker->notices.count, texts = worker->texts.length;
  uint64_t surrogates = worker->totals.lone_surrogates;
  ee_case current;
  bool judged = read_record(worker, &worker->block.records[number], &current) &&
                is_chosen(worker->options, &current, &worker->arena) && has_judge(worker->plan, ee_case_base(&current));
  if (judged) keep_id(worker, &current, add_entry(worker, EE_ENTRY_PASSED, number));
  worker->notices.count = notices;
  worker->texts.length = texts;
  worker->totals.lone_surrogates = surrogates;
  ee_arena_reset(&worker->arena, ARENA_KEPT);
}

static void count_unsplit(ee_worker *worker, size_t count) {
  worker->totals.records += count;
  worker->totals.unreadable += count;
}

static void note_unsplit(ee_worker *worker, size_t number) {
  const ee_error *error = &worker->block.errors.items[number];
  add_notice(worker, error->status, NULL, error->line, error->column, error->message);
  if (error->status != EE_OK) count_unsplit(worker, 1);
}

/* Requests to a provider ----------------------------------------------------------------------- */

/* A dry run finds the requests: a judge with a pending request goes on as if nothing matched, or stops. The requests of
 * all records are sent concurrently. Records that had some are run again, since the replies may lead to new ones. */

/* Dry run of a case: how many requests are pending. */
static uint64_t dry_run(ee_worker *worker, const ee_case *current) {
  ee_context context = ee_open_plan_context(&worker->opened, &worker->arena);
  context.dry_run = true;
  ee_case_result result;
  /* An interrupt is noticed when the requests are sent. */
  if (ee_plan_judge(worker->plan, &context, current, &result) == EE_WORK_INTERRUPTED) return 0;
  return context.pending_answers;
}

/* Dry run of one record; true if it has pending requests. */
static bool has_pending_requests(ee_worker *worker, size_t number) {
  const ee_record_span *span = &worker->block.records[number];
  ee_str text = {worker->block.text.data + span->offset, span->length};
  ee_error ignored;
  ee_case current;
  /* Errors of the record are reported when it is judged. */
  const ee_value *record = ee_json_read_data(&worker->arena, text, &ignored);
  bool readable = record != NULL && read_case(worker, span, record, &current, &ignored);
  uint64_t pending = 0;
  if (readable && is_chosen(worker->options, &current, &worker->arena)) {
    size_t count = ee_case_trial_count(&current);
    for (size_t i = 0; i < count; i++) {
      if (i > 0) ee_case_take_trial(&current, i, &worker->plan->paths, &worker->arena);
      pending += dry_run(worker, &current);
    }
  }
  ee_arena_reset(&worker->arena, ARENA_KEPT);
  return pending > 0;
}

/* Lists the current records of the block that are judged. */
static size_t list_records(ee_worker *worker) {
  size_t passed = ee_worker_passed(worker), first = worker->first > passed ? worker->first : passed;
  worker->pending.count = 0;
  for (size_t i = first; i < worker->last; i++) *EE_LIST_ADD(&worker->pending, NULL) = i;
  return worker->pending.count;
}

/* Sends requests until none is pending; false when stopped. */
static bool send_all(ee_worker *worker, const atomic_bool *dropped) {
  const ee_stop stop = {worker->options->interrupted, dropped};
  ee_provider_session *session = worker->opened.session;
  size_t count = list_records(worker);
  for (unsigned round = 0; round <= EE_PROVIDER_ROUNDS; round++) {
    size_t left = 0;
    for (size_t i = 0; i < count && !atomic_load(dropped); i++) {
      if (has_pending_requests(worker, worker->pending.items[i]))
        worker->pending.items[left++] = worker->pending.items[i];
    }
    count = left;
    if (count == 0 || atomic_load(dropped)) return true;
    uint64_t since = worker->options->timings ? ee_worker_now() : 0;
    ee_status status = session->vtable->ask(session, &stop);
    if (worker->options->timings) worker->timings.ask_ns += ee_worker_now() - since;
    if (status != EE_OK) return false;
  }
  return true;
}

bool ee_worker_send_requests(ee_worker *worker, uint64_t ticket, const atomic_bool *dropped) {
  ee_provider_session *session = worker->opened.session;
  if (!ee_provider_session_is_async(session)) return true;
  uint64_t since = worker->options->timings ? ee_worker_now() : 0, ask_before = worker->timings.ask_ns;
  ee_provider_session_begin(session, ticket);
  bool complete = atomic_load(dropped) || send_all(worker, dropped);
  ee_provider_session_end(session);
  uint64_t asked = worker->timings.ask_ns - ask_before;
  if (worker->options->timings) worker->timings.judge_ns += ee_worker_now() - since - asked;
  return complete;
}

/* Blocks --------------------------------------------------------------------------------------- */

static void start(ee_worker *worker) {
  worker->cut = false;
  worker->notices.count = 0;
  worker->rule_notices = 0;
  worker->provider_notices = 0;
  ee_buffer_clear(&worker->texts);
  ee_buffer_clear(&worker->rows);
  ee_buffer_clear(&worker->collected);
  ee_totals_clear(&worker->totals);
}

/* Takes the next `count` errors of the block; returns how many of them are not passed: all but the first ones. */
static size_t take_errors(ee_worker *worker, size_t count) {
  const ee_run_place *from = worker->options->from;
  uint64_t at = worker->errors_before + worker->errors_taken, passed = from != NULL ? from->errors : 0;
  worker->errors_taken += count;
  if (at >= passed) return count;
  return passed - at < count ? count - (size_t)(passed - at) : 0;
}

/* Adds records before the byte `end` of the file that could not be split off: the listed errors, then `unlisted` more.
 */
static void add_unsplit(ee_worker *worker, uint64_t end, uint64_t unlisted) {
  const ee_error_list *errors = &worker->block.errors;
  for (; worker->next_error < errors->count && errors->items[worker->next_error].offset <= end; worker->next_error++) {
    if (take_errors(worker, 1) == 0) continue;
    add_entry(worker, EE_ENTRY_UNSPLIT, worker->next_error);
    note_unsplit(worker, worker->next_error);
  }
  size_t left = take_errors(worker, (size_t)unlisted);
  if (left == 0) return;
  add_entry(worker, EE_ENTRY_UNLISTED, left);
  count_unsplit(worker, left);
}

static void take(ee_worker *worker, size_t first, size_t max) {
  size_t left = worker->block.count - first;
  worker->first = first;
  worker->last = first + (max < left ? max : left);
}

size_t ee_worker_passed(const ee_worker *worker) {
  const ee_run_place *from = worker->options->from;
  if (from == NULL || from->records <= worker->records_before) return 0;
  uint64_t passed = from->records - worker->records_before;
  return passed < worker->block.count ? (size_t)passed : worker->block.count;
}

void ee_worker_start(ee_worker *worker, size_t max) {
  worker->next_error = 0;
  worker->errors_taken = 0;
  take(worker, 0, max);
}

bool ee_worker_go_on(ee_worker *worker, size_t max) {
  if (worker->last == worker->block.count) return false;
  take(worker, worker->last, max);
  return true;
}

/* Keeps what the current records before the one at `number` gave: it was interrupted. If some of its candidates have
 * been judged, nothing is kept, since their record is not whole. */
static void cut_at(ee_worker *worker, size_t number, size_t errors_before) {
  const ee_entry *last = worker->entries.count > 0 ? &worker->entries.items[worker->entries.count - 1] : NULL;
  worker->last = number;
  if (last == NULL || last->kind != EE_ENTRY_SCORED || last->number != number) return;
  start(worker);
  worker->entries.count = 0;
  worker->errors_taken = errors_before;
  worker->last = worker->first;
}

bool ee_worker_judge(ee_worker *worker) {
  const ee_block *block = &worker->block;
  size_t errors_before = worker->errors_taken;
  size_t passed = ee_worker_passed(worker);
  start(worker);
  worker->entries.count = 0;
  ee_buffer_clear(&worker->ids);
  uint64_t since = worker->options->timings ? ee_worker_now() : 0;
  for (size_t i = worker->first; i < worker->last; i++) {
    add_unsplit(worker, block->records[i].byte, block->records[i].unlisted);
    if (i < passed) {
      pass_record(worker, i);
      continue;
    }
    judge_record(worker, i, SIZE_MAX, &since);
    if (!worker->cut) continue;
    cut_at(worker, i, errors_before);
    return false;
  }
  if (worker->last == block->count) add_unsplit(worker, UINT64_MAX, block->unlisted);
  return true;
}

bool ee_worker_judge_again(ee_worker *worker, size_t count) {
  start(worker);
  uint64_t since = worker->options->timings ? ee_worker_now() : 0;
  size_t before = worker->entries.count;
  for (size_t i = 0, next; i < count; i = next) {
    ee_entry entry = worker->entries.items[i];
    next = i + 1;
    /* The candidates of one record. */
    while (next < count && worker->entries.items[next].trial > 1) next++;
    if (entry.kind == EE_ENTRY_UNSPLIT) {
      note_unsplit(worker, entry.number);
    } else if (entry.kind == EE_ENTRY_UNLISTED) {
      count_unsplit(worker, entry.number);
    } else if (entry.kind == EE_ENTRY_DUPLICATE) {
      add_duplicate_notice(worker, &entry);
      worker->totals.records++;
      worker->totals.duplicates++;
    } else if (entry.kind != EE_ENTRY_PASSED) {
      judge_record(worker, entry.number, next - i, &since);
      worker->entries.count = before;
      if (worker->cut) return false;
    }
  }
  return true;
}
