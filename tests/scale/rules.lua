-- What the tests of this folder evaluate: counts, pairs of items, slices, a parameter, a function, a program; gates, one that fails.
return ee.rules {
  name = "parts",
  slices = { "language", "expected.supplier" },
  ee.fields {
    name = "header",
    ee.exact "number",
    ee.date "date",
    ee.fuzzy { "supplier", threshold = ee.param("threshold", 0.85) },
    ee.numeric { "total", tolerance = 0.01, weight = 3 },
  },
  ee.line_items {
    "line_items",
    match = { "description", threshold = 0.8 },
    ee.fuzzy "description",
    ee.numeric "quantity",
    ee.numeric { "line_total", tolerance = 0.01 },
  },
  ee.judge { "adds_up", function(case)
    local total, sum = ee.get(case.candidate, "total"), 0
    for _, item in ee.each(case.candidate, "line_items") do sum = sum + item.line_total end
    return type(total) == "number" and ee.near(sum, total, 0.01)
  end },
  ee.exec { "hold", command = { "python3", "hold.py" }, persistent = true, env = { "HOLD" } },
  ee.gate { judge = "header", field = "total", metric = "f1", min = 0.5 },
  ee.gate { metric = "mean_score", min = 0.99 },
}
