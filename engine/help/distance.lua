return ee.rules {
  ee.fields {
    ee.distance { "logo.center", metric = "euclidean", threshold = 5 },
  },
}
