-- The same with one Lua strategy more, on texts that always differ.
local function same_vat(expected, candidate)
  return #expected == #candidate
end

return ee.rules {
  case = { id = "id", expected = "truth", candidate = "answer" },
  ee.fields { ee.exact "a", ee.custom { "vat", same_vat } },
}
