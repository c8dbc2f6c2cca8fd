-- Tests of fuzzy_match.lua: evalengine test rules/fuzzy_match_test.lua
local function with(config) return load_rules("fuzzy_match.lua", { config = config }) end

local function judge(rules, case)
  local result = rules:judge(case)
  expect(result.errors):equals {}
  return result.judges.fuzzy_match
end

describe("the whole answer", function()
  local rules = with {}

  it("is scored by its similarity", function()
    local result = judge(rules, { expected = "Acme Shipping", candidate = "  ACME - Shipping\n" })
    expect(result.score):near(1 - 2 / 15)
    expect(result.hits):equals { "answer" }
    expect(result.metrics.answer):equals { tp = 1, tn = 0, fp = 0, fn = 0 }
  end)

  it("is a miss below the threshold", function()
    local result = judge(rules, { expected = "sitting", candidate = "kitten" })
    expect(result.score):near(4 / 7)
    expect(result.misses):equals { "answer (similarity 0.571429 below 0.85)" }
    expect(result.metrics.answer):equals { tp = 0, tn = 0, fp = 1, fn = 1 }
  end)

  it("is right at the threshold", function()
    expect(judge(rules, { expected = "abcdefghijklmnopqrst", candidate = "abcdefghijklmnopq---" }).misses):equals {}
    expect(judge(with { threshold = 0.7 }, { expected = "abcdefghij", candidate = "abcdefg---" }).misses):equals {}
  end)

  it("may be in JSON's quotes, a number, or a document", function()
    expect(judge(rules, { expected = "Acme", candidate = '"acme"' }).score):equals(1)
    expect(judge(rules, { expected = 1250, candidate = "1250" }).score):equals(1)
    expect(judge(rules, { expected = { a = 1 }, candidate = { a = 1 } }).score):equals(1)
  end)

  it("that is missing or invented scores 0, and nothing expected and nothing there 1", function()
    expect(judge(rules, { expected = "Acme" }).misses):equals { "answer (required, missing)" }
    expect(judge(rules, { expected = "Acme", candidate = " " }).metrics.answer):equals { tp = 0, tn = 0, fp = 0, fn = 1 }
    expect(judge(rules, { expected = "", candidate = "Acme" }).misses):equals { "answer (nothing expected)" }
    expect(judge(rules, { expected = " ", candidate = "" }).score):equals(1)
  end)

  it("may be compared by its beginning", function()
    expect(judge(with { algorithm = "jaro_winkler" }, { expected = "MARHTA", candidate = "MARTHA" }).score):near(0.9611111, 1e-6)
  end)

  it("is found wherever the record keeps it", function()
    expect(judge(rules, { record = { reference_answer = "Acme", candidate_answer = "acme" } }).score):equals(1)
  end)
end)

describe("a value at a path", function()
  local rules = with { path = "vendor.name", threshold = 0.8 }

  it("is scored by its similarity", function()
    local result = judge(rules, { expected = { vendor = { name = "abcdefghij" } }, candidate = { vendor = { name = "ABCDEFGHxx" } } })
    expect(result.score):near(0.8)
    expect(result.hits):equals { "vendor.name" }
    expect(rules:score("vendor.name", "sitting", "kitten")):near(4 / 7)
  end)

  it("may be compared by its beginning", function()
    expect(with({ path = "n", algorithm = "jaro_winkler" }):score("n", "MARHTA", "MARTHA")):near(0.9611111, 1e-6)
  end)
end)

describe("the config", function()
  local function refuses(config, text)
    expect(function() with(config) end):fails(text)
  end

  it("is checked", function()
    refuses({ path = 7 }, "config.path must be a text, got 7")
    refuses({ paths = "a" }, "config has no key 'paths' (did you mean 'path'?)")
    refuses({ threshold = "high" }, "config.threshold must be a number from 0 to 1, got 'high'")
    refuses({ algorithm = "soundex" }, "config.algorithm must be one of levenshtein, jaro_winkler, got 'soundex'")
    refuses({ path = "a[" }, "a[")
  end)
end)
