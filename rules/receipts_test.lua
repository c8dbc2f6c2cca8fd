-- Tests of receipts.lua: evalengine test rules/receipts_test.lua
local rules = load_rules "receipts.lua"

local function misses(expected, candidate)
  local result = rules:judge { expected = expected, candidate = candidate }
  expect(result.errors):equals {}
  return result.judges.fields.misses
end

describe("a receipt", function()
  it("is read as people and models write it", function()
    local expected = { company = "OJC MARKETING SDN BHD", date = "3/4/2018 5:22:11 PM", address = "NO 2 JALAN MERU", total = "RM 1,213.50" }
    local candidate = { company = "OJC Marketing Sdn. Bhd.", date = "2018-04-03", address = "No 2, Jalan Meru", total = 1213.5 }
    expect(misses(expected, candidate)):equals {}
    expect(misses({ date = "15SEP2018", total = "$8.20" }, { date = "15 Sep 18", total = "8.20" })):equals {}
  end)

  it("with day and month exchanged is wrong", function()
    expect(misses({ date = "03/04/2018" }, { date = "2018-03-04" })):equals { "date (date differs by 30 days)" }
  end)

  it("is wrong when the total is off by more than a cent", function()
    expect(misses({ total = "$8.20" }, { total = "8.21" })):equals {}
    expect(misses({ total = "$8.20" }, { total = "8.22" })):equals { "total (outside tolerance: diff=0.02, tolerance=0.01)" }
  end)
end)
