/* test_bench_add.c: packs added all or not at all, also by several at a time and on a disk that is full. */
#include "cli/command_folder.h"

enum { ADDERS = 8, RECORDS = 5 };

static void make_pack(const char *name, size_t first, size_t count) {
  ee_buffer text = {0};
  for (size_t i = 0; i < count; i++) add_record(&text, first + i, 30, 1, SIZE_MAX);
  save(name, &text);
  ee_buffer_fini(&text);
}

/* Each waits for the one before it, and none overwrites what another has added. */
static void test_several_at_a_time(void **state) {
  (void)state;
  for (int round = 0; round < 5; round++) {
    make_pack("all", 0, 1);
    pid_t adders[ADDERS];
    for (size_t i = 0; i < ADDERS; i++) {
      char name[32];
      snprintf(name, sizeof name, "pack-%zu", i);
      make_pack(name, 1 + i * RECORDS, RECORDS);
      adders[i] = start_program((const char *const[]){"bench", "add", name, "all", NULL});
    }
    for (size_t i = 0; i < ADDERS; i++) assert_int_equal(wait_for(adders[i]), 0);
    assert_int_equal(count_lines("all"), 1 + ADDERS * RECORDS);
    assert_int_equal(shell("evalengine bench run --dataset all -q >out 2>err"), 0);
  }
  remove_files();
}

/* A file that cannot grow as far as it must stays as it was. */
static void test_full_disk(void **state) {
  (void)state;
  make_pack("all", 0, 3);
  make_pack("pack", 3, 40);
  assert_int_equal(shell("cp all before; ulimit -f 20; evalengine bench add pack all >out 2>err"), 5);
  assert_same_file("all", "before");
  assert_int_equal(shell("ls -A | grep -c tmp >out"), 1); /* no file is left over */
  remove_files();
}

/* A link stays a link, and what may be read by whom stays so. */
static void test_links_and_modes(void **state) {
  (void)state;
  make_pack("real", 0, 3);
  make_pack("pack", 3, 2);
  assert_int_equal(shell("chmod 640 real; ln -s real all; evalengine bench add pack all >out 2>err"), 0);
  assert_int_equal(shell("test -L all && test $(stat -c %%a real) = 640"), 0);
  assert_int_equal(count_lines("real"), 5);
  remove_files();
}

/* A file that is not to be written stays, though its folder lets it be replaced. */
static void test_read_only(void **state) {
  (void)state;
  make_pack("all", 0, 3);
  make_pack("pack", 3, 2);
  assert_int_equal(shell("cp all before; chmod 444 all"), 0);
  bool may_write = access("all", W_OK) == 0; /* root may */
  assert_int_equal(shell("evalengine bench add pack all >out 2>err"), may_write ? 0 : 5);
  if (!may_write) assert_same_file("all", "before");
  remove_files();
}

EE_TEST_FILE(set_up_folder, tear_down_folder, cmocka_unit_test(test_several_at_a_time),
             cmocka_unit_test(test_full_disk), cmocka_unit_test(test_links_and_modes),
             cmocka_unit_test(test_read_only));
