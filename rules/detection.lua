-- Objects in images: boxes with a class and a score, judged as COCO does. A record is an image: the expected list holds
-- { bbox, category, area, iscrowd }, the candidate's { bbox, category, score }; or both stand in COCO's own files:
--
--   evalengine rules/detection.lua --expected instances.json results.json
--   evalengine rules/detection.lua images.jsonl
--
--   --set format=xyxy                how boxes are written: xywh (COCO's), xyxy, cxcywh
--   --set candidate_format=xyxy      the same of the detections alone
--   --set threshold=0.75             the overlap (IoU) at which precision, recall, F1 and an image's score are given
--   --set min_score=0.3              detections below it are left out of those (average precision takes all)
--   --set mode=corrected             without the defects of COCO's evaluator; says which of them made a difference
--   --set min_ap=0.5 --set min_ap50=0.7      what the gates ask for

local format = ee.param("format", "xywh")

return ee.rules {
  name = "detection",

  ee.detection {
    format = format,
    candidate_format = ee.param("candidate_format", format),
    threshold = ee.param("threshold", 0.5),
    min_score = tonumber(ee.param("min_score", "none")),
    mode = ee.param("mode", "coco"),
  },

  ee.gate { metric = "AP", min = ee.param("min_ap", 0.5) },
  ee.gate { metric = "AP50", min = ee.param("min_ap50", 0.7) },
}
