/* part_set.c: reading states, and what may not be merged. */
#include "run/parts/part_set.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "base/temporary_file.h"
#include "data/files/byte_source.h"
#include "data/files/given_source.h"
#include "data/json/json_reader.h"
#include "prim/sort.h"

/* Missing parts that are named one by one or as ranges. */
#define MISSING_NAMED 20
#define READ_BYTES ((size_t)256 << 10)

void ee_part_set_init(ee_part_set *set) {
  *set = (ee_part_set){0};
  ee_arena_init(&set->arena, 0);
}

void ee_part_set_fini(ee_part_set *set) {
  ee_held_file_close(set->spool);
  ee_arena_fini(&set->arena);
  *set = (ee_part_set){0};
}

ee_status ee_part_set_refuse(const ee_part_set *set, size_t number, ee_error *error, const char *message) {
  const ee_part_entry *entry = &set->items[number];
  return ee_error_at(error, EE_ERROR_RULES, set->files[entry->file], entry->line, 0, "%s", message);
}

/* Reading --------------------------------------------------------------------------------------- */

/* The state in a line of text: what is between tabs and begins like one; else the line. */
static ee_str state_in(ee_str line) {
  for (size_t at = 0; at < line.length;) {
    const char *tab = memchr(line.data + at, '\t', line.length - at);
    size_t end = tab != NULL ? (size_t)(tab - line.data) : line.length;
    ee_str field = ee_str_trim((ee_str){line.data + at, end - at});
    if (ee_part_begins(field)) return field;
    at = end + 1;
  }
  return line;
}

/* A file that is read line by line. */
typedef struct line_reader {
  ee_part_set *set;
  size_t file;
  ee_byte_source *source;
  ee_buffer text;     /* from the current line on */
  uint64_t before;    /* bytes of the text that were there before it */
  size_t line_number; /* of the current line */
  bool plain;         /* the bytes are those of a file that can be read again */
} line_reader;

/* Whether the file can be read again at the offsets of its text: it is a regular one, not packed. */
static bool is_plain(const char *name, const char *start, size_t length) {
  struct stat facts;
  char bytes[16];
  size_t count = length < sizeof bytes ? length : sizeof bytes;
  if (strcmp(name, "-") == 0 || ee_given_source_find(name) != NULL) return false;
  int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool plain = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && pread(file, bytes, count, 0) == (ssize_t)count &&
               memcmp(bytes, start, count) == 0;
  close(file);
  return plain;
}

static ee_status system_error(ee_error *error, const char *what, const char *name) {
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot %s '%s': %s", what, name, strerror(errno));
}

/* Sees to it that the state can be read once more: its text stays, or is in its file, or goes to a temporary one. */
static ee_status keep_text(line_reader *reader, ee_str state, ee_part_entry *entry, ee_error *error) {
  ee_part_set *set = reader->set;
  if (set->held + state.length <= EE_PART_SET_TEXT) {
    set->held += state.length;
    entry->text = (ee_str){ee_arena_copy(&set->arena, state.data, state.length), state.length};
    return EE_OK;
  }
  entry->length = state.length;
  entry->offset = reader->before + (uint64_t)(state.data - reader->text.data);
  if (reader->plain) return EE_OK;
  if (set->spool == NULL) set->spool = ee_held_file_new();
  if (set->spool == NULL || !ee_write_whole(ee_held_file_descriptor(set->spool), state.data, state.length))
    return system_error(error, "write a temporary file for", set->files[entry->file]);
  entry->spooled = true;
  entry->offset = set->spooled;
  set->spooled += state.length;
  return EE_OK;
}

static ee_status take_line(line_reader *reader, ee_str line, ee_error *error) {
  ee_part_set *set = reader->set;
  if (ee_utf8_valid_prefix(line.data, line.length) == line.length && ee_str_is_blank(line)) return EE_OK;
  ee_str state = state_in(line);
  ee_part_entry entry = {.file = reader->file, .line = reader->line_number};
  ee_error broken;
  ee_status status = ee_part_read(state, &set->arena, &entry.part, &entry.check, NULL, &broken);
  if (status != EE_OK)
    return ee_error_at(error, status, set->files[reader->file], reader->line_number, 0, "%s", broken.message);
  status = keep_text(reader, state, &entry, error);
  if (status == EE_OK) *EE_LIST_ADD(set, &set->arena) = entry;
  return status;
}

/* Reads more of the file; `*end` at its end. */
static ee_status read_more(line_reader *reader, bool *end, ee_error *error) {
  const char *name = reader->set->files[reader->file];
  bool first = reader->before == 0 && reader->text.length == 0;
  size_t got;
  ee_error broken;
  char *room = ee_buffer_reserve(&reader->text, READ_BYTES);
  ee_status status = ee_byte_source_read(reader->source, room, READ_BYTES, &got, &broken);
  if (status == EE_ERROR_DATA) return ee_error_at(error, EE_ERROR_RULES, name, 0, 0, "%s", broken.message);
  if (status != EE_OK) *error = broken;
  if (status != EE_OK) return status;
  if (first) reader->plain = is_plain(name, room, got);
  reader->text.length += got;
  *end = got == 0;
  return EE_OK;
}

static ee_status read_lines(line_reader *reader, ee_error *error) {
  ee_buffer *text = &reader->text;
  ee_status status = EE_OK;
  for (bool end = false; status == EE_OK && !end;) {
    size_t searched = text->length, at = 0;
    status = read_more(reader, &end, error);
    while (status == EE_OK) {
      size_t from = at > searched ? at : searched;
      const char *newline = memchr(text->data + from, '\n', text->length - from);
      if (newline == NULL && (!end || at == text->length)) break;
      size_t stop = newline != NULL ? (size_t)(newline - text->data) : text->length;
      reader->line_number++;
      status = take_line(reader, (ee_str){text->data + at, stop - at}, error);
      at = stop < text->length ? stop + 1 : stop;
    }
    memmove(text->data, text->data + at, text->length - at);
    text->length -= at;
    reader->before += at;
  }
  return status;
}

static ee_status read_file(ee_part_set *set, size_t number, const volatile sig_atomic_t *interrupt, ee_error *error) {
  const char *name = set->files[number];
  line_reader reader = {.set = set, .file = number, .source = ee_byte_source_open(name, error)};
  if (reader.source == NULL) return EE_ERROR_SYSTEM;
  ee_byte_source_set_interrupt(reader.source, interrupt);
  size_t before = set->count;
  ee_status status = read_lines(&reader, error);
  ee_byte_source_close(reader.source);
  ee_buffer_fini(&reader.text);
  if (status == EE_OK && set->count == before)
    return ee_error_at(error, EE_ERROR_RULES, name, 0, 0, "has no state in it");
  return status;
}

ee_status ee_part_set_read(ee_part_set *set, const char *const *files, size_t count,
                           const volatile sig_atomic_t *interrupt, ee_error *error) {
  set->files = files;
  ee_status status = EE_OK;
  for (size_t i = 0; i < count && status == EE_OK; i++) status = read_file(set, i, interrupt, error);
  return status;
}

/* The text of a state that was not kept. */
static ee_status read_again(ee_part_set *set, const ee_part_entry *entry, ee_buffer *text, ee_error *error) {
  const char *name = set->files[entry->file];
  int file = entry->spooled ? ee_held_file_descriptor(set->spool) : open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return system_error(error, "open", name);
  char *room = ee_buffer_reserve(text, entry->length);
  ssize_t got = 1;
  while (text->length < entry->length && got > 0) {
    got = pread(file, room + text->length, entry->length - text->length, (off_t)(entry->offset + text->length));
    if (got > 0) text->length += (size_t)got;
  }
  ee_status status = got < 0 ? system_error(error, "read", name) : EE_OK;
  if (!entry->spooled) close(file);
  return status;
}

ee_status ee_part_set_load(ee_part_set *set, size_t number, ee_arena *arena, const ee_value **body, ee_error *error) {
  const ee_part_entry *entry = &set->items[number];
  ee_buffer text = {0};
  ee_status status = entry->text.data == NULL ? read_again(set, entry, &text, error) : EE_OK;
  if (status == EE_OK) {
    ee_part part;
    uint64_t check = 0;
    ee_error broken;
    ee_str state = entry->text.data != NULL ? entry->text : (ee_str){text.data, text.length};
    ee_status read = ee_part_read(state, arena, &part, &check, body, &broken);
    if (read != EE_OK || check != entry->check)
      status = ee_part_set_refuse(set, number, error, "the file has changed while it was read");
  }
  ee_buffer_fini(&text);
  return status;
}

/* What they are of ------------------------------------------------------------------------------ */

/* The next of "|name:value|name:value"; false at the end. */
static bool next_option(ee_str *rest, ee_str *option) {
  if (rest->length < 2) return false;
  const char *start = rest->data + 1, *end = memchr(start, '|', rest->length - 1);
  size_t length = end != NULL ? (size_t)(end - start) : rest->length - 1;
  *option = (ee_str){start, length};
  *rest = (ee_str){start + length, rest->length - 1 - length};
  return true;
}

static bool has_option(ee_str options, ee_str wanted) {
  ee_str option;
  while (next_option(&options, &option))
    if (ee_str_equal(option, wanted)) return true;
  return false;
}

/* "--where meta.language=de" for "where:meta.language=de", "--repair" for "repair:yes". */
static const char *option_words(ee_str option, ee_arena *arena) {
  const char *colon = memchr(option.data, ':', option.length);
  if (colon == NULL) return ee_arena_printf(arena, "%.*s", EE_STR_ARG(option));
  ee_str name = {option.data, (size_t)(colon - option.data)}, value = {colon + 1, option.length - name.length - 1};
  if (ee_str_is(value, "yes")) return ee_arena_printf(arena, "--%.*s", EE_STR_ARG(name));
  return ee_arena_printf(arena, "--%.*s %.*s", EE_STR_ARG(name), EE_STR_ARG(value));
}

/* The first option of `a` that `b` lacks; NULL if it has all. */
static const char *lacking(ee_str a, ee_str b, ee_arena *arena) {
  ee_str option;
  while (next_option(&a, &option))
    if (!has_option(b, option)) return option_words(option, arena);
  return NULL;
}

static const char *expected_differs(const ee_part_expected *a, const ee_part_expected *b) {
  if (a->given != b->given)
    return a->given ? "made without --expected, others with it" : "made with --expected, others without it";
  bool same = a->hash == b->hash && a->records == b->records && a->in_error == b->in_error &&
              a->detections == b->detections && a->coco == b->coco;
  return same ? NULL : "a state of other expected values";
}

static const char *mismatch_of(const ee_part *part, const ee_part_wanted *wanted, ee_arena *arena) {
  if (!ee_str_is(part->kind, wanted->kind))
    return ee_arena_printf(arena, "a state of a %.*s, not of a %s", EE_STR_ARG(part->kind), wanted->kind);
  if (!ee_str_equal(part->version, wanted->version))
    return ee_arena_printf(arena, "a state of another version (%.*s, this is %.*s)", EE_STR_ARG(part->version),
                           EE_STR_ARG(wanted->version));
  if (!ee_str_equal(part->rules_name, wanted->rules_name))
    return ee_arena_printf(arena, "a state of other rules ('%.*s', not '%.*s')", EE_STR_ARG(part->rules_name),
                           EE_STR_ARG(wanted->rules_name));
  const char *theirs = lacking(part->options, wanted->options, arena);
  if (theirs != NULL) return ee_arena_printf(arena, "made with %s, which is not given here", theirs);
  const char *ours = lacking(wanted->options, part->options, arena);
  if (ours != NULL) return ee_arena_printf(arena, "made without %s, which is given here", ours);
  if (part->rules_hash != wanted->rules_hash)
    return ee_arena_printf(arena, "a state of other rules, parameters or config ('%.*s' differs)",
                           EE_STR_ARG(part->rules_name));
  return NULL;
}

static ee_str version_of(const ee_part *part, ee_str name) {
  for (size_t i = 0; i < part->libraries.count; i++)
    if (ee_str_equal(part->libraries.items[i].name, name)) return part->libraries.items[i].version;
  return EE_STR("none");
}

/* One warning a library: results may differ in detail between versions. */
static void compare_libraries(const ee_part_set *set, const ee_part *self, ee_error_list *warnings) {
  for (size_t i = 0; i < self->libraries.count; i++) {
    const ee_part_library *own = &self->libraries.items[i];
    size_t other = set->count;
    for (size_t k = set->count; k-- > 0;)
      if (!ee_str_equal(version_of(&set->items[k].part, own->name), own->version)) other = k;
    if (other == set->count) continue;
    const ee_part_entry *entry = &set->items[other];
    ee_str theirs = version_of(&entry->part, own->name);
    ee_error_list_addf(warnings, EE_OK, set->files[entry->file], entry->line,
                       "warning: made with %.*s %.*s, this program has %.*s: results may differ in detail",
                       EE_STR_ARG(own->name), EE_STR_ARG(theirs), EE_STR_ARG(own->version));
  }
}

ee_status ee_part_set_match(ee_part_set *set, const ee_part_wanted *wanted, const ee_part *self,
                            ee_error_list *warnings, ee_error *error) {
  for (size_t i = 0; i < set->count; i++) {
    const char *message = mismatch_of(&set->items[i].part, wanted, &set->arena);
    if (message == NULL) message = expected_differs(&set->items[0].part.expected, &set->items[i].part.expected);
    if (message != NULL) return ee_part_set_refuse(set, i, error, message);
  }
  compare_libraries(set, self, warnings);
  return EE_OK;
}

/* The partition --------------------------------------------------------------------------------- */

/* Those without a number stay in the order in which they were given. */
static bool entry_before(const ee_part_entry *a, const ee_part_entry *b) {
  if (a->part.from != b->part.from) return a->part.from < b->part.from;
  return a->part.to < b->part.to;
}
EE_DEFINE_SORT(sort_entries, ee_part_entry, entry_before)

/* "x.state:1" */
static const char *place_of(const ee_part_set *set, const ee_part_entry *entry, ee_arena *arena) {
  return ee_arena_printf(arena, "%s:%zu", set->files[entry->file], entry->line);
}

/* Without a number, equal states of other operands are not two attempts: files may be equal. */
static bool same_task(const ee_part *a, const ee_part *b) {
  bool same = a->of > 0 || a->inputs.count == b->inputs.count;
  for (size_t i = 0; same && a->of == 0 && i < a->inputs.count; i++)
    same = ee_str_equal(a->inputs.items[i], b->inputs.items[i]);
  return same;
}

/* Drops states that are there twice, with equal digests: attempts of one task. */
static void drop_twins(ee_part_set *set) {
  ee_hash_index index = {0};
  size_t kept = 0;
  for (size_t i = 0; i < set->count; i++) {
    size_t at = 0, number;
    bool twin = false;
    while (!twin && ee_hash_index_next(&index, set->items[i].part.digest, &at, &number))
      twin = same_task(&set->items[i].part, &set->items[number].part);
    if (twin) {
      /* Whichever comes first, the same one stays. */
      if (set->items[i].check < set->items[number].check) set->items[number] = set->items[i];
      if (set->twins++ == 0) set->twin = ee_part_name(&set->items[i].part, &set->arena);
      continue;
    }
    ee_hash_index_add(&index, set->items[i].part.digest, kept);
    set->items[kept++] = set->items[i];
  }
  ee_hash_index_fini(&index);
  set->count = kept;
}

/* Adds "3" or "5-6" to `list`. */
static void add_missing(ee_part_set *set, ee_buffer *list, size_t *named, uint64_t from, uint64_t to) {
  set->missing_count += to - from + 1;
  if ((*named)++ >= MISSING_NAMED) return;
  if (list->length > 0) ee_buffer_add_text(list, ", ");
  ee_buffer_addf(list, "%" PRIu64, from);
  if (to > from) ee_buffer_addf(list, "-%" PRIu64, to);
}

static void find_missing(ee_part_set *set) {
  ee_buffer list = {0};
  size_t named = 0;
  uint64_t next = 1;
  for (size_t i = 0; i < set->count; i++) {
    const ee_part *part = &set->items[i].part;
    if (part->from > next) add_missing(set, &list, &named, next, part->from - 1);
    next = part->to + 1;
  }
  if (next <= set->of) add_missing(set, &list, &named, next, set->of);
  if (named > MISSING_NAMED) ee_buffer_add_text(&list, ", ...");
  if (list.length > 0) set->missing = ee_arena_copy(&set->arena, list.data, list.length);
  ee_buffer_fini(&list);
}

/* Two states that have a part in common, or a part of another partition. */
static ee_status check_partition(ee_part_set *set, ee_error *error) {
  ee_arena *arena = &set->arena;
  for (size_t i = 1; i < set->count; i++) {
    const ee_part_entry *before = &set->items[i - 1], *entry = &set->items[i];
    const char *where = place_of(set, before, arena), *other = ee_part_name(&before->part, arena);
    const char *name = ee_part_name(&entry->part, arena), *message = NULL;
    if ((entry->part.of == 0) != (before->part.of == 0))
      message =
          ee_arena_printf(arena, "%s beside %s (%s): a numbered part beside one without a number", name, other, where);
    else if (entry->part.of != before->part.of)
      message = ee_arena_printf(arena, "%s beside %s (%s): the data was cut into different numbers of parts", name,
                                other, where);
    else if (entry->part.of > 0 && entry->part.from == before->part.from && entry->part.to == before->part.to)
      message = ee_arena_printf(arena, "%s is given twice with different contents (also in %s)", name, where);
    else if (entry->part.of > 0 && entry->part.from <= before->part.to)
      message = ee_arena_printf(arena, "%s is also in %s, as one of %s", name, where, other);
    if (message != NULL) return ee_part_set_refuse(set, i, error, message);
  }
  return EE_OK;
}

/* One file, as the parts go on through it. */
typedef struct file_cover {
  ee_part_range last;
  size_t entry;
} file_cover;

/* The parts of a file go on where the one before ended, from its beginning to its end. Standard input may bring one
 * object after the other. */
static const char *tile(ee_part_set *set, file_cover *cover, const ee_part_range *range, size_t number) {
  ee_arena *arena = &set->arena;
  ee_part_range last = cover->last;
  const char *before = cover->entry < set->count ? place_of(set, &set->items[cover->entry], arena) : "";
  const char *message = NULL;
  bool first = cover->entry == set->count, next_object = range->from == 0 && ee_str_is(range->name, "-");
  static const char *const units[] = {"byte", "record", "byte"};
  const char *unit = units[range->unit < 3 ? range->unit : 0];
  if (first && range->from > 0)
    message =
        ee_arena_printf(arena, "no part has '%.*s' before %s %" PRIu64, EE_STR_ARG(range->name), unit, range->from);
  else if (!first && range->size != last.size && !next_object)
    message =
        ee_arena_printf(arena, "'%.*s' has %" PRIu64 " %ss here and %" PRIu64 " in %s: another file, or it has changed",
                        EE_STR_ARG(range->name), range->size, unit, last.size, before);
  else if (!first && range->from != last.to && !next_object)
    message = ee_arena_printf(arena, "'%.*s' starts at %s %" PRIu64 " here, but ends at %" PRIu64 " in %s",
                              EE_STR_ARG(range->name), unit, range->from, last.to, before);
  *cover = (file_cover){*range, number};
  return message;
}

static ee_status check_ranges(ee_part_set *set, ee_error *error) {
  struct {
    EE_LIST(file_cover);
  } files = {0};
  ee_hash_index index = {0};
  ee_status status = EE_OK;
  for (size_t i = 0; i < set->count && status == EE_OK; i++) {
    const ee_part *part = &set->items[i].part;
    for (size_t k = 0; k < part->data.count && status == EE_OK; k++) {
      const ee_part_range *range = &part->data.items[k];
      uint64_t hash = ee_hash_bytes(range->name.data, range->name.length, 0);
      size_t at = 0, number = files.count, found;
      while (ee_hash_index_next(&index, hash, &at, &found))
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the index has what the list has
        if (ee_str_equal(files.items[found].last.name, range->name)) number = found;
      if (number == files.count) {
        ee_hash_index_add(&index, hash, number);
        *EE_LIST_ADD(&files, NULL) = (file_cover){{.name = range->name}, set->count};
      }
      const char *message = tile(set, &files.items[number], range, i);
      if (message != NULL) status = ee_part_set_refuse(set, i, error, message);
    }
  }
  for (size_t i = 0; i < files.count && status == EE_OK; i++) {
    const ee_part_range *last = &files.items[i].last;
    if (last->size == 0 || last->to == last->size) continue;
    status = ee_part_set_refuse(
        set, files.items[i].entry, error,
        ee_arena_printf(&set->arena, "'%.*s' ends at %" PRIu64 " of %" PRIu64 " here, and no part has the rest",
                        EE_STR_ARG(last->name), last->to, last->size));
  }
  EE_LIST_FINI(&files);
  ee_hash_index_fini(&index);
  return status;
}

/* A folder may have grown between two parts so that their ranges fit, and what was added at the cut is in neither. */
static ee_status check_cut(ee_part_set *set, ee_error *error) {
  ee_arena *arena = &set->arena;
  for (size_t i = 1; i < set->count; i++) {
    const ee_part_entry *first = &set->items[0], *entry = &set->items[i];
    if (entry->part.cut == first->part.cut) continue;
    return ee_part_set_refuse(set, i, error,
                              ee_arena_printf(arena,
                                              "%s was cut from other files than %s (%s): one was added, removed or "
                                              "changed between them, or they were in another order",
                                              ee_part_name(&entry->part, arena), ee_part_name(&first->part, arena),
                                              place_of(set, first, arena)));
  }
  return EE_OK;
}

const char *ee_part_set_missing(const ee_part_set *set, ee_arena *arena) {
  if (set->missing == NULL) return NULL;
  bool one = set->missing_count == 1;
  return ee_arena_printf(arena, "part%s %s of %" PRIu64 " %s missing", one ? "" : "s", set->missing, set->of,
                         one ? "is" : "are");
}

ee_status ee_part_set_check(ee_part_set *set, ee_error *error) {
  sort_entries(set->items, set->count, &set->arena);
  drop_twins(set);
  if (set->count > 0) set->of = set->items[0].part.of;
  ee_status status = check_partition(set, error);
  if (status != EE_OK || set->of == 0) return status;
  find_missing(set);
  if (set->missing == NULL) status = check_ranges(set, error);
  return status == EE_OK ? check_cut(set, error) : status;
}

bool ee_part_set_follows(const ee_part_set *set, size_t number) {
  if (number == 0) return false;
  return set->of == 0 || set->items[number].part.from == set->items[number - 1].part.to + 1;
}
