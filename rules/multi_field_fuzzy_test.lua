-- Tests of multi_field_fuzzy.lua: evalengine test rules/multi_field_fuzzy_test.lua
local function with(config) return load_rules("multi_field_fuzzy.lua", { config = config }) end

local parties = with { fields = { { path = "supplier.name", threshold = 0.85 }, { path = "importer.name", threshold = 0.9 } } }

local function judge(rules, expected, candidate)
  local result = rules:judge { expected = expected, candidate = candidate }
  expect(result.errors):equals {}
  return result.judges.multi_field_fuzzy
end

describe("names", function()
  it("may be a letter off", function()
    local result = judge(parties,
      { supplier = { name = "Acme Shipping" }, importer = { name = "Global Trade Co" } },
      { supplier = { name = "Acme - Shipping" }, importer = { name = " GLOBAL TRADE CO" } })
    expect(result.score):equals(1)
    expect(result.hits):equals { "supplier.name", "importer.name" }
  end)

  it("score the share of fields that are right", function()
    local result = judge(parties,
      { supplier = { name = "XYZ Industries" }, importer = { name = "Global Trade Co" } },
      { supplier = { name = "XYZ Inc" }, importer = { name = "Global Trade Co" } })
    expect(result.score):equals(0.5)
    expect(result.misses):equals { "supplier.name (similarity 0.428571 below 0.85)" }
    expect(result.metrics["supplier.name"]):equals { tp = 0, tn = 0, fp = 1, fn = 1 }
  end)

  it("that are missing are misses", function()
    local result = judge(parties, { supplier = { name = "Acme" }, importer = { name = "B" } }, { importer = { name = "B" } })
    expect(result.score):equals(0.5)
    expect(result.misses):equals { "supplier.name (required, missing)" }
  end)

  it("are compared by the threshold of each field", function()
    local rules = with { fields = { { path = "a", threshold = 0.5 }, "b" }, threshold = 0.9 }
    expect(rules:score("a", "abcd", "abxx")):equals(1)
    expect(rules:score("b", "abcdefgh", "abcdefgx")):equals(0)
    expect(with({ fields = { "b" } }):score("b", "abcdefgh", "abcdefgx")):equals(1)
  end)

  it("may be compared by their beginnings", function()
    local rules = with { fields = { { path = "n", threshold = 0.96 } }, algorithm = "jaro_winkler" }
    expect(rules:score("n", "MARHTA", "MARTHA")):equals(1)
    expect(with({ fields = { { path = "n", threshold = 0.96 } } }):score("n", "MARHTA", "MARTHA")):equals(0)
  end)
end)

describe("the config", function()
  local function refuses(config, text)
    expect(function() with(config) end):fails(text)
  end

  it("is checked", function()
    refuses(nil, "config.fields is missing")
    refuses({ fields = { path = "n" } }, "config.fields must be a list of fields, got a table")
    refuses({ fields = { { path = "n", threshold = 85 } } }, "config.fields[1].threshold must be a number from 0 to 1, got 85")
    refuses({ fields = { "n" }, algorithm = "levenstein" }, "config.algorithm must be one of levenshtein, jaro_winkler, got 'levenstein'")
    refuses({ fields = { "n" }, tolerance = 1 }, "config has no key 'tolerance'")
  end)
end)
