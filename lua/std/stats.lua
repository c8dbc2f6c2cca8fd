-- ee.stats: figures of an array of numbers. Values that are not numbers are ignored; nil for an array without numbers.
local stats = {}

-- The numbers of a list or array, in order.
local function numbers(list)
  local found = {}
  for i = 1, #list do
    local value = list[i]
    if type(value) == "number" and value == value then found[#found + 1] = value end
  end
  return found
end

--- How many numbers the list holds.
function stats.count(list) return #numbers(list) end

--- Their sum; 0 for none.
function stats.sum(list)
  local sum = 0
  for _, value in ipairs(numbers(list)) do sum = sum + value end
  return sum
end

function stats.mean(list)
  local found = numbers(list)
  if #found == 0 then return nil end
  return stats.sum(found) / #found
end

--- The middle number, or the mean of the two in the middle.
function stats.median(list)
  local found = numbers(list)
  if #found == 0 then return nil end
  table.sort(found)
  local middle = #found // 2
  if #found % 2 == 1 then return found[middle + 1] end
  return found[middle] / 2 + found[middle + 1] / 2
end

function stats.min(list)
  local found = numbers(list)
  if #found == 0 then return nil end
  local least = found[1]
  for _, value in ipairs(found) do if value < least then least = value end end
  return least
end

function stats.max(list)
  local found = numbers(list)
  if #found == 0 then return nil end
  local most = found[1]
  for _, value in ipairs(found) do if value > most then most = value end end
  return most
end

--- The sample's standard deviation (n - 1); nil below two numbers.
function stats.deviation(list)
  local found = numbers(list)
  if #found < 2 then return nil end
  local mean, squares = stats.mean(found), 0
  for _, value in ipairs(found) do squares = squares + (value - mean) ^ 2 end
  return math.sqrt(squares / (#found - 1))
end

return stats
