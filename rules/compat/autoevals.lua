-- The scorers of autoevals that ask no model: Levenshtein, NumericDiff, ExactMatch, ListContains and ValidJSON; JSONDiff is json_diff.lua.
--
--   evalengine rules/compat/autoevals.lua data.jsonl --set scorer=NumericDiff
--
-- Or by a config: { "scorer": "ListContains", "allow_extra_entities": true }, { "scorer": "ValidJSON", "schema": {...} }.

local scorer = ee.config.scorer or ee.param("scorer", "Levenshtein")

-- A value as JavaScript's String() and Python's str() give it, but for objects and arrays, which are JSON in the order of their keys.
local function text_of(value)
  if ee.type(value) == "missing" or ee.type(value) == "null" then return "null" end
  return type(value) == "userdata" and tostring(value) or type(value) == "string" and value or ee.json(value)
end

-- The candidate; a text that is no JSON as it is.
local function answer_of(case)
  if type(case.candidate) == "userdata" then return case.candidate end
  return case.candidate_text or case.candidate
end

local scorers = {}

function scorers.Levenshtein(expected, answer) return ee.prim.levenshtein_similarity(text_of(expected), text_of(answer)) end

function scorers.NumericDiff(expected, answer)
  local x, y = tonumber(expected), tonumber(answer)
  if not x or not y then return 0, "not a number" end
  return x == y and 1 or math.max(0, 1 - math.abs(x - y) / (math.abs(x) + math.abs(y)))
end

function scorers.ExactMatch(expected, answer) return text_of(expected) == text_of(answer) end

function scorers.ListContains(expected, answer)
  if ee.type(expected) ~= "array" or ee.type(answer) ~= "array" then return 0, "not an array" end
  if #expected == 0 or #answer == 0 then return #expected == #answer end
  local similarities, sum = {}, 0
  for i, item in ipairs(expected) do
    similarities[i] = {}
    for j, other in ipairs(answer) do similarities[i][j] = scorers.Levenshtein(item, other) end
  end
  for _, pair in ipairs(ee.prim.optimal_match(similarities)) do sum = sum + pair[3] end
  return sum / (ee.config.allow_extra_entities and #expected or math.max(#expected, #answer))
end

if scorer == "ValidJSON" then
  local is_container = ee.judge { "ValidJSON", needs_expected = false, function(case)
    return type(case.candidate) == "userdata", "not an object or array"
  end }
  local schema = ee.config.schema
  return ee.rules { name = scorer, schema and ee.schema { name = scorer, schema = ee.copy(schema) } or is_container }
end

local score = scorers[scorer] or error("no scorer of autoevals named '" .. scorer .. "'")
return ee.rules {
  name = scorer,
  ee.judge { scorer, function(case)
    local value, reason = score(case.expected, answer_of(case))
    return { score = value, misses = reason and { reason } or {} }
  end },
}
