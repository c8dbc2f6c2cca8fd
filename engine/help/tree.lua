return ee.rules {
  ee.tree {
    leaves = {
      ["*.total"] = ee.numeric { tolerance = 0.01 },
      string = ee.fuzzy { threshold = 0.8, score = "similarity" },
    },
    arrays = { default = "optimal", ["*.tags"] = "set" },
    weights = { ["*.total"] = 3 },
  },
}
