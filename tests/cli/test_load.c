/* test_load.c: standard input that is read twice, and looks at files. */
#include "cli/command_folder.h"

#include "base/limits.h"
#include "cli/load.h"

/* In a child whose standard input is `input`: what two readings of it give, joined; the status of spooling as exit. */
static void read_twice(int input, const char *wanted) {
  pid_t child = fork();
  if (child == 0) {
    ee_buffer text = {0};
    ee_error error = {0};
    int64_t start = 0;
    bool fine = dup2(input, 0) == 0 && ee_spool_standard_input(NULL, &start, &error) == EE_OK;
    fine = fine && ee_load_text("-", &text, &error) == EE_OK;
    fine = fine && ee_rewind_standard_input(start, &error) == EE_OK && ee_load_text("-", &text, &error) == EE_OK;
    _exit(fine && strcmp(ee_buffer_terminate(&text), wanted) == 0 ? 0 : 1);
  }
  int how;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFEXITED(how));
  assert_int_equal(WEXITSTATUS(how), 0);
}

static void pipe_is_spooled(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "one\ntwo\n", 8), 8);
  close(ends[1]);
  read_twice(ends[0], "one\ntwo\none\ntwo\n");
  close(ends[0]);
}

/* What was read before stays read. */
static void file_is_rewound_to_where_it_was(void **state) {
  (void)state;
  save_text("in", "onetwo");
  int file = open("in", O_RDONLY);
  assert_true(file >= 0);
  assert_int_equal(lseek(file, 3, SEEK_SET), 3);
  read_twice(file, "twotwo");
  close(file);
  remove_files();
}

/* No more of a file is looked at than a record may be long; of COCO's annotations the beginning is enough. */
static void look_is_bounded(void **state) {
  (void)state;
  ee_limits small = *ee_limits_get();
  static const char end[] = ",\"images\":[{\"id\":1}],\"annotations\":[],\"categories\":[]}";
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"rows\":[1");
  for (int i = 0; i < 1000; i++) ee_buffer_add_text(&text, ",12345");
  ee_buffer_add_char(&text, ']');
  ee_buffer_add_text(&text, end);
  save_text("late", ee_buffer_terminate(&text));
  ee_buffer_clear(&text);
  ee_buffer_add_text(&text, "{\"images\":[{\"id\":1}],\"annotations\":[");
  for (int i = 0; i < 1000; i++) ee_buffer_addf(&text, "%s{\"id\":%d}", i > 0 ? "," : "", i);
  ee_buffer_add_text(&text, "]}");
  save_text("early", ee_buffer_terminate(&text));
  assert_true(ee_is_coco_file("late") && ee_is_coco_file("early"));
  small.record = 4096;
  const ee_limits *before = ee_limits_enter(&small);
  assert_false(ee_is_coco_file("late"));
  assert_true(ee_is_coco_file("early"));
  ee_limits_enter(before);
  ee_buffer_fini(&text);
  remove_files();
}

EE_TEST_FILE(set_up_folder, tear_down_folder, cmocka_unit_test(pipe_is_spooled),
             cmocka_unit_test(file_is_rewound_to_where_it_was), cmocka_unit_test(look_is_bounded));
