-- ANLS* (Peer et al., 2024, arXiv 2402.03848) of whole documents, and with it ANLS of texts (Biten et al., 2019).
--
--   evalengine rules/compat/anls.lua data.jsonl
--   --set threshold=0.5            the similarity below which a value counts 0
--
-- A value scores 1 - edit distance / longer length; case does not count, and runs of white space count as one space. The score is the sum of these
-- scores / the number of values on both sides, where a pair is one. Items of arrays are paired so that the score is highest. Several correct values
-- are {"anyOf": ["USD", "US Dollar"]} in the place of one, or an array of strings as the whole expected value.

local threshold = ee.param("threshold", 0.5)

return ee.rules {
  name = "anls",
  empty = "containers",
  ee.tree {
    name = "anls",
    leaves = {
      default = ee.fuzzy {
        algorithm = "levenshtein", normalize = { "text", "trim", "collapse_space", "casefold" }, score = "similarity", threshold = threshold,
      },
    },
    arrays = "optimal",
    aggregate = "leaves",
    clip = threshold,
    alternatives = true,
  },
}
