-- The module for Lua, with stock Lua: values, callbacks, mistakes, memory. Run from the project's folder by tests/api/lua/run.
local evalengine = require "evalengine"
local json = evalengine.json

local passed, failed = 0, 0

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" or a == json.null or b == json.null then return a == b end
  for k, v in pairs(a) do
    if not same(v, b[k]) then return false end
  end
  for k in pairs(b) do
    if a[k] == nil then return false end
  end
  return true
end

local function check(what, found, wanted)
  if same(found, wanted) then
    passed = passed + 1
  else
    failed = failed + 1
    print(("%s: %s, not %s"):format(what, tostring(found), tostring(wanted)))
  end
end

local function has(what, text, part) check(what .. ": " .. tostring(text):sub(1, 200), tostring(text):find(part, 1, true) ~= nil, true) end

local function program(arguments)
  local pipe = assert(io.popen("evalengine " .. arguments .. " 2>/dev/null"))
  local text = pipe:read "a"
  pipe:close()
  return text
end

-- JSON: what is written is read again, and is what the program reads.
math.randomseed(tonumber(os.getenv "EE_TEST_SEED") or 5)
local letters = { "a", "é", "\u{1F600}", '"', "\\", "\n", "\t", "\0", "\u{7f}", "/", "\u{2028}", "u0041", " " }
local function random_value(depth)
  local kind = math.random(depth > 3 and 5 or 7)
  if kind == 1 then return json.null end
  if kind == 2 then return math.random() < 0.5 end
  if kind == 3 then return math.random(-1000000, 1000000) end
  if kind == 4 then return (math.random() - 0.5) * 10.0 ^ math.random(-20, 20) end
  if kind == 5 then
    local parts = {}
    for i = 1, math.random(0, 6) do parts[i] = letters[math.random(#letters)] end
    return table.concat(parts)
  end
  local made = kind == 6 and json.array() or {}
  for i = 1, math.random(0, 4) do made[kind == 6 and i or "k" .. letters[math.random(#letters)]] = random_value(depth + 1) end
  return made
end
local wrong = 0
for _ = 1, 3000 do
  local value = random_value(1)
  local text = json.encode(value)
  if not same(json.decode(text), value) or json.encode(json.decode(text)) ~= text then
    wrong = wrong + 1
    print("not read as it was written: " .. text)
  end
end
check("random values that are not the same", wrong, 0)
check("integers", json.encode { 1, 2.0, -0.5, math.maxinteger }, "[1,2,-0.5,9223372036854775807]")
check("escapes", json.decode [["\u00e9\ud83d\ude00\u0041\n\\\/"]], "é\u{1F600}A\n\\/")
check("empty tables", json.encode { a = {}, b = json.array() }, '{"a":{},"b":[]}')
check("holes are no array", pcall(json.encode, { 1, nil, 3 }), false)
for what, value in pairs { NaN = 0 / 0, infinity = math.huge, ["a function"] = print } do
  local good, message = pcall(json.encode, { x = { value } }, "here")
  check(what, good, false)
  has(what, message, "here.x[1]")
end
local circle = {}
circle.self = circle
check("a circle", pcall(json.encode, circle), false)

-- The bytes of the program.
local invoices = evalengine.evaluate("samples/invoices.jsonl", nil, { rules = "rules/invoice.lua", detail = "full" })
for _, format in ipairs { "table", "markdown", "json", "csv" } do
  check(format, invoices:report(format), program("rules/invoice.lua samples/invoices.jsonl -f " .. format))
end
check("html", invoices:report "html", program "rules/invoice.lua samples/invoices.jsonl -f html --detail full")
check("rows", invoices.rows, program "rules/invoice.lua samples/invoices.jsonl -f jsonl --detail full")
check("cases", #invoices.cases, invoices.counts.cases)
check("by id", invoices.cases[invoices.cases[3].id], invoices.cases[3])
check("score", invoices.summary.mean_score, invoices.score)

-- Lists, functions and files.
local truth = { { number = "A-17", total = 100.0 }, { number = "A-18", total = 250.0 }, { number = "A-19", total = 80.5 } }
local answers = { { number = "A-17", total = "100.00" }, { number = "A-18", total = 205.0 }, 'Sure: {"number": "A-19"}' }
local rules = evalengine.rules 'return ee.rules { ee.fields { ee.exact "number", ee.numeric { "total", tolerance = 0.01 } } }'
local function each(list)
  local at = 0
  return function()
    at = at + 1
    return list[at]
  end
end
local lists = evalengine.evaluate(truth, answers, { rules = rules })
check("lists", { lists.score, lists.status, lists.counts.failed }, { 2 / 3, 0, 2 })
check("functions", evalengine.evaluate(each(truth), each(answers), { rules = rules }).rows, lists.rows)
check("an answer without JSON", evalengine.evaluate(truth, { json.null, "no", {} }, { rules = rules }).score, 0)
check("longer candidates", pcall(evalengine.evaluate, truth, { 1, 2, 3, 4 }, { rules = rules }), false)
local with_ids, shuffled = {}, {}
for i = 1, 3 do
  with_ids[i] = { id = "c" .. i, number = truth[i].number, total = truth[i].total }
  shuffled[4 - i] = { id = "c" .. i, number = truth[i].number, total = truth[i].total }
end
check("joined on id", evalengine.evaluate(with_ids, shuffled, { rules = rules }).score, 1)
check("by position", evalengine.evaluate(with_ids, shuffled, { rules = rules, id = false }).score < 1, true)
check("on another member", evalengine.evaluate(with_ids, shuffled, { rules = rules, id = "number" }).score, 1)
local records = {}
for i = 1, 3 do records[i] = { id = i, expected = truth[i], candidate = answers[i] } end
check("whole records", evalengine.evaluate(records, nil, { rules = rules }).score, 2 / 3)
local inferred = evalengine.evaluate(truth, answers)
has("rules that follow", inferred.rules, "ee.numeric")
check("and judge the same", evalengine.evaluate(truth, answers, { rules = inferred.rules }).score, inferred.score)
check("options", evalengine.evaluate(truth, answers, { rules = rules, limit = 2, fail_under = { "mean_score=0.9" } }).status, 1)
check("parameters", evalengine.evaluate(truth, answers, {
  rules = 'return ee.rules { ee.fields { ee.numeric { "total", tolerance = ee.param("t", 0) } } }', parameters = { t = 100 },
}).counts.failed, 1)

-- Comparing and merging.
local better = evalengine.compare(lists, evalengine.evaluate(truth, truth, { rules = rules }), { fail_on = "any" })
check("compare", { better.status, better.score == nil }, { 0, true })
has("compare", better:report "markdown", "base")
local halves = {}
for i = 1, 2 do
  halves[i] = evalengine.evaluate("samples/invoices.jsonl", nil, { rules = "rules/invoice.lua", part = i .. "/2", only = i == 1 and "a*" or "[!a]*", detail = "full" })
end
check("a state", #halves[1].state > 100, true)
local cut, at = { os.tmpname(), os.tmpname() }, 0
local outs = { assert(io.open(cut[1], "w")), assert(io.open(cut[2], "w")) }
for line in io.lines "samples/invoices.jsonl" do
  at = at + 1
  outs[at <= 30 and 1 or 2]:write(line, "\n")
end
for i = 1, 2 do outs[i]:close() end
for _, detail in ipairs { "misses", "full" } do
  local parts = {}
  for i = 1, 2 do parts[i] = evalengine.evaluate(cut[i], nil, { rules = "rules/invoice.lua", part = i .. "/2", detail = detail }) end
  local whole = evalengine.evaluate("samples/invoices.jsonl", nil, { rules = "rules/invoice.lua", detail = detail })
  local merged = evalengine.merge(parts, { rules = "rules/invoice.lua" })
  check("both parts have cases", { parts[1].counts.cases, parts[2].counts.cases }, { 30, 38 })
  check("score of the merged parts", merged.score, whole.score)
  check("counts of the merged parts", merged.counts, whole.counts)
  for _, format in ipairs { "table", "markdown", "csv" } do check(format .. " of the merged parts", merged:report(format), whole:report(format)) end
end
for i = 1, 2 do os.remove(cut[i]) end

-- Callbacks.
local seen, ids = 0, {}
local stopped = evalengine.evaluate("samples/invoices.jsonl", nil, {
  rules = "rules/invoice.lua",
  on_case = function(case)
    seen = seen + 1
    ids[seen] = case.id
    return seen < 4
  end,
})
check("stopped", { seen, stopped.counts.cases >= 4 }, { 4, true })
check("in order", ids[1], invoices.cases[1].id)
local good, message = pcall(evalengine.evaluate, truth, answers, { rules = rules, on_case = function() error { mine = true } end })
check("an error of a callback", { good, message.mine }, { false, true })
good, message = pcall(evalengine.evaluate, function() error "no more" end, answers, { rules = rules })
check("an error of an iterator", good, false)
has("an error of an iterator", message, "no more")
local nested = 0
evalengine.evaluate(truth, answers, { rules = rules, on_case = function()
  nested = nested + evalengine.evaluate(truth, answers, { rules = rules }).counts.cases
end })
check("a callback that evaluates", nested, 9)
local messages = {}
local broken = evalengine.evaluate({ { id = 1, expected = { number = 1 } }, { id = 1, expected = { number = 1 } } }, nil,
  { rules = rules, on_message = function(one) messages[#messages + 1] = one end })
check("messages", { broken.status, #messages, broken.counts.duplicates }, { 4, #broken.messages, 1 })
local co = coroutine.wrap(function()
  evalengine.evaluate(truth, answers, { rules = rules, on_case = function() coroutine.yield() end })
end)
check("a callback that yields", pcall(co), false)

-- Mistakes.
good, message = pcall(evalengine.rules, 'return ee.rules { ee.fields {\n  ee.numeric { "total", tolerence = 0.01 },\n  ee.fuzy "name" } }')
check("rules", { good, #message.errors, message.errors[2].line, message.status }, { false, 2, 3, 3 })
has("rules", message, "rules.lua:2: unknown option 'tolerence'")
good, message = pcall(evalengine.evaluate, "no-such-file.jsonl", nil, { rules = rules })
check("no file", { good, message.status }, { false, 5 })
good, message = pcall(evalengine.evaluate, truth, answers, { rules = rules, limt = 3 })
check("an unknown option", { good, message.status }, { false, 2 })
has("an unknown option", message, "did you mean")
good, message = pcall(lists.report, lists, "htm")
check("an unknown format", good, false)
lists.handle:close()
check("a closed result", pcall(lists.report, lists, "table"), false)

-- Memory: what is collected is given back.
local function resident()
  for line in io.lines "/proc/self/status" do
    local kib = line:match "^VmRSS:%s*(%d+)"
    if kib then return tonumber(kib) end
  end
end
local function many(count)
  for _ = 1, count do
    evalengine.evaluate(truth, answers, { rules = rules, jobs = 1 }):report "json"
    pcall(evalengine.evaluate, truth, answers, { rules = rules, jobs = 1, on_case = function() error "x" end })
  end
  collectgarbage()
  collectgarbage()
end
many(100)
local before = resident()
many(400)
check(("memory grows from %d to %d KiB"):format(before, resident()), resident() - before < 4000, true)

print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
