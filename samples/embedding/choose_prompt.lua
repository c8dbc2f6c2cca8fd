-- choose_prompt.lua: which of two prompts is better, decided from Lua.
--
--   lua5.4 choose_prompt.lua TRUTH.jsonl ANSWERS_A.jsonl ANSWERS_B.jsonl RULES
--
-- Judges the answers of both, compares the two results case by case, and prints what a person needs to decide.
local evalengine = require "evalengine"

local truth, a, b, rules = table.unpack(arg)
rules = evalengine.rules(rules)

local function judge(answers)
  local result = evalengine.evaluate(truth, answers, { rules = rules })
  print(("%s: mean score %.3f, %d of %d cases pass"):format(answers:match "[^/]+$", result.score, result.counts.passed, result.counts.cases))
  return result
end

local comparison = evalengine.compare(judge(a), judge(b))
print(comparison:report("table", "--section", "summary"))

-- A report is a table, too: here the fields that the second prompt broke most.
for _, judge in ipairs(comparison.summary.judges) do
  table.sort(judge.fields, function(a, b) return a.broken > b.broken end)
  for _, field in ipairs(judge.fields) do
    if field.broken > 0 then print(("%s broken in %d cases, fixed in %d"):format(field.name, field.broken, field.fixed)) end
  end
end
