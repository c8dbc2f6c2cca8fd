return ee.rules {
  ee.fields { ee.exact "number", ee.numeric { "total", tolerance = 0.01 } },
  ee.summary {
    "worst case",
    init = function() return { score = 2 } end,
    step = function(worst, result)
      if result.score >= worst.score then return worst end
      return { id = result.id, score = result.score }
    end,
    finish = function(worst) return worst end,
    merge = function(worst, later)
      return later.score < worst.score and later or worst
    end,
  },
}
