return ee.rules {
  ee.judge { "places", function(case)
    local costs = {}
    for i, wanted in ee.each(case.expected, "places") do
      costs[i] = {}
      for k, place in ee.each(case.candidate, "places") do
        costs[i][k] = ee.prim.euclidean(wanted, place)
      end
    end
    local columns, total = ee.prim.assign(costs)
    return #columns > 0 and total <= 1, "the places are " .. total .. " off"
  end },
}
