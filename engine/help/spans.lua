return ee.rules {
  ee.spans {
    "entities",
    label = "type", from = "begin", to = "finish",
    scheme = "strict", overlap = 0.5,
  },
  ee.gate { judge = "spans", metric = "partial_f1", min = 0.9 },
}
