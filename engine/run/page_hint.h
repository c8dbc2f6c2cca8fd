/* page_hint.h: whether ids or a member of the records say that the cases are pages of documents.
 *
 * Pages of one document are right or wrong together. A run that counts each by itself has intervals that are too
 * narrow, and nothing in the figures shows it. */
#ifndef EE_RUN_PAGE_HINT_H
#define EE_RUN_PAGE_HINT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "data/files/record.h"
#include "run/case_example.h"

/* Zero is empty. */
typedef struct ee_page_hint {
  uint64_t ids, later_ids;         /* cases whose id is that of a page; of these, pages after the first */
  uint64_t members, later_members; /* cases with a number under a name such as "page"; of these, above 1 */
  ee_case_example later_id;        /* a later page by its id */
  ee_case_example later_member;    /* one by a member; text: its name */
} ee_page_hint;

/* The number of the page in ids such as "doc1_p2", "a.pdf-page-12", "Brief Seite 3": a name, a separator, a word for
 * page, at most three digits. 0: there is no such number. */
unsigned ee_page_of_id(ee_str id);

/* Adds a case. `names` gets the examples. */
void ee_page_hint_add(ee_page_hint *hint, const ee_case *source, ee_arena *names);
/* Adds `from`. */
void ee_page_hint_merge(ee_page_hint *hint, const ee_page_hint *from, ee_arena *names);

/* Writes it, or reads it into an empty one. */
void ee_page_hint_state(ee_state_line *line, ee_arena *names, ee_page_hint *hint);

/* Appends what the cases look like and what to do, without full stop; nothing unless half of `cases` (at least 5) have
 * pages and a fifth of them are later pages. */
void ee_page_hint_print(const ee_page_hint *hint, uint64_t cases, ee_buffer *out);

#endif
