-- Tests of strategies/iban.lua: evalengine test rules/strategies/iban_test.lua
local iban = require "iban"

local rules = compile(ee.rules { ee.fields { iban "plain", iban { "strict", valid = true } } })

-- Examples of the IBAN registry (SWIFT).
local examples = {
  "AD1200012030200359100100", "AE070331234567890123456", "AT611904300234573201", "BE68539007547034", "CH9300762011623852957", "CZ6508000000192000145399",
  "DE89370400440532013000", "DK5000400440116243", "EE382200221020145685", "ES9121000418450200051332", "FI2112345600000785", "FR1420041010050500013M02606",
  "GB29NWBK60161331926819", "GR1601101250000000012300695", "HU42117730161111101800000000", "IE29AIBK93115212345678", "IT60X0542811101000000123456",
  "LI21088100002324013AA", "LU280019400644750000", "MT84MALT011000012345MTLCAST001S", "NL91ABNA0417164300", "NO9386011117947",
  "PL61109010140000071219812874", "PT50000201231234567890154", "SE4550000000058398257466", "SI56263300012039086", "TR330006100519786457841326",
}

describe("iban", function()
  it("sees through spaces, hyphens and case", function()
    expect(rules:score("plain", "DE89 3704 0044 0532 0130 00", "de89370400440532013000")):equals(1)
    expect(rules:score("plain", "DE89370400440532013000", "IBAN: DE89-3704-0044-0532-0130-00")):equals(1)
    expect(rules:score("plain", "GB29 NWBK 6016 1331 9268 19", "gb29nwbk60161331926819")):equals(1)
  end)

  it("knows the examples of the registry, and that a changed digit is wrong", function()
    for _, number in ipairs(examples) do
      expect(rules:score("strict", number, number)):equals(1)
      for at = 3, #number do
        local digit = number:sub(at, at)
        if digit:find "%d" then
          local changed = number:sub(1, at - 1) .. (digit + 1) % 10 .. number:sub(at + 1)
          local score, reason = rules:score("plain", number, changed)
          expect(score):equals(0)
          expect(reason):equals(changed .. " has wrong check digits")
          expect(rules:score("strict", changed, changed)):equals(0)
          expect(rules:score("plain", changed, changed)):equals(1)
        end
      end
    end
  end)

  it("says what is wrong", function()
    local function reason_of(candidate)
      local score, reason = rules:score("plain", "DE89370400440532013000", candidate)
      expect(score):equals(0)
      return reason
    end
    expect(reason_of("DE8937040044053201300")):equals("DE8937040044053201300 has 21 characters, DE has 22")
    expect(reason_of("ZZ89370400440532013000")):equals("ZZ89370400440532013000 has the unknown country ZZ")
    expect(reason_of("370400440532013000")):equals("370400440532013000 is not an IBAN")
    expect(reason_of("AT61 1904 3002 3457 3201")):equals("AT611904300234573201 is another IBAN than DE89370400440532013000")
    expect(reason_of("DE98370400440532013000")):equals("DE98370400440532013000 has wrong check digits")
    expect(reason_of(5)):equals("5 is not an IBAN")
    expect(reason_of("ÄÖ")):contains("is not an IBAN")
  end)

  it("is not asked about empty values", function()
    expect(rules:score("plain", nil, "")):equals(1)
    expect(rules:score("plain", "DE89370400440532013000", ee.null)):equals(0)
  end)
end)
