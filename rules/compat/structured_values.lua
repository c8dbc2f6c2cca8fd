-- structured-eval's report.score: an object scores the weighted mean over its expected keys, an array the mean over its expected items. The config:
--
--   { "fields": { "title": { "metric": "token_f1" }, "lines[*].price": { "metric": "numeric", "tolerance": 0.01, "weight": 2 } },
--     "arrays": { "lines": { "strategy": "by_key", "key": "sku" }, "tags": { "strategy": "hungarian", "threshold": 0.8 } },
--     "default": { "metric": "exact_match" } }
--
--   evalengine rules/compat/structured_values.lua data.jsonl --config config.json

local NUMBER <const> = { format = "money", symbols = { "%" } }

local function number(options)
  for name, value in pairs(NUMBER) do options[name] = value end
  return ee.numeric(options)
end

local function text(algorithm, ...) return ee.fuzzy { algorithm = algorithm, normalize = { ... }, score = "similarity", threshold = 1 } end

-- The characters of a text, counted, without case, white space and punctuation.
local function characters_of(value)
  local counts, total = {}, 0
  for _, code in utf8.codes((ee.text.fold(value):gsub("[%s%p]", ""))) do counts[code], total = (counts[code] or 0) + 1, total + 1 end
  return counts, total
end

local metrics = {
  exact_match = function() return ee.exact {} end,
  numeric = function(spec)
    if spec.relative_tolerance or spec.absolute_tolerance then
      return number { tolerance = spec.absolute_tolerance or 0, relative_tolerance = spec.relative_tolerance }
    end
    return number { tolerance = spec.tolerance or 0.01, relative = spec.mode ~= "absolute" }
  end,
  numeric_closeness = function() return number { score = "closeness" } end,
  exponential_numeric_score = function(spec) return number { score = "exponential", scale = spec.scale or 1 } end,
  token_f1 = function() return text("token_f1", "squad") end,
  fuzzy = function() return text("token_sort", "casefold", "collapse_space") end,
  levenshtein = function() return text("ratio", "casefold", "trim", "collapse_space") end,
  type_match = function() return ee.custom(function(expected, candidate) return ee.type(expected) == ee.type(candidate) end) end,
  character_f1 = function()
    return ee.custom(function(expected, candidate)
      if type(expected) ~= "string" or type(candidate) ~= "string" then return 0 end
      local counts, total = characters_of(expected)
      local others, other_total, same = characters_of(candidate)
      for code, count in pairs(counts) do same = (same or 0) + math.min(count, others[code] or 0) end
      return total + other_total > 0 and 2 * (same or 0) / (total + other_total) or 1
    end)
  end,
  date_distance_score = function(spec)
    return ee.custom(function(expected, candidate)
      local _, day = ee.prim.date_parse(expected)
      local _, other = ee.prim.date_parse(tostring(candidate))
      return type(day) == "number" and type(other) == "number" and math.max(0, 1 - math.abs(day - other) / (spec.max_days or 30)) or 0
    end)
  end,
}

local function strategy_of(spec)
  local name = spec.metric or "exact_match"
  return (metrics[name] or error("no metric named '" .. tostring(name) .. "'"))(spec)
end

local leaves, weights, arrays = { default = strategy_of(ee.config.default or {}) }, {}, { default = "index" }
for path, spec in pairs(ee.config.fields or {}) do leaves[path], weights[path] = strategy_of(spec), spec.weight end
for path, spec in pairs(ee.config.arrays or {}) do
  weights[path] = spec.weight
  if spec.strategy == "by_key" then arrays[path] = type(spec.key) == "string" and { "key", key = spec.key } or "optimal" end
  if spec.strategy == "hungarian" then arrays[path] = { "optimal", threshold = spec.threshold } end
end

return ee.rules {
  name = "structured_values",
  empty = "none",
  ee.tree { name = "structured_values", leaves = leaves, weights = weights, arrays = arrays, aggregate = "mean", null = "value", on_unexpected = "skip" },
}
