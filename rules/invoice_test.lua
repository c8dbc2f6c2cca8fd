-- Tests of invoice.lua: evalengine test rules/invoice_test.lua
local rules = compile(require "invoice")

-- An invoice as a document; `change`, a function of it, makes it another one. The candidate calls its currency otherwise.
local function invoice(change, currency_key)
  local document = {
    invoice = {
      number = "2025-0117",
      date = "2025-01-17",
      [currency_key or "currency"] = "EUR",
      total = 130,
      net_weight = 12.5,
      incoterm = "DAP",
      line_items = {
        { description = "Hex bolts M6 x 20", hs_code = "7318.15", quantity = 100, line_total = 25 },
        { description = "Ball bearing 6204", hs_code = "8482.10", quantity = 10, line_total = 80 },
        { description = "Freight", hs_code = "9965.11", quantity = 1, line_total = 25 },
      },
    },
    supplier = { name = "Nordwind Logistik GmbH", vat_id = "DE 123 456 789" },
    buyer = { name = "Hafenkontor AG" },
    internal_notes = "scanned",
  }
  if change then change(document) end
  return document
end

-- Judges the invoice above against the candidate that `change` makes of it.
local function judge(change)
  return rules:judge { id = "test", expected = invoice(), candidate = invoice(change, "currency_code") }
end

local wrong, right = { tp = 0, tn = 0, fp = 1, fn = 1 }, { tp = 1, tn = 0, fp = 0, fn = 0 }
local missing = { tp = 0, tn = 0, fp = 0, fn = 1 }

describe("a perfect answer", function()
  it("scores 1 everywhere", function()
    local result = judge()
    expect(result.score):equals(1)
    expect(result.verdict):equals("pass")
    expect(result.misses):equals {}
    expect(result.errors):equals {}
    for _, name in ipairs { "header", "line_items", "totals_add_up" } do expect(result.judges[name].score):equals(1) end
  end)

  it("names what it found", function()
    local hits = judge().judges.header.hits
    expect(#hits):equals(9)
    expect(hits):contains("supplier.vat_id")
  end)

  it("is found in a record by the paths of the rules", function()
    local result = rules:judge { record = { id = 7, truth = invoice(), answer = invoice(nil, "currency_code") } }
    expect(result.score):equals(1)
  end)

  it("may come as JSON, also in prose", function()
    local text = "Here it is:\n```json\n" .. ee.json(invoice(nil, "currency_code")) .. "\n```\nAnything else?"
    expect(rules:judge({ expected = ee.json(invoice()), candidate = text }).score):equals(1)
  end)
end)

describe("header", function()
  it("takes a cent of rounding in the total, and no more", function()
    expect(rules:score("invoice.total", 130, 130.01)):equals(1)
    expect(rules:score("invoice.total", 130, 129.99)):equals(1)
    expect(rules:score("invoice.total", 130, 130.02)):equals(0)
    expect(rules:score("invoice.total", 130, -130)):equals(0)
  end)

  it("weighs the total three times", function()
    local result = judge(function(d) d.invoice.total = 999 end)
    expect(result.judges.header.score):near(8 / 11)
    expect(result.judges.header.metrics["invoice.total"]):equals(wrong)
    expect(result.judges.header.misses):equals { "invoice.total (outside tolerance: diff=869, tolerance=0.01)" }
  end)

  it("reads the dates that invoices are written with", function()
    for _, date in ipairs { "2025-01-17", "17-Jan-2025", "17.01.2025", "17/01/2025" } do
      expect(rules:score("invoice.date", "2025-01-17", date)):equals(1)
    end
    expect(rules:score("invoice.date", "2025-01-17", "2025-01-18")):equals(0)
    expect(rules:score("invoice.date", "2025-02-28", "30.02.2025")):equals(0)
  end)

  it("takes two percent of the net weight", function()
    expect(rules:score("invoice.net_weight", 100, 102)):equals(1)
    expect(rules:score("invoice.net_weight", 100, 102.1)):equals(0)
  end)

  it("does not ask for the net weight, but counts that it is missing", function()
    local result = judge(function(d) d.invoice.net_weight = nil end)
    expect(result.judges.header.score):equals(1)
    expect(result.judges.header.metrics["invoice.net_weight"]):equals(missing)
    expect(result.misses):contains("invoice.net_weight (optional, missing)")
  end)

  it("finds the currency under the candidate's own name", function()
    expect(judge(function(d) d.invoice.currency_code = "USD" end).judges.header.metrics["invoice.currency"]):equals(wrong)
    expect(judge(function(d) d.invoice.currency_code = nil end).judges.header.metrics["invoice.currency"]):equals(missing)
  end)

  it("takes no other incoterm", function()
    expect(rules:score("invoice.incoterm", "DAP", "DAP")):equals(1)
    expect(rules:score("invoice.incoterm", "DAP", "EXW")):equals(0)
  end)

  it("treats N/A and - as nothing", function()
    expect(rules:score("invoice.number", "N/A", nil)):equals(1)
    expect(rules:score("invoice.number", "-", " ")):equals(1)
    expect(rules:score("invoice.number", "2025-0117", "-")):equals(0)
  end)

  it("counts an invented value as a false positive", function()
    local expected = invoice(function(d) d.invoice.incoterm = nil end)
    local result = rules:judge { expected = expected, candidate = invoice(nil, "currency_code") }
    expect(result.judges.header.metrics["invoice.incoterm"]):equals { tp = 0, tn = 0, fp = 1, fn = 0 }
    expect(result.misses):contains("invoice.incoterm (nothing expected)")
  end)

  it("judges supplier and buyer by their own strategies", function()
    expect(rules:score("supplier.name", "Nordwind Logistik GmbH", "Nordwind Logistik")):equals(1)
    expect(rules:score("supplier.vat_id", "DE 123", "123")):equals(1)
    expect(rules:score("buyer.name", "Hafenkontor AG", "HAFENKONTOR AG")):equals(1)
    expect(rules:score("buyer.name", "Hafenkontor AG", "Bergkontor KG")):equals(0)
  end)

  it("leaves the internal notes alone", function()
    local result = judge(function(d) d.internal_notes = "something else" end)
    expect(result.score):equals(1)
    expect(result.judges.header.metrics.internal_notes):is_nil()
    expect(function() rules:score("internal_notes", "a", "b") end):fails("no field 'internal_notes'")
  end)
end)

describe("line_items", function()
  it("does not mind another order", function()
    local result = judge(function(d) table.insert(d.invoice.line_items, 1, table.remove(d.invoice.line_items)) end)
    expect(result.judges.line_items.score):equals(1)
  end)

  it("counts a lost item in every field", function()
    local result = judge(function(d) table.remove(d.invoice.line_items) end)
    for _, field in ipairs { "description", "hs_code", "quantity", "line_total" } do
      expect(result.judges.line_items.metrics[field]):equals { tp = 2, tn = 0, fp = 0, fn = 1 }
    end
    expect(result.judges.line_items.score):near(0.8)
    expect(result.judges.line_items.misses):contains("invoice.line_items[2] (missing item)")
  end)

  it("counts an invented item in every field", function()
    local result = judge(function(d)
      table.insert(d.invoice.line_items, { description = "Subtotal", hs_code = "-", quantity = 1, line_total = 130 })
    end)
    expect(result.judges.line_items.metrics.line_total):equals { tp = 3, tn = 0, fp = 1, fn = 0 }
    expect(result.judges.line_items.metrics.hs_code):equals { tp = 3, tn = 0, fp = 0, fn = 0 }
  end)

  it("pairs by description and then compares the fields", function()
    local result = judge(function(d)
      d.invoice.line_items[1].description = "Hex bolt M6 x 20"
      d.invoice.line_items[1].hs_code = "0000.00"
    end)
    expect(result.judges.line_items.metrics.description.tp):equals(3)
    expect(result.judges.line_items.metrics.hs_code):equals { tp = 2, tn = 0, fp = 1, fn = 1 }
  end)

  it("takes a cent of rounding in an amount, and nothing in a quantity", function()
    expect(rules:score("line_total", 25, 25.01)):equals(1)
    expect(rules:score("line_total", 25, 25.02)):equals(0)
    expect(rules:score("quantity", 100, 100.0005)):equals(1)
    expect(rules:score("quantity", 100, 100.01)):equals(0)
    expect(rules:score("hs_code", "7318.15", "731815")):equals(0)
  end)

  it("is in error where the items are no list", function()
    local result = judge(function(d) d.invoice.line_items = { description = "Freight" } end)
    expect(result.judges.line_items.score):equals(0)
  end)
end)

describe("totals_add_up", function()
  it("adds the candidate's own lines up", function()
    local result = judge(function(d) d.invoice.line_items[3].line_total = 24 end)
    expect(result.judges.totals_add_up.score):equals(0)
    expect(result.judges.totals_add_up.reasoning):equals("lines add up to 129.00, total says 130.00")
  end)

  it("takes a cent", function()
    expect(judge(function(d) d.invoice.line_items[3].line_total = 24.99 end).judges.totals_add_up.score):equals(1)
  end)

  it("passes over lines without a number", function()
    local result = judge(function(d) d.invoice.line_items[3].line_total = "free" end)
    expect(result.judges.totals_add_up.reasoning):equals("lines add up to 105.00, total says 130.00")
  end)

  it("needs a total", function()
    expect(judge(function(d) d.invoice.total = nil end).judges.totals_add_up.reasoning):equals("no total")
    expect(judge(function(d) d.invoice.total = "130" end).judges.totals_add_up.score):equals(0)
  end)

  it("counts half in the case's score", function()
    local result = judge(function(d) d.invoice.line_items[3].line_total = 24 end)
    local items = result.judges.line_items.score
    expect(result.score):near((1 + items) / 2.5)
  end)
end)

describe("no answer", function()
  it("scores 0 and keeps what was expected as missing", function()
    for _, candidate in ipairs { "I could not read the document.", ee.null } do
      local result = rules:judge { expected = invoice(), candidate = candidate }
      expect(result.score):equals(0)
      expect(result.verdict):equals("fail")
      expect(result.judges.header.metrics["invoice.total"]):equals(missing)
      expect(result.errors):equals {}
    end
  end)
end)
