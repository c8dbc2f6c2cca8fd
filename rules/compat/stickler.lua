-- stickler's overall_score of structured models. The model is the config: its JSON Schema with x-aws-stickler-comparator, -comparator-config,
-- -threshold, -weight, -clip-under-threshold and, of objects in arrays, -match-threshold.
--
--   evalengine rules/compat/stickler.lua data.jsonl --config schema.json
--
-- An object scores the weighted mean of the fields that the schema declares, an array the sum of the scores of its best pairs / the longer length. A
-- value that scores less than its threshold counts 0. Keys that the schema does not declare do not count.

local PREFIX <const> = "x-aws-stickler-"
local DEFAULTS <const> = { string = "LevenshteinComparator", number = "NumericComparator", integer = "NumericComparator", boolean = "ExactComparator" }
local METHODS <const> = { ratio = "ratio", partial_ratio = "partial_ratio", token_sort_ratio = "token_sort", token_set_ratio = "token_set" }

local comparators = {}

function comparators.LevenshteinComparator(options, config)
  options.algorithm, options.score = "levenshtein", "similarity"
  options.normalize = config.normalize == false and { "text" } or { "text", "trim", "collapse_space", "casefold" }
  return ee.fuzzy(options)
end

function comparators.FuzzyComparator(options, config)
  options.algorithm, options.score = METHODS[config.method or "ratio"], "similarity"
  options.normalize = config.normalize == false and { "text" } or { "text", "trim", "casefold" }
  return ee.fuzzy(options)
end

function comparators.ExactComparator(options, config)
  options.normalize = config.case_sensitive and { "text", "alnum" } or { "text", "casefold", "alnum" }
  options.threshold = nil
  return ee.exact(options)
end

function comparators.NumericComparator(options, config)
  return ee.numeric { format = "money", tolerance = config.absolute_tolerance or config.tolerance or 0, relative_tolerance = config.relative_tolerance }
end

local leaves, weights = {}, {}
for _, kind in ipairs { "string", "number", "boolean" } do leaves[kind] = ee.ignore {} end -- what the schema does not declare

-- Adds the places of a property, or of the items of an array.
local function add(schema, path, outer)
  weights[path] = schema[PREFIX .. "weight"]
  if schema.type == "object" and schema.properties then
    for key, property in pairs(schema.properties) do add(property, path == "" and key or path .. "." .. key) end
  elseif schema.type == "array" then
    add(schema.items or {}, path .. "[*]", schema)
  else
    local from = outer or schema
    local name = from[PREFIX .. "comparator"] or DEFAULTS[schema.type] or "LevenshteinComparator"
    local comparator = comparators[name] or error("no comparator named '" .. name .. "'")
    leaves[path] = comparator({ threshold = from[PREFIX .. "threshold"] or 0.5 }, from[PREFIX .. "comparator-config"] or {})
  end
end
if not ee.config.properties then error("stickler's model is needed: --config FILE with its JSON Schema", 0) end
add(ee.config, "")
weights[""] = nil

return ee.rules {
  name = "stickler",
  empty = "containers",
  ee.tree { name = "stickler", leaves = leaves, weights = weights, aggregate = "mean", clip_unmatched = true, tn = "either" },
}
