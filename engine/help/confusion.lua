return ee.rules {
  ee.confusion { "severity", labels = { "low", "medium", "high" } },
  ee.gate { metric = "kappa_quadratic", min = 0.8 },
}
