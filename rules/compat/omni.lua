-- The JSON accuracy of OmniAI's OCR benchmark: 1 - differences / expected values, at least 0; null is a value.
--
--   evalengine rules/compat/omni.lua data.jsonl
--   --set ignore_case=true

local ignore_case = ee.config.ignore_case or ee.param("ignore_case", false)

return ee.rules {
  name = "omni",
  empty = "none",
  ee.tree {
    name = "omni",
    leaves = { default = ee.exact { normalize = ignore_case and "casefold" or {} } },
    arrays = { default = { "optimal", threshold = 1e-6 } }, -- items without anything in common are no pair
    null = "value",
  },
  -- The tree's score is right / (right + differences).
  score = function(judges)
    local tree = judges[1]
    local right, expected = tree.tp + tree.tn, tree.tp + tree.fn
    if right == 0 or expected == 0 then return right > 0 and tree.score or 0 end
    return math.max(0, 1 - (right / tree.score - right) / expected)
  end,
}
