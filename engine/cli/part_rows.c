/* part_rows.c: files of rows are read line by line, and compared with the ids of states. */
#include "cli/part_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary_file.h"
#include "data/files/byte_source.h"
#include "data/files/given_source.h"
#include "data/json/json_reader.h"
#include "report/stored_row.h"
#include "run/id_set.h"

#define READ_BYTES ((size_t)1 << 20)
/* Bytes of an id in a message. */
#define ID_SHOWN 60

#define NO_STATE SIZE_MAX

void ee_part_rows_close(ee_part_rows *self) {
  for (size_t i = 0; i < self->files.count; i++)
    if (self->files.items[i].copy >= 0) close(self->files.items[i].copy);
  EE_LIST_FINI(&self->files);
  EE_LIST_FINI(&self->states);
  EE_LIST_FINI(&self->order);
  ee_arena_fini(&self->arena);
  *self = (ee_part_rows){0};
}

const char *ee_part_rows_path(const ee_part_rows *self, size_t number) {
  const ee_rows_file *file = &self->files.items[number];
  /* Some systems share the position of a descriptor that is opened again. */
  if (file->copy >= 0) lseek(file->copy, 0, SEEK_SET);
  return file->path;
}

static const char *shown(ee_part_rows *self, ee_str id) {
  return ee_arena_copy(&self->arena, id.data, ee_utf8_cut(id, ID_SHOWN));
}

/* A pipe can be read once only. */
static ee_status copy_pipe(ee_part_rows *self, ee_rows_file *file, ee_error *error) {
  struct stat about;
  bool given = ee_given_source_find(file->name) != NULL;
  if (given) return EE_OK;
  bool known = strcmp(file->name, "-") != 0 && stat(file->name, &about) == 0;
  if (known && S_ISREG(about.st_mode)) return EE_OK;
  ee_byte_source *source = ee_byte_source_open(file->name, error);
  if (source == NULL) return EE_ERROR_SYSTEM;
  ee_byte_source_set_interrupt(source, self->interrupt);
  ee_buffer text = {0};
  char *room = ee_buffer_reserve(&text, READ_BYTES);
  ee_status status = EE_OK;
  file->copy = ee_temporary_file();
  for (size_t got = 1; status == EE_OK && got > 0;) {
    status = ee_byte_source_read(source, room, READ_BYTES, &got, error);
    /* unreached: the disk is full: make faults */
    if (status == EE_OK && (file->copy < 0 || !ee_write_whole(file->copy, room, got)))
      /* unreached: as the line before */
      status = ee_error_set(error, EE_ERROR_SYSTEM, "cannot write a temporary file for the rows of '%s'", file->name);
  }
  ee_buffer_fini(&text);
  ee_byte_source_close(source);
  file->path = ee_arena_printf(&self->arena, "/dev/fd/%d", file->copy);
  return status;
}

/* Rows ------------------------------------------------------------------------------------------- */

/* Looks at the rows of a file one after the other. */
typedef struct row_visit {
  ee_part_rows *self;
  ee_rows_file *file;
  bool (*row)(struct row_visit *visit, const ee_stored_row *row); /* false ends */
  uint64_t line, bytes;
  const ee_id_hashes *ids; /* of the state that is compared */
  const char *state;
  unsigned char *seen; /* bits: which of `ids` had a row */
} row_visit;

static ee_status visit_line(row_visit *visit, ee_str line, ee_arena *arena, bool *more, ee_error *error) {
  visit->line++;
  visit->bytes += line.length + 1;
  if (ee_str_is_blank(line)) return EE_OK;
  ee_error broken;
  ee_stored_row row;
  const ee_value *record = ee_json_read(arena, line, NULL, &broken);
  if (record == NULL || !ee_stored_row_read_id(record, arena, &row, &broken))
    return ee_error_at(error, EE_ERROR_RULES, visit->file->name, (size_t)visit->line, 0,
                       "not a row of results (--results writes them): %s", broken.message);
  *more = visit->row(visit, &row);
  ee_arena_reset(arena, READ_BYTES);
  return EE_OK;
}

static ee_status visit_rows(row_visit *visit, ee_error *error) {
  ee_part_rows *self = visit->self;
  ee_byte_source *source =
      ee_byte_source_open(ee_part_rows_path(self, (size_t)(visit->file - self->files.items)), error);
  if (source == NULL) return EE_ERROR_SYSTEM;
  ee_byte_source_set_interrupt(source, self->interrupt);
  ee_buffer text = {0};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_status status = EE_OK;
  bool more = true;
  for (size_t got = 1; status == EE_OK && more && got > 0;) {
    char *room = ee_buffer_reserve(&text, READ_BYTES);
    status = ee_byte_source_read(source, room, READ_BYTES, &got, error);
    if (status != EE_OK) break; /* unreached: a read fails: make faults */
    text.length += got;
    size_t at = 0;
    while (status == EE_OK && more && at < text.length) {
      const char *end = memchr(text.data + at, '\n', text.length - at);
      if (end == NULL && got > 0) break;
      size_t length = end != NULL ? (size_t)(end - text.data) - at : text.length - at;
      status = visit_line(visit, (ee_str){text.data + at, length}, &arena, &more, error);
      at += length + (end != NULL);
    }
    memmove(text.data, text.data + at, text.length - at);
    text.length -= at;
  }
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
  ee_byte_source_close(source);
  return status;
}

static uint64_t hash_of_first(const ee_stored_row *row) {
  char text[512];
  /* The candidates of one record have one id in the state, that of the first. */
  if (row->trial.data == NULL || row->base.length > sizeof text - 16) return ee_id_hash(row->id);
  int length = snprintf(text, sizeof text, "%.*s (trial 1)", EE_STR_ARG(row->base));
  return ee_id_hash((ee_str){text, (size_t)length});
}

static bool is_kept(const ee_stored_row *row) {
  return ee_type_of(ee_value_member(row->record, EE_STR("kept"), NULL)) == EE_STRING;
}

/* The beginning ---------------------------------------------------------------------------------- */

static bool see_beginning(row_visit *visit, const ee_stored_row *row) {
  ee_rows_file *file = visit->file;
  file->empty = false;
  file->kept = file->kept || is_kept(row);
  const ee_value *rules = ee_value_member(row->record, EE_STR("rules_hash"), NULL);
  char here[20];
  snprintf(here, sizeof here, "%016" PRIx64, visit->self->rules_hash);
  if (ee_type_of(rules) == EE_STRING && !ee_str_is(ee_value_text(rules), here)) {
    file->why = "its rows are judged by other rules, parameters or config than the states";
    return false;
  }
  uint64_t hash = ee_id_hash(row->id);
  if (!row->unnamed && (!file->named || hash < file->hash)) {
    file->hash = hash;
    file->first = hash_of_first(row);
    file->id = ee_str_from(shown(visit->self, row->base));
    file->named = true;
  }
  return !file->named || visit->bytes < READ_BYTES;
}

static ee_status refuse(const ee_rows_file *file, ee_error *error) {
  return ee_error_set(error, EE_ERROR_RULES, "'%s' is not the rows of a part: %s", file->name, file->why);
}

ee_status ee_part_rows_open(ee_part_rows *self, const char *const *names, size_t count, uint64_t rules_hash,
                            const volatile sig_atomic_t *interrupt, ee_error *error) {
  *self = (ee_part_rows){.top = UINT64_MAX, .rules_hash = rules_hash, .interrupt = interrupt};
  ee_arena_init(&self->arena, 0);
  ee_status status = EE_OK;
  for (size_t i = 0; i < count && status == EE_OK; i++) {
    ee_rows_file *file = EE_LIST_ADD(&self->files, NULL);
    *file = (ee_rows_file){.name = names[i], .path = names[i], .copy = -1, .empty = true, .state = NO_STATE};
    status = copy_pipe(self, file, error);
    row_visit visit = {.self = self, .file = file, .row = see_beginning};
    if (status == EE_OK) status = visit_rows(&visit, error);
    if (status == EE_OK && file->why != NULL) status = refuse(file, error);
  }
  return status;
}

/* One state -------------------------------------------------------------------------------------- */

/* Whether a set may have the hash: it has, or is a sample that cannot say; `*place` is then where it is, or its count.
 */
static bool may_have(const ee_id_hashes *ids, uint64_t hash, size_t *place) {
  *place = ids->count;
  if (hash > UINT64_MAX >> ids->shift) return true;
  size_t low = ee_id_hashes_find(ids, hash);
  if (low == ids->count || ids->items[low] != hash) return false;
  *place = low;
  return true;
}

static bool compare_row(row_visit *visit, const ee_stored_row *row) {
  ee_rows_file *file = visit->file;
  ee_arena *arena = &visit->self->arena;
  file->rows++;
  file->kept = file->kept || is_kept(row);
  if (visit->ids == NULL || row->unnamed) return true;
  size_t place, first;
  bool own = may_have(visit->ids, ee_id_hash(row->id), &place);
  if (!own && !(row->trial.data != NULL && may_have(visit->ids, hash_of_first(row), &first))) {
    file->why = ee_arena_printf(arena, "it has cases of %s, but case '%s' is not in it", visit->state,
                                shown(visit->self, row->base));
    return false;
  }
  if (!own || place == visit->ids->count) return true;
  unsigned char bit = (unsigned char)(1 << place % 8);
  if ((visit->seen[place / 8] & bit) != 0)
    file->why = ee_arena_printf(arena, "it has case '%s' twice", shown(visit->self, row->base));
  visit->seen[place / 8] |= bit;
  return file->why == NULL;
}

/* Reads a file whole; `why` is then set if it does not fit. */
static ee_status compare(ee_part_rows *self, ee_rows_file *file, const ee_id_hashes *ids, const char *state,
                         ee_error *error) {
  ee_buffer seen = {0};
  size_t bytes = ids != NULL ? ids->count / 8 + 1 : 1;
  row_visit visit = {.self = self, .file = file, .row = compare_row, .ids = ids, .state = state};
  visit.seen = memset(ee_buffer_reserve(&seen, bytes), 0, bytes);
  file->rows = 0;
  file->why = NULL;
  ee_status status = visit_rows(&visit, error);
  ee_buffer_fini(&seen);
  return status;
}

static void take(ee_part_rows *self, ee_rows_file *file, size_t number) {
  ee_rows_state *state = &self->states.items[number];
  file->state = number;
  state->kept = state->kept || file->kept;
  state->rows += file->rows;
  state->files++;
}

ee_status ee_part_rows_find(ee_part_rows *self, const ee_part *part, const ee_id_hashes *ids, uint64_t cases,
                            ee_error *error) {
  if (self->files.count == 0) return EE_OK;
  ee_rows_state *state = EE_LIST_ADD(&self->states, NULL);
  *state = (ee_rows_state){
      .name = ee_part_name(part, &self->arena), .single = part->of > 0 && part->from == part->to, .cases = cases};
  const ee_rows_file *taken = NULL;
  if (self->top > UINT64_MAX >> ids->shift) self->top = UINT64_MAX >> ids->shift;
  ee_status status = EE_OK;
  for (size_t i = 0; i < self->files.count && status == EE_OK; i++) {
    ee_rows_file *file = &self->files.items[i];
    bool may = file->named && file->state == NO_STATE &&
               (ee_id_hashes_has(ids, file->hash) || ee_id_hashes_has(ids, file->first));
    if (!may) continue;
    if (state->single && taken != NULL) {
      file->why = ee_arena_printf(&self->arena, "%s has its rows from '%s'", state->name, taken->name);
      continue;
    }
    status = compare(self, file, ids, state->name, error);
    if (status != EE_OK || file->why != NULL) continue;
    bool whole = file->kept || (state->single ? file->rows == cases : state->rows + file->rows <= cases);
    if (!whole)
      file->why = ee_arena_printf(&self->arena, "it has %" PRIu64 " of the %" PRIu64 " cases of %s", file->rows, cases,
                                  state->name);
    else
      take(self, file, self->states.count - 1), taken = file;
  }
  return status;
}

/* All states ------------------------------------------------------------------------------------- */

/* Gives a state the next files that cannot be known by ids. */
static ee_status guess(ee_part_rows *self, size_t number, bool choice, ee_error *error) {
  ee_rows_state *state = &self->states.items[number];
  ee_status status = EE_OK;
  for (size_t i = 0; i < self->files.count && status == EE_OK; i++) {
    ee_rows_file *file = &self->files.items[i];
    if (file->state != NO_STATE || (file->empty && !choice)) continue;
    if (state->files > 0 && (state->single || state->kept || state->rows >= state->cases)) break;
    status = compare(self, file, NULL, NULL, error);
    take(self, file, number);
    self->guessed += !file->empty;
  }
  if (status == EE_OK && state->files == 0)
    return ee_error_set(error, EE_ERROR_RULES, "no rows of %s: name its file with --rows", state->name);
  return status;
}

static ee_status check_files(ee_part_rows *self, ee_error *error) {
  for (size_t i = 0; i < self->files.count; i++) {
    ee_rows_file *file = &self->files.items[i];
    if (file->state != NO_STATE || !file->named) continue;
    if (file->why == NULL && file->hash > self->top) continue;
    if (file->why == NULL)
      file->why = ee_arena_printf(&self->arena, "case '%.*s' is in none of the states", EE_STR_ARG(file->id));
    return refuse(file, error);
  }
  return EE_OK;
}

/* The choice of --keep may be empty. */
static bool is_choice(const ee_part_rows *self) {
  bool empty = true, kept = false;
  for (size_t i = 0; i < self->files.count; i++) {
    empty = empty && self->files.items[i].empty;
    kept = kept || self->files.items[i].kept;
  }
  return empty || kept;
}

ee_status ee_part_rows_finish(ee_part_rows *self, ee_error *error) {
  ee_status status = check_files(self, error);
  bool choice = is_choice(self);
  for (size_t i = 0; i < self->states.count && status == EE_OK && self->files.count > 0; i++) {
    const ee_rows_state *state = &self->states.items[i];
    if (state->files == 0 && state->cases > 0) status = guess(self, i, choice, error);
    if (status == EE_OK && !choice && state->rows != state->cases)
      status = ee_error_set(error, EE_ERROR_RULES,
                            "--rows has %" PRIu64 " rows of %s, which has %" PRIu64
                            " cases: name all files of its rows, and no others",
                            state->rows, state->name, state->cases);
    for (size_t k = 0; k < self->files.count && status == EE_OK; k++)
      if (self->files.items[k].state == i) *EE_LIST_ADD(&self->order, NULL) = k;
  }
  for (size_t i = 0; i < self->files.count && status == EE_OK; i++) {
    ee_rows_file *file = &self->files.items[i];
    if (file->state != NO_STATE || file->empty) continue;
    file->why = "all states have their rows from other files";
    status = refuse(file, error);
  }
  return status;
}
