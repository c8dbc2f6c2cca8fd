/* fuzz_table.c: tables (CSV, TSV), as they come and as this program writes them.
 *
 * The first byte chooses the separator and the size of the pieces in which the rest arrives. Rows do not depend on the
 * pieces, and each is a JSON object. Lines of the input, cut at a byte 1, are cells of a table that is written and
 * read: the cells come out as they were, but printable. */
#include "data/files/table_reader.h"
#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "prim/unicode.h"
#include "report/csv.h"

static void add_block(const ee_block *block, ee_buffer *out, ee_arena *arena) {
  for (size_t i = 0; i < block->count; i++) {
    const ee_record_span *span = &block->records[i];
    fuzz_require(span->offset + span->length <= block->text.length);
    ee_str text = {block->text.data + span->offset, span->length};
    const ee_value *row = ee_json_read_data(arena, text, NULL);
    fuzz_require(row != NULL && ee_type_of(row) == EE_OBJECT);
    ee_buffer_addf(out, "%llu %llu ", (unsigned long long)span->line, (unsigned long long)span->byte);
    ee_buffer_add_str(out, text);
    ee_buffer_add_char(out, '\n');
  }
  for (size_t i = 0; i < block->errors.count; i++) {
    const ee_error *error = &block->errors.items[i];
    ee_buffer_addf(out, "%zu:%zu %s\n", error->line, error->column, error->message);
  }
}

/* Reads a table in pieces, and appends its rows and errors. Blocks are of several pieces, to show that they do not
 * matter either. */
static void read_table(ee_str text, char separator, size_t piece, ee_buffer *out, ee_arena *arena) {
  ee_table_reader *reader = ee_table_reader_new(separator, 4096);
  ee_block block;
  ee_block_init(&block);
  block.file = "table";
  for (size_t at = 0; at < text.length; at += piece) {
    size_t length = text.length - at < piece ? text.length - at : piece;
    ee_table_reader_run(reader, (ee_str){text.data + at, length}, &block);
  }
  ee_table_reader_end(reader, NULL, &block);
  add_block(&block, out, arena);
  ee_block_fini(&block);
  ee_table_reader_free(reader);
}

/* A cell that is read as JSON, or that has no form in a table. */
static bool is_special(ee_str cell) {
  ee_str trimmed = ee_str_trim(cell);
  return trimmed.length > 0 && (trimmed.data[0] == '{' || trimmed.data[0] == '[');
}

static void check_written(ee_str text, ee_arena *arena) {
  ee_buffer table = {0};
  ee_str cells[8];
  size_t count = 0;
  text = fuzz_utf8(text);
  for (size_t at = 0; at <= text.length && count < 8;) {
    ee_str cell = {text.data + at, 0};
    while (at < text.length && text.data[at] != 1) at++, cell.length++;
    at++;
    bool bad = cell.length > 0 && (memchr(cell.data, 0, cell.length) || memchr(cell.data, '\r', cell.length));
    cells[count++] = bad ? EE_STR("") : cell;
  }
  for (size_t i = 0; i < count; i++) ee_buffer_addf(&table, "c%zu,", i);
  ee_buffer_add_text(&table, "end\n");
  for (size_t i = 0; i < count; i++) {
    ee_csv_add_text(&table, cells[i]);
    ee_buffer_add_char(&table, ',');
  }
  ee_buffer_add_text(&table, "end\n");
  ee_csv_settle(&table, 0, false);
  ee_table_reader *reader = ee_table_reader_new(',', 1 << 20);
  ee_block block;
  ee_block_init(&block);
  block.file = "table";
  ee_table_reader_run(reader, fuzz_buffer_text(&table), &block);
  ee_table_reader_end(reader, NULL, &block);
  fuzz_require(block.errors.count == 0 && block.count == 1);
  const ee_record_span *span = &block.records[0];
  const ee_value *row = ee_json_read_data(arena, (ee_str){block.text.data + span->offset, span->length}, NULL);
  fuzz_require(row != NULL && ee_value_count(row) == count + 1);
  const ee_value *member = ee_value_child(row);
  for (size_t i = 0; i < count; i++, member = ee_value_next(member))
    if (!is_special(cells[i]))
      fuzz_require(ee_type_of(member) == EE_STRING &&
                   ee_str_equal(ee_value_text(member), ee_text_printable(cells[i], arena)));
  ee_block_fini(&block);
  ee_table_reader_free(reader);
  ee_buffer_fini(&table);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  fuzz_source source = fuzz_source_of(data, size);
  uint8_t choice = fuzz_byte(&source);
  ee_str text = fuzz_rest(&source);
  ee_buffer whole = {0}, pieces = {0};
  char separator = ",;\t"[choice % 3];
  read_table(text, separator, text.length + 1, &whole, &arena);
  read_table(text, separator, choice / 3 % 7 + 1, &pieces, &arena);
  fuzz_require(ee_str_equal(fuzz_buffer_text(&whole), fuzz_buffer_text(&pieces)));
  check_written(text, &arena);
  ee_buffer_fini(&whole);
  ee_buffer_fini(&pieces);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(4096)
