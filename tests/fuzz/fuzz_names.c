/* fuzz_names.c: answers in files that are called like the expected values, with something before or after.
 *
 * The lines up to the first empty one are ids of expected values, the others names of files in a directory. A prefix
 * and a suffix that are found join as many files as they say. */
#include <fcntl.h>
#include <unistd.h>

#include "data/json/json_writer.h"
#include "data/name_join.h"
#include "fuzz/fuzz.h"

enum { FILES = 12 };

static void write_truth(fuzz_source *source, ee_buffer *out) {
  for (ee_str id = fuzz_utf8(fuzz_line(source)); id.length > 0; id = fuzz_utf8(fuzz_line(source))) {
    ee_buffer_add_text(out, "{\"id\":");
    ee_json_write_string(out, id);
    ee_buffer_add_text(out, ",\"expected\":{\"a\":1}}\n");
  }
}

/* Makes the files; their names are in `names`. */
static size_t make_files(const char *folder, fuzz_source *source, char names[FILES][160]) {
  size_t count = 0;
  while (!fuzz_is_empty(source) && count < FILES) {
    ee_str line = fuzz_utf8(fuzz_line(source));
    if (line.length > 60) line.length = ee_utf8_cut(line, 60);
    char *name = names[count];
    snprintf(name, 160, "%s/%.*s.json", folder, EE_STR_ARG(line));
    for (char *at = name + strlen(folder) + 1; *at != '\0'; at++)
      if (*at == '/') *at = '_';
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) continue;
    (void)!write(file, "{\"a\":1}", 7);
    close(file);
    count++;
  }
  return count;
}

static void check_join(ee_expected_set *set, ee_dataset *dataset, ee_arena *arena) {
  ee_name_join join;
  ee_error error = {0};
  if (!ee_name_join_find(set, dataset, arena, &join)) return;
  fuzz_require(join.joined >= 1 && join.prefix.length + join.suffix.length >= 1);
  fuzz_require(ee_dataset_cut_names(dataset, join.prefix, join.suffix, &error) == EE_OK);
  size_t joined = 0;
  for (size_t i = 0; i < ee_dataset_file_count(dataset); i++) {
    ee_str id = ee_dataset_file_id(dataset, i);
    joined += id.data != NULL && ee_expected_set_has(set, id);
  }
  fuzz_require(joined == join.joined);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  char folder[] = "/tmp/ee_fuzz_XXXXXX", names[FILES][160];
  fuzz_source source = fuzz_source_of(data, size);
  ee_buffer truth = {0};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  write_truth(&source, &truth);
  fuzz_require(mkdtemp(folder) != NULL);
  size_t count = make_files(folder, &source, names);
  fuzz_file file;
  fuzz_file_make(&file, fuzz_buffer_text(&truth));
  ee_error error = {0};
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_expected_set *set = ee_expected_set_open(file.name, NULL, NULL, &errors, &error);
  const char *name = folder;
  ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
  fuzz_require(dataset != NULL || error.message[0] != '\0');
  if (set != NULL && dataset != NULL) check_join(set, dataset, &arena);
  if (dataset != NULL) ee_dataset_close(dataset);
  ee_expected_set_close(set);
  ee_error_list_fini(&errors);
  fuzz_file_close(&file);
  for (size_t i = 0; i < count; i++) unlink(names[i]);
  rmdir(folder);
  ee_buffer_fini(&truth);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(1024)
