-- Tests of omni.lua: evalengine test rules/compat/omni_test.lua
local function score(expected, candidate, config)
  local result = load_rules("omni.lua", { config = config }):judge { expected = expected, candidate = candidate }
  expect(result.errors):equals {}
  return result.score
end

describe("accuracy", function()
  it("is 1 less the share of differences", function()
    expect(score({ a = 1, b = { c = 2, d = 4, e = 4 } }, { a = 1, b = { c = 2, d = 4, e = 5 } })):near(0.75)
    expect(score({ a = 1, b = 2 }, { a = 1 })):equals(0.5)
    expect(score({ a = 1 }, { a = 1, b = 2 })):equals(0)
    expect(score({ a = 1, b = 2 }, { c = 1, d = 2, e = 3 })):equals(0)
    expect(score({ a = 1 }, { a = 1 })):equals(1)
  end)

  it("counts null as a value", function()
    expect(score({ a = 1, b = ee.null }, { a = 1, b = 2 })):equals(0.5)
    expect(score('{"a": 1, "b": [1, 2, 3]}', { a = 1, b = ee.null })):near(0.25)
  end)

  it("pairs the items of arrays", function()
    expect(score('{"a": [{"b": 1, "c": 2}, {"b": 3, "c": 4}]}', '{"a": [{"b": 3, "c": 4}, {"b": 1, "c": 5}]}')):near(0.75)
    expect(score('{"a": [1, 2, 3, 4]}', '{"a": [4, 2, 1, 5]}')):near(0.5)
  end)

  it("may be without case", function()
    expect(score({ a = "Acme", b = 1 }, { a = "ACME", b = 1 })):equals(0.5)
    expect(score({ a = "Acme", b = 1 }, { a = "ACME", b = 1 }, { ignore_case = true })):equals(1)
  end)
end)
