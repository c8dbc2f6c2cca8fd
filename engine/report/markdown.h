/* markdown.h: pieces of Markdown (GitHub's flavour) that say the same wherever they are pasted.
 *
 * Texts of the data stand in code spans: they format nothing, link nothing and call
 * nobody. Tables are aligned in the source too. */
#ifndef EE_REPORT_MARKDOWN_H
#define EE_REPORT_MARKDOWN_H

#include "base/arena.h"
#include "base/buffer.h"
#include "prim/confusion.h"
#include "prim/statistics.h"

/* `text` of the data as inline code, in `arena`: `text`; where it holds a pipe or a backtick, which a table's cell or
 * the span would end at, <code> with entities. Control characters become \n, \u001b, ...; an empty text is `""`. */
ee_str ee_markdown_code(ee_arena *arena, ee_str text);

#define EE_MARKDOWN_COLUMNS 12

/* A table whose first columns stand left and whose others stand right. Cells live until it is printed. */
typedef struct ee_markdown_table {
  ee_arena *arena;
  size_t columns, left; /* how many stand left */
  struct ee_markdown_row *first, *last;
} ee_markdown_table;

/* Begins a table with a head of `columns` <= EE_MARKDOWN_COLUMNS names (static, or in the arena). */
void ee_markdown_start(ee_markdown_table *table, ee_arena *arena, const char *const *names, size_t columns,
                       size_t left);
/* A further row of empty cells, to be filled with Markdown without newlines and bare pipes. */
ee_str *ee_markdown_add(ee_markdown_table *table);
void ee_markdown_print(const ee_markdown_table *table, ee_buffer *out);

/* Cells: a count, a share of 1 as 0.912 or "-" where it is undefined (rounded as in layout.h), in bold, a percentage.
 */
ee_str ee_markdown_count(ee_arena *arena, uint64_t count);
ee_str ee_markdown_metric(ee_arena *arena, ee_metric metric);
ee_str ee_markdown_bold(ee_arena *arena, ee_str text);
ee_str ee_markdown_percent(ee_arena *arena, uint64_t part, uint64_t whole);
/* "0.912 ± 0.021"; without an interval below two values, "-" for none. */
ee_str ee_markdown_mean(ee_arena *arena, const ee_sample *score);

#endif
