return ee.rules {
  ee.quality {
    strategies = { customer_name = "FUZZY", internal_notes = "IGNORE" },
    weights = {
      accuracy = 0.5, completeness = 0.3, hallucination = 0.2, safety = 0,
    },
  },
}
