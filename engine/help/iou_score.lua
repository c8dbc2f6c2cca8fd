return ee.rules {
  ee.iou_score {
    "boxes",
    box = "bbox", label = "class", format = "xywh",
    match = "optimal", threshold = 0.5,
  },
}
