return ee.rules {
  ee.extraction { document = "documentText", gold = "goldSpans" },
}
