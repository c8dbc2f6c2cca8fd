return ee.rules {
  ee.fields {
    ee.exact "number",
    ee.ignore "internal_notes",
  },
}
