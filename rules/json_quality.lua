-- Answers in JSON whose keys are not all known beforehand: forms, profiles, answers of a support desk. One judge says how complete, how
-- faithful and how right each of them is. A key that has no strategy below is compared by what its expected value is: text by its
-- meaning, everything else exactly.
--
--   --set strategies=FILE.json       another table of strategies, key -> "EXACT", "FUZZY", "SEMANTIC" or "IGNORE"; a path from this file's folder
--   --set fuzzy=0.9 --set semantic=0.7      how alike texts must be, from 0 to 1
--   --set provider=openai            meaning by a model's embeddings: OPENAI_API_KEY and OPENAI_MODEL in the environment
--   --set min_completeness=0.9 --set max_hallucination=0.05      what the gates ask for

-- "+386 1 555" and "00386/1555" are one number.
local function same_phone(expected, candidate)
  local function digits(value) return (tostring(value):gsub("%D", ""):gsub("^00", "")) end
  return digits(expected) == digits(candidate)
end

local strategies = {
  name = "FUZZY", company = "FUZZY", street = "FUZZY", city = "FUZZY",
  bio = "SEMANTIC", answer = "SEMANTIC",
  status = "EXACT", category = "EXACT", country = "EXACT", currency = "EXACT", -- one of a few words
  zip = "EXACT", order_id = "EXACT", seat = "EXACT", handle = "EXACT",         -- codes: every sign counts
  phone = ee.custom(same_phone),
  signed_on = ee.date { formats = { "YYYY-MM-DD", "DD.MM.YYYY", "D MMMM YYYY" } },
  total = ee.numeric { tolerance = 0.01 },
  internal_notes = "IGNORE",
}

return ee.rules {
  name = "json_quality",
  provider = ee.param("provider", "local"),
  null_values = { "N/A", "n/a", "-" },
  slices = { "meta.kind" },
  verdict = { pass = 0.80, borderline = 0.65 }, -- a perfect answer has 0.85, one without any key 0.60

  ee.quality {
    strategies = ee.param("strategies") or strategies,
    fuzzy_threshold = ee.param("fuzzy", 0.85),
    semantic_threshold = ee.param("semantic", 0.80),
  },

  ee.gate { judge = "quality", metric = "completeness", min = ee.param("min_completeness", 0.80) },
  ee.gate { judge = "quality", metric = "hallucination", max = ee.param("max_hallucination", 0.15) },
}
