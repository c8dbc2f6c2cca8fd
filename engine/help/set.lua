return ee.rules {
  ee.fields {
    ee.set { "tags", threshold = 0.5 },
    ee.set { "authors", match = ee.fuzzy { threshold = 0.85 } },
  },
}
