-- Tests of strategies/vat_id.lua: evalengine test rules/strategies/vat_id_test.lua
local vat_id = require "vat_id"

local rules = compile(ee.rules {
  ee.fields {
    vat_id { "plain" },
    vat_id { "german", country = "DE" },
    vat_id { "lower", country = "de" },
  },
})

describe("vat_id", function()
  it("sees through spaces, dots, dashes and case", function()
    expect(rules:score("plain", "DE 123 456 789", "de123456789")):equals(1)
    expect(rules:score("plain", "NL-0012.34567-B01", "NL001234567B01")):equals(1)
    expect(rules:score("plain", "CHE-123.456.788 MWST", "che123456788mwst")):equals(1)
  end)

  it("keeps digits and their order", function()
    expect(rules:score("plain", "DE 123 456 789", "DE 123 456 798")):equals(0)
    expect(rules:score("plain", "DE 123 456 789", "DE 123 456 78")):equals(0)
    expect(rules:score("plain", "DE 012 345 678", "DE 12 345 678")):equals(0)
  end)

  it("says what differs", function()
    local score, reason = rules:score("plain", "DE 1", "DE-2")
    expect(score):equals(0)
    expect(reason):equals("de2 is not de1")
  end)

  it("takes a number that was read as a number", function()
    expect(rules:score("german", "DE 123456789", 123456789)):equals(1)
    expect(rules:score("plain", 123456789, "123 456 789")):equals(1)
  end)

  describe("country", function()
    it("lets either side leave the prefix out", function()
      expect(rules:score("german", "DE 123456789", "123 456 789")):equals(1)
      expect(rules:score("german", "123456789", "de123456789")):equals(1)
      expect(rules:score("lower", "DE 123456789", "123456789")):equals(1)
    end)

    it("is needed for that", function()
      expect(rules:score("plain", "DE 123456789", "123456789")):equals(0)
    end)

    it("does not let another country pass", function()
      expect(rules:score("german", "DE 123456789", "AT 123456789")):equals(0)
      expect(rules:score("german", "123456789", "FR 123456789")):equals(0)
    end)

    it("takes the prefix off once", function()
      expect(rules:score("german", "DE DE 123", "123")):equals(0)
    end)

    it("must be a text", function()
      local function wrong() return compile(ee.rules { ee.fields { vat_id { "a", country = 49 } } }) end
      expect(wrong):fails("option 'country' of vat_id must be a string, got a number")
    end)
  end)

  it("is not asked about empty values", function()
    expect(rules:score("plain", nil, "")):equals(1)
    expect(rules:score("plain", "DE 1", ee.null)):equals(0)
    expect(rules:score("plain", nil, "DE 1")):equals(0)
  end)
end)
