-- Tests of layout.lua: evalengine test rules/layout_test.lua
local rules = compile(require "layout")

-- A page as JSON text, so that empty lists stay lists; blocks are { label, box, text }.
local function page(blocks, rest)
  local parts = {}
  for _, block in ipairs(blocks) do
    parts[#parts + 1] = ee.json { label = block[1], bbox = block[2], text = block[3] }
  end
  return '{"size": [600, 800], ' .. (rest and rest .. ", " or "") .. '"blocks": [' .. table.concat(parts, ", ") .. "]}"
end

local title = { "title", { 0, 0, 100, 20 }, "Lost and found" }
local first = { "paragraph", { 0, 30, 100, 80 }, "One green mitten, left hand" }
local second = { "paragraph", { 0, 90, 100, 140 }, "A bunch of keys on a red ribbon" }

local function judge(expected, candidate)
  local result = rules:judge { expected = expected, candidate = candidate }
  expect(result.errors):equals {}
  return result
end

describe("blocks", function()
  it("are found whatever their order", function()
    local result = judge(page { title, first, second }, page { second, title, first })
    expect(result.score):equals(1)
    expect(result.misses):equals {}
  end)

  it("score by how much they overlap", function()
    -- 45 of 55 rows of pixels are in both: 45/55.
    local blocks = judge(page { first }, page { { "paragraph", { 0, 35, 100, 85 }, first[3] } }).judges.blocks
    expect(blocks.score):near(45 / 55)
    expect(blocks.metrics["iou>=0.5"]):equals { tp = 1, tn = 0, fp = 0, fn = 0 }
    expect(blocks.metrics["iou>=0.75"]):equals { tp = 1, tn = 0, fp = 0, fn = 0 }
  end)

  it("may be found, but not closely", function()
    -- 40 of 60 rows.
    local blocks = judge(page { first }, page { { "paragraph", { 0, 40, 100, 90 }, first[3] } }).judges.blocks
    expect(blocks.score):near(40 / 60)
    expect(blocks.metrics["iou>=0.5"].tp):equals(1)
    expect(blocks.metrics["iou>=0.75"]):equals { tp = 0, tn = 0, fp = 1, fn = 1 }
  end)

  it("of another label are others", function()
    local result = judge(page { title, first }, page { { "figure", title[2], title[3] }, first })
    expect(result.judges.blocks.score):equals(0.5)
    expect(result.judges.blocks.metrics["label title"]):equals { tp = 0, tn = 0, fp = 0, fn = 1 }
    expect(result.judges.blocks.metrics["label figure"]):equals { tp = 0, tn = 0, fp = 1, fn = 0 }
    expect(result.judges.text.misses):equals { "blocks[0].label (value mismatch)" }
  end)

  it("that are missing or invented count in the longer list", function()
    expect(judge(page { title, first, second }, page { title, first }).judges.blocks.score):near(2 / 3)
    expect(judge(page { title }, page { title, first }).judges.blocks.score):equals(0.5)
  end)

  it("are paired for the largest total overlap", function()
    -- Greedy pairs the second with the third, and nothing is left for the others.
    local a, b = { "paragraph", { 0, 140, 9, 210 }, "a" }, { "paragraph", { 0, 164, 9, 234 }, "b" }
    local c, d = { "paragraph", { 0, 158, 9, 228 }, "a" }, { "paragraph", { 0, 182, 9, 252 }, "b" }
    local result = judge(page { a, b }, page { c, d })
    expect(result.judges.blocks.score):near(52 / 88)
    expect(result.judges.blocks.metrics["iou>=0.5"].tp):equals(2)
    expect(result.judges.text.score):equals(1)
  end)

  it("with corners the wrong way round are reported", function()
    local result = judge(page { first }, page { { "paragraph", { 100, 80, 0, 30 }, first[3] } })
    expect(result.judges.blocks.score):equals(0)
    expect(result.judges.blocks.misses):contains "blocks[0] (unreadable candidate box: corners the wrong way round)"
  end)

  it("on neither side are fine, on one side all wrong", function()
    expect(judge(page {}, page {}).score):equals(1)
    expect(judge(page {}, page { title }).judges.blocks.score):equals(0)
    expect(judge(page { title }, page {}).judges.blocks.score):equals(0)
  end)
end)

describe("text", function()
  it("is compared between blocks that lie on each other", function()
    local result = judge(page { first, second }, page { { "paragraph", first[2], second[3] }, { "paragraph", second[2], first[3] } })
    expect(result.judges.blocks.score):equals(1)
    expect(result.judges.text.metrics.text):equals { tp = 0, tn = 0, fp = 2, fn = 2 }
    expect(result.judges.text.metrics.label.tp):equals(2)
  end)

  it("may have a letter wrong", function()
    expect(rules:score("text", "A bunch of keys on a red ribbon", "A bunch of keys on a red r1bbon")):equals(1)
    expect(rules:score("text", "Lost and found", "L0st and f0und")):equals(0)
  end)
end)

describe("places", function()
  it("of the title overlap by half", function()
    expect(rules:score("title_box", { 0, 0, 100, 20 }, { 0, 0, 100, 40 })):equals(0.5)
    local score, reason = rules:score("title_box", { 0, 0, 100, 20 }, { 0, 0, 100, 50 })
    expect(score):equals(0.4)
    expect(reason):equals "iou 0.4 below 0.5"
  end)

  it("of the seal are 5 pixels off at most, and then fade", function()
    expect(rules:score("seal", { 30, 40 }, { 33, 44 })):equals(1)
    expect(rules:score("seal", { 30, 40 }, { 38, 40 })):near(0.4)
    expect(rules:score("seal", { 30, 40 }, { 40, 40 })):equals(0)
    expect(select(2, rules:score("seal", { 30, 40 }, { 30, 40, 0 }))):matches "dimensions differ"
  end)

  it("of a stamp are compared by their true areas", function()
    -- A square on its corner fills half of the upright one around it.
    expect(rules:score("stamp", { { 1, 0 }, { 2, 1 }, { 1, 2 }, { 0, 1 } }, { { 0, 0 }, { 2, 0 }, { 2, 2 }, { 0, 2 } })):near(0.5)
    expect(select(2, rules:score("stamp", { { 1, 0 }, { 2, 1 }, { 1, 2 } }, { { 0, 0 }, { 2, 2 } }))):contains "a polygon of 2 points"
  end)

  it("that are not there on either side do not count", function()
    local result = judge(page({ title }, '"seal": [30, 40]'), page({ title }, '"seal": [38, 40]'))
    expect(result.judges.places.score):near(0.4)
  end)
end)

describe("no answer", function()
  it("scores 0, and every block is missing", function()
    local result = judge(page { title, first }, "I see a title and a paragraph.")
    expect(result.score):equals(0)
    expect(result.judges.blocks.metrics["iou>=0.5"]):equals { tp = 0, tn = 0, fp = 0, fn = 2 }
  end)
end)
