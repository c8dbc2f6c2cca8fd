-- nervaluate's numbers of named entities: strict, exact, partial and type, as SemEval-2013 task 9.1 defines them.
--
--   evalengine rules/compat/nervaluate.lua data.jsonl
--   --set scheme=partial           the scheme whose F1 is the score: strict (default), exact, partial or type
--   --set labels=PER,ORG           the labels that count (default: all)
--   --set min_overlap=50           the smallest part of the expected span, in percent, that counts as an overlap (default 1)
--
-- Each document is one array, of { label, start, end }, where end is the last position of the span, or of tags (BIO).

local labels = ee.config.labels
if not labels and ee.param("labels") then labels = ee.text.split(ee.param("labels"), ",") end

return ee.rules {
  name = "nervaluate",
  ee.spans {
    scheme = ee.config.scheme or ee.param("scheme", "strict"),
    labels = labels,
    overlap = (ee.config.min_overlap_percentage or ee.param("min_overlap", 1)) / 100,
    inclusive = true,   -- ends
    lenient = true,     -- an I without a B begins a span
    pairing = "first",  -- of overlaps; equal spans first
    per_label = "alone",
  },
}
