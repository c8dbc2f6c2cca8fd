-- The invoices of invoices.lua as whole documents: the same strategies, items paired by all their values.
return ee.rules {
  name = "bench_tree",
  case = { id = "id", expected = "truth", candidate = "answer" },

  ee.tree {
    leaves = {
      ["invoice.date"] = ee.date {},
      ["invoice.incoterm"] = ee.one_of { values = { "FOB", "CIF", "EXW", "DAP" } },
      ["invoice.net_weight"] = ee.numeric { tolerance = 0.02, relative = true },
      ["supplier.name"] = ee.fuzzy { threshold = 0.85 },
      ["supplier.vat_id"] = ee.exact { normalize = "alnum" },
      ["buyer.name"] = ee.fuzzy { algorithm = "jaro_winkler", threshold = 0.9 },
      ["*.description"] = ee.fuzzy { threshold = 0.80 },
      ["*.quantity"] = ee.numeric { tolerance = 0 },
      number = ee.numeric { tolerance = 0.01 },
      default = ee.exact {},
    },
  },
}
