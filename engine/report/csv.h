/* csv.h: lines of comma-separated values as RFC 4180 says, except for plain newlines. */
#ifndef EE_REPORT_CSV_H
#define EE_REPORT_CSV_H

#include "base/arena.h"
#include "base/buffer.h"
#include "run/total_interval.h"

/* Appends a text, printable, in quotes if a reader would split it otherwise. One that a spreadsheet would take for a
 * formula, because it begins with = + - @ (and is not a number), a tab or CR, gets a mark in front of it. */
void ee_csv_add_text(ee_buffer *out, ee_str text);
/* Makes the marks since `from` apostrophes, which spreadsheets take for the beginning of plain text; without `safe`
 * removes them. Once for a whole table. */
void ee_csv_settle(ee_buffer *out, size_t from, bool safe);
/* Appends a comma and a number; an undefined one is empty. */
void ee_csv_add_metric(ee_buffer *out, ee_metric metric);

/* The head line of tables of attributes, without its end. */
#define EE_CSV_ATTRIBUTES_HEAD                                                                                         \
  "judge,attribute,tp,tn,fp,fn,wrong,precision,recall,f1,unread,precision_low,precision_high,recall_low,"              \
  "recall_high,f1_low,f1_high,accuracy,answered_rate,fabrication_rate"
/* Of lines that are not of an attribute, after their name. */
#define EE_CSV_NO_ATTRIBUTES ",,,,,,,,,,,,,,,,,,"
/* Appends a line an attribute, worst F1 first, and "(micro)", "(macro)", "(weighted)"; nothing for a judge without
 * attributes. `split`: false positives are split into incorrect and spurious; else `wrong` is empty. `tail`: the
 * commas of further columns of the table, which are empty here. `confidence` of the intervals. */
void ee_csv_add_attributes(ee_buffer *out, ee_str judge, const ee_judge_total *total, bool split, const char *tail,
                           double confidence, ee_arena *arena);

#endif
