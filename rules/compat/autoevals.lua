-- The scorers of autoevals that do not ask a model: Levenshtein, NumericDiff, ExactMatch, ListContains and ValidJSON; JSONDiff is json_diff.lua.
--
--   evalengine rules/compat/autoevals.lua data.jsonl --set scorer=NumericDiff
--
-- Or by a config: { "scorer": "ListContains", "allow_extra_entities": true }, { "scorer": "ValidJSON", "schema": {...} }.

local scorer = ee.config.scorer or ee.param("scorer", "Levenshtein")

-- A value as JavaScript's String() and Python's str() give it, except that objects and arrays are JSON in the order of their keys.
local function text_of(value)
  if ee.type(value) == "missing" or ee.type(value) == "null" then return "null" end
  return type(value) == "userdata" and tostring(value) or type(value) == "string" and value or ee.json(value)
end

local function texts_of(array)
  local texts = {}
  for i, item in ipairs(array) do texts[i] = text_of(item) end
  return texts
end

local scorers = {}

function scorers.Levenshtein()
  return ee.fields { name = scorer, ee.fuzzy { "$", algorithm = "levenshtein", normalize = "text", score = "similarity", threshold = 1 } }
end

function scorers.NumericDiff() return ee.fields { name = scorer, ee.numeric { "$", score = "closeness_sum" } } end

function scorers.ExactMatch()
  return ee.judge { scorer, function(case)
    local answer = type(case.candidate) == "userdata" and case.candidate or case.candidate_text or case.candidate
    return text_of(case.expected) == text_of(answer)
  end }
end

function scorers.ListContains()
  return ee.judge { scorer, function(case)
    local expected, answer, sum = case.expected, case.candidate, 0
    if ee.type(expected) ~= "array" or ee.type(answer) ~= "array" then return 0, "not an array" end
    if #expected == 0 or #answer == 0 then return #expected == #answer end
    for _, pair in ipairs(ee.prim.optimal_match(ee.prim.similarity_matrix(texts_of(expected), texts_of(answer)))) do sum = sum + pair[3] end
    return { score = sum / (ee.config.allow_extra_entities and #expected or math.max(#expected, #answer)) }
  end }
end

function scorers.ValidJSON()
  if ee.config.schema then return ee.schema { name = scorer, schema = ee.copy(ee.config.schema) } end
  return ee.judge { scorer, needs_expected = false, function(case) return type(case.candidate) == "userdata", "not an object or array" end }
end

return ee.rules { name = scorer, (scorers[scorer] or error("no scorer of autoevals named '" .. scorer .. "'"))() }
