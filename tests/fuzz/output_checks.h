/* output_checks.h: whether a text that the program wrote is what its format says, and nothing of the data in it is
 * alive.
 *
 * Each ends the program where it is not. The checks know the elements and attributes that the program itself writes:
 * anything else has come from the data. */
#ifndef EE_TESTS_FUZZ_OUTPUT_CHECKS_H
#define EE_TESTS_FUZZ_OUTPUT_CHECKS_H

#include "base/buffer.h"
#include "base/str.h"
#include "report/formats.h"

/* Lines for a terminal: valid UTF-8 without control characters, bidirectional controls and Unicode's line breaks. */
void fuzz_check_terminal(ee_str text);
/* One line of valid UTF-8 without control characters: a message, which the terminal makes printable. */
void fuzz_check_message(ee_str text);
/* One JSON value, or one on each line. */
void fuzz_check_json(ee_str text);
void fuzz_check_json_lines(ee_str text);
/* RFC 4180: as many cells in each row as in the first; cells in quotes where they must be. */
void fuzz_check_csv(ee_str text);
/* HTML: elements nest, attributes are in quotes, none is a handler or a style, links stay in the page, JSON in scripts
 * is JSON. */
void fuzz_check_html(ee_str text);
/* XML 1.0, well-formed, of JUnit's elements. */
void fuzz_check_junit(ee_str text);
/* GitHub's Markdown: no HTML but <details>, <summary>, <code> and empty comments, no links and images, tables with one
 * number of cells.
 */
void fuzz_check_markdown(ee_str text);

/* A report in this format. */
void fuzz_check_report(const ee_report_format *format, const ee_buffer *out);
/* Whether a report is written in this format: all of them take their time, so the size of the input chooses one. */
bool fuzz_is_turn(const ee_report_format *format, size_t size);

#endif
