-- What loops over values of a document cost in Lua, beside the same loops over plain tables (bench/lua_values).
-- --set values=document|table, --set loop=none|index|each|pairs|keys|get
local values, loop = ee.param("values", "document"), ee.param("loop", "each")
local rounds = ee.param("rounds", 200)

local loops = {
  none = function() return 0 end,
  index = function(items)
    local sum = 0
    for i = 1, #items do
      local item = items[i]
      sum = sum + item.price * item.count
    end
    return sum
  end,
  each = function(items)
    local sum = 0
    for _, item in ee.each(items) do sum = sum + item.price * item.count end
    return sum
  end,
  pairs = function(items)
    local sum = 0
    for i = 1, #items do
      for _, value in pairs(items[i]) do
        if value == 7 then sum = sum + 1 end
      end
    end
    return sum
  end,
  words = function(items)
    local sum = 0
    for _, item in ee.each(items) do
      if item.name == "pen" or item.unit == "box" then sum = sum + 1 end
    end
    return sum
  end,
  get = function(items)
    local sum = 0
    for i = 1, #items do sum = sum + ee.get(items[i], "price", 0) end
    return sum
  end,
}

return ee.rules {
  ee.judge { "loop", function(case)
    local items = case.expected.items
    if values == "table" then items = ee.copy(items) end
    local sum = 0
    for _ = 1, rounds do sum = sum + loops[loop](items) end
    return sum >= 0
  end },
}
