-- Tests of autoevals.lua: evalengine test rules/compat/autoevals_test.lua
local function score(config, expected, candidate)
  local result = load_rules("autoevals.lua", { config = config }):judge { expected = expected, candidate = candidate }
  expect(result.errors):equals {}
  return result.score
end

describe("a scorer", function()
  it("compares texts by Levenshtein distance", function()
    expect(score({ scorer = "Levenshtein" }, "hello world", "hello wrld")):near(10 / 11)
    expect(score({}, 1234, "1235")):near(0.75)
  end)

  it("compares numbers", function()
    expect(score({ scorer = "NumericDiff" }, 100, 105)):near(1 - 5 / 205)
    expect(score({ scorer = "NumericDiff" }, 0, 0)):equals(1)
    expect(score({ scorer = "NumericDiff" }, 100, "many")):equals(0)
    expect(score({ scorer = "NumericDiff" }, 2, -1)):equals(0)
  end)

  it("compares exactly, keys in their order", function()
    expect(score({ scorer = "ExactMatch" }, "123", 123)):equals(1)
    expect(score({ scorer = "ExactMatch" }, '{"a": 1, "b": 2}', '{"b": 2, "a": 1}')):equals(0)
  end)

  it("finds what a list contains", function()
    expect(score({ scorer = "ListContains" }, { "a" }, { "a", "b" })):equals(0.5)
    expect(score({ scorer = "ListContains", allow_extra_entities = true }, { "a" }, { "a", "b" })):equals(1)
    expect(score({ scorer = "ListContains" }, { "a" }, "a")):equals(0)
  end)

  it("says whether an answer is JSON", function()
    expect(score({ scorer = "ValidJSON" }, "", '{"a": 1}')):equals(1)
    expect(score({ scorer = "ValidJSON" }, "", "100")):equals(0)
    expect(score({ scorer = "ValidJSON", schema = { type = "object", required = { "b" } } }, "", '{"a": 1}')):equals(0)
  end)

  it("is one of those", function()
    expect(function() load_rules("autoevals.lua", { config = { scorer = "Factuality" } }) end):fails("no scorer of autoevals named 'Factuality'")
  end)
end)
