return ee.rules {
  ee.fields {
    ee.any_of { "answer", "short", match = ee.fuzzy { threshold = 0.9 } },
  },
}
