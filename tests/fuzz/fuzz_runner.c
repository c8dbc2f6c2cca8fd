/* fuzz_runner.c: every target over its seeds and over mutations of them, without a fuzzer: part of `make test`.
 *
 *   tests_fuzz TARGET [FILE...]   the seeds of corpus/TARGET and their mutations, or these files as they are
 *   tests_fuzz --list             the names of the targets
 *
 * The mutations are the same in every run (EE_TEST_SEED=N: others); EE_FUZZ_RUNS=N makes N of each seed. The input that
 * is being tried is in the file fuzz-TARGET.input of the folder of the program, which stays if the target ends the
 * program; of FILE... there is none, since these are files already. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "fuzz/fuzz.h"
#include "support/random.h"

#define MUTATIONS_OF_A_SEED 40
/* Fewer where there are many seeds. */
#define MUTATIONS_OF_A_TARGET 2000

static fuzz_target *targets;

void fuzz_add_target(fuzz_target *target) {
  fuzz_target **at = &targets;
  while (*at != NULL && strcmp((*at)->file, target->file) < 0) at = &(*at)->next;
  target->next = *at;
  *at = target;
}

/* "json" of "tests/fuzz/fuzz_json.c". */
static ee_str name_of(const fuzz_target *target) {
  const char *slash = strrchr(target->file, '/'), *name = slash != NULL ? slash + 1 : target->file;
  name += strlen("fuzz_");
  return (ee_str){name, strcspn(name, ".")};
}

static ee_buffer read_file(const char *name) {
  ee_buffer text = {0};
  int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) perror(name), exit(2);
  for (;;) {
    ssize_t got = read(file, ee_buffer_reserve(&text, 65536), 65536);
    if (got < 0) perror(name), exit(2);
    if (got == 0) break;
    text.length += (size_t)got;
  }
  close(file);
  return text;
}

typedef struct seeds {
  ee_buffer *texts;
  size_t count;
} seeds;

static void add_seed(seeds *all, const char *file) {
  all->texts = ee_realloc(all->texts, all->count + 1, sizeof *all->texts);
  all->texts[all->count++] = read_file(file);
}

static void add_folder(seeds *all, const char *folder) {
  struct dirent **names;
  int count = scandir(folder, &names, NULL, alphasort);
  if (count < 0) perror(folder), exit(2);
  for (int i = 0; i < count; i++) {
    ee_buffer path = {0};
    ee_buffer_addf(&path, "%s/%s", folder, names[i]->d_name);
    if (names[i]->d_name[0] != '.') add_seed(all, ee_buffer_terminate(&path));
    ee_buffer_fini(&path);
    free(names[i]);
  }
  free(names);
}

static void free_seeds(seeds *all) {
  for (size_t i = 0; i < all->count; i++) ee_buffer_fini(&all->texts[i]);
  ee_free(all->texts);
}

/* Mutations ------------------------------------------------------------------------------------- */

static size_t place_in(test_random *random, const ee_buffer *text) {
  return test_random_below(random, text->length + 1);
}

static void cut_out(ee_buffer *text, size_t at, size_t length) {
  memmove(text->data + at, text->data + at + length, text->length - at - length);
  text->length -= length;
}

static void put_in(ee_buffer *text, size_t at, const char *bytes, size_t length) {
  ee_buffer copy = {0}; /* `bytes` may be of `text` */
  ee_buffer_add(&copy, bytes, length);
  (void)ee_buffer_reserve(text, length);
  memmove(text->data + at + length, text->data + at, text->length - at);
  if (length > 0) memcpy(text->data + at, copy.data, length);
  text->length += length;
  ee_buffer_fini(&copy);
}

/* Pieces that mean something to some reader. */
static const char *const words[] = {"0",
                                    "-1",
                                    "1e999",
                                    "18446744073709551616",
                                    "null",
                                    "true",
                                    "\"",
                                    "\\",
                                    "\\u0000",
                                    "\\ud800",
                                    "{",
                                    "}",
                                    "[",
                                    "]",
                                    ",",
                                    ":",
                                    "\n",
                                    "\r\n",
                                    "\t",
                                    " ",
                                    "\xef\xbb\xbf",
                                    "\xc3\xa9",
                                    "\xf0\x9f\x98\x80",
                                    "\xe2\x80\xae",
                                    "\xff",
                                    "<",
                                    "&",
                                    "|",
                                    "=",
                                    "--",
                                    "%",
                                    "'",
                                    "#",
                                    "*",
                                    "..",
                                    "/",
                                    "~1",
                                    "$",
                                    "(",
                                    ")",
                                    "NaN",
                                    "\x1b[31m",
                                    "- ",
                                    "? ",
                                    "!!",
                                    "<<"};

static void mutate_once(test_random *random, const seeds *all, ee_buffer *text) {
  size_t at = place_in(random, text), left = text->length - at;
  size_t length = left > 0 ? 1 + test_random_below(random, left < 16 ? left : 16) : 0;
  switch (test_random_below(random, 7)) {
  case 0: /* another byte */
    if (left > 0) text->data[at] = (char)test_random_bits(random);
    break;
  case 1: /* one bit */
    if (left > 0) text->data[at] = (char)(text->data[at] ^ 1 << test_random_below(random, 8));
    break;
  case 2: cut_out(text, at, length); break;
  case 3: /* a piece twice */ put_in(text, place_in(random, text), text->data + at, length); break;
  case 4: { /* a word */
    const char *word = words[test_random_below(random, sizeof words / sizeof *words)];
    put_in(text, at, word, strlen(word));
    break;
  }
  case 5: /* the end is missing */ text->length = at; break;
  default: { /* the rest of another seed */
    const ee_buffer *other = &all->texts[test_random_below(random, all->count)];
    size_t from = place_in(random, other);
    text->length = at;
    ee_buffer_add(text, other->data + from, other->length - from);
  }
  }
}

/* Running --------------------------------------------------------------------------------------- */

/* Keeps the input until the target has survived it. */
static void keep(int file, ee_str input) {
  if (file < 0) return;
  if (ftruncate(file, (off_t)input.length) != 0 || pwrite(file, input.data, input.length, 0) != (ssize_t)input.length)
    perror("fuzz input"), exit(2);
}

static void try_one(const fuzz_target *target, int file, ee_str input) {
  if (input.length > target->max_length) input.length = target->max_length;
  keep(file, input);
  /* A block of its own, so that sanitizers see what is read past the end. */
  uint8_t *bytes = malloc(input.length > 0 ? input.length : 1);
  if (bytes == NULL) ee_out_of_memory();
  if (input.length > 0) memcpy(bytes, input.data, input.length);
  (void)target->one(bytes, input.length);
  free(bytes);
}

static size_t try_mutations(const fuzz_target *target, int file, const seeds *all) {
  const char *wanted = getenv("EE_FUZZ_RUNS");
  size_t each = MUTATIONS_OF_A_SEED, tried = 0;
  if (wanted != NULL)
    each = strtoul(wanted, NULL, 10);
  else if (all->count * each > MUTATIONS_OF_A_TARGET)
    each = MUTATIONS_OF_A_TARGET / all->count;
  test_random random = test_random_start("fuzz", 20250617);
  ee_buffer text = {0};
  for (size_t i = 0; i < all->count; i++)
    for (size_t k = 0; k < each; k++, tried++) {
      ee_buffer_clear(&text);
      ee_buffer_add(&text, all->texts[i].data, all->texts[i].length);
      for (size_t times = 1 + test_random_below(&random, 4); times > 0; times--) mutate_once(&random, all, &text);
      try_one(target, file, fuzz_buffer_text(&text));
    }
  ee_buffer_fini(&text);
  return tried;
}

static int run(const fuzz_target *target, char **files, size_t count) {
  ee_str name = name_of(target);
  ee_buffer paths[2] = {0};
  ee_buffer_addf(&paths[0], EE_FUZZ_INPUTS "/fuzz-%.*s.input", EE_STR_ARG(name));
  ee_buffer_addf(&paths[1], "%s/%.*s", EE_FUZZ_CORPUS, EE_STR_ARG(name));
  const char *input = ee_buffer_terminate(&paths[0]), *folder = ee_buffer_terminate(&paths[1]);
  int file = count == 0 ? open(input, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
  seeds all = {0};
  for (size_t i = 0; i < count; i++) add_seed(&all, files[i]);
  if (count == 0) add_folder(&all, folder);
  for (size_t i = 0; i < all.count; i++) try_one(target, file, fuzz_buffer_text(&all.texts[i]));
  size_t mutations = count == 0 && all.count > 0 ? try_mutations(target, file, &all) : 0;
  printf("%.*s: %zu inputs, %zu mutations of them\n", EE_STR_ARG(name), all.count, mutations);
  bool bare = all.count == 0;
  free_seeds(&all);
  if (file >= 0) close(file), unlink(input);
  if (bare) fprintf(stderr, "no seeds in %s\n", folder);
  ee_buffer_fini(&paths[0]);
  ee_buffer_fini(&paths[1]);
  return bare;
}

int main(int count, char **arguments) {
  if (count < 2) return fprintf(stderr, "usage: %s [--list | TARGET [FILE...]]\n", arguments[0]), 2;
  bool list = strcmp(arguments[1], "--list") == 0;
  for (const fuzz_target *target = targets; target != NULL; target = target->next) {
    if (list) printf("%.*s\n", EE_STR_ARG(name_of(target)));
    if (ee_str_is(name_of(target), arguments[1])) return run(target, arguments + 2, (size_t)count - 2);
  }
  return list ? 0 : (fprintf(stderr, "no target '%s'; --list prints all\n", arguments[1]), 2);
}
