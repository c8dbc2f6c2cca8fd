return ee.rules {
  ee.detection {
    "objects",
    box = "bbox", category = "class", format = "xywh",
    threshold = 0.5, min_score = 0.05,
  },
  ee.gate { metric = "AP50", min = 0.6 },
}
