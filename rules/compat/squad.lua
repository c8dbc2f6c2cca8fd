-- SQuAD's exact match and F1 of answers, as evaluate-v1.1.py and evaluate-v2.0.py define them. An answer is a text, the expected value a text
-- or an array of accepted ones; the best counts. An empty text or array: there is no answer, and none is right.
--
--   evalengine rules/compat/squad.lua data.jsonl
--   --set metric=exact_match       the score (f1); the other one is in the details, and in the table of metrics

local metric = ee.config.metric or ee.param("metric", "f1")
if metric ~= "f1" and metric ~= "exact_match" then error "metric must be f1 or exact_match" end

local ARTICLES <const> = { a = true, an = true, the = true }

-- The words of an answer: lower case, without punctuation of ASCII and articles.
local function words_of(answer)
  local words = {}
  for _, word in ipairs(ee.text.words((ee.text.fold(answer):gsub("%p", "")))) do
    if not ARTICLES[word] then words[#words + 1] = word end
  end
  return words
end

-- A value as a text; what is no text as JSON.
local function text_of(value)
  if ee.type(value) == "missing" or ee.type(value) == "null" then return "" end
  return type(value) == "string" and value or ee.json(value)
end

local function exact_match(expected, candidate)
  return table.concat(expected, " ") == table.concat(candidate, " ") and 1 or 0
end

local function f1(expected, candidate)
  if #expected == 0 or #candidate == 0 then return #expected == #candidate and 1 or 0 end
  local left, same = {}, 0
  for _, word in ipairs(expected) do left[word] = (left[word] or 0) + 1 end
  for _, word in ipairs(candidate) do
    if (left[word] or 0) > 0 then same, left[word] = same + 1, left[word] - 1 end
  end
  return 2 * same / (#expected + #candidate)
end

return ee.rules {
  name = "squad",
  ee.judge { "squad", function(case)
    local candidate = words_of(text_of(case.candidate_text or case.candidate))
    local answers, best = {}, { f1 = 0, exact_match = 0 }
    for _, answer in ee.each(ee.type(case.expected) == "array" and case.expected or { case.expected }) do
      local words = words_of(text_of(answer))
      if #words > 0 then answers[#answers + 1] = words end
    end
    if #answers == 0 then answers = { {} } end
    for _, words in ipairs(answers) do
      best.f1 = math.max(best.f1, f1(words, candidate))
      best.exact_match = math.max(best.exact_match, exact_match(words, candidate))
    end
    return { score = best[metric], details = best }
  end },
}
