-- Tests of docile_fields.lua: evalengine test rules/compat/docile_fields_test.lua
local fields = require "docile_fields"

describe("characters", function()
  it("have their centres in the box of their word", function()
    local centres = fields.centres_of { words = { { text = "né", page = 2, bbox = { 0, 0, 0.4, 0.2 } } } }
    expect(#centres):equals(2)
    expect(centres[1][1]):near(0.1)
    expect(centres[2][1]):near(0.3)
    expect(centres[2][3]):equals(2)
    expect(fields.centres_of { pccs = { { 0.5, 0.5, 0 } } }):equals { { 0.5, 0.5, 0 } }
  end)
end)

describe("fields", function()
  local centres = fields.centres_of { pccs = { { 0.1, 0.1, 1 }, { 0.1, 0.1, 0 }, { 0.2, 0.1, 0 }, { 0.3, 0.1, 0 } } }
  local function one(box, page) return fields.of({ list = { { fieldtype = "a", page = page or 0, bbox = box } } }, "list", centres)[1] end

  it("cover what lies in their box or on its edge", function()
    expect(one({ 0.1, 0, 0.2, 0.2 }).count):equals(2)
    expect(one({ 0, 0, 1, 1 }, 1).count):equals(1)
  end)

  it("are alike by what they cover", function()
    expect(fields.iou(one { 0, 0, 0.2, 0.2 }, one { 0.15, 0, 1, 1 })):near(1 / 3)
    expect(fields.iou(one { 0, 0, 1, 1 }, one({ 0, 0, 1, 1 }, 1))):equals(0)
    expect(fields.iou(one { 0.5, 0.5, 0.6, 0.6 }, one { 0.55, 0.5, 1, 1 })):equals(1)
  end)

  it("come in the order of their scores, those for average precision last", function()
    local list = fields.of({ list = { { fieldtype = "a", page = 0, bbox = { 0, 0, 1, 1 }, score = 0.1 }, { fieldtype = "b", page = 0, bbox = { 0, 0, 1, 1 }, score = 0.9 },
      { fieldtype = "c", page = 0, bbox = { 0, 0, 1, 1 }, score = 1, use_only_for_ap = true } } }, "list", centres)
    expect(list[1].type .. list[2].type .. list[3].type):equals "bac"
  end)
end)
