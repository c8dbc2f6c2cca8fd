-- Tests of header_confusion.lua: evalengine test rules/header_confusion_test.lua
local rules = load_rules("header_confusion.lua", { config = { fields = { "number", { path = "supplier.name" }, "total" } } })

local function judge(expected, candidate)
  local result = rules:judge { expected = expected, candidate = candidate }
  expect(result.errors):equals {}
  return result.judges.header_confusion
end

local truth = { number = "A-1", supplier = { name = "Acme" }, total = 10 }

describe("a header", function()
  it("that is right in all fields scores 1", function()
    local result = judge(truth, truth)
    expect(result.score):equals(1)
    expect(result.hits):equals { "number", "supplier.name", "total" }
    expect(result.misses):equals {}
    expect(result.metrics["supplier.name"]):equals { tp = 1, tn = 0, fp = 0, fn = 0 }
  end)

  it("scores the mean F1 of its fields", function()
    local result = judge(truth, { number = "A-1", supplier = { name = "ACME" } })
    expect(result.score):near(1 / 3)
    expect(result.metrics["supplier.name"]):equals { tp = 0, tn = 0, fp = 1, fn = 1 }
    expect(result.metrics.total):equals { tp = 0, tn = 0, fp = 0, fn = 1 }
    expect(result.misses):equals { "supplier.name (value mismatch)", "total (required, missing)" }
  end)

  it("leaves fields that are empty on both sides out of the score", function()
    local result = judge({ number = "A-1", total = "" }, { number = "A-2", total = "  " })
    expect(result.score):equals(0)
    expect(result.metrics.total):equals { tp = 0, tn = 1, fp = 0, fn = 0 }
    expect(judge({ number = "" }, {}).score):equals(1)
  end)

  it("counts what is invented", function()
    expect(judge({ number = "A-1" }, { number = "A-1", total = 3 }).metrics.total):equals { tp = 0, tn = 0, fp = 1, fn = 0 }
  end)

  it("takes no number for a text", function()
    expect(rules:score("total", 10, "10")):equals(0)
    expect(rules:score("total", 10, 10.0)):equals(1)
  end)
end)

describe("the config", function()
  local function refuses(config, text)
    expect(function() load_rules("header_confusion.lua", { config = config }) end):fails(text)
  end

  it("must list the fields", function()
    refuses({}, "config.fields is missing")
    refuses({ fields = "number" }, "config.fields must be a list of fields, got 'number'")
    refuses('{"fields": []}', "config.fields must be a list of fields")
    refuses({ field = { "number" } }, "config has no key 'field' (did you mean 'fields'?)")
  end)

  it("names paths", function()
    refuses({ fields = { "a[" } }, "a[")
    refuses({ fields = { "a", "a" } }, "'a'")
  end)
end)
