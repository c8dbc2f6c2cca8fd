-- Tests of docile.lua: evalengine test rules/compat/docile_test.lua
local words = {
  { text = "Invoice", page = 0, bbox = { 0.1, 0.1, 0.24, 0.12 } }, { text = "17", page = 0, bbox = { 0.26, 0.1, 0.3, 0.12 } },
  { text = "Bolts", page = 0, bbox = { 0.1, 0.5, 0.2, 0.52 } }, { text = "Nuts", page = 0, bbox = { 0.1, 0.6, 0.2, 0.62 } },
}

local function field(kind, box, item, text) return { fieldtype = kind, page = 0, bbox = box, line_item_id = item, text = text } end

local function judge(config, expected, candidate)
  local record = { words = words, expected = expected, candidate = candidate }
  local result = load_rules("docile.lua", { config = config }):judge { record = record }
  expect(result.errors):equals {}
  return result.judges.docile
end

local number, bolts, nuts = field("id", { 0.26, 0.1, 0.3, 0.12 }), field("name", { 0.1, 0.5, 0.2, 0.52 }, 1), field("name", { 0.1, 0.6, 0.2, 0.62 }, 2)

describe("a field", function()
  it("is found where it covers the same characters", function()
    local shifted = field("id", { 0.25, 0.09, 0.31, 0.13 })
    expect(judge({}, { field_extractions = { number } }, { field_extractions = { shifted } }).score):equals(1)
    local wide = field("id", { 0.2, 0.1, 0.3, 0.12 })
    expect(judge({}, { field_extractions = { number } }, { field_extractions = { wide } }).score):equals(0)
    expect(judge({ iou_threshold = 0.5 }, { field_extractions = { number } }, { field_extractions = { wide } }).score):equals(1)
  end)

  it("needs the same text if asked", function()
    local right, wrong = field("id", number.bbox, nil, "17"), field("id", number.bbox, nil, "71")
    expect(judge({}, { field_extractions = { right } }, { field_extractions = { wrong } }).score):equals(1)
    expect(judge({ same_text = true }, { field_extractions = { right } }, { field_extractions = { wrong } }).score):equals(0)
  end)
end)

describe("line items", function()
  it("are paired so that most fields are found", function()
    local expected = { line_item_extractions = { bolts, nuts } }
    expect(judge({}, expected, { line_item_extractions = { field("name", nuts.bbox, 7), field("name", bolts.bbox, 7) } }).score):equals(0.5)
    expect(judge({}, expected, { line_item_extractions = { field("name", nuts.bbox, 7), field("name", bolts.bbox, 8) } }).score):equals(1)
  end)

  it("are a task of their own", function()
    local both = { field_extractions = { number }, line_item_extractions = { bolts, nuts } }
    expect(judge({}, both, { field_extractions = { number } }).score):equals(0.5)
    expect(judge({}, {}, {}).score):equals(1)
  end)
end)
