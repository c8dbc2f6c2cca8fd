/* quality_file.c: the strategies of ee.quality in a JSON file, each with its line. */
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"
#include "judge/quality/quality_judge.h"

/* Reads one value at `*at`, which is known to be there, and moves behind it. */
static const ee_value *take_value(ee_arena *arena, const char **at, const char *end) {
  size_t taken = 0;
  ee_error never;
  const ee_value *value = ee_json_read_prefix(arena, (ee_str){*at, (size_t)(end - *at)}, &taken, &never);
  *at = ee_json_skip_space(*at + taken, end);
  return value;
}

/* Walks the members of the object that `text`, valid JSON, holds: the reader knows no lines of what it has read. */
static void read_members(ee_plan_builder *builder, ee_str text, size_t most, ee_quality_file *file) {
  ee_quality_member *members = EE_NEW_ARRAY(builder->arena, ee_quality_member, most);
  file->members = members;
  const char *at = text.data, *end = text.data + text.length;
  const char *counted = at;
  size_t line = 1;
  at = ee_json_skip_space(ee_json_skip_space(at, end) + 1, end);
  while (*at != '}' && file->count < most) {
    for (; counted < at; counted++) line += *counted == '\n';
    ee_quality_member *member = &members[file->count++];
    member->line = line;
    member->key = ee_value_text(take_value(builder->arena, &at, end));
    at = ee_json_skip_space(at + 1, end); /* the colon */
    member->value = take_value(builder->arena, &at, end);
    if (*at == ',') at = ee_json_skip_space(at + 1, end);
  }
}

/* Told to count the members that the reader drops. */
static void on_duplicate_key(void *user, ee_str key, size_t offset) {
  (void)key, (void)offset;
  *(size_t *)user += 1;
}

bool ee_quality_file_read(ee_plan_builder *builder, const ee_rule_node *node, ee_str name, ee_quality_file *file) {
  *file = (ee_quality_file){0};
  static const char subject[] = "strategies of ee.quality";
  file->name = ee_compile_file_path(builder, node, subject, name);
  if (file->name == NULL) return false;
  ee_buffer buffer;
  ee_buffer_init(&buffer);
  bool good = ee_compile_read_file(builder, node, subject, file->name, &buffer);
  if (good) {
    ee_str text = {buffer.data, buffer.length};
    ee_arena scratch;
    ee_arena_init(&scratch, 0);
    size_t twice = 0;
    ee_json_options options = {.on_duplicate_key = on_duplicate_key, .user = &twice};
    ee_error error = {0};
    const ee_value *root = ee_json_read(&scratch, text, &options, &error);
    good = ee_type_of(root) == EE_OBJECT;
    if (root == NULL) {
      ee_error_at(&error, EE_ERROR_RULES, file->name, error.line, error.column, "%s", error.message);
      ee_error_list_add(builder->errors, &error);
    } else if (!good) {
      ee_rule_node place = {.file = file->name, .line = 1};
      ee_compile_error(builder, &place, "strategies of ee.quality must be an object (\"key\": \"EXACT\", ...), not %s",
                       ee_type_name(root));
    } else {
      read_members(builder, text, ee_value_count(root) + twice, file);
    }
    ee_arena_fini(&scratch);
  }
  ee_buffer_fini(&buffer);
  return good;
}
