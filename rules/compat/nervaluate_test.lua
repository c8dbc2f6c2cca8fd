-- Tests of nervaluate.lua: evalengine test rules/compat/nervaluate_test.lua
local function judge(config, expected, candidate)
  local result = load_rules("nervaluate.lua", { config = config }):judge { expected = expected, candidate = candidate }
  expect(result.errors):equals {}
  return result
end

local function span(label, from, to) return { label = label, start = from, ["end"] = to } end

describe("entities", function()
  local expected = { span("PER", 1, 2), span("ORG", 6, 7) }

  it("are right with their bounds and label", function()
    expect(judge({}, expected, expected).score):equals(1)
    expect(judge({}, expected, { span("PER", 1, 2) }).score):near(2 / 3)
    expect(judge({}, expected, { span("PER", 1, 2), span("LOC", 6, 7) }).score):equals(0.5)
  end)

  it("are scored by the scheme", function()
    local candidate = { span("PER", 1, 2), span("LOC", 7, 7) }
    expect(judge({ scheme = "partial" }, expected, candidate).score):equals(0.75)
    expect(judge({ scheme = "type" }, expected, candidate).score):equals(0.5)
    expect(judge({ scheme = "exact" }, expected, { span("ORG", 1, 2), span("LOC", 6, 7) }).score):equals(1)
  end)

  it("may be tags", function()
    local tags = { "O", "B-PER", "I-PER", "O", "O", "O", "B-ORG", "I-ORG" }
    expect(judge({}, tags, tags).score):equals(1)
    expect(judge({}, tags, { "O", "I-PER", "I-PER", "O", "O", "O", "B-LOC", "I-LOC" }).score):equals(0.5)
  end)

  it("count only if their label is asked for", function()
    expect(judge({ labels = { "PER" } }, expected, { span("PER", 1, 2), span("LOC", 3, 3) }).score):equals(1)
  end)

  it("overlap from a share on", function()
    local long = { span("PER", 0, 9) }
    expect(judge({ scheme = "partial", min_overlap_percentage = 50 }, long, { span("PER", 0, 4) }).score):equals(0.5)
    expect(judge({ scheme = "partial", min_overlap_percentage = 51 }, long, { span("PER", 0, 4) }).score):equals(0)
  end)
end)
