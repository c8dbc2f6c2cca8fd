-- Tests of json_diff.lua: evalengine test rules/compat/json_diff_test.lua
local function score(expected, candidate, config)
  local result = load_rules("json_diff.lua", { config = config }):judge { expected = expected, candidate = candidate }
  expect(result.errors):equals {}
  return result.score
end

describe("values", function()
  it("are compared by their type", function()
    expect(score({ a = "abc" }, { a = "axc" })):near(2 / 3)
    expect(score({ a = 1 }, { a = 2 })):near(2 / 3)
    expect(score({ a = true }, { a = false })):near(0.2)
    expect(score({ a = "Foo" }, { a = "foo" })):near(2 / 3)
  end)

  it("of different types are compared as JSON", function()
    expect(score('["a", 1]', { a = 1 })):near(4 / 7)
  end)

  it("may be missing", function()
    expect(score({ a = 1, b = 2 }, { a = 1 })):equals(0.5)
    expect(score({ a = ee.null, b = 1 }, { b = 1 })):equals(1)
    expect(score({ a = "x" }, { a = "x", b = "y" })):equals(0.5)
  end)
end)

describe("arrays", function()
  it("are compared by position over the longer length", function()
    expect(score("[1, 2]", "[2, 1]")):near(2 / 3)
    expect(score("[1, 2, 3]", "[1]")):near(1 / 3)
  end)
end)

describe("the config", function()
  it("chooses exact comparison", function()
    expect(score({ a = 1 }, { a = 2 }, { numbers = "ExactMatch" })):equals(0)
    expect(score({ a = "foo" }, { a = "fo" }, { strings = "ExactMatch" })):equals(0)
  end)
end)
