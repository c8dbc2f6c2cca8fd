-- Tests of squad.lua: evalengine test rules/compat/squad_test.lua
local rules, exact = load_rules "squad.lua", load_rules("squad.lua", { config = { metric = "exact_match" } })

local function judge(expected, candidate)
  local result = rules:judge { expected = expected, candidate = candidate }
  expect(result.errors):equals {}
  return result.judges.squad
end

describe("an answer", function()
  it("is compared by its words", function()
    expect(judge("climate change", "the climate").score):near(2 / 3)
    expect(judge("rock n roll", "  Rock, n  Roll.").score):equals(1)
    expect(judge("no no yes", "no no no").score):near(2 / 3)
    expect(judge("Beyoncé", "Beyonce").score):equals(0)
  end)

  it("may be one of several", function()
    expect(judge({ "Super Bowl L", "L" }, "l").score):equals(1)
    expect(judge({ "Super Bowl L", "L" }, "bowl").score):near(0.5)
  end)

  it("may be none", function()
    expect(judge("", "").score):equals(1)
    expect(judge("", "Paris").score):equals(0)
    expect(judge("Paris", "").score):equals(0)
  end)

  it("may be a number", function()
    expect(judge("1976", "1976").score):equals(1)
    expect(judge(1976, "1976").score):equals(1)
  end)
end)

describe("the metric", function()
  it("is chosen", function()
    expect(exact:judge({ expected = "rock n roll", candidate = "rock" }).score):equals(0)
    expect(function() load_rules("squad.lua", { config = { metric = "f2" } }) end):fails("metric must be f1 or exact_match")
  end)
end)
