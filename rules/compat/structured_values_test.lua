-- Tests of structured_values.lua: evalengine test rules/compat/structured_values_test.lua
local function score(config, expected, candidate)
  local result = load_rules("structured_values.lua", { config = config }):judge { expected = expected, candidate = candidate }
  expect(result.errors):equals {}
  return result.score
end

-- One field `v`, compared by `spec`.
local function value(spec, expected, candidate) return score({ fields = { v = spec } }, { v = expected }, { v = candidate }) end

describe("an object", function()
  it("is the mean of its expected keys", function()
    expect(score({}, { a = 1, b = 2 }, { a = 1 })):equals(0.5)
    expect(score({}, { a = 1 }, { a = 1, b = 2 })):equals(1)
    expect(score({}, { a = 1, b = { c = 1, d = 2 } }, { a = 1, b = { c = 1, d = 3 } })):equals(0.75)
  end)

  it("has weights", function()
    expect(score({ fields = { a = { weight = 3 } } }, { a = 1, b = 2 }, { a = 1, b = 3 })):equals(0.75)
  end)
end)

describe("an array", function()
  it("is the mean of its expected items", function()
    expect(score({}, { t = { "mix", "bake" } }, { t = { "mix", "bake", "cool" } })):equals(1)
    expect(score({}, { t = { "a", "b", "c" } }, { t = { "a", "b" } })):near(2 / 3)
  end)

  it("is aligned", function()
    local expected, candidate = { r = { { sku = "A", n = 1 }, { sku = "B", n = 2 } } }, { r = { { sku = "B", n = 2 }, { sku = "A", n = 9 } } }
    expect(score({}, expected, candidate)):equals(0)
    expect(score({ arrays = { r = { strategy = "by_key", key = "sku" } } }, expected, candidate)):equals(0.75)
    expect(score({ arrays = { r = { strategy = "hungarian" } } }, expected, candidate)):equals(0.75)
  end)
end)

describe("a metric", function()
  it("compares texts", function()
    expect(value({ metric = "token_f1" }, "Introduction to Python", "Intro to Python")):near(2 / 3)
    expect(value({ metric = "fuzzy" }, "to Python", "Python to")):equals(1)
    expect(value({ metric = "levenshtein" }, "kitten", "Sitting")):near(8 / 13)
    expect(value({ metric = "character_f1" }, "ab c", "AB-D")):near(2 / 3)
    expect(value({ metric = "character_f1" }, "ab", 7)):equals(0)
  end)

  it("compares numbers", function()
    expect(value({ metric = "numeric" }, 100, "$100.50")):equals(1)
    expect(value({ metric = "numeric", relative_tolerance = 0.01, absolute_tolerance = 5 }, 100, 104)):equals(1)
    expect(value({ metric = "numeric", tolerance = 1, mode = "absolute" }, 100, 102)):equals(0)
    expect(value({ metric = "numeric_closeness" }, 12, 10)):near(10 / 12)
    expect(value({ metric = "exponential_numeric_score", scale = 2 }, 10, 12)):near(math.exp(-1))
  end)

  it("compares dates and types", function()
    expect(value({ metric = "date_distance_score" }, "2026-06-29", "2026-07-02")):near(0.9)
    expect(value({ metric = "date_distance_score" }, "2026-06-29", "soon")):equals(0)
    expect(value({ metric = "type_match" }, 100, "100")):equals(0)
  end)

  it("may be that of all values", function()
    expect(score({ default = { metric = "numeric" } }, { a = 100 }, { a = 100.5 })):equals(1)
    expect(function() score({ default = { metric = "vibes" } }, {}, {}) end):fails("no metric named 'vibes'")
  end)
end)
