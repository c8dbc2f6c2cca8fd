return ee.rules {
  ee.fields {
    ee.auto "invoice.total",
    ee.auto { "invoice.date", required = false },
  },
}
