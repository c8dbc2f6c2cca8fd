-- Metrics over the data set of a number that ranks or promises: average precision, AUROC, expected calibration error.
-- In a rule file:
--   local ranking = require "summaries.ranking"
--   ranking.auroc { "AUROC", score = function(result) return ee.get(result.candidate, "confidence") end,
--                   positive = function(result) return result.score == 1 end }
-- `score` returns a number, `positive` whether the case is one of those that should rank first (that is right); a case for
-- which one of them returns nil is left out and counted. A state counts the cases of each different score, so that it is
-- the same for every way of splitting the data.
local ranking = {}

local function new_counts() return { positive = {}, negative = {}, left_out = 0 } end

local function add(counts, score, positive)
  local group = positive and counts.positive or counts.negative
  group[score] = (group[score] or 0) + 1
end

local function merge_group(into, group)
  for score, cases in pairs(group) do into[score] = (into[score] or 0) + cases end
end

local function merge(counts, later)
  merge_group(counts.positive, later.positive)
  merge_group(counts.negative, later.negative)
  counts.left_out = counts.left_out + later.left_out
  return counts
end

-- { score, positive, negative } for each different score, the highest first; and the cases of both kinds.
local function ranked(counts)
  local all, list, positives, negatives = {}, {}, 0, 0
  for score, cases in pairs(counts.positive) do
    all[score] = true
    positives = positives + cases
  end
  for score, cases in pairs(counts.negative) do
    all[score] = true
    negatives = negatives + cases
  end
  for score in pairs(all) do
    list[#list + 1] = { score = score, positive = counts.positive[score] or 0, negative = counts.negative[score] or 0 }
  end
  table.sort(list, function(a, b) return a.score > b.score end)
  return list, positives, negatives
end

-- The metric is left out where it is undefined.
local function result_of(counts, name, value, positives, negatives)
  return { [name] = value, cases = positives + negatives, positive = positives, ["left out"] = counts.left_out }
end

local function summary(options, finish, check)
  for _, name in ipairs { "score", "positive" } do
    if type(options[name]) ~= "function" then error(("option '%s' must be a function"):format(name), 3) end
  end
  return ee.summary {
    options.name or options[1],
    init = new_counts,
    step = function(counts, result)
      local score, positive = options.score(result), options.positive(result)
      if score == nil or positive == nil then
        counts.left_out = counts.left_out + 1
        return counts
      end
      if type(score) ~= "number" or score ~= score then error("score is not a number", 0) end
      if check then check(score) end
      add(counts, score, positive)
      return counts
    end,
    finish = finish,
    merge = merge,
  }
end

-- The mean precision at the positive cases: the sum over the different scores, highest first, of (gain in recall) times
-- (precision among all cases with that score or a higher one); not interpolated. Undefined without positive cases.
function ranking.average_precision(options)
  return summary(options, function(counts)
    local list, positives, negatives = ranked(counts)
    local found, seen, sum = 0, 0, 0
    for _, at in ipairs(list) do
      found, seen = found + at.positive, seen + at.positive + at.negative
      sum = sum + at.positive * (found / seen)
    end
    local value
    if positives > 0 then value = sum / positives end
    return result_of(counts, "AP", value, positives, negatives)
  end)
end

-- The share of pairs of a positive and a negative case in which the positive one has the higher score, an equal score
-- counting half (Mann and Whitney's U over the number of pairs). Undefined without both kinds.
function ranking.auroc(options)
  return summary(options, function(counts)
    local list, positives, negatives = ranked(counts)
    local below, halves = negatives, 0
    for _, at in ipairs(list) do
      below = below - at.negative
      halves = halves + at.positive * (2 * below + at.negative)
    end
    local value
    if positives > 0 and negatives > 0 then value = halves / (2 * positives * negatives) end
    return result_of(counts, "AUROC", value, positives, negatives)
  end)
end

-- Scores are probabilities. The mean over `bins` (10) bins of equal width, weighted by their cases, of the distance between
-- the mean score and the share of positive cases (Guo et al. 2017: a bin has its upper end, the first also 0). Undefined
-- without cases.
function ranking.calibration_error(options)
  local bins = options.bins or 10
  if math.type(bins) ~= "integer" or bins < 1 or bins > 1000 then error("option 'bins' must be a whole number from 1 to 1000", 2) end
  local function check(score)
    if score < 0 or score > 1 then error("score is outside 0..1", 0) end
  end
  return summary(options, function(counts)
    local list, positives, negatives = ranked(counts)
    local sums, rights, error_sum = {}, {}, 0
    for _, at in ipairs(list) do
      local bin = math.max(1, math.ceil(at.score * bins))
      sums[bin] = (sums[bin] or 0) + at.score * (at.positive + at.negative)
      rights[bin] = (rights[bin] or 0) + at.positive
    end
    for bin, sum in pairs(sums) do error_sum = error_sum + math.abs(sum - rights[bin]) end
    local value
    if positives + negatives > 0 then value = error_sum / (positives + negatives) end
    return result_of(counts, "ECE", value, positives, negatives)
  end, check)
end

return ranking
