-- Names and addresses, which may be off by a letter: each field is right from a threshold of similarity on, and the score is the share of
-- those that are. Case and white space at the ends do not count. The config says which fields, and how alike they must be:
--
--   fields       the paths: texts, or tables with a path and perhaps a threshold of their own
--   threshold    of fields that have none (0.85)
--   algorithm    "levenshtein", or "jaro_winkler" for short names whose beginning matters most
--
-- As by ee.code_judge { "parties", script = "multi_field_fuzzy.lua", config = { fields = { "buyer.name", { path = "supplier.name", threshold = 0.9 } } } };
-- header_confusion.lua shows the other ways.

local config = require "read_config" {
  fields = { "fields", required = true, keys = { threshold = { "share" } } },
  threshold = { "share", default = 0.85 },
  algorithm = { "choice", "levenshtein", "jaro_winkler" },
}

local fields = {}
for i, field in ipairs(config.fields) do
  fields[i] = ee.fuzzy { field.path, threshold = field.threshold or config.threshold, algorithm = config.algorithm }
end

return ee.rules {
  name = "multi_field_fuzzy",
  ee.fields { name = "multi_field_fuzzy", fields },
}
