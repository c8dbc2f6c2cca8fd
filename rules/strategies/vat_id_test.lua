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

  describe("check digits", function()
    local checked = compile(ee.rules { ee.fields { vat_id "plain", vat_id { "strict", valid = true }, vat_id { "german", country = "DE", valid = true } } })
    -- Numbers that tax offices and handbooks give as examples.
    local examples = {
      "ATU13585627", "BE0428759497", "BG175074752", "BG7523169263", "CHE107787577IVA", "CHE-100.155.212", "CY10259033P", "CZ25123891", "CZ7103192745",
      "DE136695976", "DK13585628", "EE100931558", "EL094259216", "ESB58378431", "ES54362315K", "ESX2482300W", "ESJ99216582", "FI20774740",
      "FR40303265045", "FRK7399859412", "FR23334175221", "GB980780684", "HR33392005961", "HU12892312", "IE6433435F", "IE6433435OA", "IE8D79739I",
      "IT00743110157", "LT119511515", "LT100001919017", "LU15027442", "LV40003521600", "MT11679112", "NL004495445B01", "NO995525828MVA", "PL8567346215",
      "PT501964843", "RO18547290", "SE123456789701", "SI50223054", "SK2022749619",
    }

    it("of examples are right", function()
      for _, number in ipairs(examples) do
        local score, reason = checked:score("strict", number, number)
        expect({ number, score, reason }):equals { number, 1 }
      end
    end)

    it("find a changed digit", function()
      for _, number in ipairs { "ATU13585627", "BE0428759497", "DE136695976", "DK13585628", "EE100931558", "FI20774740", "FR40303265045", "GB980780684",
        "HR33392005961", "HU12892312", "IT00743110157", "LU15027442", "NL004495445B01", "PL8567346215", "SI50223054", "SK2022749619" } do
        for at = 3, #number do
          local digit = number:sub(at, at)
          if digit:find "%d" and not (number:find "^NL" and at > 11) then
            local changed = number:sub(1, at - 1) .. (digit + 1) % 10 .. number:sub(at + 1)
            local score, reason = checked:score("strict", changed, changed)
            expect({ changed, score }):equals { changed, 0 }
            expect(reason):contains(changed:lower())
            expect(checked:score("plain", changed, changed)):equals(1)
          end
        end
      end
    end)

    it("are named by a miss if the expected number is right", function()
      local _, reason = checked:score("plain", "DE 136695976", "DE 136695967")
      expect(reason):equals("de136695967 is not de136695976 (it has wrong check digits)")
      _, reason = checked:score("plain", "DE 136695976", "DE 13669597")
      expect(reason):equals("de13669597 is not de136695976 (it is not a number of DE)")
      _, reason = checked:score("plain", "DE 136695976", "IT 00743110157")
      expect(reason):equals("it00743110157 is not de136695976")
      _, reason = checked:score("plain", "DE 1", "DE 2")
      expect(reason):equals("de2 is not de1")
      expect(checked:score("german", "DE136695976", "136695976")):equals(1)
      expect(checked:score("german", "DE136695977", "136695977")):equals(0)
      expect(checked:score("strict", "US 12-3456789", "us123456789")):equals(1)
    end)
  end)

  it("is not asked about empty values", function()
    expect(rules:score("plain", nil, "")):equals(1)
    expect(rules:score("plain", "DE 1", ee.null)):equals(0)
    expect(rules:score("plain", nil, "DE 1")):equals(0)
  end)
end)
