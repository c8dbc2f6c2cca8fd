return ee.rules {
  ee.fields {
    ee.custom { "name", function(expected, candidate)
      return ee.prim.jaro_winkler(expected, candidate) >= 0.9
    end },
  },
}
