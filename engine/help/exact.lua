return ee.rules {
  ee.fields {
    ee.exact "number",
    ee.exact { "currency", candidate = "iso_code", normalize = "casefold" },
  },
}
