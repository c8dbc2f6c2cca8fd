return ee.rules {
  ee.fields {
    name = "header",
    ee.exact "invoice.number",
    ee.numeric { "invoice.total", tolerance = 0.01, weight = 3 },
    aggregate = "macro_f1",
  },
}
