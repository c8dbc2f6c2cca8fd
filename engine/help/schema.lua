return ee.rules {
  ee.schema { schema = {
    type = "object",
    required = { "number", "total" },
    properties = { total = { type = "number", minimum = 0 } },
  } },
}
