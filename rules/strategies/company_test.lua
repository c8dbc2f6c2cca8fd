-- Tests of strategies/company.lua: evalengine test rules/strategies/company_test.lua
local company = require "company"

local rules = compile(ee.rules {
  ee.fields {
    company { "name", threshold = 0.85 },
    company { "strict", threshold = 0.85, form_penalty = 0.5 },
    company { "lenient", threshold = 0.85, form_penalty = 0 },
  },
})

describe("company", function()
  it("gives equal names 1", function()
    expect(rules:score("name", "Nordwind Logistik GmbH", "Nordwind Logistik GmbH")):equals(1)
  end)

  it("leaves the legal form, its dots and case aside", function()
    expect(rules:score("name", "Nordwind Logistik GmbH", "NORDWIND LOGISTIK")):equals(1)
    expect(rules:score("name", "Ferro S.p.A.", "Ferro SpA")):equals(1)
    expect(rules:score("name", "Blackwood & Sons, Ltd.", "Blackwood and Sons Ltd")):near(1 - 4 / 18)
  end)

  it("scores a typo by its share of the name", function()
    expect(rules:score("name", "Nordwind Logistik GmbH", "Nordwnd Logistik GmbH")):near(1 - 1 / 17)
    expect(rules:score("name", "株式会社山田製作所", "株式会社山口製作所")):near(1 - 1 / 9)
  end)

  it("folds what Unicode calls compatible", function()
    expect(rules:score("name", "Ｎｏｒｄ AG", "Nord AG")):equals(1)
    expect(rules:score("name", "Straße AG", "STRASSE AG")):equals(1)
  end)

  it("tells different companies apart", function()
    local score = rules:score("name", "Nordwind Logistik GmbH", "Südwind Handel GmbH")
    expect(score < 0.85):is_true()
  end)

  describe("form_penalty", function()
    it("is 0.05 for another legal form", function()
      expect(rules:score("name", "Nordwind AG", "Nordwind GmbH")):near(0.95)
    end)

    it("is what the field says", function()
      expect(rules:score("strict", "Nordwind AG", "Nordwind GmbH")):near(0.5)
      expect(rules:score("lenient", "Nordwind AG", "Nordwind GmbH")):equals(1)
    end)

    it("asks for a form on both sides", function()
      expect(rules:score("strict", "Nordwind AG", "Nordwind")):equals(1)
    end)

    it("never takes the score below 0", function()
      expect(rules:score("strict", "abc AG", "xyz GmbH")):equals(0)
    end)

    it("must be a number", function()
      local function wrong() return compile(ee.rules { ee.fields { company { "a", form_penalty = "much" } } }) end
      expect(wrong):fails("option 'form_penalty' of company must be a number, got a string")
    end)
  end)

  describe("threshold", function()
    it("decides what counts as found", function()
      local typo = rules:judge { expected = { name = "Nordwind Logistik GmbH" }, candidate = { name = "Nordwnd Logistik GmbH" } }
      expect(typo.judges.fields.metrics.name):equals { tp = 1, tn = 0, fp = 0, fn = 0 }
      local other = rules:judge { expected = { name = "Nordwind Logistik GmbH" }, candidate = { name = "Südwind Handel GmbH" } }
      expect(other.judges.fields.metrics.name):equals { tp = 0, tn = 0, fp = 1, fn = 1 }
      expect(other.misses[1]):matches("^name %(similarity 0%.%d+ without legal forms%)$")
    end)
  end)
end)
