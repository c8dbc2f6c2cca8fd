-- Tests of reports/text_rates.lua: evalengine test rules/reports/text_rates_test.lua
local rates = require "text_rates"

local function summary_of(options, pairs_of_texts, name)
  local cases = {}
  for i, pair in ipairs(pairs_of_texts) do
    cases[i] = { id = tostring(i), expected = { t = pair[1] }, candidate = { t = pair[2] } }
  end
  local rules = compile(ee.rules { ee.fields { ee.exact "t" }, rates(options) })
  return rules:summary(name or "text rates of t", cases)
end

describe("text_rates", function()
  it("adds up edits and words, as jiwer does", function()
    local found = summary_of("t", { { "i", "i am" }, { "am i good", "i good" } })
    expect(found["word error rate"]):near(0.5)
    expect(found["character error rate"]):near(0.6)
    expect(found["expected words"]):equals(4)
    found = summary_of("t", { { "hello world", "hello world" }, { "", "done" } })
    expect(found["word error rate"]):near(0.5)
  end)

  it("adds up n-grams, as sacrebleu does", function()
    local found = summary_of("t", {
      { "The dog bit the man.", "The dog bit the man." },
      { "It was not unexpected.", "It wasn't surprising." },
      { "The man bit him first.", "The man had just bitten him." },
    })
    expect(found.BLEU):near(0.4506750632106116, 1e-12)
    found = summary_of("t", { { "a", "a" }, { "c", "b" } })
    expect(found.chrF):near(0.5)
    expect(found.BLEU):equals(0)
  end)

  it("counts what is not a text", function()
    local found = summary_of("t", { { "a b", ee.null }, { 5, "x" }, { ee.null, "x" } })
    expect(found.texts):equals(1)
    expect(found["without text"]):equals(2)
    expect(found["word error rate"]):equals(1)
    found = summary_of("t", { { 5, "x" } })
    expect(found.texts):equals(0)
    expect(found["word error rate"]):is_nil()
  end)

  it("takes another path, tokens and normal forms", function()
    local rules = compile(ee.rules {
      ee.fields { ee.exact "t" },
      rates { "t", candidate = "u", tokenizer = "words", normalize = { "casefold" }, name = "speech" },
    })
    local found = rules:summary("speech", { { id = "a", expected = { t = "The cat." }, candidate = { u = "the cat" } } })
    expect(found["word error rate"]):equals(0)
  end)

  it("says what is wrong when the rule file loads", function()
    expect(function() rates { "t", toknizer = "words" } end):fails("text_rates has no option 'toknizer'")
    expect(function() rates { "t", tokenizer = "word" } end):fails("did you mean 'words'?")
    expect(function() rates { "t", normalize = { "lower" } } end):fails("unknown normal form 'lower'")
    expect(function() rates { "t", name = 5 } end):fails("option 'name' of text_rates must be a string, got a number")
    expect(function() rates {} end):fails("text_rates needs a path")
  end)
end)
