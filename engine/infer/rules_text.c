/* rules_text.c: the rule file: a comment and a line for each field, judges in the order of the data. */
#include "infer/rules_text.h"

#include <inttypes.h>

#include "judge/rule_text/lua_text.h"

/* Max paths without a rule that are listed. */
#define LISTED 40

typedef struct writer {
  const ee_choices *choices;
  const ee_profile *profile;
  ee_arena *arena;
  ee_buffer *out;
} writer;

static void add_spaces(writer *self, size_t count) { ee_buffer_addf(self->out, "%*s", (int)count, ""); }

/* "amounts of money: all 120 values, such as ...", a line for the remark, and what does not fit. */
static void comment_choice(writer *self, const ee_choice *choice, size_t indent) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_addf(&text, "%s: %s", choice->read_as, choice->reason);
  ee_lua_text_comment(self->out, indent, ee_buffer_terminate(&text));
  ee_lua_text_comment(self->out, indent, choice->remark);
  if (choice->doubt != NULL) {
    ee_buffer_clear(&text);
    ee_buffer_addf(&text, "CHECK: %s", choice->doubt);
    ee_lua_text_comment(self->out, indent, ee_buffer_terminate(&text));
  }
  ee_buffer_fini(&text);
}

static void add_texts(writer *self, const ee_str *texts, size_t count) {
  ee_buffer_add_text(self->out, "{ ");
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ee_buffer_add_text(self->out, ", ");
    ee_lua_text_string(self->out, texts[i]);
  }
  ee_buffer_add_text(self->out, " }");
}

static bool has_options(const ee_choice *choice) {
  return *choice->options != '\0' || choice->candidate.data != NULL || choice->null_value_count > 0;
}

static void add_options(writer *self, const ee_choice *choice) {
  if (choice->candidate.data != NULL) {
    ee_buffer_add_text(self->out, ", candidate = ");
    ee_lua_text_string(self->out, choice->candidate);
  }
  if (*choice->options != '\0') ee_buffer_addf(self->out, ", %s", choice->options);
  if (choice->null_value_count > 0) {
    ee_buffer_add_text(self->out, ", null_values = ");
    add_texts(self, choice->null_values, choice->null_value_count);
  }
}

/* The path, in line with those of the other fields: ee.exact     "a", ee.numeric { "b", ... }. */
static void add_field(writer *self, const ee_choice *choice, size_t indent, size_t width) {
  comment_choice(self, choice, indent);
  add_spaces(self, indent);
  ee_buffer_addf(self->out, "ee.%-*s", (int)width, choice->strategy);
  ee_buffer_add_text(self->out, has_options(choice) ? " { " : "   ");
  ee_lua_text_string(self->out, choice->path);
  add_options(self, choice);
  ee_buffer_add_text(self->out, has_options(choice) ? " },\n" : ",\n");
}

static size_t widest_strategy(const ee_choice *items, size_t count) {
  size_t width = 0;
  for (size_t i = 0; i < count; i++) {
    if (items[i].kind != EE_CHOICE_FIELD) continue;
    size_t length = strlen(items[i].strategy);
    if (length > width) width = length;
  }
  return width;
}

/* Fields, then inner arrays, then paths that are not judged. */
static void add_inner(writer *self, const ee_choice *items, size_t count, size_t indent);

static void add_items(writer *self, const ee_choice *choice, ee_str name, size_t indent) {
  comment_choice(self, choice, indent);
  add_spaces(self, indent);
  ee_buffer_add_text(self->out, "ee.line_items {\n");
  add_spaces(self, indent + 2);
  ee_lua_text_string(self->out, choice->path);
  ee_buffer_add_text(self->out, ",\n");
  if (name.data != NULL) {
    add_spaces(self, indent + 2);
    ee_buffer_add_text(self->out, "name = ");
    ee_lua_text_string(self->out, name);
    ee_buffer_add_text(self->out, ",\n");
  }
  if (choice->candidate.data != NULL) {
    add_spaces(self, indent + 2);
    ee_buffer_add_text(self->out, "candidate = ");
    ee_lua_text_string(self->out, choice->candidate);
    ee_buffer_add_text(self->out, ",\n");
  }
  ee_lua_text_comment(
      self->out, indent + 2,
      "Items are paired so that as many fields as possible agree; a pair must agree in at least a fifth of them.");
  add_spaces(self, indent + 2);
  ee_buffer_add_text(self->out, "match = { score_fields = true, method = \"optimal\", threshold = 0.2 },\n\n");
  add_inner(self, choice->inner, choice->inner_count, indent + 2);
  add_spaces(self, indent);
  ee_buffer_add_text(self->out, "},\n");
}

/* The field as a comment, for a person to turn on. */
static void comment_out_field(writer *self, const ee_choice *choice, size_t indent) {
  add_spaces(self, indent);
  ee_buffer_addf(self->out, "-- ee.%s { ", choice->strategy);
  ee_lua_text_string(self->out, choice->path);
  add_options(self, choice);
  ee_buffer_add_text(self->out, " },\n");
}

/* "not judged: a, b and 7 more (only candidates have them)" */
static void comment_not_judged(writer *self, const ee_choice *items, size_t count, size_t indent) {
  ee_buffer text;
  ee_buffer_init(&text);
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    if (items[i].kind != EE_CHOICE_NOT_JUDGED) continue;
    found++;
    if (found > LISTED) continue;
    ee_buffer_addf(&text, "%s: %.*s (%s)", items[i].read_as, EE_STR_ARG(items[i].path), items[i].reason);
    ee_lua_text_comment(self->out, indent, ee_buffer_terminate(&text));
    ee_buffer_clear(&text);
    if (items[i].strategy != NULL) comment_out_field(self, &items[i], indent);
    if (items[i].doubt == NULL || items[i].strategy != NULL) continue;
    ee_buffer_addf(&text, "CHECK: %.*s: %s", EE_STR_ARG(items[i].path), items[i].doubt);
    ee_lua_text_comment(self->out, indent, ee_buffer_terminate(&text));
    ee_buffer_clear(&text);
  }
  if (found > LISTED) {
    ee_buffer_addf(&text, "not judged: %zu more paths that only one side has", found - LISTED);
    ee_lua_text_comment(self->out, indent, ee_buffer_terminate(&text));
  }
  ee_buffer_fini(&text);
}

static void add_fields_of(writer *self, const ee_choice *items, size_t count, size_t indent) {
  size_t width = widest_strategy(items, count);
  bool first = true;
  for (size_t i = 0; i < count; i++) {
    if (items[i].kind != EE_CHOICE_FIELD) continue;
    if (!first) ee_buffer_add_char(self->out, '\n');
    first = false;
    add_field(self, &items[i], indent, width);
  }
}

static void add_inner(writer *self, const ee_choice *items, size_t count, size_t indent) {
  add_fields_of(self, items, count, indent);
  for (size_t i = 0; i < count; i++) {
    if (items[i].kind != EE_CHOICE_ITEMS) continue;
    ee_buffer_add_char(self->out, '\n');
    add_items(self, &items[i], (ee_str){NULL, 0}, indent);
  }
  comment_not_judged(self, items, count, indent);
}

static void add_boxes(writer *self, const ee_choice *choice, ee_str name) {
  comment_choice(self, choice, 2);
  ee_buffer_add_text(self->out, "  ee.iou_score { ");
  ee_lua_text_string(self->out, choice->path);
  ee_buffer_add_text(self->out, ", name = ");
  ee_lua_text_string(self->out, name);
  add_options(self, choice);
  ee_buffer_add_text(self->out, " },\n");
}

/* The rule file ---------------------------------------------------------------------------------- */

static void add_head(writer *self, const ee_rules_origin *origin) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_addf(&text, "Written by: %s", origin->command);
  ee_lua_text_comment(self->out, 0, ee_buffer_terminate(&text));
  ee_buffer_clear(&text);
  ee_buffer_addf(
      &text,
      "These rules were chosen from the values of %" PRIu64
      " case%s%s; the comment above each rule says why. Change what does not fit, and look first at lines that begin "
      "with CHECK.",
      self->profile->cases, self->profile->cases == 1 ? "" : "s",
      self->profile->candidates == 0 ? ", none with a candidate" : "");
  ee_lua_text_comment(self->out, 0, ee_buffer_terminate(&text));
  ee_lua_text_comment(self->out, 0,
                      "`evalengine check` prints what the rules do; `evalengine --help-on NAME` explains ee.NAME.");
  if (self->profile->left_out > 0) {
    ee_buffer_clear(&text);
    ee_buffer_addf(&text,
                   "CHECK: only the first %d paths, to a depth of %d, were examined; %" PRIu64
                   " values at other paths are judged as part of a larger value, or not at all",
                   EE_PROFILE_PATHS, EE_PROFILE_DEPTH, self->profile->left_out);
    ee_lua_text_comment(self->out, 0, ee_buffer_terminate(&text));
  }
  ee_buffer_fini(&text);
}

/* Members of the records by which the summary could be repeated: few different texts. */
static void suggest_slices(writer *self) {
  for (const ee_profile_node *at = self->profile->record->first; at != NULL; at = at->next) {
    const ee_profile_node *node = at->first != NULL && !at->first->is_element ? at->first : at;
    for (; node != NULL; node = node->parent == at ? node->next : NULL) {
      const ee_value_profile *part = node->parts[EE_PROFILE_EXPECTED];
      uint64_t values = ee_value_profile_count(part);
      if (values == 0 || part->types[EE_STRING] != values || part->longest > 40) continue;
      if (part->distinct < 2 || part->distinct > 20 || values < 3 * part->distinct) continue;
      ee_buffer_add_text(self->out, "  -- slices = { ");
      ee_lua_text_string(self->out, ee_profile_path(node, NULL, self->arena));
      ee_buffer_add_text(self->out, " },  -- repeats the summary for each value\n");
      return;
    }
  }
}

/* Gates as a suggestion, with the first field that has a value in every case. */
static void suggest_gates(writer *self, bool has_fields) {
  const ee_choice *field = NULL;
  for (size_t i = 0; i < self->choices->count && has_fields && field == NULL; i++)
    if (self->choices->items[i].kind == EE_CHOICE_FIELD && self->choices->items[i].values > 0)
      field = &self->choices->items[i];
  ee_buffer_add_text(
      self->out,
      "\n  -- A gate makes the run fail (exit status 1) when a metric is too low. To use one, remove its dashes:\n"
      "  -- ee.gate { metric = \"mean_score\", min = 0.9 },\n");
  if (field == NULL) return;
  ee_buffer_add_text(self->out, "  -- ee.gate { judge = \"fields\", field = ");
  ee_lua_text_string(self->out, field->path);
  ee_buffer_add_text(self->out, ", metric = \"f1\", min = 0.9 },\n");
}

void ee_rules_text_write(const ee_choices *choices, const ee_profile *profile, const ee_rules_origin *origin,
                         ee_arena *scratch, ee_buffer *out) {
  writer self = {choices, profile, scratch, out};
  add_head(&self, origin);
  ee_buffer_add_text(out, "return ee.rules {\n  name = ");
  ee_lua_text_string(out, ee_str_from(origin->name));
  ee_buffer_add_text(out, ",\n");
  if (origin->case_text != NULL) ee_buffer_addf(out, "  case = { %s },\n", origin->case_text);
  if (origin->measures != NULL) ee_buffer_addf(out, "  measures = { %s },\n", origin->measures);
  if (choices->null_value_count > 0) {
    ee_buffer_add_text(out, "  null_values = ");
    add_texts(&self, choices->null_values, choices->null_value_count);
    ee_buffer_add_text(out, ",\n");
  }
  if (profile->several > 0)
    ee_buffer_add_text(out,
                       "  alternatives = true,  -- an expected value {\"anyOf\": [...]} holds several accepted ones\n");
  if (choices->containers)
    ee_buffer_add_text(out, "  empty = \"containers\",  -- [] and {} count as empty, like null\n");
  if (choices->sparse_lists && choices->judged > 1)
    ee_buffer_add_text(out,
                       "\n  -- The score of a case: the weighted mean of the judges that had something to compare.\n"
                       "  -- Without this function, an array that is empty on both sides would score 1.\n"
                       "  score = function(judges)\n"
                       "    local sum, weight = 0, 0\n"
                       "    for _, judge in ipairs(judges) do\n"
                       "      if judge.tp + judge.fp + judge.fn > 0 then\n"
                       "        sum, weight = sum + judge.score * judge.weight, weight + judge.weight\n"
                       "      end\n"
                       "    end\n"
                       "    return weight > 0 and sum / weight or 1\n"
                       "  end,\n");
  suggest_slices(&self);

  bool has_fields = false;
  size_t count = choices->count;
  for (size_t i = 0; i < count; i++) has_fields = has_fields || choices->items[i].kind == EE_CHOICE_FIELD;
  if (has_fields) {
    ee_buffer_add_text(out, "\n  ee.fields {\n    name = \"fields\",\n");
    if (choices->sparse)
      ee_buffer_add_text(
          out, "    -- Many fields are empty in most cases. A field that is empty on both sides is left out of the\n"
               "    -- score; without this option it would score 1.\n"
               "    tn = \"skip\",\n");
    ee_buffer_add_char(out, '\n');
    add_fields_of(&self, choices->items, count, 4);
    ee_buffer_add_text(out, "  },\n");
  }
  for (size_t i = 0; i < count; i++) {
    const ee_choice *choice = &choices->items[i];
    if (choice->kind != EE_CHOICE_ITEMS && choice->kind != EE_CHOICE_BOXES) continue;
    ee_buffer_add_char(out, '\n');
    /* The judge of the other fields has that name. */
    ee_str name = ee_str_is(choice->path, "fields") ? EE_STR("fields (list)") : choice->path;
    if (choice->kind == EE_CHOICE_ITEMS)
      add_items(&self, choice, name, 2);
    else
      add_boxes(&self, choice, name);
  }
  if (profile->cases == 0) ee_buffer_add_text(out, "\n  -- No case could be read.\n  ee.quality {},\n");
  comment_not_judged(&self, choices->items, count, 2);
  suggest_gates(&self, has_fields);
  ee_buffer_add_text(out, "}\n");
}
