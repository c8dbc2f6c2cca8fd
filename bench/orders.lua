-- Purchase orders: 40 header fields in five groups, and 100 items paired greedily by their titles.
local function party(group, last)
  return ee.fields {
    name = group,
    ee.fuzzy { group .. ".Name", threshold = 0.85 },
    ee.fuzzy { group .. ".Contact", algorithm = "jaro_winkler", threshold = 0.9 },
    ee.fuzzy { group .. ".Street", threshold = 0.85 },
    ee.fuzzy { group .. ".City", threshold = 0.85 },
    ee.fuzzy { group .. ".Department", algorithm = "token_set", threshold = 0.85 },
    ee.exact { group .. ".TaxId", normalize = "alnum" },
    ee.exact { group .. ".Phone", normalize = "alnum" },
    last,
  }
end

return ee.rules {
  name = "orders",
  case = { id = "id", expected = "truth", candidate = "answer" },

  ee.fields {
    name = "Order",
    ee.exact   { "Order.Number", normalize = "alnum" },
    ee.date    { "Order.Date", order = "DMY" },
    ee.fuzzy   { "Order.Title", threshold = 0.85 },
    ee.fuzzy   { "Order.Description", threshold = 0.8 },
    ee.exact   { "Order.Currency", normalize = "casefold" },
    ee.exact     "Order.Reference",
    ee.numeric { "Order.Version", tolerance = 0 },
    ee.exact     "Order.Urgent",
  },
  party("Buyer", ee.exact { "Buyer.Account", normalize = "alnum" }),
  party("Seller", ee.numeric { "Seller.Rating", tolerance = 0.05, relative = true }),
  ee.fields {
    name = "Delivery",
    ee.fuzzy   { "Delivery.Name", threshold = 0.85 },
    ee.fuzzy   { "Delivery.Street", threshold = 0.85 },
    ee.fuzzy   { "Delivery.City", threshold = 0.85 },
    ee.date    { "Delivery.Date", order = "DMY" },
    ee.fuzzy   { "Delivery.Terms", threshold = 0.9 },
    ee.numeric { "Delivery.Weight", tolerance = 0.02, relative = true },
    ee.numeric { "Delivery.Parcels", tolerance = 0 },
    ee.fuzzy   { "Delivery.Instructions", threshold = 0.8 },
  },
  ee.fields {
    name = "Payment",
    ee.fuzzy   { "Payment.Terms", threshold = 0.85 },
    ee.date    { "Payment.Due", order = "DMY" },
    ee.fuzzy   { "Payment.Bank", threshold = 0.85 },
    ee.exact   { "Payment.Account", normalize = "alnum" },
    ee.numeric { "Payment.Net", tolerance = 0.01 },
    ee.numeric { "Payment.Tax", tolerance = 0.01 },
    ee.numeric { "Payment.Total", tolerance = 0.01 },
    ee.numeric { "Payment.Discount", tolerance = 0.001 },
  },

  ee.line_items {
    "Items",
    match = { "Title", threshold = 0.7, method = "greedy" },
    ee.numeric { "Position", tolerance = 0 },
    ee.exact   { "Article", normalize = "alnum" },
    ee.fuzzy   { "Title", threshold = 0.85 },
    ee.fuzzy   { "Description", threshold = 0.8 },
    ee.numeric { "Quantity", tolerance = 0 },
    ee.exact   { "Unit", normalize = "casefold" },
    ee.numeric { "Price", tolerance = 0.01 },
    ee.numeric { "Amount", tolerance = 0.01 },
  },
}
