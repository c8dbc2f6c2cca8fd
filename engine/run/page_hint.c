/* page_hint.c: ids and members that number pages. */
#include "run/page_hint.h"

#include <string.h>
#include <strings.h>

enum { MOST_DIGITS = 3, FEWEST_CASES = 5 };

static const char *const page_words[] = {"page", "seite", "pg", "p"};
static const char *const page_members[] = {"page",    "page_number", "page_no",   "page_num", "page_index",
                                           "page_id", "pageNumber",  "pageIndex", "pageNo"};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_separator(char c) { return memchr("-_ ./#:", c, 7) != NULL; }

unsigned ee_page_of_id(ee_str id) {
  size_t end = id.length;
  while (end > 0 && id.length - end <= MOST_DIGITS && is_digit(id.data[end - 1])) end--;
  size_t digits = id.length - end;
  if (digits == 0 || digits > MOST_DIGITS) return 0;
  unsigned number = 0;
  for (size_t i = end; i < id.length; i++) number = number * 10 + (unsigned)(id.data[i] - '0');
  while (end > 0 && is_separator(id.data[end - 1])) end--;
  for (size_t i = 0; i < sizeof page_words / sizeof *page_words; i++) {
    size_t length = strlen(page_words[i]);
    if (end < length + 2 || strncasecmp(id.data + end - length, page_words[i], length) != 0) continue;
    /* "SKU-P101" is not a page. */
    return is_separator(id.data[end - length - 1]) && (length > 1 || digits < MOST_DIGITS) ? number : 0;
  }
  return 0;
}

/* The member that numbers a page; NULL if the record has none. */
static const ee_value *page_member(const ee_value *record) {
  if (ee_type_of(record) != EE_OBJECT) return NULL;
  for (const ee_value *value = ee_value_child(record); value != NULL; value = ee_value_next(value)) {
    ee_str key = ee_value_key(value);
    if (key.length < 4 || (key.data[0] | 0x20) != 'p' || ee_type_of(value) != EE_NUMBER) continue;
    for (size_t i = 0; i < sizeof page_members / sizeof *page_members; i++)
      if (key.length == strlen(page_members[i]) && strncasecmp(key.data, page_members[i], key.length) == 0)
        return value;
  }
  return NULL;
}

void ee_page_hint_add(ee_page_hint *hint, const ee_case *source, ee_arena *names) {
  ee_str id = ee_case_base(source);
  unsigned page = ee_page_of_id(id);
  hint->ids += page > 0;
  hint->later_ids += page > 1;
  if (page > 1 && ee_case_example_wants(&hint->later_id, id))
    ee_case_example_offer(&hint->later_id, names, id, EE_STR(""), EE_STR(""));
  const ee_value *member = page_member(source->record);
  if (member == NULL) return;
  bool later = ee_value_number(member) > 1;
  hint->members++;
  hint->later_members += later;
  if (later && ee_case_example_wants(&hint->later_member, id))
    ee_case_example_offer(&hint->later_member, names, id, ee_value_key(member), EE_STR(""));
}

void ee_page_hint_merge(ee_page_hint *hint, const ee_page_hint *from, ee_arena *names) {
  hint->ids += from->ids;
  hint->later_ids += from->later_ids;
  hint->members += from->members;
  hint->later_members += from->later_members;
  ee_case_example_merge(&hint->later_id, names, &from->later_id);
  ee_case_example_merge(&hint->later_member, names, &from->later_member);
}

static bool are_pages(uint64_t count, uint64_t later, uint64_t cases) {
  return cases >= FEWEST_CASES && count * 2 >= cases && later * 5 >= cases;
}

void ee_page_hint_print(const ee_page_hint *hint, uint64_t cases, ee_buffer *out) {
  if (are_pages(hint->ids, hint->later_ids, cases))
    ee_buffer_addf(out, "ids look like those of pages of documents, such as '%.*s'", EE_STR_ARG(hint->later_id.id));
  else if (are_pages(hint->members, hint->later_members, cases))
    ee_buffer_addf(out, "records look like pages of documents, such as case '%.*s' with its '%.*s'",
                   EE_STR_ARG(hint->later_member.id), EE_STR_ARG(hint->later_member.text));
  else
    return;
  ee_buffer_add_text(out,
                     ": intervals count each page by itself, and are too narrow if pages of a document are right or "
                     "wrong together; --cluster PATH (in rules: cluster = PATH) names the member that they share");
}

EE_STATE_COVERS(ee_page_hint, 32 + 2 * sizeof(ee_case_example));

void ee_page_hint_state(ee_state_line *line, ee_arena *names, ee_page_hint *hint) {
  ee_state_begin(line);
  ee_state_count(line, &hint->ids);
  ee_state_count(line, &hint->later_ids);
  ee_state_count(line, &hint->members);
  ee_state_count(line, &hint->later_members);
  ee_case_example_state(line, names, &hint->later_id);
  ee_case_example_state(line, names, &hint->later_member);
  ee_state_end(line);
}
