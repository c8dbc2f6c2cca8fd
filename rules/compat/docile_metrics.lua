-- What docile.lua counts of predictions that have been matched: { score, extra, index, hit }, `extra` being those only for average precision.
local metrics = {}

-- The order in which predictions are matched, and counted for average precision.
function metrics.before(a, b)
  if a.extra ~= b.extra then return b.extra end
  if a.score ~= b.score then return a.score > b.score end
  if a.index ~= b.index then return a.index < b.index end
  return (a.id or "") < (b.id or "")
end

-- The area under precision by recall; where a higher recall has a higher precision, that one counts.
local function average_precision(sorted, annotations)
  local hits, precisions, area, best = 0, {}, 0, 0
  for i, prediction in ipairs(sorted) do
    hits = hits + (prediction.hit and 1 or 0)
    precisions[i] = hits / i
  end
  for i = #sorted, 1, -1 do
    best = math.max(best, precisions[i])
    if sorted[i].hit then area = area + best / annotations end
  end
  return area
end

-- The metrics of all predictions, sorted here, against a number of annotations.
function metrics.of(predictions, annotations)
  table.sort(predictions, metrics.before)
  local tp, fp = 0, 0
  for _, prediction in ipairs(predictions) do
    if not prediction.extra and prediction.hit then tp = tp + 1 elseif not prediction.extra then fp = fp + 1 end
  end
  local f1 = tp > 0 and 2 * tp / (tp + fp + annotations) or 0
  return { TP = tp, FP = fp, FN = annotations - tp, precision = tp > 0 and tp / (tp + fp) or 0, recall = tp > 0 and tp / annotations or 0,
    f1 = f1, AP = annotations > 0 and average_precision(predictions, annotations) or 0 }
end

-- A summary of one task: the metrics of the predictions of all cases together, as the judge left them in its details.
function metrics.summary(judge, task)
  return ee.summary { task,
    init = function() return { predictions = {}, annotations = 0 } end,
    step = function(state, result)
      local found = ee.copy(ee.get(result.judges[judge], "details.found." .. task, {}))
      for _, prediction in ipairs(found.predictions or {}) do
        prediction.id = result.id
        table.insert(state.predictions, prediction)
      end
      state.annotations = state.annotations + (found.annotations or 0)
      return state
    end,
    finish = function(state) return metrics.of(state.predictions, state.annotations) end,
    merge = function(state, later)
      table.move(later.predictions, 1, #later.predictions, #state.predictions + 1, state.predictions)
      state.annotations = state.annotations + later.annotations
      return state
    end }
end

return metrics
