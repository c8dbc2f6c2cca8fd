-- Invoices: header fields, line items and one rule across fields.
local company = require "strategies.company"
local vat_id = require "strategies.vat_id"

return ee.rules {
  name = "invoice",
  case = { id = "id", expected = "truth", candidate = "answer" },
  null_values = { "N/A", "-" },
  slices = { "meta.language" },

  ee.fields {
    name = "header",
    ee.exact     "invoice.number",
    ee.date    { "invoice.date", formats = { "YYYY-MM-DD", "DD-MMM-YYYY", "DD.MM.YYYY", "DD/MM/YYYY" } },
    ee.exact   { "invoice.currency", candidate = "invoice.currency_code" },
    ee.numeric { "invoice.total", tolerance = 0.01, weight = 3 },
    ee.numeric { "invoice.net_weight", tolerance = 0.02, relative = true, required = false },
    ee.exact     "invoice.incoterm",
    company    { "supplier.name", threshold = 0.85 },
    vat_id     { "supplier.vat_id", country = "DE" },
    ee.fuzzy   { "buyer.name", algorithm = "levenshtein", threshold = 0.85 },
    ee.ignore    "internal_notes",
  },

  ee.line_items {
    "invoice.line_items",
    match = { "description", threshold = 0.80, method = "greedy" },
    ee.fuzzy   { "description", threshold = 0.80 },
    ee.exact     "hs_code",
    ee.numeric { "quantity", tolerance = 0.001 },
    ee.numeric { "line_total", tolerance = 0.01 },
  },

  ee.judge { "totals_add_up", weight = 0.5, function(case)
    local total, sum = ee.get(case.candidate, "invoice.total"), 0
    for _, item in ee.each(case.candidate, "invoice.line_items") do
      local line = ee.get(item, "line_total")
      if type(line) == "number" then sum = sum + line end
    end
    if type(total) ~= "number" then return 0, "no total" end
    return ee.near(sum, total, 0.01), ("lines add up to %.2f, total says %.2f"):format(sum, total)
  end },

  ee.gate { judge = "header", field = "invoice.total", metric = "f1", min = 0.85, min_support = 20 },
  ee.gate { judge = "header", metric = "macro_f1", min = 0.80 },
  ee.gate { metric = "mean_score", min = 0.80 },
}
