-- evalengine.json: JSON for Lua values. A table is an array if it has the keys 1 to n and no others, or the metatable of json.array();
-- else an object. json.null is null. A number that is an integer in Lua stays one.
local json = {}

json.null = setmetatable({}, { __tostring = function() return "null" end, __name = "evalengine.null" })

local array_type = { __name = "evalengine.array" }

--- Makes `list` (nil: a new table) an array, so that an empty one is [] and not {}.
function json.array(list) return setmetatable(list or {}, array_type) end

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', function(c) return escapes[c] or string.format("\\u%04x", c:byte()) end) .. '"'
end

-- The number of items if the table is an array; nil if it is an object.
local function length_of(value)
  local count = 0
  for key in next, value do
    if math.type(key) ~= "integer" or key < 1 then return nil end
    count = count + 1
  end
  if count == 0 then return getmetatable(value) == array_type and 0 or nil end
  return count == #value and count or nil
end

local add

local function add_number(out, value, place)
  if math.type(value) == "integer" then
    out[#out + 1] = tostring(value)
  elseif value ~= value or value == math.huge or value == -math.huge then
    error(place .. " is " .. tostring(value) .. ", which is not a number in JSON", 0)
  else
    out[#out + 1] = (string.format("%.17g", value):gsub(",", "."))
  end
end

local function add_table(out, value, place, depth)
  if depth > 1000 then error(place .. " is deeper than 1000 levels, or contains itself", 0) end
  local count = length_of(value)
  if count then
    out[#out + 1] = "["
    for i = 1, count do
      if i > 1 then out[#out + 1] = "," end
      add(out, value[i], place .. "[" .. i .. "]", depth + 1)
    end
    out[#out + 1] = "]"
    return
  end
  local names = {}
  for key in next, value do
    if type(key) ~= "string" then error(place .. " has the key " .. tostring(key) .. ": an object's are strings", 0) end
    names[#names + 1] = key
  end
  table.sort(names)
  for i, name in ipairs(names) do
    out[#out + 1] = (i == 1 and "{" or ",") .. quoted(name) .. ":"
    add(out, value[name], place .. "." .. name, depth + 1)
  end
  out[#out + 1] = #names == 0 and "{}" or "}"
end

function add(out, value, place, depth)
  local kind = type(value)
  if value == nil or value == json.null then
    out[#out + 1] = "null"
  elseif kind == "string" then
    out[#out + 1] = quoted(value)
  elseif kind == "boolean" then
    out[#out + 1] = tostring(value)
  elseif kind == "number" then
    add_number(out, value, place)
  elseif kind == "table" then
    add_table(out, value, place, depth)
  else
    error(place .. " is a " .. kind .. ", which JSON has not", 0)
  end
end

--- The text of a value, on one line. `place` names it in errors.
function json.encode(value, place)
  local out = {}
  add(out, value, place or "the value", 1)
  return table.concat(out)
end

local letters = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }

local function unescaped(text)
  local out, at = {}, 1
  while true do
    local found = text:find("\\", at, true)
    out[#out + 1] = text:sub(at, found and found - 1)
    if not found then return table.concat(out) end
    local letter = text:sub(found + 1, found + 1)
    at = found + 2
    if letter == "u" then
      local code = tonumber(text:sub(at, at + 3), 16)
      at = at + 4
      local low = code >= 0xd800 and code < 0xdc00 and text:match("^\\u([dD][c-fC-F]%x%x)", at)
      if low then
        code = 0x10000 + ((code - 0xd800) << 10) + (tonumber(low, 16) - 0xdc00)
        at = at + 6
      end
      out[#out + 1] = utf8.char(code)
    else
      out[#out + 1] = letters[letter]
    end
  end
end

local read

local function read_string(text, at)
  local from = at
  while true do
    local found = text:find('["\\]', at)
    if text:sub(found, found) == '"' then
      local part = text:sub(from, found - 1)
      return part:find("\\", 1, true) and unescaped(part) or part, found + 1
    end
    at = found + 2
  end
end

local function skip(text, at) return text:find("[^ \t\r\n]", at) end

local function read_object(text, at)
  local object, name = {}, nil
  at = skip(text, at)
  if text:sub(at, at) == "}" then return object, at + 1 end
  while true do
    name, at = read_string(text, skip(text, at) + 1)
    object[name], at = read(text, skip(text, at) + 1)
    at = skip(text, at)
    if text:sub(at, at) == "}" then return object, at + 1 end
    at = at + 1
  end
end

local function read_array(text, at)
  local array, count = json.array(), 0
  at = skip(text, at)
  if text:sub(at, at) == "]" then return array, at + 1 end
  while true do
    count = count + 1
    array[count], at = read(text, at)
    at = skip(text, at)
    if text:sub(at, at) == "]" then return array, at + 1 end
    at = at + 1
  end
end

function read(text, at)
  at = skip(text, at)
  local c = text:sub(at, at)
  if c == "{" then return read_object(text, at + 1) end
  if c == "[" then return read_array(text, at + 1) end
  if c == '"' then return read_string(text, at + 1) end
  if c == "t" then return true, at + 4 end
  if c == "f" then return false, at + 5 end
  if c == "n" then return json.null, at + 4 end
  local number = text:match("^[-+.%deE]+", at)
  return not number:find "[.eE]" and math.tointeger(number) or tonumber(number), at + #number
end

--- The value of a text that the library wrote: it is not checked.
function json.decode(text) return (read(text, 1)) end

return json
