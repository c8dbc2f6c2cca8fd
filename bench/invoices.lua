-- The rule file of the benchmarks: ten header strategies and greedy line items over five fields.
return ee.rules {
  name = "bench",
  case = { id = "id", expected = "truth", candidate = "answer" },

  ee.fields {
    name = "header",
    ee.exact     "invoice.number",
    ee.date      "invoice.date",
    ee.exact     "invoice.currency",
    ee.one_of  { "invoice.incoterm", values = { "FOB", "CIF", "EXW", "DAP" } },
    ee.numeric { "invoice.total", tolerance = 0.01 },
    ee.numeric { "invoice.vat", tolerance = 0.01 },
    ee.numeric { "invoice.net_weight", tolerance = 0.02, relative = true, required = false },
    ee.fuzzy   { "supplier.name", threshold = 0.85 },
    ee.exact   { "supplier.vat_id", normalize = "alnum" },
    ee.fuzzy   { "buyer.name", algorithm = "jaro_winkler", threshold = 0.9 },
  },

  ee.line_items {
    "invoice.line_items",
    match = { "description", threshold = 0.80, method = ee.param("method", "greedy") },
    ee.fuzzy   { "description", threshold = 0.80 },
    ee.exact     "hs_code",
    ee.numeric { "quantity", tolerance = 0 },
    ee.numeric { "unit_price", tolerance = 0.01 },
    ee.numeric { "line_total", tolerance = 0.01 },
  },
}
