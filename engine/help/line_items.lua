return ee.rules {
  ee.line_items {
    "invoice.line_items",
    match = { "description", threshold = 0.8, method = "optimal" },
    ee.fuzzy { "description", threshold = 0.8 },
    ee.numeric { "line_total", tolerance = 0.01 },
  },
}
