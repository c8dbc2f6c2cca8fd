-- International bank account numbers (ISO 13616): spaces, hyphens, letter case and a leading "IBAN" aside, with the check digits and the
-- country's length to say what is wrong with a number that was misread.
local lengths = {}
for country, length in ([[AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24
  FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21
  LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24
  SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30]]):gmatch "(%a%a)(%d+)" do
  lengths[country] = tonumber(length)
end

local function plain(value)
  return (ee.prim.normalize(tostring(value), "nfkc", "alnum"):upper():gsub("^IBAN", ""))
end

-- The rest of the number, with letters as 10 to 35 and its first four characters last, divided by 97.
local function remainder(number)
  local rest = 0
  for c in (number:sub(5) .. number:sub(1, 4)):gmatch "." do
    local digit = tonumber(c, 36)
    rest = (rest * (digit > 9 and 100 or 10) + digit) % 97
  end
  return rest
end

-- Why a number without spaces is not an IBAN; nil if it is one.
local function problem(number)
  if not number:find "^%u%u%d%d[%u%d]+$" then return "is not an IBAN" end
  local wanted = lengths[number:sub(1, 2)]
  if wanted == nil then return ("has the unknown country %s"):format(number:sub(1, 2)) end
  if #number ~= wanted then return ("has %d characters, %s has %d"):format(#number, number:sub(1, 2), wanted) end
  if remainder(number) ~= 1 then return "has wrong check digits" end
end

return ee.strategy {
  "iban",
  help = "IBANs, spaces and case aside; a miss says whether the candidate's check digits and length are right.",
  options = {
    valid = { "boolean", help = "true: a candidate that is not a valid IBAN is wrong, also if the expected value is the same" },
  },
  score = function(expected, candidate, context)
    local x, y = plain(expected), plain(candidate)
    local why = problem(y)
    if x == y and not (context.options.valid and why) then return true end
    if why then return false, ("%s %s"):format(y, why) end
    return false, ("%s is another IBAN than %s"):format(y, x)
  end,
}
