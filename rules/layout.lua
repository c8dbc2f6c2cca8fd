-- The layout of scanned pages: titles, paragraphs, tables, figures and signatures, each a box x1, y1, x2, y2 with a label and its text.
-- Three questions are asked apart: are the blocks found, each in its place (blocks); is what stands in them read right (text); and where
-- are the title and the seal (places).
--
--   --set format=xywh                how boxes are written: xyxy, xywh, cxcywh
--   --set overlap=0.7                how much two boxes must overlap to be taken for the same block, from 0 to 1
--   --set seal=10                    how far off the seal may be, in pixels
--   --set min_found=0.8              what the gate asks for

local format = ee.param("format", "xyxy")
local overlap = ee.param("overlap", 0.5)

return ee.rules {
  name = "layout",
  slices = { "meta.kind" },

  -- Boxes of one label are paired so that they overlap as much as can be, all together. Score: mean overlap; the table of attributes has
  -- what is found at an overlap of 0.5, closely at 0.75, and of each label.
  ee.iou_score {
    "blocks",
    name = "blocks",
    label = "label", box = "bbox", format = format,
    match = "optimal", thresholds = { overlap, math.max(overlap, 0.75) },
  },

  -- Blocks that lie on each other are compared, whatever their labels.
  ee.line_items {
    "blocks",
    name = "text",
    match = { ee.iou { "bbox", format = format }, threshold = overlap, method = "optimal" },
    ee.exact "label",
    ee.fuzzy { "text", threshold = 0.9 },
  },

  ee.fields {
    name = "places",
    weight = 0.5,
    tn = "skip", -- a page without a seal is not better for it
    ee.iou { "title_box", format = format, threshold = overlap },
    ee.distance { "seal", threshold = ee.param("seal", 5), score = "linear" },
    ee.iou { "stamp", format = "polygon", required = false },
  },

  ee.gate { judge = "blocks", field = "iou>=" .. overlap, metric = "f1", min = ee.param("min_found", 0.75) },
  ee.gate { judge = "text", field = "text", metric = "f1", min = 0.7, min_support = 20 },
  ee.gate { metric = "mean_score", min = 0.75 },
}
