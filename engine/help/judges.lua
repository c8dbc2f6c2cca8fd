return ee.rules {
  ee.fields {
    name = "header",
    weight = 3,
    verdict = { pass = 0.9, borderline = 0.7 },
    ee.exact "number",
  },
  ee.line_items { "items", match = "description", ee.exact "description" },
}
