return ee.rules {
  ee.fields {
    ee.semantic { "description", threshold = 0.8 },
  },
}
