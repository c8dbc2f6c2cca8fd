-- Lines of an invoice, a packing list, a receipt: in any order, some missing, some invented. They are paired by what they say, then the
-- fields of each pair are compared; the score is the mean F1 of the fields. The config may say:
--
--   path           where the list stands ("line_items"); line_items_path is the same
--   match_fields   what decides which lines belong together ({ "description" }): paths, texts or tables with a path
--   threshold      how alike two lines must be to be a pair (0.8)
--   method         "greedy", best pairs first, or "optimal", the pairing that is best as a whole
--   score_fields   what is compared (every key that is found in a line): numbers and dates as such, all else exactly
--
-- As by ee.code_judge { "lines", script = "line_items.lua", config = { match_fields = { "sku" }, score_fields = { "quantity" } } };
-- header_confusion.lua shows the other ways.

local config = require "read_config" {
  path = { "text" },
  line_items_path = { "text" },
  match_fields = { "paths", default = { "description" } },
  threshold = { "share", default = 0.8 },
  method = { "choice", "greedy", "optimal" },
  score_fields = { "paths", default = {} },
}

local match = { threshold = config.threshold, method = config.method }
for i, path in ipairs(config.match_fields) do match[i] = path end

local fields = {}
for i, path in ipairs(config.score_fields) do fields[i] = ee.auto(path) end

return ee.rules {
  name = "line_items",
  ee.line_items { config.path or config.line_items_path or "line_items", match = match, fields },
}
