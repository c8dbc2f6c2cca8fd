/* fuzz_foreign.c: files of other tools.
 *
 * The first byte chooses the tool, whether there is one file, and the size of the pieces in which the rest arrives.
 * What a reader appends is a JSON object, or the text as it was; it appends nothing else; sentences and the array
 * inside a document do not depend on the pieces. */
#include "data/files/array_seeker.h"
#include "data/files/sentence_reader.h"
#include "data/foreign/foreign.h"
#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"

static void check_record(const ee_foreign_use *use, ee_str text, ee_arena *arena) {
  ee_foreign_seen seen = {.records = 0};
  ee_buffer out;
  ee_buffer_init(&out);
  ee_buffer_add_text(&out, "before");
  ee_foreign_reading reading = {.use = use, .seen = &seen, .line = 1, .arena = arena, .out = &out};
  ee_error error = {.status = EE_OK};
  ee_foreign_result result = ee_foreign_convert(&reading, text, &error);
  fuzz_require(memcmp(out.data, "before", 6) == 0);
  ee_str added = {out.data + 6, out.length - 6};
  if (result == EE_FOREIGN_RECORD) {
    const ee_value *record = ee_json_read_data(arena, added, NULL);
    bool same = added.length == text.length && (added.length == 0 || memcmp(added.data, text.data, text.length) == 0);
    fuzz_require(same || ee_type_of(record) == EE_OBJECT);
    fuzz_require(same || seen.records == 1);
  } else {
    fuzz_require(added.length == 0);
    fuzz_require((result == EE_FOREIGN_BROKEN) == (error.status == EE_ERROR_DATA));
  }
  for (size_t i = 0; i < EE_FOREIGN_NOTES; i++) {
    if (seen.notes[i].count == 0) continue;
    fuzz_require(seen.notes[i].count == 1);
    const char *note = ee_foreign_note_text(use->format, &seen, i, arena);
    fuzz_require(note != NULL && strncmp(note, "1 record of ", 12) == 0);
  }
  ee_buffer_fini(&out);
}

static void read_sentences(ee_str text, size_t piece, ee_buffer *out) {
  ee_sentence_reader *reader = ee_sentence_reader_new(200, "p");
  ee_block block;
  ee_block_init(&block);
  block.file = "sentences";
  for (size_t at = 0; at < text.length; at += piece)
    ee_sentence_reader_run(reader, (ee_str){text.data + at, text.length - at < piece ? text.length - at : piece},
                           &block);
  ee_sentence_reader_end(reader, NULL, &block);
  for (size_t i = 0; i < block.count; i++) {
    const ee_record_span *span = &block.records[i];
    fuzz_require(span->offset + span->length <= block.text.length && span->length <= 200);
    ee_str id = ee_block_given_id(&block, span);
    ee_buffer_addf(out, "%llu %llu %.*s ", (unsigned long long)span->line, (unsigned long long)span->byte,
                   EE_STR_ARG(id));
    ee_buffer_add(out, block.text.data + span->offset, span->length);
  }
  for (size_t i = 0; i < block.errors.count; i++)
    ee_buffer_addf(out, "%zu %s\n", block.errors.items[i].line, block.errors.items[i].message);
  ee_block_fini(&block);
  ee_sentence_reader_free(reader);
}

static ee_seek seek(const char *const *paths, ee_str text, size_t piece, uint64_t *byte) {
  ee_array_seeker seeker = {.paths = paths};
  ee_seek result = EE_SEEK_MORE;
  for (size_t at = 0; at < text.length && result == EE_SEEK_MORE;) {
    size_t used = 0, length = text.length - at < piece ? text.length - at : piece;
    result = ee_array_seeker_run(&seeker, (ee_str){text.data + at, length}, &used);
    fuzz_require(used <= length);
    at += used;
  }
  *byte = seeker.byte;
  return result;
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  fuzz_source source = fuzz_source_of(data, size);
  size_t choice = fuzz_byte(&source), formats = 0, piece = 1 + choice / 16;
  ee_str text = {(const char *)source.at, (size_t)(source.end - source.at)};
  while (ee_foreign_formats[formats] != NULL) formats++;
  const ee_foreign_format *format = ee_foreign_formats[choice % formats];
  const ee_foreign_use use = {
      .format = format, .one_file = choice / 8 % 2 != 0, .candidate_given = choice / 16 % 2 != 0};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  if (!format->coco) check_record(&use, text, &arena);
  ee_foreign_guess(text, &arena);
  if (format->has_trials != NULL) format->has_trials(text);
  ee_buffer whole = {0}, pieces = {0};
  read_sentences(text, size + 1, &whole);
  read_sentences(text, piece, &pieces);
  fuzz_require(ee_str_equal(fuzz_buffer_text(&whole), fuzz_buffer_text(&pieces)));
  uint64_t at, same;
  if (format->arrays != NULL) {
    ee_seek once = seek(format->arrays, text, size + 1, &at);
    fuzz_require(once == seek(format->arrays, text, piece, &same) && at == same);
  }
  ee_buffer_fini(&whole);
  ee_buffer_fini(&pieces);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(4096)
