local function plain(text) return text:gsub("%W", ""):upper() end

return ee.rules {
  ee.fields {
    ee.custom { "supplier.vat_id", function(expected, candidate)
      return plain(expected) == plain(candidate)
    end },
  },
}
