-- Quality of a flat form of 11 keys with EXACT and FUZZY alone; --set note=SEMANTIC makes one key of ten words SEMANTIC.
return ee.rules {
  case = { id = "id", expected = "truth", candidate = "answer" },
  ee.fields { ee.exact "reference" },
  ee.quality {
    strategies = {
      name = "FUZZY", city = "FUZZY", phone = "EXACT", status = "EXACT", reference = "EXACT",
      note = ee.param("note", "EXACT"),
    },
  },
}
