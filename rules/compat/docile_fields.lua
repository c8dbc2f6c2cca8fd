-- Fields of documents and the characters that their boxes cover, for docile.lua.
local metrics = require "docile_metrics"
local fields = {}

-- The centres of a record's characters, as { x, y, page }, by page and y.
function fields.centres_of(record)
  local centres = ee.copy(ee.get(record, "pccs", {}))
  for _, word in ipairs(ee.copy(ee.get(record, "words", {}))) do
    local left, top, right, bottom = table.unpack(word.bbox)
    local length = utf8.len(word.text)
    for i = 1, length do centres[#centres + 1] = { left + (i - 0.5) * (right - left) / length, (top + bottom) / 2, word.page } end
  end
  table.sort(centres, function(a, b) return a[3] < b[3] or (a[3] == b[3] and a[2] < b[2]) end)
  return centres
end

-- The number of the first centre on `page` that is not above `top`.
local function first_of(centres, page, top)
  local low, high = 1, #centres + 1
  while low < high do
    local middle = (low + high) // 2
    local centre = centres[middle]
    if centre[3] < page or (centre[3] == page and centre[2] < top) then low = middle + 1 else high = middle end
  end
  return low
end

-- The fields of the array `key` of a document, in the order in which predictions are matched.
function fields.of(document, key, centres)
  local list = {}
  for i, field in ipairs(ee.copy(ee.get(document, key, {}))) do
    local left, top, right, bottom = table.unpack(field.bbox)
    local page, covered, count = field.page, {}, 0
    for k = first_of(centres, page, top), #centres do
      local centre = centres[k]
      if centre[3] ~= page or centre[2] > bottom then break end
      if centre[1] >= left and centre[1] <= right then covered[k], count = true, count + 1 end
    end
    list[i] = { type = field.fieldtype, page = page, left = left, top = top, right = right, bottom = bottom, covered = covered, count = count,
      text = ee.get(field, "text"), item = ee.get(field, "line_item_id", 0), score = ee.get(field, "score", 0),
      extra = ee.get(field, "use_only_for_ap", false), index = i }
  end
  table.sort(list, metrics.before)
  return list
end

-- The share of characters that both of two fields cover; 1 when neither covers any and their boxes meet.
function fields.iou(a, b)
  if a.left > b.right or b.left > a.right or a.top > b.bottom or b.top > a.bottom or a.page ~= b.page then return 0 end
  local both, in_b = 0, b.covered
  for k in pairs(a.covered) do if in_b[k] then both = both + 1 end end
  local either = a.count + b.count - both
  return either == 0 and 1 or both / either
end

return fields
