return ee.rules {
  ee.fields {
    ee.iou { "stamp.box", format = "xywh", threshold = 0.75 },
  },
}
