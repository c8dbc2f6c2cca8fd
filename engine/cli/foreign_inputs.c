/* foreign_inputs.c: what --from means for the other options, and what is said of the files it names. */
#include "cli/foreign_inputs.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "data/files/byte_source.h"
#include "data/files/given_source.h"
#include "data/foreign/foreign.h"
#include "data/json/json_reader.h"
#include "run/where.h"

/* Bytes of a file's beginning that are looked at. */
#define HEAD ((size_t)1 << 20)
/* Runs that a message names. */
#define VARIANTS_SHOWN 6
/* Runs that are distinguished. */
#define VARIANTS_KEPT 256

/* Whether it can be read once only: standard input, a source of a host. */
static bool is_read_once(const char *file) {
  const ee_given_source *given = ee_given_source_find(file);
  return strcmp(file, "-") == 0 || (given != NULL && given->text == NULL);
}

/* The beginning of a file, or the names of the entries of an archive (`entries`: their prefix, NULL: it is not read as
 * one); nothing of what is read once only. */
static ee_status read_head(const char *file, const char *entries, ee_buffer *head, ee_error *error) {
  if (is_read_once(file)) return EE_OK;
  ee_byte_source *source = ee_byte_source_open(file, error);
  if (source == NULL) return EE_ERROR_SYSTEM;
  ee_byte_source_set_brief(source);
  ee_byte_source_set_entries(source, entries);
  ee_status status = ee_byte_source_read_rest(source, HEAD, head, error);
  ee_buffer names;
  ee_buffer_init(&names);
  ee_byte_source_entries(source, &names);
  if (names.length > 0) {
    ee_buffer_clear(head);
    ee_buffer_add(head, names.data, names.length);
  }
  ee_buffer_fini(&names);
  ee_byte_source_close(source);
  return status;
}

/* Whether the records of a file are trials; not of what is not there or a directory. Fails if the system does not let
 * it be read. */
static ee_status find_trials(const ee_foreign_format *format, const char *file, bool *found, ee_error *error) {
  struct stat about;
  if (stat(file, &about) == 0 ? S_ISDIR(about.st_mode) : errno == ENOENT) return EE_OK;
  ee_error failure = {.status = EE_OK};
  ee_buffer head;
  ee_buffer_init(&head);
  if (read_head(file, format->entries, &head, &failure) == EE_OK)
    *found = format->has_trials((ee_str){head.data, head.length});
  ee_buffer_fini(&head);
  if (failure.status != EE_ERROR_SYSTEM) return EE_OK;
  *error = failure;
  return EE_ERROR_SYSTEM;
}

ee_status ee_foreign_options(ee_options *options, ee_error *error) {
  if (options->from == 0) return EE_OK;
  bool without_rules = ee_options_without_rules(options);
  size_t files = options->operand_count;
  bool brings_expected = !without_rules && files > 0 && ee_is_yaml_name(options->operands[0]);
  ee_foreign_use *use = EE_NEW(options->arena, ee_foreign_use);
  use->format = ee_foreign_formats[options->from - 1];
  use->one_file = options->expected == NULL && !brings_expected && (!without_rules || files < 2);
  use->candidate_given = options->candidates.count + options->candidate_lists.count > 0;
  options->foreign = use;
  const char *trial = use->format->trial;
  if (trial == NULL || options->trial_paths.count + options->candidate_lists.count > 0) return EE_OK;
  bool several = false;
  ee_status status = EE_OK;
  for (size_t i = without_rules ? 0 : 1; status == EE_OK && i < files && !several; i++)
    status = find_trials(use->format, options->operands[i], &several, error);
  if (several)
    *EE_LIST_ADD(&options->trial_paths, options->arena) =
        ee_record_path_parse(options->arena, ee_str_from(trial), NULL);
  return status;
}

/* Whether the beginning of a file of sentences, as one of them, can be read: the first may be longer than a record may
 * be. */
static bool begins_fitly(const char *file, const ee_foreign_use *use) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_buffer head, out;
  ee_buffer_init(&head);
  ee_buffer_init(&out);
  bool found = false;
  if (use->format->sentences && read_head(file, NULL, &head, NULL) == EE_OK) {
    ee_str text = {head.data, head.length};
    while (text.length > 0 && text.data[text.length - 1] != '\n') text.length--; /* whole lines */
    if (text.length == 0) text.length = head.length;
    ee_foreign_seen seen = {.records = 0};
    ee_foreign_reading reading = {
        .use = use, .seen = &seen, .line = 1, .given_id = EE_STR("1"), .arena = &arena, .out = &out};
    ee_error ignored;
    found = text.length > 0 && ee_foreign_convert(&reading, text, &ignored) == EE_FOREIGN_RECORD;
  }
  ee_buffer_fini(&out);
  ee_buffer_fini(&head);
  ee_arena_fini(&arena);
  return found;
}

/* Whether `file` has a record of the tool at its beginning. */
static ee_status fits(const char *file, const ee_record_paths *paths, bool *found, ee_error *error) {
  ee_dataset *dataset = ee_dataset_open(&file, 1, error);
  if (dataset == NULL) return EE_ERROR_SYSTEM;
  ee_dataset_set_brief(dataset);
  ee_dataset_set_sizes(dataset, 0, ee_bound_size(EE_BOUND_RECORD));
  ee_dataset_look_inside(dataset, paths);
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  ee_status status = ee_dataset_next(dataset, &block, &done, error);
  *found = status == EE_OK && ee_dataset_foreign(dataset)->records > 0;
  ee_block_fini(&block);
  ee_dataset_close(dataset);
  return status;
}

ee_status ee_foreign_paths_of_expected(const ee_record_paths *paths, const char *file, ee_record_paths *own,
                                       ee_error *error) {
  *own = *paths;
  if (paths->from == NULL || paths->from->format->coco || is_read_once(file)) return EE_OK;
  bool found = begins_fitly(file, paths->from);
  ee_status status = found ? EE_OK : fits(file, paths, &found, error);
  if (!found) own->from = NULL;
  return status;
}

const char *ee_foreign_suggestion(const char *file, ee_arena *arena) {
  ee_buffer head;
  ee_buffer_init(&head);
  const ee_foreign_format *format = NULL;
  if (read_head(file, NULL, &head, NULL) == EE_OK) format = ee_foreign_guess((ee_str){head.data, head.length}, arena);
  ee_buffer_fini(&head);
  return format != NULL ? ee_arena_printf(arena, "'%s' looks like %s: --from %s", file, format->what, format->name)
                        : NULL;
}

ee_status ee_foreign_check_coco(const ee_inputs *inputs, const ee_options *options, ee_error *error) {
  bool wanted = options->foreign != NULL && options->foreign->format->coco;
  if (!wanted || (inputs->expected != NULL && ee_expected_set_coco(inputs->expected) != NULL)) return EE_OK;
  const char *file = inputs->expected_file != NULL ? inputs->expected_file : inputs->files[0];
  return ee_error_set(error, EE_ERROR_DATA,
                      "'%s' is not COCO's annotations, an object with 'images' and 'annotations': --from coco takes "
                      "INSTANCES.json RESULTS.json, after a rule file --expected INSTANCES.json RESULTS.json",
                      file);
}

/* Runs in one file ------------------------------------------------------------------------------ */

bool ee_foreign_has_variants(const ee_options *options) {
  return options->foreign != NULL && options->foreign->format->variants != NULL;
}

/* The values of the members that tell runs apart. */
typedef struct variant {
  const char *where; /* "--where provider=a --where prompt_index=0" */
  uint64_t count;
} variant;

typedef struct variants {
  const ee_foreign_format *format;
  const ee_case_choice *choice;
  const ee_paths *trials;
  ee_arena *arena;
  struct {
    EE_LIST(variant);
  } list;
} variants;

/* Whether the user takes the member as what tells trials apart. */
static bool is_trial(const variants *self, const char *member) {
  for (size_t i = 0; i < self->trials->count; i++)
    if (ee_str_is(self->trials->items[i]->text, member)) return true;
  return false;
}

static void add_case(variants *self, const ee_case *current, ee_arena *scratch) {
  if (!ee_case_choice_keeps(self->choice, current, scratch)) return;
  ee_buffer text;
  ee_buffer_init(&text);
  for (const char *const *member = self->format->variants; *member != NULL; member++) {
    const ee_value *value = ee_value_member(current->record, ee_str_from(*member), scratch);
    char number[32];
    ee_str shown = ee_type_of(value) == EE_STRING   ? ee_value_text(value)
                   : ee_type_of(value) == EE_NUMBER ? ee_value_number_text(value, number)
                                                    : EE_STR("(missing)");
    if (!is_trial(self, *member)) ee_buffer_addf(&text, " --where '%s=%.*s'", *member, EE_STR_ARG(shown));
  }
  const char *where = ee_buffer_terminate(&text);
  variant *found = NULL;
  for (size_t i = 0; i < self->list.count && found == NULL; i++)
    if (strcmp(self->list.items[i].where, where) == 0) found = &self->list.items[i];
  if (found == NULL && self->list.count < VARIANTS_KEPT) {
    found = EE_LIST_ADD(&self->list, self->arena);
    *found = (variant){.where = ee_arena_copy(self->arena, where, text.length)};
  }
  if (found != NULL) found->count++;
  ee_buffer_fini(&text);
}

static void add_block(variants *self, const ee_block *block, const ee_record_paths *paths, ee_arena *scratch) {
  for (size_t i = 0; i < block->count; i++) {
    const ee_record_span *span = &block->records[i];
    const ee_record_place place = ee_block_place(block, span);
    const ee_value *record = ee_json_read_data(scratch, (ee_str){block->text.data + span->offset, span->length}, NULL);
    ee_case current;
    if (record != NULL && ee_record_read_answer(record, paths, &place, scratch, &current, NULL) == EE_OK)
      add_case(self, &current, scratch);
    ee_arena_reset(scratch, 0);
  }
}

static ee_status fail_mixed(const variants *self, const ee_options *options, const ee_inputs *inputs, ee_error *error) {
  ee_buffer text;
  ee_buffer_init(&text);
  size_t shown = self->list.count < VARIANTS_SHOWN ? self->list.count : VARIANTS_SHOWN;
  for (size_t i = 0; i < shown; i++)
    ee_buffer_addf(&text, "%s%s (%" PRIu64 ")", i > 0 ? ";" : "", self->list.items[i].where, self->list.items[i].count);
  if (shown < self->list.count) ee_buffer_add_text(&text, "; ...");
  ee_error_set(error, EE_ERROR_DATA, "'%s' has %s%zu runs of %s, which are not mixed: choose one with%s",
               inputs->files[0], self->list.count == VARIANTS_KEPT ? "at least " : "", self->list.count,
               options->foreign->format->name, ee_buffer_terminate(&text));
  ee_buffer_fini(&text);
  return EE_ERROR_DATA;
}

ee_status ee_foreign_check_variants(const ee_inputs *inputs, const ee_options *options, const ee_record_paths *paths,
                                    ee_error *error) {
  for (size_t i = 0; i < inputs->file_count; i++)
    if (strcmp(inputs->files[i], "-") != 0 && is_read_once(inputs->files[i]))
      return ee_error_set(
          error, EE_ERROR_USAGE,
          "'%s' is read once, and whether its results are of one run has to be seen first: give its text",
          inputs->files[i]);
  ee_dataset *dataset = ee_dataset_open(inputs->files, inputs->file_count, error);
  if (dataset == NULL) return EE_ERROR_SYSTEM;
  ee_dataset_look_inside(dataset, paths);
  const ee_case_choice choice = ee_load_choice(options);
  ee_arena arena, scratch;
  ee_arena_init(&arena, 0);
  ee_arena_init(&scratch, 0);
  variants self = {
      .format = options->foreign->format, .choice = &choice, .trials = &options->trial_paths, .arena = &arena};
  ee_block block;
  ee_block_init(&block);
  bool done = false;
  ee_status status = EE_OK;
  while (status == EE_OK && !done) {
    status = ee_dataset_next(dataset, &block, &done, error);
    if (status == EE_OK && !done) add_block(&self, &block, paths, &scratch);
  }
  if (status == EE_OK && self.list.count > 1) status = fail_mixed(&self, options, inputs, error);
  ee_block_fini(&block);
  ee_arena_fini(&scratch);
  ee_arena_fini(&arena);
  ee_dataset_close(dataset);
  return status;
}

/* Notes ----------------------------------------------------------------------------------------- */

void ee_foreign_warn(const ee_options *options, const ee_foreign_seen *seen, const char *file, ee_terminal *terminal) {
  if (options->foreign == NULL || options->foreign->format->notes == NULL || seen == NULL) return;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < EE_FOREIGN_NOTES; i++) {
    const char *text = ee_foreign_note_text(options->foreign->format, seen, i, &arena);
    ee_error warning;
    if (text == NULL) continue;
    ee_error_at(&warning, EE_OK, file, 0, 0, "warning: %s", text);
    ee_terminal_message(terminal, &warning);
  }
  ee_arena_fini(&arena);
}

void ee_foreign_warn_inputs(const ee_inputs *inputs, const ee_options *options, ee_terminal *terminal) {
  if (inputs->expected != NULL)
    ee_foreign_warn(options, ee_expected_set_foreign(inputs->expected), inputs->expected_file, terminal);
  if (inputs->dataset != NULL)
    ee_foreign_warn(options, ee_dataset_foreign(inputs->dataset), inputs->file_count == 1 ? inputs->files[0] : NULL,
                    terminal);
}
