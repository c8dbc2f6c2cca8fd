-- Tests of detection.lua: evalengine test rules/detection_test.lua
local rules = compile(require "detection")

-- Lists as JSON text, so that an empty one is a list.
local function list(items)
  local parts = {}
  for _, item in ipairs(items) do parts[#parts + 1] = ee.json(item) end
  return "[" .. table.concat(parts, ", ") .. "]"
end

local function judge(objects, detections)
  local result = rules:judge { id = "1", expected = list(objects), candidate = list(detections) }
  expect(result.errors):equals {}
  return result.judges.detection
end

local function cup(box, more)
  local item = { bbox = box, category = "cup" }
  for key, value in pairs(more or {}) do item[key] = value end
  return item
end

describe("an image", function()
  it("in which all is found scores 1", function()
    local result = judge({ cup { 0, 0, 10, 20 }, cup { 50, 0, 10, 20 } }, { cup({ 50, 0, 10, 20 }, { score = 0.5 }), cup({ 0, 0, 10, 20 }, { score = 0.9 }) })
    expect(result.score):equals(1)
    expect(result.metrics.cup):equals { tp = 2, tn = 0, fp = 0, fn = 0 }
  end)

  it("scores its F1", function()
    local result = judge({ cup { 0, 0, 10, 20 }, cup { 50, 0, 10, 20 } }, { cup({ 0, 0, 10, 20 }, { score = 0.9 }) })
    expect(result.score):near(2 / 3)
    expect(result.misses):equals { "1 cup (missed)" }
  end)

  it("with nothing on both sides scores 1, with detections only 0", function()
    expect(judge({}, {}).score):equals(1)
    expect(judge({}, { cup({ 0, 0, 10, 10 }, { score = 0.9 }) }).score):equals(0)
    expect(judge({ cup { 0, 0, 10, 10 } }, {}).score):equals(0)
  end)
end)

describe("a detection", function()
  it("matches at an overlap of 0.5", function()
    expect(judge({ cup { 0, 0, 10, 10 } }, { cup({ 0, 0, 10, 20 }, { score = 0.9 }) }).score):equals(1)
    local result = judge({ cup { 0, 0, 10, 10 } }, { cup({ 0, 0, 10, 21 }, { score = 0.9 }) })
    expect(result.score):equals(0)
    expect(result.misses):contains "det 0 cup (poor localisation: IoU 0.47619)"
  end)

  it("of an object that a surer one has found is a duplicate", function()
    local result = judge({ cup { 0, 0, 10, 10 } }, { cup({ 0, 0, 10, 10 }, { score = 0.4 }), cup({ 0, 0, 10, 9 }, { score = 0.6 }) })
    expect(result.misses):equals { "det 0 cup (duplicate)" }
    expect(result.metrics.cup):equals { tp = 1, tn = 0, fp = 1, fn = 0 }
  end)

  it("of another class is wrong, and the object missed", function()
    local result = judge({ cup { 0, 0, 10, 10 } }, { { bbox = { 0, 0, 10, 10 }, category = "plate", score = 0.9 } })
    expect(result.misses):equals { "0 cup (missed)", "det 0 plate (wrong class: cup)" }
    expect(result.metrics.cup.fn):equals(1)
    expect(result.metrics.plate.fp):equals(1)
  end)

  it("in a crowd counts nowhere", function()
    local result = judge({ cup({ 0, 0, 100, 100 }, { iscrowd = 1 }), cup { 200, 0, 10, 10 } }, {
      cup({ 10, 10, 10, 10 }, { score = 0.9 }), cup({ 40, 10, 10, 10 }, { score = 0.8 }), cup({ 200, 0, 10, 10 }, { score = 0.7 }) })
    expect(result.score):equals(1)
    expect(result.metrics.cup):equals { tp = 1, tn = 0, fp = 0, fn = 0 }
  end)

  it("without a box is false, and says why", function()
    local result = judge({ cup { 0, 0, 10, 10 } }, { cup({ 0, 0, 10 }, { score = 0.9 }) })
    expect(result.misses):contains "det 0 cup (not four numbers)"
    expect(result.score):equals(0)
  end)
end)
