-- Tests of reports/slack.lua: evalengine test rules/reports/slack_test.lua
local slack = require "slack"

local function text_of(rules, cases)
  local payload = rules:report("slack", cases)
  local text = payload:match('^{"text":"(.*)"}\n$')
  expect(text ~= nil):is_true()
  return (text:gsub("\\n", "\n"):gsub('\\"', '"'))
end

local right = { id = "a", expected = { n = "x", m = "y" }, candidate = { n = "x", m = "y" } }
local wrong = { id = "b", expected = { n = "x", m = "y" }, candidate = { n = "z", m = "y" } }

describe("slack", function()
  it("says that all is well in one line", function()
    local rules = compile(ee.rules { name = "inv", ee.fields { ee.exact "n" }, ee.gate { metric = "mean_score", min = 0.5 }, slack })
    expect(text_of(rules, { right })):equals(":white_check_mark: `inv`: mean score *1.000*, 1 case: 1 pass, 0 borderline, 0 fail\nThe gate passed")
  end)

  it("names failed gates and the worst fields", function()
    local rules = compile(ee.rules {
      name = "inv", ee.fields { ee.exact "n", ee.exact "m" },
      ee.gate { metric = "mean_score", min = 0.9 },
      ee.gate { judge = "fields", field = "n", metric = "f1", min = 0.95 },
      slack,
    })
    local text = text_of(rules, { right, wrong })
    expect(text):contains(":x: `inv`: mean score *0.750 (")
    expect(text):contains("2 cases: 1 pass, 0 borderline, 1 fail\n2 of 2 gates failed:\n")
    expect(text):contains("• `mean_score &gt;= 0.9` is 0.750\n• `fields n f1 &gt;= 0.95` is 0.500\n")
    expect(text):contains("Worst fields:\n• `fields` `n`: F1 0.500, FP 1, FN 1")
    expect(text:find("`m`", 1, true)):is_nil()
  end)

  it("gives the end of the interval that a gate holds", function()
    local rules = compile(ee.rules {
      name = "inv", ee.fields { ee.exact "n", ee.exact "m" }, ee.gate { metric = "mean_score", min = 0.7, confidence = 0.95 }, slack,
    })
    expect(text_of(rules, { right, wrong })):contains("• `mean_score &gt;= 0.7` is 0.750, lower end 0.")
  end)

  it("lists five fields", function()
    local fields, expected, candidate = { ee.exact "f0" }, { f0 = 0 }, { f0 = 0 }
    for i = 1, 8 do fields[#fields + 1], expected["f" .. i], candidate["f" .. i] = ee.exact("f" .. i), 1, 2 end
    local rules = compile(ee.rules { ee.fields { fields }, slack })
    local text = text_of(rules, { { id = "a", expected = expected, candidate = candidate } })
    local _, lines = text:gsub("• ", "")
    expect(lines):equals(5)
  end)

  it("makes no link, mention or format of names", function()
    local rules = compile(ee.rules {
      name = "<!channel> & `code`\n*x*", ee.fields { ee.exact { "n", name = "<@U1> `b`" } }, slack,
    })
    local text = text_of(rules, { wrong })
    expect(text):contains("`&lt;!channel&gt; &amp; 'code' *x*`")
    expect(text):contains("`&lt;@U1&gt; 'b'`")
    expect(text:find("<", 1, true)):is_nil()
  end)

  it("counts errors of the rules", function()
    local rules = compile(ee.rules { ee.judge { "own", function(case) return case.expected.none.at_all end }, slack })
    expect(text_of(rules, { right, wrong })):contains(":warning: 2 errors raised by the rules")
  end)

  it("does not round to 1", function()
    local rules = compile(ee.rules { ee.judge { "own", function() return 0.9999 end }, slack })
    expect(text_of(rules, { right })):contains("*0.999*")
  end)

  it("is known by its name, and so are summaries", function()
    local rules = compile(ee.rules {
      ee.fields { ee.exact "n" }, slack,
      ee.summary { "ids", function() return "" end, function(s, r) return s .. r.id end, function(s) return { ids = s } end },
      ee.summary { "bad", function() return 0 end, function(s, r) return s + r.nothing end, function(s) return s end },
    })
    expect(function() rules:report("slak", {}) end):fails("the rules have no report 'slak' (did you mean 'slack'?)")
    expect(function() rules:summary("idss", {}) end):fails("the rules have no summary 'idss' (did you mean 'ids'?)")
    expect(function() rules:summary("bad", { right }) end):fails("a result has no field 'nothing' (summary 'bad', case 'a')")
    expect(function() rules:report("slack", { right }) end):fails("(summary 'bad', case 'a')")
    local file = load_rules "../invoice.lua"
    expect(function() file:summary("ids", {}) end):fails("the rules have no summary 'ids'")
  end)

  it("works without cases", function()
    local rules = compile(ee.rules { name = "inv", ee.fields { ee.exact "n" }, slack })
    expect(text_of(rules, {})):equals("`inv`: mean score *-*, 0 cases: 0 pass, 0 borderline, 0 fail")
  end)
end)
