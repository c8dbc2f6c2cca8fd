-- Tests of stickler.lua: evalengine test rules/compat/stickler_test.lua
local PREFIX <const> = "x-aws-stickler-"

-- A property with the extensions `with`.
local function property(kind, with)
  local schema = { type = kind }
  for name, value in pairs(with or {}) do schema[PREFIX .. name] = value end
  return schema
end

local function score(properties, expected, candidate)
  local rules = load_rules("stickler.lua", { config = { type = "object", properties = properties } })
  local result = rules:judge { expected = expected, candidate = candidate }
  expect(result.errors):equals {}
  return result.score
end

describe("fields", function()
  it("are weighted, and count 0 below their threshold", function()
    local schema = { name = property("string", { threshold = 0.8, weight = 2 }), price = property "number", stock = property "boolean" }
    expect(score(schema, { name = "Laptop", price = 10, stock = true }, { name = "Laptop Pro", price = 10, stock = true })):equals(0.5)
    expect(score(schema, { name = "Laptops", price = 10, stock = true }, { name = "laptop", price = 10, stock = true })):near((2 * 6 / 7 + 2) / 4)
  end)

  it("have comparators", function()
    local exact, number = property("string", { comparator = "ExactComparator" }), property("number", { comparator = "NumericComparator" })
    number[PREFIX .. "comparator-config"] = { relative_tolerance = 0.1 }
    expect(score({ a = exact }, { a = "Hello, World!" }, { a = "hello world" })):equals(1)
    expect(score({ a = number }, { a = 100 }, { a = 109 })):equals(1)
    expect(score({ a = number }, { a = 100 }, { a = 111 })):equals(0)
    expect(function() score({ a = property("string", { comparator = "BERTComparator" }) }, {}, {}) end):fails("no comparator named 'BERTComparator'")
  end)

  it("that the schema does not declare do not count", function()
    expect(score({ a = property "string" }, { a = "x" }, { a = "x", b = "y" })):equals(1)
  end)

  it("that are empty on both sides are right", function()
    expect(score({ a = property "string", b = property "string" }, { a = "x", b = ee.null }, { a = "y", b = ee.null })):equals(0.5)
  end)
end)

describe("arrays", function()
  it("are paired, over the longer length", function()
    local schema = { tags = { type = "array", items = property "string", [PREFIX .. "threshold"] = 0.7 } }
    expect(score(schema, { tags = { "red", "blue", "green" } }, { tags = { "red", "yellow", "orange", "blue" } })):equals(0.5)
    expect(score(schema, { tags = { "apple", "banana", "cherry" } }, { tags = { "appx", "bnn", "chry" } })):equals(0)
  end)
end)
