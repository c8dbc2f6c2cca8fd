return ee.rules {
  ee.fields {
    ee.fuzzy { "supplier.name", algorithm = "token_set", threshold = 0.85 },
  },
}
