return ee.rules {
  ee.fields { ee.exact "number", ee.numeric { "total", tolerance = 0.01 } },
  ee.gate { metric = "mean_score", min = 0.9 },
  ee.gate { judge = "fields", field = "total", metric = "f1", min = 0.95 },
}
