-- Tests of docile_metrics.lua: evalengine test rules/compat/docile_metrics_test.lua
local metrics = require "docile_metrics"

-- Predictions from a text, in falling order of score: x is a hit, - is not.
local function predictions(text)
  local list = {}
  for i = 1, #text do list[i] = { score = 1 - i / 100, extra = false, index = i, hit = text:sub(i, i) == "x" } end
  return list
end

describe("average precision", function()
  it("is the area under the highest precisions", function()
    expect(metrics.of(predictions "xx-x--", 4).AP):near(0.5 + 0.25 * 0.75)
    expect(metrics.of(predictions "x--xx", 10).AP):near(0.22)
    expect(metrics.of(predictions "--xxx", 10).AP):near(0.18)
    expect(metrics.of(predictions "xxx--", 10).AP):near(0.3)
    expect(metrics.of({}, 0).AP):equals(0)
  end)
end)

describe("counts", function()
  it("leave out what is only for average precision", function()
    local list = predictions "x-x"
    list[3].extra = true
    local found = metrics.of(list, 2)
    expect({ found.TP, found.FP, found.FN }):equals { 1, 1, 1 }
    expect(found.precision):equals(0.5)
    expect(found.f1):equals(0.5)
  end)
end)

describe("the order", function()
  it("is by score, then as they came, then by case", function()
    local list = { { score = 0.5, extra = false, index = 2, id = "a" }, { score = 0.5, extra = false, index = 1, id = "b" }, { score = 0.5, extra = false, index = 1, id = "a" } }
    table.sort(list, metrics.before)
    expect(list[1].id .. list[2].id .. list[3].index):equals "ab2"
  end)
end)
