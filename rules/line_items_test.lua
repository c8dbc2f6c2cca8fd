-- Tests of line_items.lua: evalengine test rules/line_items_test.lua
local function with(config) return load_rules("line_items.lua", { config = config }) end

-- Lists as JSON text, so that an empty one stays a list.
local function document(items, key)
  local parts = {}
  for i, item in ipairs(items) do parts[i] = ee.json(item) end
  return ('{"%s": [%s]}'):format(key or "line_items", table.concat(parts, ", "))
end

local function judge(rules, expected, candidate)
  local result = rules:judge { expected = expected, candidate = candidate }
  expect(result.errors):equals {}
  return result.judges.line_items
end

local tea, nuts = { description = "Green tea", quantity = 2, line_total = 5 }, { description = "Walnuts", quantity = 1, line_total = 9 }

describe("lines", function()
  local rules = with {}

  it("are found in any order, compared in every key", function()
    local result = judge(rules, document { tea, nuts }, document { nuts, tea })
    expect(result.score):equals(1)
    expect(result.metrics.quantity):equals { tp = 2, tn = 0, fp = 0, fn = 0 }
    expect(result.metrics.line_total.tp):equals(2)
  end)

  it("that are alike enough are a pair, and then compared strictly", function()
    local result = judge(rules, document { tea }, document { { description = "Green tee", quantity = 2, line_total = "5.0" } })
    expect(result.metrics.description):equals { tp = 0, tn = 0, fp = 1, fn = 1 }
    expect(result.metrics.quantity.tp):equals(1)
    expect(result.metrics.line_total.tp):equals(1)
  end)

  it("that are missing or invented count in all their fields", function()
    local missing = judge(rules, document { tea, nuts }, document { tea })
    expect(missing.metrics.quantity):equals { tp = 1, tn = 0, fp = 0, fn = 1 }
    expect(missing.misses):equals { "line_items[1] (missing item)" }
    expect(judge(rules, document {}, document { tea }).metrics.description):equals { tp = 0, tn = 0, fp = 1, fn = 0 }
  end)
end)

describe("the config", function()
  it("says where the list stands", function()
    for _, config in ipairs { { path = "rows" }, { line_items_path = "rows" } } do
      expect(judge(with(config), document({ tea }, "rows"), document({ tea }, "rows")).metrics.description.tp):equals(1)
    end
  end)

  it("says what makes a pair", function()
    local changed = { description = "Thé vert", quantity = 2, line_total = 5 }
    expect(judge(with {}, document { tea }, document { changed }).metrics.quantity.tp):equals(0)
    for _, config in ipairs { { match_fields = { "line_total" } }, { match_fields = { { path = "quantity" } } }, { threshold = 0.1 } } do
      expect(judge(with(config), document { tea }, document { changed }).metrics.quantity.tp):equals(1)
    end
  end)

  it("says what is compared", function()
    local result = judge(with { score_fields = { "quantity" } }, document { tea }, document { { description = "Green tea", quantity = "2" } })
    expect(result.score):equals(1)
    expect(result.metrics.line_total):is_nil()
  end)

  it("says how pairs are found", function()
    -- Greedy takes the pair that is most alike, and nothing is left for the others.
    local expected = document { { description = "Bolt M6" }, { description = "Bolt M6 x 20" } }
    local candidate = document { { description = "Bolt M6 x 2" }, { description = "Bolt M6 x 20, zinc" } }
    local config = { threshold = 0.6, score_fields = { "description" } }
    expect(#judge(with(config), expected, candidate).misses):equals(3)
    config.method = "optimal"
    expect(#judge(with(config), expected, candidate).misses):equals(2)
  end)

  local function refuses(config, text)
    expect(function() with(config) end):fails(text)
  end

  it("is checked", function()
    refuses({ match_fields = "description" }, "config.match_fields must be a list of fields, got 'description'")
    refuses({ match_field = { "a" } }, "config has no key 'match_field' (did you mean 'match_fields'?)")
    refuses({ score_fields = { 1 } }, "config.score_fields[1] must be a path, or a table with a path, got 1")
    refuses({ method = "index" }, "config.method must be one of greedy, optimal, got 'index'")
    refuses({ threshold = 80 }, "config.threshold must be a number from 0 to 1, got 80")
    refuses({ path = "a[*].b" }, "a[*].b")
  end)
end)
