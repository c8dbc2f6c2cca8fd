-- Rows for bench/compare_rows: a flat form with FIELDS fields.
local fields = {
  ee.exact "name", ee.exact "city", ee.exact "reference", ee.exact "status", ee.exact "phone",
  ee.numeric "amount", ee.exact "active", ee.exact "email", ee.date "date", ee.exact "comment",
}
return ee.rules {
  case = { id = "id", expected = "truth", candidate = "answer" },
  ee.fields(table.move(fields, 1, tonumber(ee.param("fields", "5")), 1, {})),
}
