return ee.rules {
  ee.fields {
    ee.pattern { "iban", "^%u%u%d%d%w+$" },
  },
}
