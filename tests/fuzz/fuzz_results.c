/* fuzz_results.c: what a run with --results leaves when it is cut short, read by one with --resume.
 *
 * The bytes up to the first 0 are rows. Each line of the rest is a checkpoint: one byte says how much of the rows it
 * counts as good, then come further members of its object. Places, hashes and checksums that fit are added, so that
 * all of it is read; where the first byte of all is odd, the last line is not given its checksum. The run goes on from
 * whole rows, or says why it cannot. */
#include <unistd.h>

#include "base/running_hash.h"
#include "cli/results_file.h"
#include "data/json/checked_line.h"
#include "fuzz/fuzz.h"

static const char rule_text[] =
    "return ee.rules { slices = { 'kind' }, ee.fields { name = 'header', ee.exact 'number', "
    "ee.numeric 'total' }, ee.quality { name = 'keys' } }";

static const ee_plan *plan_of_rules(void) {
  static const ee_plan *plan;
  if (plan != NULL) return plan;
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.instructions = -1}, .text = ee_str_from(rule_text)};
  ee_rule_file *rules = ee_rule_file_load("fuzz.lua", &options, &errors);
  fuzz_require(rules != NULL);
  ee_error_list_fini(&errors);
  return plan = ee_rule_file_plan(rules);
}

typedef struct restored {
  size_t rows, others;
  bool whole;
} restored;

static ee_status take_rows(void *user, const char *data, size_t length, ee_error *error) {
  (void)error;
  restored *self = user;
  fuzz_require(length > 0 && data[length - 1] == '\n');
  self->rows += length;
  return EE_OK;
}
static void take_message(void *user, const ee_error *message) {
  (void)message;
  ((restored *)user)->others++;
}
static void take_failed(void *user, ee_str id, const char *file, uint64_t line) {
  (void)line;
  fuzz_require(id.data != NULL && file != NULL);
  ((restored *)user)->others++;
}
static ee_status take_collected(void *user, ee_str row, ee_error *error) {
  (void)error;
  fuzz_require(row.data != NULL);
  ((restored *)user)->others++;
  return EE_OK;
}

static void write_journal(ee_str rows, fuzz_source *source, bool broken, ee_buffer *out) {
  ee_run_identity identity = {.program = ""};
  ee_buffer_add_text(out, "{\"evalengine_results\":2");
  ee_run_identity_write(&identity, out);
  ee_buffer_add_text(out, ",\"process\":1,\"host\":\"fuzz\"");
  uint64_t check = ee_checked_line_end(out, 0, 0);
  for (uint64_t number = 1; !fuzz_is_empty(source); number++) {
    size_t start = out->length, good = rows.length * fuzz_below(source, 9) / 8;
    while (good > 0 && rows.data[good - 1] != '\n') good--;
    ee_running_hash *hash = ee_running_hash_new();
    ee_running_hash_add(hash, rows.data, good);
    ee_buffer_addf(out, "{\"rows\":%zu,\"rows_hash\":\"%016llx\"", good,
                   (unsigned long long)ee_running_hash_value(hash));
    ee_running_hash_free(hash);
    ee_str members = fuzz_line(source);
    if (members.length > 0) ee_buffer_add_char(out, ',');
    ee_buffer_add_str(out, members);
    if (broken && fuzz_is_empty(source)) break;
    check = ee_checked_line_end(out, start, check);
  }
}

static void put(const char *name, ee_str bytes) {
  FILE *file = fopen(name, "wb");
  fuzz_require(file != NULL);
  if (bytes.length > 0) fuzz_require(fwrite(bytes.data, 1, bytes.length, file) == bytes.length);
  fuzz_require(fclose(file) == 0);
}

static void resume(const char *name, ee_str rows) {
  ee_run_identity identity = {.program = ""};
  ee_terminal terminal = {.quiet = true};
  ee_error error = {0};
  ee_results_file *file = ee_results_file_open(name, &identity, true, &terminal, &error);
  fuzz_require(file != NULL || error.message[0] != '\0');
  if (file == NULL) return;
  if (ee_results_file_from(file) != NULL) {
    ee_totals totals;
    restored all = {0};
    ee_results_listener listener = {&all, take_rows, take_message, take_failed, take_collected};
    ee_totals_init(&totals, plan_of_rules());
    ee_status status = ee_results_file_restore(file, &totals, &listener, &error);
    fuzz_require(status == EE_OK || error.message[0] != '\0');
    fuzz_require(all.rows <= rows.length);
    if (status == EE_OK) ee_totals_finish(&totals);
    ee_totals_fini(&totals);
  }
  ee_results_file_close(file);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  char folder[] = "/tmp/ee_fuzz_XXXXXX", name[64], part[96], journal[96];
  fuzz_require(mkdtemp(folder) != NULL);
  snprintf(name, sizeof name, "%s/rows.jsonl", folder);
  snprintf(part, sizeof part, "%s" EE_RESULTS_PART, name);
  snprintf(journal, sizeof journal, "%s" EE_RESULTS_JOURNAL, name);
  fuzz_source source = fuzz_source_of(data, size);
  bool broken = fuzz_byte(&source) & 1;
  size_t left = (size_t)(source.end - source.at);
  const uint8_t *zero = left > 0 ? memchr(source.at, 0, left) : NULL;
  ee_str rows = fuzz_text(source.at, zero != NULL ? (size_t)(zero - source.at) : left);
  source.at = zero != NULL ? zero + 1 : source.end;
  ee_buffer lines = {0};
  write_journal(rows, &source, broken, &lines);
  put(part, rows);
  put(journal, fuzz_buffer_text(&lines));
  resume(name, rows);
  ee_buffer_fini(&lines);
  unlink(part);
  unlink(journal);
  rmdir(folder);
  return 0;
}

EE_FUZZ_TARGET(16384)
