-- DocILE's two tasks (Šimsa et al., 2023): key information (KILE) and line items (LIR), located by the characters that boxes cover.
--
--   evalengine rules/compat/docile.lua data.jsonl
--   --set iou_threshold=0.5        a field is found if it shares this part of its characters, or more, with a prediction (default 1)
--   --set same_text=true           a prediction with another text does not find a field
--
-- Both documents hold "field_extractions" and "line_item_extractions": { fieldtype, page, bbox = [left, top, right, bottom], text, score,
-- line_item_id, use_only_for_ap }. The record holds the OCR's "words" ({ text, page, bbox }), or their characters' centres as "pccs" ([x, y, page]).
-- The score of a case is F1, if both tasks are there the mean of both; the summaries have each task over all cases, with average precision.

local fields, metrics = require "docile_fields", require "docile_metrics"
local threshold = (ee.config.iou_threshold or ee.param("iou_threshold", 1)) - 1e-6
local same_text = ee.config.same_text or ee.param("same_text", false)
local TASKS <const> = { { "kile", "field_extractions" }, { "lir", "line_item_extractions" } }

-- Gives each prediction the first free annotation of its type that covers the same characters; how many that are not extra got one.
local function match(predictions, annotations)
  local taken, count = {}, 0
  for _, prediction in ipairs(predictions) do
    for _, annotation in ipairs(annotations) do
      if not taken[annotation] and annotation.type == prediction.type and fields.iou(annotation, prediction) > threshold then
        prediction.partner, taken[annotation] = annotation, true
        count = count + (prediction.extra and 0 or 1)
        break
      end
    end
  end
  return count
end

-- The fields by line item. Those of KILE have none, and are one.
local function items_of(list)
  local items, by_id = {}, {}
  for _, field in ipairs(list) do
    if not by_id[field.item] then by_id[field.item] = {} items[#items + 1] = by_id[field.item] end
    table.insert(by_id[field.item], field)
  end
  return items
end

-- Predictions with whether each is a hit, and the number of annotations. Items are paired so that most fields have a partner.
local function judge(case, key)
  local centres = fields.centres_of(case.record)
  local annotations, predictions = fields.of(case.expected, key, centres), fields.of(case.candidate, key, centres)
  table.sort(annotations, function(a, b) return a.index < b.index end)
  local expected, candidate, counts, rows = items_of(annotations), items_of(predictions), {}, {}
  for i, item in ipairs(expected) do
    counts[i] = {}
    for j, other in ipairs(candidate) do counts[i][j] = match(other, item) end
  end
  for _, field in ipairs(predictions) do field.partner = nil end
  for _, pair in ipairs(#candidate > 0 and ee.prim.optimal_match(counts) or {}) do match(candidate[pair[2]], expected[pair[1]]) end
  for i, field in ipairs(predictions) do
    local hit = field.partner ~= nil and (not same_text or field.text == field.partner.text)
    rows[i] = { score = field.score, extra = field.extra, index = field.index, hit = hit }
  end
  return { predictions = rows, annotations = #annotations }
end

local rules = { name = "docile" }
rules[1] = ee.judge { "docile", function(case)
  local details, sum, count = { found = {} }, 0, 0
  for _, task in ipairs(TASKS) do
    local found = judge(case, task[2])
    if found.annotations + #found.predictions > 0 then
      details.found[task[1]], details[task[1]] = found, metrics.of(found.predictions, found.annotations)
      sum, count = sum + details[task[1]].f1, count + 1
    end
  end
  return { score = count > 0 and sum / count or 1, details = details }
end }
for _, task in ipairs(TASKS) do rules[#rules + 1] = metrics.summary("docile", task[1]) end
return ee.rules(rules)
