return ee.rules {
  ee.judge { "boxes", function(case)
    local wanted = ee.get(case.expected, "boxes", {})
    local found = ee.get(case.candidate, "boxes", {})
    local overlaps = ee.prim.iou_matrix(wanted, found)
    local taken = ee.prim.greedy_match(overlaps, 0.5)
    local sum = 0
    for _, pair in ipairs(taken) do sum = sum + pair[3] end
    return #wanted > 0 and sum / #wanted or 1
  end },
}
