return ee.rules {
  ee.fields {
    ee.exact { "number", normalize = { "trim", "casefold" }, weight = 2 },
    ee.fuzzy { "supplier", candidate = "vendor.name", required = false },
  },
}
