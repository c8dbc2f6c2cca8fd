return ee.rules {
  ee.fields {
    ee.date { "invoice.date", formats = { "YYYY-MM-DD", "DD MMM YYYY" } },
    ee.date { "invoice.due", order = "DMY" },
  },
}
