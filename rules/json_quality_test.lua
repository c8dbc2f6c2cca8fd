-- Tests of json_quality.lua: evalengine test rules/json_quality_test.lua
local rules = compile(require "json_quality")

local function judge(expected, candidate)
  local result = rules:judge { expected = expected, candidate = candidate }
  expect(result.errors):equals {}
  return result.judges.quality
end

-- What one key's values come to: 1 when they match.
local function compare(key, expected, candidate)
  return judge({ [key] = expected }, { [key] = candidate }).keys[key].score
end

describe("the parts", function()
  local expected = {
    name = "John Smith", email = "john@example.com", bio = "Senior engineer with 10 years of experience...", internal_id = ee.null,
    status = "active",
  }
  local candidate = {
    name = "John Smyth", email = "john@example.com", bio = "Experienced senior engineer, 10+ years...", internal_id = "abc123",
    extra_field = "surprise",
  }

  it("are those of the worked example", function()
    local quality = judge(expected, candidate)
    expect(quality.case_metrics.completeness):equals(0.75)
    expect(quality.case_metrics.hallucination):near(2 / 6)
    expect(quality.case_metrics.accuracy):equals(1)
    expect(quality.case_metrics.safety):equals(1)
    expect(quality.case_metrics.rqs):near(0.7375)
    expect(quality.score):equals(quality.case_metrics.rqs)
    expect(quality.verdict):equals "borderline"
  end)

  it("come from its keys", function()
    local keys = judge(expected, candidate).keys
    expect(keys.name):equals { bucket = "both_non_null", strategy = "FUZZY", why = "config", score = 1, similarity = 0.9 }
    expect(keys.email):equals { bucket = "both_non_null", strategy = "EXACT", why = "email", score = 1, similarity = 1 }
    expect(keys.bio.strategy):equals "SEMANTIC"
    expect(keys.bio.score):equals(1)
    expect(keys.status.bucket):equals "aio_missing_or_null"
    expect(keys.internal_id.bucket):equals "gt_null_aio_has_value"
    expect(keys.extra_field.bucket):equals "extra_keys"
  end)

  it("are pooled into the table of attributes", function()
    local metrics = judge(expected, candidate).metrics
    expect(metrics.name):equals { tp = 1, tn = 0, fp = 0, fn = 0 }
    expect(metrics.status):equals { tp = 0, tn = 0, fp = 0, fn = 1 }
    expect(metrics.internal_id):equals { tp = 0, tn = 0, fp = 1, fn = 0 }
    expect(metrics.extra_field):equals { tp = 0, tn = 0, fp = 1, fn = 0 }
  end)

  it("make 0.85 of a perfect answer and 0.6 of an empty one", function()
    local perfect, nothing = judge(expected, expected), judge(expected, {})
    expect(perfect.score):near(0.85)
    expect(perfect.verdict):equals "pass"
    expect(nothing.score):near(0.6)
    expect(nothing.verdict):equals "fail"
  end)
end)

describe("nothing", function()
  it("is null, blank, missing, or a placeholder", function()
    for _, candidate in ipairs { ee.null, "  ", "N/A", "-" } do
      local quality = judge({ name = "Ana", fax = ee.null }, { name = "Ana", fax = candidate })
      expect(quality.keys.fax.bucket):equals "neither"
      expect(quality.score):near(0.85)
    end
    expect(judge({ name = "Ana", fax = "1" }, { name = "Ana", fax = "n/a" }).keys.fax.bucket):equals "aio_missing_or_null"
  end)

  it("is not 0 or false", function()
    expect(compare("children", 0, 0)):equals(1)
    expect(compare("newsletter", false, false)):equals(1)
  end)

  it("counts where it stands under a key that was not asked for", function()
    expect(judge({ name = "Ana" }, { name = "Ana", age = ee.null }).case_metrics.hallucination):equals(0.5)
  end)

  it("is all there is without a JSON object, and hallucination unknown", function()
    for _, candidate in ipairs { "no idea", '["Ana"]' } do
      local quality = judge({ name = "Ana" }, candidate)
      expect(quality.case_metrics):equals { rqs = 0, accuracy = 0, completeness = 0, safety = 0 }
      expect(quality.metrics.name.fn):equals(1)
    end
  end)
end)

describe("a key", function()
  it("with a name is compared by its letters", function()
    for _, key in ipairs { "name", "company", "street", "city" } do
      expect(compare(key, "Nordhafen Allee", "nordhafen alle")):equals(1)
      expect(compare(key, "Nordhafen Allee", "Allee Nordhafen")):equals(0)
    end
  end)

  it("with a text is compared by its words", function()
    for _, key in ipairs { "bio", "answer", "anything" } do
      expect(compare(key, "Restart the router and wait.", "Wait, and restart the routers!")):equals(1)
      expect(compare(key, "Restart the router and wait.", "Please call us again tomorrow.")):equals(0)
    end
  end)

  it("of a few words is compared whole", function()
    for _, key in ipairs { "status", "category", "country", "currency" } do
      expect(compare(key, "active", "Active ")):equals(1)
      expect(compare(key, "active", "inactive")):equals(0)
    end
  end)

  it("with a code is compared sign by sign", function()
    for _, key in ipairs { "zip", "order_id", "seat", "handle" } do
      expect(compare(key, "AB 12 34 56 78 90", "ab 12 34 56 78 90")):equals(1)
      expect(compare(key, "AB 12 34 56 78 90", "AB 12 34 56 78 91")):equals(0)
    end
    expect(compare("code", "AB 12 34 56 78 90", "AB 12 34 56 78 91")):equals(1)
  end)

  it("with a phone number is compared by its digits", function()
    expect(compare("phone", "+386 1 555 01 23", "00386/1-5550123")):equals(1)
    expect(compare("phone", "+386 1 555 01 23", 38615550123)):equals(1)
    expect(compare("phone", "+386 1 555 01 23", "+386 1 555 01 32")):equals(0)
  end)

  it("with the date of a signature may be written in three ways", function()
    for _, date in ipairs { "2025-03-04", "04.03.2025", "4 March 2025" } do expect(compare("signed_on", "2025-03-04", date)):equals(1) end
    expect(compare("signed_on", "2025-03-04", "2025-03-05")):equals(0)
    expect(compare("sent_on", "2025-03-04", "4 March 2025")):equals(0)
  end)

  it("with a total may be a cent off", function()
    expect(compare("total", 100, "100.01")):equals(1)
    expect(compare("total", 100, 100.02)):equals(0)
  end)

  it("with notes is not compared, but expected", function()
    local quality = judge({ name = "Ana", internal_notes = "a" }, { name = "Ana", internal_notes = "b" })
    expect(quality.keys.internal_notes.score):is_nil()
    expect(quality.case_metrics.accuracy):equals(1)
    expect(judge({ name = "Ana", internal_notes = "a" }, { name = "Ana" }).case_metrics.completeness):equals(0.5)
  end)
end)
