-- Tests of extraction.lua: evalengine test rules/extraction_test.lua
local rules = compile(require "extraction")

local document = "Alpha 🙂 Beta GmbH, Köln"

-- A regression record; `answer` is a text, or a list of extractions.
local function record(answer, kind, least, most)
  return {
    caseId = "1", category = "test", documentText = document, providerResponseText = answer,
    expected = { emptyResultKind = kind or "non_empty", minExtractions = least or 1, maxExtractions = most or 9 },
  }
end

local function judge(...)
  local result = rules:judge { record = record(...) }
  expect(result.errors):equals {}
  return result.judges.extraction
end

local function quote(text, first, last, more)
  local item = { extractionClass = "name", quote = text, charStart = first, charEnd = last }
  for key, value in pairs(more or {}) do item[key] = value end
  return item
end

describe("an extraction", function()
  it("holds when its quote stands at its offsets, in UTF-16 code units", function()
    local result = judge { quote("Alpha", 0, 5), quote("🙂", 6, 8), quote("Beta GmbH", 9, 18) }
    expect(result.score):equals(1)
    expect(result.hits):equals { "extractions[0] (name)", "extractions[1] (name)", "extractions[2] (name)" }
    expect(result.case_metrics):equals { schema_valid = 1, quote_valid = 1, stability = 1 }
  end)

  it("in code points says so", function()
    expect(judge({ quote("Beta", 8, 12, { offsetMode = "code_point" }) }).score):equals(1)
    local result = judge { quote("Beta", 8, 12) }
    expect(result.score):equals(0)
    expect(result.misses):equals { "extractions[0] (QUOTE_MISMATCH: the document says ' Bet' there, not 'Beta')" }
  end)

  it("that is wrong takes away its share", function()
    local result = judge { quote("Alpha", 0, 5), quote("Beta", 9, 12), quote("Köln", 20, 24), quote("Alpha", 0, 5, { extractionClass = 7 }) }
    expect(result.score):equals(0.5)
    expect(result.case_metrics):equals { schema_valid = 0.75, quote_valid = 0.75, stability = 1 }
    expect(result.misses):contains "extractions[3] (SCHEMA_INVALID: extractionClass is not a string)"
  end)

  it("may have its offsets in its span", function()
    expect(judge({ { extractionClass = "name", quote = "Köln", span = { charStart = 20, charEnd = 24 } } }).score):equals(1)
    local result = judge { quote("Köln", 20, 24, { span = { charStart = 19, charEnd = 24 } }) }
    expect(result.misses):equals { "extractions[0] (OFFSET_MISMATCH: span has other offsets)" }
  end)
end)

describe("an answer", function()
  it("is read from a fence, with trailing commas", function()
    local text = "Here:\n```json\n" .. '{"extractions": [{"extractionClass": "name", "quote": "Alpha", "charStart": 0, "charEnd": 5}]}' .. "\n```"
    expect(judge(text).score):equals(1)
    expect(judge((text:gsub("%]", ",]"))).score):equals(1)
  end)

  it("must have as many extractions as expected", function()
    local result = judge({ quote("Alpha", 0, 5), quote("Köln", 20, 24) }, "non_empty", 1, 1)
    expect(result.score):equals(0)
    expect(result.misses):equals { "candidate (2 extractions, expected 1 to 1)" }
  end)

  it("that is empty is of the kind that is expected, or wrong", function()
    local empty = '{"extractions": []}'
    expect(judge(empty, "empty_by_evidence", 0, 0).score):equals(1)
    expect(judge("no idea", "empty_by_failure", 0, 0).score):equals(1)
    expect(judge(empty, "empty_by_failure", 0, 0).misses):equals { "candidate (empty_by_evidence, expected empty_by_failure)" }
    expect(judge(empty).misses):equals { "candidate (empty_by_evidence, expected non_empty)" }
    expect(judge("no idea", "empty_by_evidence", 0, 0).score):equals(0)
  end)
end)

describe("gold spans", function()
  it("are found exactly, or missed, a class", function()
    local one = record { quote("Alpha", 0, 5), quote("Beta", 9, 13) }
    one.goldSpans = { quote("Alpha", 0, 5), quote("Beta GmbH", 9, 18) }
    local result = rules:judge({ record = one }).judges.extraction
    expect(result.score):equals(0.5)
    expect(result.metrics.name):equals { tp = 1, tn = 0, fp = 1, fn = 1 }
    expect(result.misses):equals { "goldSpans[1] (not found: name 'Beta GmbH')" }
  end)
end)

describe("further answers", function()
  it("tell how stable the extractions are", function()
    local one = record { quote("Alpha", 0, 5), quote("Köln", 20, 24) }
    one.providerResponseTexts = { '[{"extractionClass": "name", "quote": "Alpha", "charStart": 0, "charEnd": 5}]' }
    expect(rules:judge({ record = one }).judges.extraction.case_metrics.stability):equals(0.5)
  end)
end)
