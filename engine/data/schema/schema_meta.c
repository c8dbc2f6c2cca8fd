/* schema_meta.c: the metaschemas of the drafts, written from the table of keywords. */
#include "data/json/json_reader.h"
#include "data/schema/schema_keywords.h"

/* What a document of a draft is about. */
typedef struct meta_row {
  const char *uri; /* after "http:" or "https:" */
  ee_schema_draft draft;
  uint8_t vocabulary; /* of a part; 0: the whole */
} meta_row;

static const meta_row metas[] = {
    {"//json-schema.org/draft/2020-12/schema", EE_DRAFT_2020_12, 0},
    {"//json-schema.org/draft/2020-12/meta/core", EE_DRAFT_2020_12, EE_VOCABULARY_CORE},
    {"//json-schema.org/draft/2020-12/meta/applicator", EE_DRAFT_2020_12, EE_VOCABULARY_APPLICATOR},
    {"//json-schema.org/draft/2020-12/meta/unevaluated", EE_DRAFT_2020_12, EE_VOCABULARY_UNEVALUATED},
    {"//json-schema.org/draft/2020-12/meta/validation", EE_DRAFT_2020_12, EE_VOCABULARY_VALIDATION},
    {"//json-schema.org/draft/2020-12/meta/meta-data", EE_DRAFT_2020_12, EE_VOCABULARY_META_DATA},
    {"//json-schema.org/draft/2020-12/meta/format-annotation", EE_DRAFT_2020_12, EE_VOCABULARY_FORMAT},
    {"//json-schema.org/draft/2020-12/meta/format-assertion", EE_DRAFT_2020_12, EE_VOCABULARY_FORMAT},
    {"//json-schema.org/draft/2020-12/meta/content", EE_DRAFT_2020_12, EE_VOCABULARY_CONTENT},
    {"//json-schema.org/draft/2019-09/schema", EE_DRAFT_2019_09, 0},
    {"//json-schema.org/draft/2019-09/meta/core", EE_DRAFT_2019_09, EE_VOCABULARY_CORE},
    {"//json-schema.org/draft/2019-09/meta/applicator", EE_DRAFT_2019_09,
     EE_VOCABULARY_APPLICATOR | EE_VOCABULARY_UNEVALUATED},
    {"//json-schema.org/draft/2019-09/meta/validation", EE_DRAFT_2019_09, EE_VOCABULARY_VALIDATION},
    {"//json-schema.org/draft/2019-09/meta/meta-data", EE_DRAFT_2019_09, EE_VOCABULARY_META_DATA},
    {"//json-schema.org/draft/2019-09/meta/format", EE_DRAFT_2019_09, EE_VOCABULARY_FORMAT},
    {"//json-schema.org/draft/2019-09/meta/content", EE_DRAFT_2019_09, EE_VOCABULARY_CONTENT},
    {"//json-schema.org/draft-07/schema", EE_DRAFT_07, 0},
    {"//json-schema.org/draft-06/schema", EE_DRAFT_06, 0},
    {"//json-schema.org/draft-04/schema", EE_DRAFT_04, 0},
};

/* Patterns of $id and anchors are left out where none can be searched. */
#ifdef EE_WITH_PCRE2
#define PATTERN(text) ",\"pattern\":\"" text "\""
#else
#define PATTERN(text) ""
#endif

/* The schema of a keyword's value. `defs`: "#/$defs/" or "#/definitions/"; `self`: a reference to the whole. */
static void add_value(ee_buffer *out, ee_schema_draft draft, ee_keyword_shape shape, const char *defs,
                      const char *self) {
  bool is_04 = draft == EE_DRAFT_04, is_2020 = draft == EE_DRAFT_2020_12;
  const char *count = is_04 ? "positiveInteger" : "nonNegativeInteger";
  switch (shape) { /* unreached: all shapes are listed */
  case EE_SHAPE_ANY: ee_buffer_add_text(out, is_04 ? "{}" : "true"); break;
  case EE_SHAPE_SCHEMA: ee_buffer_add_text(out, self); break;
  case EE_SHAPE_SCHEMA_OR_BOOLEAN: ee_buffer_addf(out, "{\"anyOf\":[{\"type\":\"boolean\"},%s]}", self); break;
  case EE_SHAPE_SCHEMAS: ee_buffer_addf(out, "{\"$ref\":\"%sschemaArray\"}", defs); break;
  case EE_SHAPE_SCHEMA_OR_SCHEMAS:
    ee_buffer_addf(out, "{\"anyOf\":[%s,{\"$ref\":\"%sschemaArray\"}]}", self, defs);
    break;
  case EE_SHAPE_NAMED_SCHEMAS: ee_buffer_addf(out, "{\"type\":\"object\",\"additionalProperties\":%s}", self); break;
  case EE_SHAPE_PATTERN_SCHEMAS:
    ee_buffer_addf(out, "{\"type\":\"object\",\"additionalProperties\":%s%s}", self,
                   is_04 ? "" : ",\"propertyNames\":{\"format\":\"regex\"}");
    break;
  case EE_SHAPE_DEPENDENCIES:
    ee_buffer_addf(out, "{\"type\":\"object\",\"additionalProperties\":{\"anyOf\":[%s,{\"$ref\":\"%sstringArray\"}]}}",
                   self, defs);
    break;
  case EE_SHAPE_COUNT: ee_buffer_addf(out, "{\"$ref\":\"%s%s\"}", defs, count); break;
  case EE_SHAPE_COUNT_FROM_0: ee_buffer_addf(out, "{\"$ref\":\"%s%sDefault0\"}", defs, count); break;
  case EE_SHAPE_NUMBER: ee_buffer_add_text(out, "{\"type\":\"number\"}"); break;
  case EE_SHAPE_ABOVE_0:
    ee_buffer_add_text(out, is_04 ? "{\"type\":\"number\",\"minimum\":0,\"exclusiveMinimum\":true}"
                                  : "{\"type\":\"number\",\"exclusiveMinimum\":0}");
    break;
  case EE_SHAPE_BOOLEAN: ee_buffer_add_text(out, "{\"type\":\"boolean\"}"); break;
  case EE_SHAPE_TEXT: ee_buffer_add_text(out, "{\"type\":\"string\"}"); break;
  case EE_SHAPE_PATTERN: ee_buffer_add_text(out, "{\"type\":\"string\",\"format\":\"regex\"}"); break;
  case EE_SHAPE_NAMES: ee_buffer_addf(out, "{\"$ref\":\"%sstringArray\"}", defs); break;
  case EE_SHAPE_NAMED_NAMES:
    ee_buffer_addf(out, "{\"type\":\"object\",\"additionalProperties\":{\"$ref\":\"%sstringArray\"}}", defs);
    break;
  case EE_SHAPE_TYPES:
    ee_buffer_addf(out,
                   "{\"anyOf\":[{\"$ref\":\"%ssimpleTypes\"},{\"type\":\"array\",\"items\":{\"$ref\":"
                   "\"%ssimpleTypes\"},\"minItems\":1,\"uniqueItems\":true}]}",
                   defs, defs);
    break;
  case EE_SHAPE_VALUES:
    ee_buffer_add_text(out, draft >= EE_DRAFT_06 ? "{\"type\":\"array\",\"minItems\":1,\"uniqueItems\":true}"
                                                 : "{\"type\":\"array\"}");
    break;
  case EE_SHAPE_EXAMPLES: ee_buffer_add_text(out, "{\"type\":\"array\"}"); break;
  case EE_SHAPE_URI:
    ee_buffer_add_text(out, is_2020 ? "{\"$ref\":\"#/$defs/uriString\"}" : "{\"type\":\"string\",\"format\":\"uri\"}");
    break;
  case EE_SHAPE_REFERENCE:
    ee_buffer_add_text(out, is_2020 ? "{\"$ref\":\"#/$defs/uriReferenceString\"}"
                                    : "{\"type\":\"string\",\"format\":\"uri-reference\"}");
    break;
  case EE_SHAPE_ID:
    ee_buffer_add_text(out, "{\"type\":\"string\",\"format\":\"uri-reference\"" PATTERN("^[^#]*#?$") "}");
    break;
  case EE_SHAPE_ANCHOR:
    ee_buffer_add_text(out, is_2020 ? "{\"$ref\":\"#/$defs/anchorString\"}"
                                    : "{\"type\":\"string\"" PATTERN("^[A-Za-z][-A-Za-z0-9.:_]*$") "}");
    break;
  case EE_SHAPE_VOCABULARIES:
    ee_buffer_add_text(out, "{\"type\":\"object\",\"propertyNames\":{\"type\":\"string\",\"format\":\"uri\"},"
                            "\"additionalProperties\":{\"type\":\"boolean\"}}");
    break;
  }
}

/* Definitions that the schemas above refer to. */
static void add_definitions(ee_buffer *out, const meta_row *meta, const char *defs, const char *self) {
  bool is_04 = meta->draft == EE_DRAFT_04, is_whole = meta->vocabulary == 0;
  const char *name = is_04 ? "positiveInteger" : "nonNegativeInteger";
  const char *before = "";
  ee_buffer_addf(out, ",\"%s\":{", meta->draft <= EE_DRAFT_2019_09 ? "$defs" : "definitions");
  if (is_whole || (meta->vocabulary & EE_VOCABULARY_APPLICATOR) != 0) {
    ee_buffer_addf(out, "\"schemaArray\":{\"type\":\"array\",\"minItems\":1,\"items\":%s}", self);
    before = ",";
  }
  if (is_whole || meta->vocabulary == EE_VOCABULARY_VALIDATION) {
    ee_buffer_addf(out,
                   "%s\"%s\":{\"type\":\"integer\",\"minimum\":0},"
                   "\"%sDefault0\":{\"allOf\":[{\"$ref\":\"%s%s\"},{\"default\":0}]},"
                   "\"simpleTypes\":{\"enum\":[\"array\",\"boolean\",\"integer\",\"null\",\"number\",\"object\","
                   "\"string\"]},\"stringArray\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},"
                   "\"uniqueItems\":true%s}",
                   before, name, name, defs, name, is_04 ? ",\"minItems\":1" : "");
  }
  if (meta->vocabulary == EE_VOCABULARY_CORE && meta->draft == EE_DRAFT_2020_12) {
    ee_buffer_add_text(
        out,
        "\"anchorString\":{\"type\":\"string\"" PATTERN(
            "^[A-Za-z_][-A-Za-z0-9._]*$") "},\"uriString\":{\"type\":\"string\",\"format\":\"uri\"},"
                                          "\"uriReferenceString\":{\"type\":\"string\",\"format\":\"uri-reference\"}");
  }
  ee_buffer_add_char(out, '}');
}

static void add_keywords(ee_buffer *out, const meta_row *meta, const char *defs, const char *self) {
  const char *before = "";
  ee_buffer_add_text(out, ",\"properties\":{");
  for (const ee_schema_word_row *row = ee_schema_words; row->name != NULL; row++) {
    if ((row->drafts & EE_DRAFT_BIT(meta->draft)) == 0 || row->is_extra) continue;
    if (meta->vocabulary != 0 && (row->vocabulary & meta->vocabulary) == 0) continue;
    ee_buffer_addf(out, "%s\"%s\":", before, row->name);
    add_value(out, meta->draft, row->shape, defs, self);
    before = ",";
  }
  ee_buffer_add_char(out, '}');
}

/* The whole of 2019-09 and 2020-12: its parts, and keywords that are kept for older schemas. */
static void add_parts(ee_buffer *out, const meta_row *meta, const char *self) {
  const char *before = "";
  const size_t prefix = strlen("//json-schema.org/draft/2020-12/");
  ee_buffer_add_text(out, ",\"allOf\":[");
  for (size_t i = 0; i < sizeof metas / sizeof *metas; i++) {
    if (metas[i].draft != meta->draft || metas[i].vocabulary == 0 || strstr(metas[i].uri, "-assertion") != NULL)
      continue;
    ee_buffer_addf(out, "%s{\"$ref\":\"%s\"}", before, metas[i].uri + prefix);
    before = ",";
  }
  ee_buffer_addf(out,
                 "],\"properties\":{\"definitions\":{\"type\":\"object\",\"additionalProperties\":%s},"
                 "\"dependencies\":{\"type\":\"object\",\"additionalProperties\":{\"anyOf\":[%s,{\"$ref\":"
                 "\"meta/validation#/$defs/stringArray\"}]}}",
                 self, self);
  if (meta->draft == EE_DRAFT_2020_12)
    ee_buffer_add_text(out, ",\"$recursiveAnchor\":{\"$ref\":\"meta/core#/$defs/anchorString\"},"
                            "\"$recursiveRef\":{\"$ref\":\"meta/core#/$defs/uriReferenceString\"}");
  ee_buffer_add_char(out, '}');
}

static void write_meta(ee_buffer *out, const meta_row *meta) {
  bool is_new = meta->draft <= EE_DRAFT_2019_09;
  const char *defs = is_new ? "#/$defs/" : "#/definitions/";
  const char *self = meta->draft == EE_DRAFT_2020_12   ? "{\"$dynamicRef\":\"#meta\"}"
                     : meta->draft == EE_DRAFT_2019_09 ? "{\"$recursiveRef\":\"#\"}"
                                                       : "{\"$ref\":\"#\"}";
  if (is_new) {
    ee_buffer_addf(out, "{\"$schema\":\"https://json-schema.org/draft/%s/schema\",\"$id\":\"https:%s\",%s",
                   meta->draft == EE_DRAFT_2020_12 ? "2020-12" : "2019-09", meta->uri,
                   meta->draft == EE_DRAFT_2020_12 ? "\"$dynamicAnchor\":\"meta\"" : "\"$recursiveAnchor\":true");
  } else {
    ee_buffer_addf(out, "{\"$schema\":\"http:%s#\",\"%s\":\"http:%s#\"", meta->uri,
                   meta->draft == EE_DRAFT_04 ? "id" : "$id", meta->uri);
  }
  ee_buffer_addf(out, ",\"type\":%s", meta->draft == EE_DRAFT_04 ? "\"object\"" : "[\"object\",\"boolean\"]");
  if (is_new && meta->vocabulary == 0) {
    add_parts(out, meta, self);
  } else {
    add_definitions(out, meta, defs, self);
    add_keywords(out, meta, defs, self);
  }
  if (meta->draft == EE_DRAFT_04)
    ee_buffer_add_text(out,
                       ",\"dependencies\":{\"exclusiveMaximum\":[\"maximum\"],\"exclusiveMinimum\":[\"minimum\"]}");
  ee_buffer_add_char(out, '}');
}

const ee_value *ee_metaschema_find(ee_arena *arena, ee_str uri) {
  if (uri.length < 6 || memcmp(uri.data, "http", 4) != 0) return NULL;
  size_t scheme = uri.data[4] == 's' ? 6 : 5;
  for (size_t i = 0; i < sizeof metas / sizeof *metas; i++) {
    if (!ee_str_is((ee_str){uri.data + scheme, uri.length - scheme}, metas[i].uri)) continue;
    ee_buffer text;
    ee_buffer_init(&text);
    write_meta(&text, &metas[i]);
    const ee_value *document = ee_json_read(arena, (ee_str){text.data, text.length}, NULL, NULL);
    ee_buffer_fini(&text);
    return document;
  }
  return NULL;
}
