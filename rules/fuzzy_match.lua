-- One value, scored by its similarity: the whole answer as a text, or the value at a path in it. Case and white space at the ends are
-- ignored. From the threshold on the value is correct. The config may have:
--
--   path         the path of the value; without it the whole answer is compared
--   threshold    the lowest similarity that is correct (0.85)
--   algorithm    "levenshtein", or "jaro_winkler" for short names whose beginning matters most
--
-- Example: ee.code_judge { "vendor", script = "fuzzy_match.lua", config = { path = "vendor", threshold = 0.9 } }. The other ways to use
-- such a file are in header_confusion.lua.

local config = require "read_config" {
  path = { "text" },
  threshold = { "share", default = 0.85 },
  algorithm = { "choice", "levenshtein", "jaro_winkler" },
}

if config.path then
  return ee.rules {
    name = "fuzzy_match",
    ee.fields {
      name = "fuzzy_match",
      ee.fuzzy { config.path, threshold = config.threshold, algorithm = config.algorithm, score = "similarity" },
    },
  }
end

local similarity_of = ({ levenshtein = ee.prim.levenshtein_similarity, jaro_winkler = ee.prim.jaro_winkler })[config.algorithm]

-- A value as a text; a value that is not a text as JSON.
local function text_of(value)
  if ee.is_empty(value) then return "" end
  return type(value) == "string" and ee.prim.normalize(value, "trim", "casefold") or ee.json(value)
end

-- The answer. If it is not JSON, its text.
local function answer_of(case)
  if case.candidate == nil then return case.candidate_text end
  return case.candidate
end

local function judgement(score, tp, tn, fp, fn, wrong)
  return {
    score = score,
    hits = tp == 1 and { "answer" } or {},
    misses = wrong and { ("answer (%s)"):format(wrong) } or {},
    reasoning = wrong,
    details = { metrics = { answer = { tp = tp, tn = tn, fp = fp, fn = fn } } },
  }
end

return ee.rules {
  name = "fuzzy_match",
  ee.judge { "fuzzy_match", function(case)
    local expected, answer = text_of(case.expected), text_of(answer_of(case))
    if expected == "" and answer == "" then return judgement(1, 0, 1, 0, 0) end
    if expected == "" then return judgement(0, 0, 0, 1, 0, "nothing expected") end
    if answer == "" then return judgement(0, 0, 0, 0, 1, "required, missing") end
    local similarity = similarity_of(expected, answer)
    if similarity > config.threshold or ee.near(similarity, config.threshold, 1e-12) then return judgement(similarity, 1, 0, 0, 0) end
    return judgement(similarity, 0, 0, 1, 1, ("similarity %.6g below %.6g"):format(similarity, config.threshold))
  end },
}
