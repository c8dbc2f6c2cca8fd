-- Tables by optimal pairing: the largest total similarity of descriptions.
return ee.rules {
  name = "tables",
  case = { id = "id", expected = "truth", candidate = "answer" },

  ee.line_items {
    "rows",
    match = { "description", threshold = 0.80, method = ee.param("method", "optimal") },
    ee.fuzzy   { "description", threshold = 0.80 },
    ee.exact     "hs_code",
    ee.numeric { "quantity", tolerance = 0 },
    ee.numeric { "unit_price", tolerance = 0.01 },
    ee.numeric { "line_total", tolerance = 0.01 },
  },
}
