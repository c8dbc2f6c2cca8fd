/* html_data.h: the cases inside a page of HTML: what the file holds, and how it is filled.
 *
 * THE FILE. One page, complete without script. In this order:
 *
 *   - <head>: a Content-Security-Policy: default-src 'none', scripts and styles by their hash, images from file:, data:
 *     and blob: only. So nothing may have a style="" attribute or an on...="" handler; scripts may set element.style.x.
 *     One <style> for each file of ee_html_styles.
 *   - <div id="report">: the first screen, drawn in C: parts with the ids `summary`, `gates`, `scores`, `misfits`,
 *     `fields` (the first judge), `slices`, `legend`, those that the document has. A link to cases has an href of the
 *     viewer ("#cases?field=total").
 *   - <div id="viewer" hidden></div>: the viewer's place.
 *   - <script type="application/json" id="ee-run">: {"document": D, "report": R}. D is "run", "merged", "comparison",
 *     "many_runs", "trend", "bench", "one_case" or "audit"; R is what --format json prints for it.
 *   - <script type="application/json" id="ee-index">: the names, below. Only in a page
 *     with cases, as are the next two.
 *   - <script type="text/plain" class="ee-part" data-encoding=E data-first=F data-count=N>: the index of the cases F to
 *     F + N - 1, counted from 0 in the order of the file.
 *   - <script type="text/plain" class="ee-chunk" data-encoding=E data-first=F data-count=N>: these cases in full. Parts
 *     and chunks are each in order of F, mixed with each other.
 *   - <script>, one for each file of ee_html_scripts, in the order of their names, all in the global scope: they run
 *     nothing before DOMContentLoaded.
 *
 * E is "deflate" where the program was built with zlib: base64 (RFC 4648, with padding, on one line) of raw deflate
 * (RFC 1951; in a browser: new DecompressionStream("deflate-raw")) of JSON text in UTF-8. Else "json": the JSON text
 * itself. In JSON text of the page every "<" is \u003c, and so nothing in it ends a script.
 *
 * THE NAMES (ee-index):
 *
 *   {"cases": 68, "string_limit": 65536,
 *    "command": {"rules": "rules/invoice.lua", "data": ["samples/invoices.jsonl"], "options": ["--set", "x=1"]},
 *                  what `explain` needs, too; "rules": null of a run without a rule file; left out of stored rows
 *    "judge_settings": [{"name": "layout", "type": "iou_score", "path": "boxes", "format": "xywh"}],
 *                  of a run: what the rules say of each judge in texts: its path, if that comes first, and options
 *    "runs": ["base.jsonl", "new.jsonl"],    of a comparison only
 *    "judges": ["header", "line_items"],
 *    "fields": [{"judge": 0, "name": "invoice.total"}, ...],
 *    "classes": ["incorrect", "spurious", "missing", "unread", ...], "kinds": ["one digit", ...],
 *    "slices": [{"path": "meta.language", "values": ["de", "en", "(missing)"]}],
 *    "changes": ["fixed", "broken", "still wrong", "both right", "one run only"]}    of a comparison only
 *
 * Fields, classes, kinds and values are in order of their first appearance, and are numbered from 0.
 *
 * A PART (all members have data-count entries; `slices` has an array of that length for each path):
 *
 *   {"ids": ["inv-1", "inv-2"], "scores": [1, 0.875], "verdicts": "pb",
 *    "slices": [[0, 1]],
 *    "misses": [[], [3,0,2, 5,2,-1]],
 *    "changes": [0, 2], "scores_before": [0.5, 0.875]}        of a comparison only
 *
 *   scores    of the last run; null: no score ("unscored", or in one run only)
 *   verdicts  a letter each: p pass, b borderline, f fail, u unscored; of the last run that has the case
 *   slices    the number of the value, or an array of numbers
 *   misses    three numbers for each mismatch of the row, in its order (evaluator_results, details.mismatches):
 *             field, class, kind; -1: not known. Then, for each judge that did not pass and has no mismatches, one with
 *             the field ""
 *   changes   number in `changes`, by fields (a field is wrong in a case when it has fp + fn > 0, a judge without
 *             fields when it does not pass): broken: one is wrong in the last run that was right in the first; fixed:
 *             none is, and one was wrong that is right now; else still wrong or both right
 *   scores_before  of the first run
 *
 * A CHUNK is an array of rows as --results writes them (report/row.h), "detail": "full" unless --detail misses was
 * given; of a comparison: {"id": "inv-1", "runs": [ROW or null, ...]}; its misses in the index are the mismatches of
 * the last run's row, then those of the first run's whose judge and path have no mismatch in the last. Strings longer
 * than `string_limit` bytes are cut at a character, and end with " [cut: 10485760 bytes in all]" (bytes of the JSON
 * text); so a row is never much larger than its structure. A chunk ends after EE_HTML_CHUNK_ROWS rows, or earlier when
 * it has EE_HTML_CHUNK_BYTES bytes; so a reader finds the chunk of case I by data-first <= I < data-first + data-count.
 *
 * IMAGES. A page image is the first text among these members of the row's `record`, which end in .png, .jpg, .jpeg,
 * .gif, .webp, .bmp, .svg or .avif: image, image_path, image_file, file_name, filename, page_image, page, file, path,
 * and the same members of `meta`; arrays of texts are pages. A path is relative to the report, or absolute; a URL with
 * a scheme other than file: or data: is not opened (the policy forbids it).
 *
 * Fragments: #cases?field=NAME&judge=NAME&class=..&kind=..&verdict=..&slice=PATH%3DVALUE&change=..&q=TEXT, #case/ID,
 * #legend and the other sections. */
#ifndef EE_REPORT_HTML_HTML_DATA_H
#define EE_REPORT_HTML_HTML_DATA_H

#include "base/buffer.h"
#include "base/embedded.h"
#include "base/error.h"
#include "data/json/value.h"
#include "report/html/html_pack.h"

#define EE_HTML_CHUNK_ROWS 200
#define EE_HTML_CHUNK_BYTES ((size_t)1024 * 1024)
#define EE_HTML_PART_ROWS 5000
#define EE_HTML_STRING_LIMIT ((size_t)65536)

extern const ee_embedded_file ee_html_styles[], ee_html_scripts[]; /* engine/report/html/NAME.css and NAME.js */

/* The cases of a report on their way into its file. Text is kept in an unlinked temporary file: memory does not grow
 * with the number of cases, except for the names. One thread at a time; cases in the order of the file. */
typedef struct ee_html_cases ee_html_cases;

/* Packed by `jobs` threads, 0: as many as there are processors; the file is the same for any number. NULL with
 * EE_ERROR_SYSTEM if no temporary file can be made (TMPDIR, else /tmp). */
ee_html_cases *ee_html_cases_new(unsigned jobs, ee_error *error);
/* NULL is ignored. */
void ee_html_cases_free(ee_html_cases *cases);

/* Adds rows, lines of JSON as ee_row_write() writes them. EE_ERROR_SYSTEM when the temporary file cannot be written. */
ee_status ee_html_cases_add_rows(ee_html_cases *cases, const char *lines, size_t length, ee_error *error);
/* The same for one row that was read. */
ee_status ee_html_cases_add_row(ee_html_cases *cases, const ee_value *row, ee_error *error);

/* The page is of a comparison: of `count` runs with these names (copied), the first is the base. Before the first case.
 */
void ee_html_cases_set_runs(ee_html_cases *cases, const char *const *names, size_t count);
/* Adds a case: its row in each run, JSON text; empty in a run that has not got it. At least one has. */
ee_status ee_html_cases_add_runs(ee_html_cases *cases, const ee_str *texts, ee_error *error);
/* Members of the names, JSON text without braces (copied): "command" and "judge_settings". */
void ee_html_cases_set_origin(ee_html_cases *cases, ee_str members);

/* Writes `page`, which ee_render_html() made, with the cases at their place. Nothing can be added afterwards. `cases`
 * may be NULL: the page as it is. */
ee_status ee_html_cases_write(ee_html_cases *cases, ee_str page, ee_html_sink sink, ee_error *error);

/* Appends the page's end: the scripts. ee_render_html() ends with it. */
void ee_html_add_end(ee_buffer *out);

#endif
