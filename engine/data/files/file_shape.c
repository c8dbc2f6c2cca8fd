/* file_shape.c: recognizes JSON and tables by their first lines, other files by magic numbers. */
#include "data/files/file_shape.h"

#include <csv.h>
#include <stdlib.h>
#include <strings.h>

#include "base/memory.h"
#include "data/json/json_scan.h"

/* Rows after the first one that are counted to find the separator. */
#define SAMPLE_ROWS 20

size_t ee_mark_length(ee_str text) { return text.length >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; }

/* What is not data ----------------------------------------------------------------------------- */

typedef struct magic {
  size_t offset;
  ee_str bytes;
  const char *what;
} magic;

/* Texts are for the sentence "'FILE' is ...". */
static const magic magics[] = {
    {0, EE_STR("SQLite format 3"),
     "an SQLite database: export the table, for example sqlite3 -json FILE 'select * from T'"},
    {0, EE_STR("%PDF-"), "a PDF"},
    {0, EE_STR("\x89PNG\r\n"), "an image (PNG)"},
    {0, EE_STR("\xff\xd8\xff"), "an image (JPEG)"},
    {0, EE_STR("GIF8"), "an image (GIF)"},
    {0, EE_STR("II*\0"), "an image (TIFF)"},
    {0, EE_STR("MM\0*"), "an image (TIFF)"},
    {8, EE_STR("WEBPVP8"), "an image (WebP)"},
    {0, EE_STR("BZh"), "bzip2-compressed: unpack it with bzip2 -d"},
    {0,
     EE_STR("\xfd"
            "7zXZ\0"),
     "xz-compressed: unpack it with xz -d"},
    {0, EE_STR("\x04\"M\x18"), "lz4-compressed: unpack it with lz4 -d"},
    {0, EE_STR("7z\xbc\xaf\x27\x1c"), "a 7z archive: unpack it with 7z x"},
    {0, EE_STR("Rar!\x1a\x07"), "a RAR archive: unpack it with unrar x"},
    {257, EE_STR("ustar"), "a tar archive: unpack it with tar -xf"},
    {0, EE_STR("PAR1"), "a Parquet file: convert it, for example with duckdb: copy (from 'FILE') to 'FILE.json'"},
    {0, EE_STR("ARROW1"), "an Arrow file (Feather): convert it to JSONL"},
    {0, EE_STR("Obj\x01"), "an Avro file: convert it to JSONL"},
    {0, EE_STR("ORC"), "an ORC file: convert it to JSONL"},
    {0, EE_STR("\x89HDF\r\n"), "an HDF5 file: convert it to JSONL"},
    {0, EE_STR("\x93NUMPY"), "a NumPy array: convert it to JSONL"},
    {0, EE_STR("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
     "an Excel workbook or another old Office file: save the sheet as CSV"},
    {0, EE_STR("\x80\x04\x95"), "a Python pickle: write JSON instead"},
    {0, EE_STR("\x80\x05\x95"), "a Python pickle: write JSON instead"},
    {0, EE_STR("{\\rtf"), "an RTF document"},
    {0, EE_STR("version https://git-lfs"), "a Git LFS pointer, not the file itself: fetch it with git lfs pull"},
};

static bool has(ee_str text, const char *part) { return memmem(text.data, text.length, part, strlen(part)) != NULL; }

/* Office files are zip archives that are recognized by their first entries. */
static const char *describe_zip(ee_str head) {
  if (has(head, "xl/") || has(head, "opendocument.spreadsheet"))
    return "an Excel or other workbook: save the sheet as CSV";
  if (has(head, "word/") || has(head, "opendocument.text")) return "a Word or other text document";
  if (has(head, "_journal/") || has(head, "samples/")) return "a zip archive: --from inspect reads a log of Inspect";
  return "a zip archive: unpack it with unzip";
}

static bool starts_with(ee_str text, const char *start) {
  size_t length = strlen(start);
  return text.length >= length && strncasecmp(text.data, start, length) == 0;
}

/* `text`: the head from its first character that is not white space. NULL: text of an unknown kind. */
static const char *describe(ee_str head, ee_str text) {
  if (starts_with(head, "PK\x03\x04") || starts_with(head, "PK\x05\x06")) return describe_zip(head);
  for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
    const magic *m = &magics[i];
    if (head.length >= m->offset + m->bytes.length &&
        memcmp(head.data + m->offset, m->bytes.data, m->bytes.length) == 0)
      return m->what;
  }
  if (starts_with(text, "<!doctype html") || starts_with(text, "<html"))
    return "HTML, perhaps an error page of a download";
  if (starts_with(text, "<?xml")) return "XML: convert it to JSON";
  if (memchr(head.data, '\0', head.length) != NULL) return "binary data of an unknown kind";
  return NULL;
}

/* Lines ---------------------------------------------------------------------------------------- */

static size_t skip_space(ee_str text, size_t at) {
  return (size_t)(ee_json_skip_space(text.data + at, text.data + text.length) - text.data);
}

/* The end of the line at `at`: its newline, or the end of the text. */
static size_t line_end(ee_str text, size_t at) {
  const char *newline = memchr(text.data + at, '\n', text.length - at);
  return newline != NULL ? (size_t)(newline - text.data) : text.length;
}

/* Bytes between the start of the line and `at`. */
static size_t indentation(ee_str text, size_t at, size_t mark) {
  size_t start = at;
  while (start > mark && text.data[start - 1] != '\n') start--;
  return at - start;
}

/* Whether the text has as many closing as opening brackets, outside its strings. */
static bool is_closed(ee_str text) {
  long depth = 0;
  bool in_string = false;
  for (size_t at = 0; at < text.length; at++) {
    char c = text.data[at];
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      at += c == '\\';
    } else if (c == '{' || c == '[') {
      depth++;
    } else if (c == '}' || c == ']') {
      depth--;
    }
  }
  return depth <= 0;
}

/* Python's str() of a dict: {'a': 1}. */
static bool is_python(ee_str text, size_t at) {
  at = skip_space(text, at + 1);
  return at < text.length && text.data[at] == '\'';
}

/* A file that starts with '{' at `start`. */
static ee_shape sniff_object(ee_sniffer *sniffer, ee_str head, size_t start, size_t mark, bool at_end) {
  if (sniffer->scanned < start) sniffer->scanned = start;
  size_t end = line_end(head, sniffer->scanned);
  sniffer->scanned = end;
  size_t next = skip_space(head, end);
  if (next == head.length && !at_end) return EE_SHAPE_UNDECIDED;
  ee_str line = {head.data + start, end - start};
  if (is_python(line, 0)) {
    sniffer->what = "Python's text of a dict ('single quotes'): write JSON instead, with json.dumps()";
    return EE_SHAPE_OTHER;
  }
  bool closed = is_closed(line);
  if (next == head.length) return closed ? EE_SHAPE_DOCUMENTS : EE_SHAPE_LINES;
  bool repeated = head.data[next] == '{' && indentation(head, next, mark) == indentation(head, start, mark);
  return repeated || closed ? EE_SHAPE_LINES : EE_SHAPE_DOCUMENTS;
}

/* Whether a line of the text begins with an object or array. */
static bool has_container(ee_str text) {
  for (size_t at = 0; at < text.length; at = line_end(text, at) + 1) {
    at = skip_space(text, at);
    if (at < text.length && (text.data[at] == '{' || text.data[at] == '[')) return true;
  }
  return false;
}

static bool is_json_value(ee_str line) {
  ee_json_scan scan = ee_json_scan_of(line);
  const char *end = ee_json_skip_value(&scan, scan.start);
  return end != NULL ? ee_json_skip_space(end, scan.end) == scan.end : scan.cut && *line.data == '"';
}

/* Tables --------------------------------------------------------------------------------------- */

/* Cells of the first rows of a text. */
typedef struct row_sample {
  size_t cells[2 + SAMPLE_ROWS]; /* with one that the end of the file may end */
  size_t rows;
  size_t open; /* cells of the row that has not ended */
} row_sample;

static void on_cell(void *text, size_t length, void *user) {
  (void)text, (void)length;
  ((row_sample *)user)->open++;
}

static void on_row(int end, void *user) {
  (void)end;
  row_sample *sample = user;
  sample->cells[sample->rows++] = sample->open;
  sample->open = 0;
}

static void start_parser(struct csv_parser *parser, char separator) {
  if (csv_init(parser, CSV_STRICT) != 0) ee_out_of_memory();
  csv_set_realloc_func(parser, ee_try_realloc);
  csv_set_free_func(parser, ee_free);
  csv_set_delim(parser, (unsigned char)separator);
}

/* The number of cells of the first row if at least half of the other rows have as many; else 0. A row with text after a
 * closing quote is not counted. */
static size_t count_cells(ee_str text, char separator, bool at_end) {
  row_sample sample = {.rows = 0};
  struct csv_parser parser;
  start_parser(&parser, separator);
  for (size_t at = 0; at < text.length && sample.rows < 1 + SAMPLE_ROWS; at++) {
    if (csv_parse(&parser, text.data + at, 1, on_cell, on_row, &sample) == 1 || !parser.quoted) continue;
    csv_free(&parser);
    start_parser(&parser, separator);
    sample.open = 0;
    at = line_end(text, at);
  }
  if (at_end) csv_fini(&parser, on_cell, on_row, &sample);
  csv_free(&parser);
  /* A single row may be longer than the window. */
  if (sample.rows == 1 && !at_end && sample.open > 0 && sample.open < sample.cells[0]) return sample.cells[0];
  size_t same = 0;
  for (size_t i = 1; i < sample.rows; i++) same += sample.cells[i] == sample.cells[0];
  return same > 0 && same * 2 >= sample.rows - 1 ? sample.cells[0] : 0;
}

/* The separator that gives the most cells, if it gives at least two; else 0. */
static char find_separator(ee_str text, bool at_end) {
  static const char separators[] = {'\t', ',', ';'};
  size_t most = 1;
  char found = 0;
  for (size_t i = 0; i < sizeof separators; i++) {
    size_t cells = count_cells(text, separators[i], at_end);
    if (cells <= most) continue;
    most = cells;
    found = separators[i];
  }
  return found;
}

/* ---------------------------------------------------------------------------------------------- */

/* A file that does not start with a bracket, by its window. */
static ee_shape sniff_window(ee_sniffer *sniffer, ee_str head, size_t start, bool at_end) {
  ee_str text = {head.data + start, head.length - start};
  sniffer->what = describe(head, text);
  if (sniffer->what != NULL) return EE_SHAPE_OTHER;
  ee_str line = {text.data, line_end(text, 0)};
  size_t second = line.length < text.length ? skip_space(text, line.length) : text.length;
  bool json_follows = second < text.length && (text.data[second] == '{' || text.data[second] == '[');
  sniffer->separator = json_follows ? '\0' : find_separator(text, at_end);
  if (sniffer->separator != '\0') return EE_SHAPE_TABLE;
  return is_json_value(line) || has_container(text) ? EE_SHAPE_LINES : EE_SHAPE_OTHER;
}

ee_shape ee_sniff(ee_sniffer *sniffer, ee_str head, bool at_end) {
  if (head.length < 3 && !at_end) return EE_SHAPE_UNDECIDED;
  size_t mark = ee_mark_length(head), start = skip_space(head, sniffer->blank > mark ? sniffer->blank : mark);
  sniffer->blank = start;
  if (start == head.length) return at_end ? EE_SHAPE_LINES : EE_SHAPE_UNDECIDED;
  if (head.data[start] == '[') return EE_SHAPE_ARRAY;
  if (head.data[start] == '{' && !starts_with(head, "{\\rtf")) return sniff_object(sniffer, head, start, mark, at_end);
  if (head.length - start <= EE_SHAPE_WINDOW && !at_end) return EE_SHAPE_UNDECIDED;
  bool whole = at_end;
  if (head.length - start > EE_SHAPE_WINDOW) {
    head.length = start + EE_SHAPE_WINDOW;
    whole = false;
  }
  return sniff_window(sniffer, head, start, whole);
}
