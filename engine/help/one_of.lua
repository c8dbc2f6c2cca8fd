return ee.rules {
  ee.fields {
    ee.one_of { "status", values = { "paid", "open", "overdue" } },
  },
}
