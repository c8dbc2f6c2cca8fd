-- extract-eval's F1 of extracted JSON. Its eval schema is the config: JSON Schema with x-eval-compare, x-eval-transform, x-eval-skip, x-eval-align.
--
--   evalengine rules/compat/extract_eval.lua data.jsonl --config eval_schema.json
--
-- Each value is a match, a mismatch, an omission or a hallucination: correct, incorrect, missing or spurious in the table. The score is
-- 2 matches / (2 matches + 2 mismatches + omissions + hallucinations). null is a value; only a key that is not there is empty.

local FORMS <const> = { lowercase = { "casefold" }, strip = { "trim" }, normalize_whitespace = { "collapse_space", "trim" } }

local transforms = {}
function transforms.sort_tokens(value)
  local words = ee.text.words(tostring(value))
  table.sort(words)
  return table.concat(words, " ")
end

function transforms.round_digits(value, parameters) return tonumber(("%." .. parameters.digits .. "f"):format(value)) end

function transforms.type_convert(value, parameters) return parameters.to == "str" and tostring(value) or tonumber(value) or value end

-- "exact" and { numeric = { ... } } as name and parameters.
local function name_of(spec)
  if type(spec) ~= "table" then return spec, {} end
  for name, parameters in pairs(spec) do return name, parameters end
end

-- What x-eval-transform means: normal forms, or a function where one of them has none.
local function transform_of(list)
  local forms, has_functions = {}, false
  for _, spec in ipairs(list or {}) do
    for _, form in ipairs(FORMS[spec] or {}) do forms[#forms + 1] = form end
    has_functions = has_functions or not FORMS[spec]
  end
  if not has_functions then return #forms > 0 and forms or nil end
  return function(value)
    for _, spec in ipairs(list) do
      local name, parameters = name_of(spec)
      if not FORMS[name] then value = transforms[name](value, parameters)
      elseif type(value) == "string" then value = ee.prim.normalize(value, table.unpack(FORMS[name])) end
    end
    return value
  end
end

local function strategy_of(schema)
  local is_number = schema.type == "number" or schema.type == "integer"
  local name, parameters = name_of(schema["x-eval-compare"] or is_number and "numeric" or "exact")
  local form, tolerance = transform_of(schema["x-eval-transform"]), parameters.tolerance or {}
  if name == "oneof" then return ee.one_of { normalize = form, table.unpack(parameters.values) } end
  if name == "exact" then return ee.exact { normalize = form } end
  if name ~= "numeric" or tolerance.rel and tolerance.abs then error(("x-eval-compare: no rule for '%s' here"):format(name)) end
  return ee.numeric { tolerance = tolerance.rel or tolerance.abs or 0, relative = tolerance.rel ~= nil, normalize = form }
end

local leaves, arrays = { default = ee.exact {}, mixed = ee.exact {} }, { default = "index" }

-- Adds the places of a schema.
local function add(schema, path)
  local align = schema["x-eval-align"] or {}
  if schema["x-eval-skip"] then
    leaves[path] = ee.ignore {}
  elseif schema["x-eval-compare"] or not (schema.properties or schema.items) then
    leaves[path] = strategy_of(schema)
  elseif schema.type == "object" then
    for key, child in pairs(schema.properties) do add(child, path == "" and ('["%s"]'):format(key) or ('%s["%s"]'):format(path, key)) end
  else
    if align.match_by then arrays[path] = align.key and { "key", key = align.key } or { "optimal", threshold = 1e-6 } end
    add(schema.items, path .. "[*]")
  end
end
if not (ee.config.type or ee.config.properties) then error("extract-eval's schema is needed: --config FILE", 0) end
add(ee.config, "")

return ee.rules {
  name = "extract_eval",
  empty = "none",
  ee.tree { name = "extract_eval", leaves = leaves, arrays = arrays, null = "value" },
  score = function(judges) return ee.prim.f1(judges[1]) or 1 end,
}
