-- Passages that a model quotes from a document, each with the place where it says they stand. A record holds the document (documentText), the
-- model's answer as it came (providerResponseText) and what is expected of it:
--
--   evalengine rules/extraction.lua samples/extractions.jsonl
--
-- Whether every quote stands at its offsets, and whether as much was found as there is to find. The answer's text is read leniently (code
-- fences, prose around it, trailing commas), and every repair is counted.
--
--   --set expected=goldSpans         records whose expected value is a list of gold spans: found, missed and invented ones a class
--   --set unit=code_point            what offsets count that do not say it: utf16_code_unit, code_point or utf8_byte
--   --set min_quote_rate=0.99 --set min_schema_rate=0.99 --set min_success=0.95      what the gates ask for

return ee.rules {
  name = "extraction",
  case = { id = "caseId", expected = ee.param("expected", "expected"), candidate = "providerResponseText" },
  slices = { "category" },

  ee.extraction {
    document = "documentText",
    gold = "goldSpans",
    trials = "providerResponseTexts", -- further answers to the same record: how stable they are
    unit = ee.param("unit", "utf16_code_unit"),
  },

  ee.gate { metric = "quoteInvariantRate", min = ee.param("min_quote_rate", 1) },
  ee.gate { metric = "schemaValidRate", min = ee.param("min_schema_rate", 1) },
  ee.gate { metric = "successRate", min = ee.param("min_success", 0.9) },
}
