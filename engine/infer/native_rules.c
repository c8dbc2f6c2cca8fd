/* native_rules.c: the judges of a format, for the members that occur. */
#include "infer/native_rules.h"

#include <string.h>

#include "data/json/path.h"
#include "judge/rule_text/lua_text.h"

typedef struct writer {
  ee_arena *arena;
  ee_buffer *out;
  const char *judged;
} writer;

static const ee_profile_node *find(const ee_profile *profile, const char *member, size_t length) {
  for (const ee_profile_node *node = profile->root->first; node != NULL; node = node->next)
    if (!node->is_element && ee_str_equal(node->key, (ee_str){member, length})) return node;
  return NULL;
}

/* Appends `lua` with the path and the name for each %s. */
static void add_judge(writer *self, const ee_foreign_judge *judge, const char *lua, const ee_profile_node *node) {
  ee_buffer_add_text(self->out, "\n");
  ee_lua_text_comment(self->out, 2, judge->comment);
  ee_buffer_add_text(self->out, "  ");
  ee_str values[] = {ee_profile_path(node, NULL, self->arena), node->key};
  size_t number = 0;
  for (const char *at = lua; *at != '\0'; at++) {
    if (at[0] == '%' && at[1] == 's') {
      ee_lua_text_string(self->out, values[number < 1 ? number++ : 1]);
      at++;
    } else {
      ee_buffer_add_char(self->out, *at);
    }
  }
  ee_buffer_add_char(self->out, '\n');
  const char *kind = strstr(lua, "ee.") + 3;
  self->judged = ee_arena_printf(self->arena, "%s%s%.*s by ee.%.*s", self->judged, *self->judged != '\0' ? ", " : "",
                                 EE_STR_ARG(values[0]), (int)strcspn(kind, " ({"), kind);
}

/* Choices may be several at a time. */
static const char *lua_of(const ee_foreign_judge *judge, const ee_profile_node *node) {
  for (size_t i = 0; i < EE_PROFILE_PARTS; i++)
    if (node->parts[i] != NULL && node->parts[i]->types[EE_ARRAY] > 0 && judge->lua_of_arrays != NULL)
      return judge->lua_of_arrays;
  return judge->lua;
}

bool ee_native_rules_write(const ee_foreign_format *format, const ee_profile *profile, const ee_rules_origin *origin,
                           ee_arena *scratch, ee_buffer *out, const char **judged) {
  writer self = {scratch, out, ""};
  size_t start = out->length;
  ee_buffer_addf(out, "-- Written by: %s\nreturn ee.rules {\n  name = ", origin->command);
  ee_lua_text_string(out, ee_str_from(origin->name));
  ee_buffer_add_text(out, ",\n");
  if (origin->case_text != NULL) ee_buffer_addf(out, "  case = { %s },\n", origin->case_text);
  if (origin->measures != NULL) ee_buffer_addf(out, "  measures = { %s },\n", origin->measures);
  for (const ee_foreign_judge *judge = format->judges; judge != NULL && judge->member != NULL; judge++) {
    size_t length = strcspn(judge->member, ".");
    const ee_profile_node *node = find(profile, judge->member, length);
    if (node == NULL) continue;
    if (judge->member[length] == '\0')
      add_judge(&self, judge, lua_of(judge, node), node);
    else
      for (const ee_profile_node *inner = node->first; inner != NULL; inner = inner->next)
        if (!inner->is_element) add_judge(&self, judge, lua_of(judge, inner), inner);
  }
  ee_buffer_add_text(out, "}\n");
  *judged = *self.judged != '\0' ? self.judged : NULL;
  if (*judged != NULL) return true;
  out->length = start;
  return false;
}
