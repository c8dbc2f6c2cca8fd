-- Objects and detections of images, one image a record.
return ee.rules {
  name = "detection",
  ee.detection {},
}
