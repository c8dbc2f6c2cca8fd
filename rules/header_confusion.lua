-- Header fields that are right or wrong, and nothing between: each is counted as found (TP), wrong (FP and FN), invented (FP), missing
-- (FN) or rightly left empty (TN). The score is the mean F1 of the fields. Which fields, the config says, so that one file serves them all:
--
--   fields       the paths: texts, or tables with a path
--
-- A data set in YAML brings it, a payload on standard input does, another rule file may, or a file on the command line:
--
--   evaluators: [{ name: header, type: code_judge, script: header_confusion.lua, fields: [{ path: invoice_number }, { path: supplier.name }] }]
--   evalengine judge rules/header_confusion.lua < payload.json
--   ee.code_judge { "header", script = "header_confusion.lua", config = { fields = { "invoice_number", "supplier.name" } } }
--   evalengine rules/header_confusion.lua --config header.json data.jsonl

local config = require "read_config" {
  fields = { "paths", required = true },
}

local fields = {}
for i, path in ipairs(config.fields) do fields[i] = ee.exact(path) end

return ee.rules {
  name = "header_confusion",
  ee.fields { name = "header_confusion", aggregate = "macro_f1", fields },
}
