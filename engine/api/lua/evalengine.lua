--- evalengine for Lua: how good structured answers are, as the program says it.
--
--   local evalengine = require "evalengine"
--   local result = evalengine.evaluate(truth, candidates, { rules = "rules/invoice.lua" })
--   print(result.score, result:report "table")
local core = require "evalengine.core"
local json = require "evalengine.json"

local evalengine = { version = core.version, null = json.null, array = json.array, json = json }

-- Errors ----------------------------------------------------------------------------------------------------------------

local error_type = { __name = "evalengine.error" }
error_type.__index = error_type
function error_type:__tostring()
  local lines = {}
  for i, one in ipairs(self.errors) do
    local place = one.file and (one.line and ("%s:%d: "):format(one.file, one.line) or one.file .. ": ") or ""
    lines[i] = place .. one.message
  end
  return table.concat(lines, "\n")
end

-- Raises the messages as an error with `errors`, and `status`, `file`, `line`, `message` of the first.
local function fail(messages)
  local first = messages[1]
  error(setmetatable({ errors = messages, status = first.status, file = first.file, line = first.line, message = first.message }, error_type), 0)
end

-- Rules -----------------------------------------------------------------------------------------------------------------

local rules_type = { __name = "evalengine.Rules" }

local function is_text(source) return source:find("[\n{]") ~= nil end

--- Rules that are loaded once: from a path, the name of shipped rules, the text of a rule file (which has a line end or a brace), or
--- the rule tree as a table. Raises an error with all mistakes.
function evalengine.rules(source, name)
  if getmetatable(source) == rules_type then return source end
  local handle, mistakes
  if type(source) == "table" then
    handle, mistakes = core.rules(name or "rules.json", json.encode(source, "rules"))
  elseif is_text(source) then
    handle, mistakes = core.rules(name or "rules.lua", source)
  else
    handle, mistakes = core.rules(source)
  end
  if not handle then fail(mistakes) end
  return setmetatable({ handle = handle }, rules_type)
end

-- Data ------------------------------------------------------------------------------------------------------------------

-- An iterator over the documents of one side: a list or a function; nil at the end.
local function documents(side)
  if type(side) == "function" then return side end
  local at, count = 0, math.max(#side, side.n or 0)
  return function()
    at = at + 1
    if at <= count then return side[at] == nil and json.null or side[at] end
  end
end

local function paired(truth, candidates)
  local next_truth, next_candidate, number = documents(truth), documents(candidates), 0
  return function()
    local expected, candidate = next_truth(), next_candidate()
    if expected == nil and candidate == nil then return nil end
    if expected == nil or candidate == nil then
      error(("truth has %s documents than candidates (%d)"):format(expected == nil and "fewer" or "more", number), 0)
    end
    number = number + 1
    local text = candidate ~= json.null and ',"candidate":' .. json.encode(candidate, ("candidates[%d]"):format(number)) or ""
    return ('{"id":"%d","expected":%s%s}\n'):format(number, json.encode(expected, ("truth[%d]"):format(number)), text)
  end
end

local function records(side, name)
  local next_document, number = documents(side), 0
  return function()
    local record = next_document()
    if record == nil then return nil end
    number = number + 1
    return json.encode(record, ("%s[%d]"):format(name, number)) .. "\n"
  end
end

-- The first document, and an iterator over all.
local function peeked(side)
  local next_document = documents(side)
  local first, pending = next_document(), true
  return first, function()
    if pending then
      pending = false
      return first
    end
    return next_document()
  end
end

-- Names of files for the call and inputs that stand for them.
local function data_of(truth, candidates, options, call)
  local function named(side, name)
    if type(side) == "string" then return side end
    call.inputs[#call.inputs + 1] = { name, records(side, name:match "^[^.]+") }
    return name
  end
  if candidates == nil then
    call.files = { named(truth, "truth.jsonl") }
    return
  end
  local joins = type(truth) == "string" or type(candidates) == "string" or type(options.id) == "string"
  if not joins and options.id ~= false then
    local a, b
    a, truth = peeked(truth)
    b, candidates = peeked(candidates)
    for _, name in ipairs { "id", "case_id" } do
      joins = joins or (type(a) == "table" and type(b) == "table" and a[name] ~= nil and b[name] ~= nil)
    end
  end
  if not joins then
    call.inputs[#call.inputs + 1] = { "cases.jsonl", paired(truth, candidates) }
    call.files = { "cases.jsonl" }
    return
  end
  local expected = named(truth, "truth.jsonl")
  if call.rules then
    call.arguments[#call.arguments + 1] = "--expected"
    call.arguments[#call.arguments + 1] = expected
    call.files = { named(candidates, "candidates.jsonl") }
  else
    call.files = { expected, named(candidates, "candidates.jsonl") }
  end
end

-- Results ---------------------------------------------------------------------------------------------------------------

local Result = { __name = "evalengine.Result" }

--- The text of the report: result:report "markdown", result:report("table", "--worst", "3").
function Result:report(format, ...)
  local text, message = self.handle:report(format, ...)
  if not text then fail { message } end
  return text
end

-- What is worked out when it is asked for.
local parts = {
  status = function(self) return self.handle:status() end,
  passed = function(self) return self.handle:status() == 0 end,
  score = function(self) return self.handle:score() end,
  counts = function(self) return self.handle:counts() end,
  rows = function(self) return self.handle:rows() end,
  state = function(self) return self.handle:state() end,
  rules = function(self) return self.handle:rules() end,
  summary = function(self) return json.decode(self:report()) end,
  cases = function(self)
    local cases = {}
    for line in self.rows:gmatch "[^\n]+" do
      local case = json.decode(line)
      cases[#cases + 1] = case
      cases[case.id] = case
    end
    return cases
  end,
}

function Result:__index(key)
  if Result[key] then return Result[key] end
  if not parts[key] then return nil end
  local value = parts[key](self)
  rawset(self, key, value)
  return value
end

function Result:__tostring()
  local score = self.score and ("%.3f"):format(self.score) or "-"
  return ("evalengine result: %d cases, mean score %s, status %d"):format(self.counts.cases, score, self.status)
end

-- Calls -----------------------------------------------------------------------------------------------------------------

-- Options of the program by their names, with _ for -: limit = 3, fail_under = { "mean_score=0.9" }, repair = true.
local own = { rules = true, id = true, on_case = true, on_message = true, on_progress = true, cases = true, part = true, arguments = true, parameters = true }

local function add_option(words, name, value)
  local word = "--" .. name:gsub("_", "-")
  if value == true then
    words[#words + 1] = word
  elseif type(value) == "table" then
    for _, one in ipairs(value) do add_option(words, name, one) end
  elseif value then
    words[#words + 1] = word
    words[#words + 1] = tostring(value)
  end
end

local function arguments_of(options)
  local words, names = {}, {}
  for name in pairs(options) do
    if not own[name] then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do add_option(words, name, options[name]) end
  if type(options.id) == "string" then add_option(words, "id", options.id) end
  local parameters = {}
  for name, value in pairs(options.parameters or {}) do
    parameters[#parameters + 1] = name .. "=" .. (type(value) == "string" and value or json.encode(value, name))
  end
  table.sort(parameters)
  add_option(words, "set", parameters)
  for _, word in ipairs(options.arguments or {}) do words[#words + 1] = word end
  return words
end

local function call_of(options)
  local call = { inputs = {}, arguments = arguments_of(options) }
  local messages = {}
  if options.rules then call.rules = evalengine.rules(options.rules).handle end
  function call.on_message(message)
    messages[#messages + 1] = message
    if options.on_message then options.on_message(message) end
  end
  call.on_progress = options.on_progress
  if options.on_case then
    function call.on_case(row) return options.on_case(json.decode(row)) end
  end
  return call, messages
end

local function result_of(handle, messages, message)
  if not handle then
    local errors = {}
    for _, one in ipairs(messages) do
      if one.status ~= 0 then errors[#errors + 1] = one end
    end
    fail(#errors > 0 and errors or { message })
  end
  return setmetatable({ handle = handle, messages = messages }, Result)
end

--- Judges candidates against the truth: each a list of documents, a function that returns the next one, or the name of a file.
--- Lists whose documents have an id are joined on it, others by position. Without candidates, truth has whole records. Options:
--- rules, on_case(row), on_message(message), on_progress(progress) (false stops), cases = false (keeps no rows), id, part, parameters,
--- and those of the program: limit = 10, fail_under = "mean_score=0.9", repair = true.
function evalengine.evaluate(truth, candidates, options)
  options = options or {}
  local call, messages = call_of(options)
  if options.part then add_option(call.arguments, "part", options.part) end
  call.keep = (options.cases == false and 0 or core.KEEP_ROWS) | (options.part and core.KEEP_STATE or 0)
  data_of(truth, candidates, options, call)
  local handle, message = core.evaluate(call)
  return result_of(handle, messages, message)
end

-- A result or rows: the name of a file.
local function item(value, name, part)
  if getmetatable(value) == Result then return { name, value[part] } end
  return { value }
end

--- What differs between two results (or files of rows): a result with a report and a status.
function evalengine.compare(a, b, options)
  options = options or {}
  local call, messages = call_of(options)
  call.items = { item(a, "base", "rows"), item(b, "new", "rows") }
  local handle, message = core.compare(call)
  return result_of(handle, messages, message)
end

--- The whole from the results of its parts (evaluate() with part = "1/3"), by the same rules.
function evalengine.merge(results, options)
  local call, messages = call_of(options)
  call.items = {}
  for i, one in ipairs(results) do
    call.items[i] = item(one, "part" .. i, "state")
    if getmetatable(one) == Result and one.rows ~= "" then
      call.inputs[#call.inputs + 1] = { ("rows%d.jsonl"):format(i), one.rows }
      add_option(call.arguments, "rows", ("rows%d.jsonl"):format(i))
    end
  end
  local handle, message = core.merge(call)
  return result_of(handle, messages, message)
end

return evalengine
