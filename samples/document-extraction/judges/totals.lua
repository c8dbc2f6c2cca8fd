-- Do the line items add up to the net total? Only the answer is looked at: an invoice that adds up may still be wrong.
local tolerance = ee.config.tolerance or 0.01

return ee.rules {
  ee.judge { "totals", function(case)
    local net, sum = ee.get(case.candidate, "net_total"), 0
    if type(net) ~= "number" then return 0, "no net total" end
    for _, item in ee.each(case.candidate, "line_items") do
      local line = ee.get(item, "line_total")
      if type(line) ~= "number" then return 0, "a line item without a total" end
      sum = sum + line
    end
    return ee.near(sum, net, tolerance), ("lines add up to %.2f, net total is %.2f"):format(sum, net)
  end },
}
