-- Receipts: flat documents with values as people write them. The truth and the answers call their ids differently.
--
--   evalengine rules/receipts.lua --expected samples/receipts/truth.jsonl samples/receipts/answers_a.jsonl
return ee.rules {
  case = { id = "doc_id", expected_id = "key" },
  ee.fields {
    ee.fuzzy   { "company", threshold = 0.85 },
    ee.date    { "date", order = "DMY" },
    ee.fuzzy   { "address", threshold = 0.85 },
    ee.numeric { "total", format = "money", tolerance = 0.01 },
  },
}
