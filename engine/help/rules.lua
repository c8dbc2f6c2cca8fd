return ee.rules {
  name = "invoice",
  case = { id = "id", expected = "truth", candidate = "answer" },
  slices = { "meta.language" },
  ee.fields { ee.exact "number", ee.numeric { "total", tolerance = 0.01 } },
  ee.gate { metric = "mean_score", min = 0.9 },
}
