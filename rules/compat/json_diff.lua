-- JSONDiff of Braintrust's autoevals: strings are compared by Levenshtein distance, numbers by difference / sum. An object scores the mean over
-- the keys of both sides, an array, compared by position, the mean over the longer length.
--
--   evalengine rules/compat/json_diff.lua data.jsonl
--
-- A config may say { "strings": "ExactMatch", "numbers": "ExactMatch" }.

local exact = { numbers = ee.config.numbers == "ExactMatch", strings = ee.config.strings == "ExactMatch" }
local function text(form)
  if exact.strings then return ee.exact {} end
  return ee.fuzzy { algorithm = "levenshtein", normalize = { form }, score = "similarity", threshold = 1 }
end

return ee.rules {
  name = "json_diff",
  ee.tree {
    name = "json_diff",
    leaves = {
      default = text(),
      mixed = text(),
      number = exact.numbers and ee.exact {} or ee.numeric { score = "closeness_sum" },
      boolean = text "text",
    },
    arrays = "index",
    aggregate = "mean",
    tn = "either",
  },
}
