-- Tests of summaries/ranking.lua: evalengine test rules/summaries/ranking_test.lua
local ranking = require "ranking"

local options = {
  score = function(result) return ee.get(result.candidate, "p") end,
  positive = function(result) return result.score == 1 end,
}
local function with(name, more)
  local all = { name, score = options.score, positive = options.positive }
  for key, value in pairs(more or {}) do all[key] = value end
  return all
end

local rules = compile(ee.rules {
  ee.fields { ee.exact "n" },
  ranking.average_precision(with "AP"),
  ranking.auroc(with "AUROC"),
  ranking.calibration_error(with "ECE"),
  ranking.calibration_error(with("ECE of 2", { bins = 2 })),
})

-- "+0.9 -0.4": right and wrong cases with their scores; "?" has none.
local function cases_of(text)
  local cases = {}
  for sign, score in text:gmatch "([+-])(%S+)" do
    cases[#cases + 1] = { id = tostring(#cases), expected = { n = 1 },
      candidate = { n = sign == "+" and 1 or 2, p = tonumber(score) } }
  end
  return cases
end

local function metric(name, text) return rules:summary(name, cases_of(text)) end

-- From the definitions, over pairs and over all thresholds.
local function slow(cases)
  local pairs_won, pairs_all, total, precision_sum, positives = 0, 0, 0, 0, 0
  for _, a in ipairs(cases) do
    if a.candidate.n == 1 then
      positives = positives + 1
      local found, seen = 0, 0
      for _, b in ipairs(cases) do
        if b.candidate.p >= a.candidate.p then
          seen = seen + 1
          if b.candidate.n == 1 then found = found + 1 end
        end
        if b.candidate.n == 2 then
          pairs_all = pairs_all + 1
          if a.candidate.p > b.candidate.p then pairs_won = pairs_won + 1 end
          if a.candidate.p == b.candidate.p then pairs_won = pairs_won + 0.5 end
        end
      end
      precision_sum = precision_sum + found / seen
    end
  end
  for bin = 1, 10 do
    local sum, right = 0, 0
    for _, a in ipairs(cases) do
      local p = a.candidate.p
      if (p > (bin - 1) / 10 or (bin == 1 and p == 0)) and p <= bin / 10 then
        sum = sum + p
        if a.candidate.n == 1 then right = right + 1 end
      end
    end
    total = total + math.abs(sum - right)
  end
  return precision_sum / positives, pairs_won / pairs_all, total / #cases
end

describe("ranking", function()
  it("computes average precision", function()
    expect(metric("AP", "+0.9 +0.8 -0.3").AP):equals(1)
    expect(metric("AP", "-0.9 +0.8").AP):equals(0.5)
    -- scikit-learn's example: scores 0.1 0.4 0.35 0.8 of 0 0 1 1
    expect(metric("AP", "-0.1 -0.4 +0.35 +0.8").AP):near(0.8333333333333333)
    expect(metric("AP", "-0.1 -0.4").AP):is_nil()
  end)
  it("computes the area under the ROC curve", function()
    expect(metric("AUROC", "-0.1 -0.4 +0.35 +0.8").AUROC):equals(0.75)
    expect(metric("AUROC", "+0.5 -0.5").AUROC):equals(0.5)
    expect(metric("AUROC", "+0.2 -0.5").AUROC):equals(0)
    expect(metric("AUROC", "+0.2 +0.5").AUROC):is_nil()
  end)
  it("computes the calibration error", function()
    expect(metric("ECE", "+1 -0").ECE):equals(0)
    expect(metric("ECE", "+0.75 -0.75 +0.75 +0.75").ECE):equals(0)
    expect(metric("ECE", "-0.9 -0.9").ECE):near(0.9)
    expect(metric("ECE", "+0.1 -0.9").ECE):near(0.9)
    expect(metric("ECE of 2", "+0.1 -0.5").ECE):near(0.2)
    expect(metric("ECE", "").ECE):is_nil()
  end)
  it("leaves out and counts cases without a score", function()
    local value = metric("AUROC", "+0.9 -0.1 +x -x")
    expect(value.cases):equals(2)
    expect(value.positive):equals(1)
    expect(value["left out"]):equals(2)
  end)
  it("agrees with the definitions", function()
    local seed = 7
    local function random(n)
      seed = (seed * 1103515245 + 12345) % 2147483648
      return seed // 65536 % n
    end
    for _ = 1, 60 do
      local cases = {}
      for i = 1, 2 + random(12) do
        -- binary fractions, so that sums are exact
        cases[i] = { id = tostring(i), expected = { n = 1 }, candidate = { n = i < 3 and i or 1 + random(2), p = random(17) / 16 } }
      end
      local ap, auroc, ece = slow(cases)
      expect(rules:summary("AP", cases).AP):near(ap)
      expect(rules:summary("AUROC", cases).AUROC):near(auroc)
      expect(rules:summary("ECE", cases).ECE):near(ece)
    end
  end)
  it("refuses what it cannot use", function()
    expect(function() ranking.auroc { "x", score = 1 } end):fails "option 'score' must be a function"
    expect(function() ranking.calibration_error(with("x", { bins = 0 })) end):fails "option 'bins' must be"
  end)
end)
