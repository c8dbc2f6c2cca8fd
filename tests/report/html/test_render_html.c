/* test_render_html.c: pages of HTML: what is escaped, the structure, and the policy. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/html/html_data.h"
#include "report/printed.h"
#include "support/random.h"

#define HTML ee_report_format_find(EE_STR("html"))

/* Structure ------------------------------------------------------------------------------------- */

enum { DEPTH = 64, NAME = 24 };

static bool is_void(const char *name) { return strcmp(name, "meta") == 0 || strcmp(name, "input") == 0; }

/* A tag without what its attributes say. */
static void leave_out_values(const char *tag, char *names) {
  for (bool quoted = false; *tag != '\0'; tag++) {
    if (*tag == '"') quoted = !quoted;
    if (!quoted) *names++ = *tag;
  }
  *names = '\0';
}

/* Every element that is opened is closed in turn; texts have no stray "<"; ids occur once; no element has a style or a
 * handler, which the policy would refuse. */
static void check_structure(const char *page) {
  static char ids[100][64];
  size_t id_count = 0, depth = 0;
  char open[DEPTH][NAME];
  for (const char *at = strchr(page, '<'); at != NULL; at = strchr(at, '<')) {
    if (strncmp(at, "<!DOCTYPE html>", 15) == 0) {
      at++;
      continue;
    }
    bool closing = at[1] == '/';
    char name[NAME], tag[2000];
    const char *end = strchr(at, '>');
    assert_non_null(end);
    if (end - at >= (long)sizeof tag) fail_msg("a long tag: %.200s", at);
    snprintf(tag, sizeof tag, "%.*s", (int)(end - at), at);
    char names[2000];
    leave_out_values(tag, names);
    if (sscanf(at + 1 + closing, "%23[a-z0-9]", name) != 1) fail_msg("no tag: %.60s", at);
    if (strstr(names, " style=") != NULL || strstr(names, " on") != NULL) fail_msg("refused: %s", tag);
    const char *id = strstr(tag, " id=\"");
    if (id != NULL) {
      snprintf(ids[id_count], 64, "%.*s", (int)strcspn(id + 5, "\""), id + 5);
      for (size_t i = 0; i < id_count; i++) assert_string_not_equal(ids[i], ids[id_count]);
      assert_true(++id_count < 100);
    }
    if (closing) {
      if (depth == 0 || strcmp(open[depth - 1], name) != 0)
        fail_msg("</%s> closes %s", name, depth > 0 ? open[depth - 1] : "nothing");
      depth--;
    } else if (!is_void(name) && end[-1] != '/') {
      assert_true(depth < DEPTH);
      strcpy(open[depth++], name);
    }
    at = end;
    if (strcmp(name, "script") == 0 && !closing) {
      at = strstr(at, "</script>");
      assert_non_null(at);
    } else if (strcmp(name, "style") == 0 && !closing) {
      at = strstr(at, "</style>");
      assert_non_null(at);
    }
  }
  assert_int_equal(depth, 0);
}

/* xmllint knows HTML 4 only: it does not know new elements, and all else that it says counts. */
static void check_with_xmllint(const char *page) {
  if (system("command -v xmllint >/dev/null 2>&1") != 0) {
    print_message("xmllint is not installed: not checked with it\n");
    return;
  }
  char name[] = "/tmp/evalengine-page-XXXXXX", command[200], said[400] = "";
  int file = mkstemp(name);
  assert_true(file >= 0);
  assert_int_equal(write(file, page, strlen(page)), strlen(page));
  close(file);
  snprintf(command, sizeof command, "xmllint --html --noout %s 2>&1 | grep error | grep -v 'Tag .* invalid'", name);
  FILE *output = popen(command, "r");
  size_t length = fread(said, 1, sizeof said - 1, output);
  said[length] = '\0';
  pclose(output);
  unlink(name);
  assert_string_equal(said, "");
}

/* Pages ----------------------------------------------------------------------------------------- */

static char *render(ee_page *page) {
  ee_buffer out = {0};
  HTML->page(page, (ee_table_style){0}, &out);
  ee_page_fini(page);
  ee_buffer_terminate(&out);
  return out.data;
}

/* The part that is drawn here. */
static char *body_of(const char *page) {
  const char *start = strstr(page, "<main>\n"), *end = strstr(page, "</main>");
  assert_true(start != NULL && end != NULL);
  return strndup(start + 7, (size_t)(end - start) - 7);
}

#define assert_body(page, expected)                                                                                    \
  do {                                                                                                                 \
    char *text = render(&(page)), *body = body_of(text);                                                               \
    check_structure(text);                                                                                             \
    assert_string_equal(body, expected);                                                                               \
    free(body);                                                                                                        \
    ee_free(text);                                                                                                     \
  } while (0)

static void test_texts(void **state) {
  (void)state;
  ee_page page;
  ee_page_init(&page);
  ee_line *line = ee_page_line(&page, EE_MEDIUM_ALL, EE_LINE_TITLE);
  ee_line_addf(&page, line, EE_INK_BOLD, "a < b & c: ");
  ee_line_add(&page, line, ee_cell_data(EE_STR("</title><script>"), EE_INK_RED));
  line = ee_page_line(&page, EE_MEDIUM_ALL, EE_LINE_PARAGRAPH);
  ee_line_add(&page, line, ee_cell_data(EE_STR(""), EE_INK_PLAIN));
  ee_line_add(&page, line, (ee_cell){.text = EE_STR("\"quoted\"\n'\xd7\xa9'"), .kind = EE_CELL_QUOTE, .strong = true});
  ee_line_add(&page, ee_page_line(&page, EE_MEDIUM_MARKDOWN, EE_LINE_PARAGRAPH),
              ee_cell_words("Markdown", EE_INK_PLAIN));
  ee_page_line(&page, EE_MEDIUM_HTML, EE_LINE_PARAGRAPH);
  ee_line_add(&page, ee_page_line(&page, EE_MEDIUM_HTML, EE_LINE_ITEM), ee_cell_words("one", EE_INK_DIM));
  ee_page_text(&page, EE_MEDIUM_HTML, EE_STR("a  <b>\nc\x1b[31m\n"));
  assert_body(page,
              "<section id=\"summary\">\n"
              "<h1><strong>a &lt; b &amp; c: </strong><bdi class=\"bad\">&lt;/title&gt;&lt;script&gt;</bdi></h1>\n"
              "<p><bdi>&quot;&quot;</bdi><strong><bdi>&quot;quoted&quot;\\n&#39;\xd7\xa9&#39;</bdi></strong></p>\n"
              "<ul>\n<li><span class=\"dim\">one</span></li>\n</ul>\n"
              "<pre tabindex=\"0\">a  &lt;b&gt;\nc\\u001b[31m\n</pre>\n</section>\n");
}

static void test_table(void **state) {
  (void)state;
  ee_page page;
  ee_page_init(&page);
  static const ee_column columns[] = {{.name = "value", .markup_name = "v"},
                                      {.name = "name", .left = true, .name_column = true},
                                      {.name = "no", .hidden_in = EE_MEDIUM_HTML},
                                      {.name = "errors", .left = true}};
  ee_page_section(&page, EE_STR("j<\"1"));
  ee_page_judge(&page, (ee_judge_heading){.name = EE_STR("j<\"1"),
                                          .type = EE_STR("fields"),
                                          .mean = {.interval = EE_NO_INTERVAL},
                                          .verdicts = (uint64_t[3]){0}});
  ee_grid *grid = ee_page_grid(&page, EE_MEDIUM_ALL, columns, 4);
  ee_cell *cells = ee_grid_add(grid);
  cells[0] = ee_cell_count(&page.arena, 7, EE_INK_PLAIN);
  cells[1] = ee_cell_data(EE_STR("a<b"), EE_INK_PLAIN);
  const ee_link_part link[] = {{"judge", EE_STR("j<\"1")}, {"field", EE_STR("a b&c\xc3\xa9")}};
  cells[1].link = ee_page_link(&page.arena, link, 2);
  const ee_bar bar = {.incorrect = 2, .spurious = 1, .missing = 1, .whole = 8, .split = true};
  cells[3].bar = &bar;
  ee_grid_add_for(grid, EE_MEDIUM_TERMINAL)[0] = ee_cell_words("terminal", EE_INK_PLAIN);
  assert_body(
      page,
      "<section id=\"fields\" class=\"judge\">\n"
      "<h2><bdi>j&lt;&quot;1</bdi> <small><bdi>fields</bdi></small></h2>\n"
      "<p>Mean score <strong>-</strong>: 0 pass, 0 borderline, 0 fail</p>\n"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"j&lt;&quot;1\">\n"
      "<table>\n<caption class=\"unseen\">j&lt;&quot;1 <span class=\"key\"><i class=\"incorrect\"></i>wrong "
      "<i class=\"missing\"></i>missing <i class=\"spurious\"></i>invented</span></caption>\n"
      "<thead><tr><th scope=\"col\" class=\"number\">v</th><th scope=\"col\">name</th><th "
      "scope=\"col\">errors</th></tr></thead>\n"
      "<tbody>\n<tr><td class=\"number\">7</td><th scope=\"row\">"
      "<a href=\"#cases?judge=j%3C%221&amp;field=a%20b%26c%C3%A9\"><bdi>a&lt;b</bdi></a></th>"
      "<td><svg class=\"bar\" role=\"img\" width=\"160\" height=\"12\" aria-label=\"2 wrong, 1 missing, 1 invented\">"
      "<rect class=\"incorrect\" x=\"0\" width=\"40\" height=\"12\"><title>2 wrong</title></rect>"
      "<rect class=\"missing\" x=\"40\" width=\"20\" height=\"12\"><title>1 missing</title></rect>"
      "<rect class=\"spurious\" x=\"60\" width=\"20\" height=\"12\"><title>1 invented</title></rect></svg></td></tr>\n"
      "</tbody>\n</table>\n</div>\n</section>\n");
}

/* Three numbers with intervals, and how the scores fall. */
static void test_scores(void **state) {
  (void)state;
  ee_sample sample = {0};
  ee_score_bins bins = {0};
  const double scores[] = {1, 1, 0.95, 0.15, 0, 1 - 1e-12, 0.9499};
  for (size_t i = 0; i < 7; i++) {
    ee_sample_add(&sample, scores[i]);
    ee_score_bins_add(&bins, scores[i]);
  }
  const uint64_t verdicts[3] = {5, 0, 2};
  assert_int_equal(bins.counts[EE_SCORE_BINS], 3);
  assert_int_equal(bins.counts[19], 1);
  assert_int_equal(bins.counts[18], 1);
  assert_int_equal(bins.counts[3], 1);
  assert_int_equal(bins.counts[0], 1);
  ee_page page;
  ee_page_init(&page);
  ee_page_scores(&page, (ee_scores){.count = 7,
                                    .noun = "case",
                                    .suffix = "",
                                    .confidence = 0.95,
                                    .mean = ee_ranged_of_sample(&sample, 0.95),
                                    .passed = ee_ranged_of_proportion(5, 7, 0.95).interval,
                                    .bins = &bins,
                                    .verdicts = verdicts,
                                    .tiles = {&(const ee_tile){"Straight through", "42.9 %", "3 of 7"}, 1}});
  char *text = render(&page);
  check_structure(text);
  assert_has(text, "<p>7 cases: <a href=\"#cases?verdict=pass\">5 pass</a> (71.4 %), 0 borderline, "
                   "<a href=\"#cases?verdict=fail\">2 fail</a> (28.6 %)</p>\n");
  assert_has(text, "<li><span>Mean score</span> <strong>0.721</strong> <small>95 %: [0.297, 0.954]</small></li>\n");
  assert_has(text, "<li><span>Pass</span> <strong>71.4 %</strong> <small>5 of 7; 95 %: [27.4, 95.9] %</small></li>\n");
  assert_has(text, "<li><span>Straight through</span> <strong>42.9 %</strong> <small>3 of 7</small></li>\n");
  assert_has(
      text,
      "aria-label=\"3 at 1, 1 from 0.95 to 1.00, 1 from 0.90 to 0.95, 1 from 0.15 to 0.20, 1 from 0.00 to 0.05\"");
  ee_free(text);
}

/* The head: texts of the data in the title, the policy, and nothing from outside. */
static void test_head(void **state) {
  (void)state;
  ee_page page;
  ee_page_init(&page);
  page.kind = "run";
  page.json = EE_STR("{\"a\":\"</script><!--\"}\n");
  ee_line_add(&page, ee_page_line(&page, EE_MEDIUM_ALL, EE_LINE_TITLE), ee_cell_data(EE_STR("<x>\"&"), EE_INK_PLAIN));
  char *text = render(&page);
  check_structure(text);
  assert_has(text, "<title>&lt;x&gt;&quot;&amp;</title>");
  assert_has(text, "content=\"default-src 'none'; script-src 'sha256-");
  assert_has(text, "; img-src file: data: blob:; base-uri 'none'; form-action 'none'\">");
  assert_has(text,
             "<script type=\"application/json\" "
             "id=\"ee-run\">{\"document\":\"run\",\"report\":{\"a\":\"\\u003c/script>\\u003c!--\"}\n}</script>\n");
  check_with_xmllint(text);
  /* Scripts have the name of SVG's namespace. */
  *strstr(text, "<script>") = '\0';
  assert_has_not(text, "http:");
  assert_has_not(text, "https:");
  assert_has_not(text, "@import");
  assert_has_not(text, "url(");
  ee_free(text);
}

/* Embedded files end no element, and their hashes are those of their texts. */
static void test_assets(void **state) {
  (void)state;
  const ee_embedded_file *tables[] = {ee_html_styles, ee_html_scripts};
  for (size_t t = 0; t < 2; t++)
    for (const ee_embedded_file *file = tables[t]; file->name != NULL; file++) {
      assert_null(strstr(file->text, "</s"));
      assert_null(strstr(file->text, "<!--"));
      assert_null(strchr(file->text, '\r'));
      assert_int_equal(strlen(file->text), file->length);
      char name[] = "/tmp/evalengine-asset-XXXXXX", command[100], hash[65] = "";
      int descriptor = mkstemp(name);
      assert_int_equal(write(descriptor, file->text, file->length), file->length);
      close(descriptor);
      snprintf(command, sizeof command, "sha256sum %s", name);
      FILE *output = popen(command, "r");
      assert_int_equal(fread(hash, 1, 64, output), 64);
      pclose(output);
      unlink(name);
      assert_string_equal(hash, file->hash);
    }
}

/* Random bytes as texts: the structure stays. */
static void test_random_texts(void **state) {
  (void)state;
  test_random random = test_random_start("texts in a page", 7);
  static const char *const pieces[] = {"<",         ">",    "&",   "\"",  "'",
                                       "</script>", "<!--", "-->", "]]>", "\xe2\x80\xae",
                                       "a",         " ",    "\n",  "\\",  "<svg onload=x>",
                                       "&lt;"};
  for (int round = 0; round < 300; round++) {
    ee_page page;
    ee_page_init(&page);
    static const ee_column columns[] = {{.name = "a"}, {.name = "b", .left = true}};
    ee_grid *grid = NULL;
    for (int i = 0; i < 20; i++) {
      ee_buffer text = {0};
      for (size_t n = test_random_below(&random, 6); n > 0; n--)
        ee_buffer_add_text(&text, pieces[test_random_below(&random, sizeof pieces / sizeof *pieces)]);
      ee_str copy = {ee_arena_copy(&page.arena, text.data != NULL ? text.data : "", text.length), text.length};
      ee_buffer_fini(&text);
      ee_cell cell = {.text = copy, .kind = test_random_below(&random, 2) > 0 ? EE_CELL_DATA : EE_CELL_QUOTE};
      switch (test_random_below(&random, 6)) {
      case 0: ee_page_section(&page, copy); break;
      case 1:
        ee_line_add(&page, ee_page_line(&page, EE_MEDIUM_ALL, (ee_line_role)test_random_below(&random, 4)), cell);
        break;
      case 2: ee_page_notes(&page, EE_MEDIUM_ALL, &(*EE_NEW_ARRAY(&page.arena, ee_str, 1)), 1); break;
      case 3:
        if (grid == NULL) grid = ee_page_grid(&page, EE_MEDIUM_ALL, columns, 2);
        ee_grid_add(grid)[test_random_below(&random, 2)] = cell;
        break;
      case 4: ee_gates_add(&page, ee_page_gates(&page, EE_MEDIUM_ALL, false), EE_GATE_PASSED, copy); break;
      default: ee_page_text(&page, EE_MEDIUM_HTML, copy);
      }
      if (test_random_below(&random, 4) == 0) grid = NULL;
    }
    char *text = render(&page), *body = body_of(text);
    check_structure(text);
    assert_has_not(body, "<script");
    assert_has_not(body, "<svg");
    assert_has_not(body, "<!--");
    free(body);
    ee_free(text);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_texts), cmocka_unit_test(test_table), cmocka_unit_test(test_scores),
             cmocka_unit_test(test_head), cmocka_unit_test(test_assets), cmocka_unit_test(test_random_texts));
