return ee.rules {
  ee.judge { "totals_add_up", function(case)
    local sum = 0
    for _, item in ee.each(case.candidate, "items") do
      sum = sum + ee.get(item, "line_total", 0)
    end
    local total = ee.get(case.candidate, "total")
    return ee.near(sum, total, 0.01), "lines add up to " .. sum
  end },
}
