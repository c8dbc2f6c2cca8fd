-- Tests of extract_eval.lua: evalengine test rules/compat/extract_eval_test.lua
local function score(properties, expected, candidate)
  local rules = load_rules("extract_eval.lua", { config = { type = "object", properties = properties } })
  local result = rules:judge { expected = expected, candidate = candidate }
  expect(result.errors):equals {}
  return result.score
end

describe("values", function()
  local schema = { name = { type = "string" }, age = { type = "integer" } }

  it("match, mismatch, are omitted or hallucinated", function()
    expect(score(schema, { name = "Alice", age = 30 }, { name = "Alice", age = 30 })):equals(1)
    expect(score(schema, { name = "Alice", age = 30 }, { name = "Bob", age = 30 })):equals(0.5)
    expect(score(schema, { name = "Alice", age = 30 }, { name = "Alice" })):near(2 / 3)
    expect(score(schema, { name = "Alice" }, { name = "Alice", other = 1 })):near(2 / 3)
    expect(score(schema, {}, {})):equals(1)
  end)

  it("may be null, which is not absent", function()
    expect(score(schema, { name = ee.null }, { name = ee.null })):equals(1)
    expect(score(schema, { name = ee.null }, {})):equals(0)
  end)
end)

describe("x-eval-", function()
  it("compare chooses the comparison", function()
    local near = { t = { type = "number", ["x-eval-compare"] = { numeric = { tolerance = { rel = 0.01 } } } } }
    expect(score(near, { t = 100 }, { t = 101 })):equals(1)
    expect(score(near, { t = 100 }, { t = 102 })):equals(0)
    local one = { m = { type = "string", ["x-eval-compare"] = { oneof = { values = { "PVD", "CVD" } } } } }
    expect(score(one, { m = "PVD" }, { m = "CVD" })):equals(1)
    expect(function() score({ m = { ["x-eval-compare"] = "semantic" } }, {}, {}) end):fails("no rule for 'semantic'")
  end)

  it("transform changes both sides first", function()
    expect(score({ n = { type = "string", ["x-eval-transform"] = { "strip", "lowercase" } } }, { n = "NYC" }, { n = " nyc " })):equals(1)
    expect(score({ n = { type = "string", ["x-eval-transform"] = { "lowercase", "sort_tokens" } } }, { n = "Doe Jane" }, { n = "jane doe" })):equals(1)
    expect(score({ n = { type = "number", ["x-eval-transform"] = { { round_digits = { digits = 1 } } } } }, { n = 1.23 }, { n = 1.19 })):equals(1)
  end)

  it("skip leaves a value out", function()
    expect(score({ a = { type = "string" }, b = { type = "string", ["x-eval-skip"] = true } }, { a = "x", b = "y" }, { a = "x", b = "z" })):equals(1)
  end)

  it("align pairs the items of arrays", function()
    local function steps(align)
      return { s = { type = "array", ["x-eval-align"] = align, items = { type = "object", properties = { n = { type = "string" }, t = { type = "number" } } } } }
    end
    local expected, candidate = { s = { { n = "a", t = 1 }, { n = "b", t = 2 } } }, { s = { { n = "b", t = 2 }, { n = "a", t = 9 } } }
    expect(score(steps(nil), expected, candidate)):equals(0)
    expect(score(steps { match_by = "key_field", key = "n" }, expected, candidate)):equals(0.75)
    expect(score(steps { match_by = "hungarian" }, expected, candidate)):equals(0.75)
  end)

  it("may stand at keys with dots", function()
    expect(score({ ["a.b"] = { type = "string", ["x-eval-transform"] = { "lowercase" } } }, { ["a.b"] = "X" }, { ["a.b"] = "x" })):equals(1)
  end)
end)
