-- Tests of squad.lua: evalengine test rules/compat/squad_test.lua
local rules, exact = load_rules "squad.lua", load_rules("squad.lua", { config = { metric = "exact_match" } })

-- F1 and exact match.
local function scores(expected, candidate)
  local case = { expected = expected, candidate = candidate }
  local result = rules:judge(case)
  expect(result.errors):equals {}
  expect(exact:judge(case).score):equals(result.judges.exact_match.score)
  return { result.score, result.judges.exact_match.score }
end

describe("an answer", function()
  it("is compared by its words", function()
    expect(scores("climate change", "the climate")[1]):near(2 / 3)
    expect(scores("rock n roll", "  Rock, n  Roll.")):equals { 1, 1 }
    expect(scores("no no yes", "no no no")[1]):near(2 / 3)
    expect(scores("Beyoncé", "Beyonce")):equals { 0, 0 }
  end)

  it("may be one of several", function()
    expect(scores({ "Super Bowl L", "L" }, "l")):equals { 1, 1 }
    expect(scores({ "Super Bowl L", "L" }, "bowl")[1]):near(0.5)
  end)

  it("may be none", function()
    expect(scores("", "")):equals { 1, 1 }
    expect(scores("", "Paris")):equals { 0, 0 }
    expect(scores("Paris", "")):equals { 0, 0 }
  end)

  it("may be a number", function()
    expect(scores("1976", "1976")):equals { 1, 1 }
    expect(scores(1976, "1976")):equals { 1, 1 }
    expect(scores({ "1.50", "1.5 euros" }, "1.50")):equals { 1, 1 }
    expect(scores({ "2e3" }, "2e3")):equals { 1, 1 }
  end)
end)

describe("the metric", function()
  it("is chosen", function()
    expect(function() load_rules("squad.lua", { config = { metric = "f2" } }) end):fails("metric must be f1 or exact_match")
  end)
end)
