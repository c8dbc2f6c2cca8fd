-- SQuAD's F1 and exact match of answers, as evaluate-v1.1.py and evaluate-v2.0.py define them: case, ASCII punctuation and articles do not count. The
-- expected value is a string, or an array of accepted strings; the best one counts. An empty string means that the question has no answer.
--
--   evalengine rules/compat/squad.lua data.jsonl
--   --set metric=exact_match       the metric that is the score (default f1); the report has both, each as a judge

local metric = ee.config.metric or ee.param("metric", "f1")
if metric ~= "f1" and metric ~= "exact_match" then error "metric must be f1 or exact_match" end

return ee.rules {
  name = "squad",
  alternatives = true,
  ee.fields {
    name = "f1",
    ee.fuzzy { "$", alternatives = true, algorithm = "token_f1", normalize = { "text", "squad" }, score = "similarity", threshold = 1 },
  },
  ee.fields { name = "exact_match", ee.exact { "$", alternatives = true, normalize = { "text", "squad" } } },
  score = function(judges) return judges[metric].score end,
}
