return ee.rules {
  ee.fields {
    ee.numeric { "total", tolerance = 0.01, format = "money", weight = 3 },
    ee.numeric { "net_weight", tolerance = 0.02, relative = true },
  },
}
