-- Tests of anls.lua: evalengine test rules/compat/anls_test.lua
local rules = load_rules "anls.lua"

local function score(expected, candidate)
  local result = rules:judge { expected = expected, candidate = candidate }
  expect(result.errors):equals {}
  return result.score
end

describe("a text", function()
  it("scores its similarity, from one half on", function()
    expect(score("Hello World", "Hello Wrld")):near(10 / 11)
    expect(score("TeSt HeLlO ", "test   hello")):equals(1)
    expect(score("Hello World", "How are you?")):equals(0)
    expect(score("ab", "ax")):equals(0.5)
  end)

  it("may be a number or true", function()
    expect(score({ a = 0.123, b = true }, { a = "0.123", b = "True" })):equals(1)
    expect(score(0.2, 0.199999)):equals(0)
  end)
end)

describe("objects", function()
  it("count the keys of both sides", function()
    expect(score({ a = "b", c = "d" }, { a = "b", e = "d" })):near(1 / 3)
    expect(score({ a = "Hello", b = { "w", "r", "l", "d" } }, { a = "Hello", b = { "w", "r", "d" } })):near(0.8)
    expect(score({ a = ee.null }, {})):equals(1)
    expect(score({ a = "b" }, { a = '["b"]' })):equals(0)
  end)
end)

describe("arrays", function()
  it("are paired", function()
    expect(score({ "one", "two", "three" }, { "three", "one", "two" })):equals(1)
    expect(score({ "Hello", "World" }, { "Hello" })):equals(0.5)
  end)
end)

describe("several correct values", function()
  it("are alternatives", function()
    expect(score({ a = { anyOf = { "hello", "world" } } }, { a = "world" })):equals(1)
    expect(score({ anyOf = { "Hello", "World" } }, "Wolrd")):near(0.6)
    expect(score({ a = { anyOf = { "x", { b = "c", d = "e" } } } }, { a = { b = "c" } })):equals(0.5)
    expect(score({ "Hello", "World" }, "World")):equals(1)
  end)
end)
