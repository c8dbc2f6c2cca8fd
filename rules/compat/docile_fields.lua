-- Fields of documents and the characters that their boxes cover, for docile.lua.
local metrics = require "docile_metrics"
local fields = {}

-- The centres of a record's characters, as { x, y, page }.
function fields.centres_of(record)
  local centres = ee.copy(ee.get(record, "pccs", {}))
  for _, word in ee.each(record, "words") do
    local left, top, right, bottom = table.unpack(ee.copy(word.bbox))
    local length = utf8.len(word.text)
    for i = 1, length do centres[#centres + 1] = { left + (i - 0.5) * (right - left) / length, (top + bottom) / 2, word.page } end
  end
  return centres
end

-- The fields of the array `key` of a document, in the order in which predictions are matched.
function fields.of(document, key, centres)
  local list = {}
  for i, field in ee.each(document, key) do
    local left, top, right, bottom = table.unpack(ee.copy(field.bbox))
    local covered = {}
    for k, point in ipairs(centres) do
      local x, y, page = point[1], point[2], point[3]
      if page == field.page and x >= left and x <= right and y >= top and y <= bottom then covered[#covered + 1] = k end
    end
    list[i] = { type = field.fieldtype, page = field.page, box = { left, top, right, bottom }, covered = covered, text = ee.get(field, "text"),
      item = ee.get(field, "line_item_id", 0), score = ee.get(field, "score", 0), extra = ee.get(field, "use_only_for_ap", false), index = i }
  end
  table.sort(list, metrics.before)
  return list
end

-- The share of characters that both of two fields cover; 1 when neither covers any and their boxes meet.
function fields.iou(a, b)
  if a.page ~= b.page or a.box[1] > b.box[3] or b.box[1] > a.box[3] or a.box[2] > b.box[4] or b.box[2] > a.box[4] then return 0 end
  local is_in_a, both = {}, 0
  for _, k in ipairs(a.covered) do is_in_a[k] = true end
  for _, k in ipairs(b.covered) do both = both + (is_in_a[k] and 1 or 0) end
  local either = #a.covered + #b.covered - both
  return either == 0 and 1 or both / either
end

return fields
