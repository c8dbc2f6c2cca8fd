return ee.rules {
  ee.distance_score { "keypoints", threshold = 5, score = "linear" },
}
