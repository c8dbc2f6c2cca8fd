/* signature.c: the line that names what decides the numbers. */
#include "report/signature.h"

#include <evalengine.h>
#include <inttypes.h>

#include "prim/number.h"

/* Bytes of a value: more of it is its hash. */
#define SHOWN 60

void ee_signature_add(ee_buffer *out, const char *name, ee_str value) {
  ee_buffer_addf(out, "|%s:", name);
  size_t shown = value.length <= SHOWN ? value.length : ee_utf8_cut(value, SHOWN - 12);
  for (size_t i = 0; i < shown; i++) {
    unsigned char c = (unsigned char)value.data[i];
    if (c < 0x20 || c == 0x7f || c == '|' || c == '%' || c == '`')
      ee_buffer_addf(out, "%%%02X", c);
    else
      ee_buffer_add_char(out, (char)c);
  }
  if (shown < value.length) ee_buffer_addf(out, "...%08" PRIx32, (uint32_t)ee_hash_bytes(value.data, value.length, 0));
}

static void add_hash(ee_buffer *out, const char *name, uint64_t hash) {
  if (hash != 0) ee_buffer_addf(out, "|%s:%08" PRIx32, name, (uint32_t)(hash >> 32));
}

ee_str ee_signature_text(const ee_signature *signature, ee_arena *arena) {
  ee_buffer out;
  ee_buffer_init(&out);
  ee_buffer_add_text(&out, "evalengine|v:" EE_VERSION);
  if (signature->several_rules)
    ee_buffer_add_text(&out, "|rules:several");
  else
    add_hash(&out, "rules", signature->rules);
  add_hash(&out, "data", signature->data);
  add_hash(&out, "records", signature->records);
  add_hash(&out, "rows", signature->rows);
  char number[32];
  ee_buffer_addf(&out, "|n:%" PRIu64, signature->cases);
  ee_signature_add(&out, "conf", (ee_str){number, ee_double_format(signature->confidence, number)});
  const ee_plan *plan = signature->plan;
  if (plan != NULL && plan->needs_provider) {
    const ee_provider_settings *provider = &plan->provider;
    bool local = provider->kind == EE_PROVIDER_LOCAL;
    ee_buffer value;
    ee_buffer_init(&value);
    ee_buffer_add_text(&value, local ? "local/" : "openai/");
    ee_buffer_add_str(&value, local ? provider->language : provider->model);
    ee_signature_add(&out, "provider", (ee_str){value.data, value.length});
    ee_buffer_fini(&value);
  }
  ee_buffer_add_str(&out, signature->options);
  ee_str text = {ee_arena_copy(arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return text;
}

void ee_signature_page(const ee_signature *signature, ee_page *page) {
  ee_str text = ee_signature_text(signature, &page->arena);
  ee_page_section(page, EE_STR("signature"));
  ee_page_space(page);
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_TERMINAL, EE_LINE_PARAGRAPH),
              (ee_cell){.text = text, .kind = EE_CELL_DATA, .ink = EE_INK_DIM});
  /* Without backticks in it, it is one code span. */
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKDOWN, EE_LINE_PARAGRAPH),
              (ee_cell){.text = text, .kind = EE_CELL_CODE});
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_HTML, EE_LINE_PARAGRAPH),
              (ee_cell){.text = text, .kind = EE_CELL_DATA, .ink = EE_INK_DIM});
}
