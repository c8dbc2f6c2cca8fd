return ee.rules {
  ee.fields { ee.exact "number", ee.numeric { "total", tolerance = 0.01 } },
  ee.report {
    "todo",
    case = function(result)
      if result.verdict ~= "pass" then return "- " .. result.id .. "\n" end
    end,
    done = function(results)
      return ("mean score %.3f\n"):format(results.mean_score)
    end,
  },
}
