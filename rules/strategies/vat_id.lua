-- VAT identification numbers: spaces, dots, dashes and letter case aside, with or without the country's two letters.
return ee.strategy {
  "vat_id",
  help = "VAT numbers, punctuation and case aside; country = \"DE\" lets one side leave the prefix out.",
  options = {
    country = { "string", help = "the two letters that a number without a prefix belongs to" },
  },
  score = function(expected, candidate, context)
    local function plain(value)
      return ee.prim.normalize(tostring(value), "alnum", "casefold")
    end
    local x, y = plain(expected), plain(candidate)
    if x == y then return true end
    local country = context.options.country
    if country then
      country = country:lower()
      if x == country .. y or y == country .. x then return true end
    end
    return false, ("%s is not %s"):format(y, x)
  end,
}
