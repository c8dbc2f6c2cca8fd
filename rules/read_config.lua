-- Settings of a rule file that serves many fields: ee.config, checked and with its defaults.
--
--   local config = require "read_config" {
--     fields = { "fields", required = true, keys = { threshold = { "share" } } },
--     threshold = { "share", default = 0.85 },
--     algorithm = { "choice", "levenshtein", "jaro_winkler" },
--   }
--
-- A row is a kind and what holds for it: `required`, or a `default` (of a choice, its first). All mistakes come at once, as an error in
-- the line that asks.

-- What was probably meant by `word`, or nil.
local function suggestion(word, words)
  local best, least
  for known in pairs(words) do
    local distance = ee.prim.levenshtein(word, known)
    if distance <= 3 and 3 * distance <= math.max(#word, #known) and distance < (least or 4) then best, least = known, distance end
  end
  return best
end

-- A value as a message shows it.
local function show(value)
  if type(value) == "string" then return ("'%s'"):format(value) end
  if type(value) == "table" then return #value > 0 and "a list" or "a table" end
  return type(value) == "number" and tostring(value) or "a value of type " .. ee.type(value)
end

local read_table

-- Each kind gets a value, its row, its name in messages and the list of problems; it returns the value as it will be used.
local kinds = {}

local function expect(good, wanted, value, name, problems)
  if good then return value end
  problems[#problems + 1] = ("%s must be %s, got %s"):format(name, wanted, show(value))
end

-- A number from 0 to 1.
function kinds.share(value, _, name, problems)
  return expect(type(value) == "number" and value >= 0 and value <= 1, "a number from 0 to 1", value, name, problems)
end

function kinds.text(value, _, name, problems)
  return expect(type(value) == "string" and not ee.is_empty(value), "a text", value, name, problems)
end

-- One of the texts behind the kind.
function kinds.choice(value, row, name, problems)
  local known = false
  for i = 2, #row do known = known or value == row[i] end
  return expect(known, "one of " .. table.concat(row, ", ", 2), value, name, problems)
end

-- A list of fields: paths, or tables with a `path` and what `keys` of the row allow besides. Tables come of it.
function kinds.fields(value, row, name, problems)
  local fields = {}
  if not expect(type(value) == "table" and #value > 0, "a list of fields", value, name, problems) then return fields end
  local keys = { path = { "text", required = true } }
  for key, inner in pairs(row.keys or {}) do keys[key] = inner end
  for i, field in ipairs(value) do
    local place = ("%s[%d]"):format(name, i)
    if type(field) == "string" then field = { path = field } end
    if expect(type(field) == "table", "a path, or a table with a path", field, place, problems) then
      fields[#fields + 1] = read_table(field, keys, place, problems)
    end
  end
  return fields
end

-- The same where only the paths matter: texts come of it.
function kinds.paths(value, row, name, problems)
  local paths = {}
  for i, field in ipairs(kinds.fields(value, row, name, problems)) do paths[i] = field.path end
  return paths
end

function read_table(given, rows, name, problems)
  for key in pairs(given) do
    if not rows[key] then
      local meant = suggestion(tostring(key), rows)
      problems[#problems + 1] = ("%s has no key '%s'%s"):format(name, key, meant and (" (did you mean '%s'?)"):format(meant) or "")
    end
  end
  local read = {}
  for key, row in pairs(rows) do
    local value, place = given[key], name .. "." .. key
    if value ~= nil then
      read[key] = kinds[row[1]](value, row, place, problems)
    elseif row.required then
      problems[#problems + 1] = place .. " is missing"
    else
      read[key] = row.default or (row[1] == "choice" and row[2] or nil)
    end
  end
  return read
end

-- `config` is another one than the file's own in tests.
return function(rows, config)
  local problems = {}
  local read = read_table(config or ee.config, rows, "config", problems)
  if #problems > 0 then error(table.concat(problems, "; "), 2) end
  return read
end
