-- VAT identification numbers: spaces, dots, dashes and letter case aside, with or without the country's two letters. Of the countries of the
-- European Union, Great Britain, Switzerland and Norway the check digits, by the rules that their tax offices publish, say whether a number was misread.

-- The sum of the digits of `text`, each times its weight.
local function weighted(text, weights)
  local sum = 0
  for i, weight in ipairs(weights) do sum = sum + weight * tonumber(text:sub(i, i)) end
  return sum
end

local function digit(text, at) return tonumber(text:sub(at, at)) end

-- Whether the digit at `at` is 11 - sum % 11, where 10 becomes `ten` and 11 `eleven` (nil: no number has it).
local function is_eleven(text, weights, at, ten, eleven)
  local check = 11 - weighted(text, weights) % 11
  if check == 10 then check = ten elseif check == 11 then check = eleven end
  return check == digit(text, at)
end

-- Whether the sum of all digits, every second one from the right doubled and its digits added, ends in 0 (Luhn).
local function is_luhn(text)
  local sum = 0
  for i = 1, #text do
    local d = digit(text, #text + 1 - i) * (i % 2 == 0 and 2 or 1)
    sum = sum + d // 10 + d % 10
  end
  return sum % 10 == 0
end

-- ISO 7064, MOD 11,10.
local function is_mod_11_10(text)
  local product = 10
  for i = 1, #text - 1 do
    local sum = (digit(text, i) + product) % 10
    product = 2 * (sum == 0 and 10 or sum) % 11
  end
  return (product + digit(text, #text)) % 10 == 1
end

local function letter_at(letters, index) return letters:sub(index + 1, index + 1) end

local function spanish(text)
  local first, last = text:sub(1, 1), text:sub(-1)
  local person = text:gsub("^X", "0"):gsub("^Y", "1"):gsub("^Z", "2"):gsub("^[KLM]", "")
  local number = tonumber(person:match "^(%d+)%a$")
  if number then
    if #person > 7 and first:find "[%dXYZ]" or #person == 8 and first:find "[KLM]" then
      return last == letter_at("TRWAGMYFPDXBNJZSQVHLCKE", number % 23)
    end
  end
  if not text:find "^[ABCDEFGHJNPQRSUVW]%d%d%d%d%d%d%d[%dA-J]$" then return false end
  local sum = 0
  for i = 2, 8 do
    local d = digit(text, i) * (i % 2 == 0 and 2 or 1)
    sum = sum + d // 10 + d % 10
  end
  local check = (10 - sum % 10) % 10
  local by_digit, by_letter = last == tostring(check), last == letter_at("JABCDEFGHI", check)
  if first:find "[ABEH]" then return by_digit end
  if first:find "[NPQRSW]" then return by_letter end
  return by_digit or by_letter
end

local function french(text)
  local key, siren = text:sub(1, 2), tonumber(text:sub(3))
  if tonumber(key) then return tonumber(key) == (12 + 3 * (siren % 97)) % 97 end
  local letters = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
  local a, b = letters:find(key:sub(1, 1), 1, true), letters:find(key:sub(2, 2), 1, true)
  if not a or not b then return false end
  local sum = a <= 10 and 24 * (a - 1) + (b - 1) - 10 or 34 * (a - 1) + (b - 1) - 100
  return (siren + sum // 11 + 1) % 11 == sum % 11
end

local function irish(text)
  local digits, letter, second = text:match "^(%d%d%d%d%d%d%d)(%u)(%u?)$"
  if not digits then
    local first, rest
    first, rest, letter = text:match "^(%d)%u(%d%d%d%d%d)(%u)$"
    if not first then return false end
    digits, second = "0" .. rest .. first, ""
  end
  local sum = weighted(digits, { 8, 7, 6, 5, 4, 3, 2 }) + (second ~= "" and 9 * (second:byte() - 64) or 0)
  return letter == letter_at("WABCDEFGHIJKLMNOPQRSTUV", sum % 23)
end

local function cypriot(text)
  local odd = { [0] = 1, 0, 5, 7, 9, 13, 15, 17, 19, 21 }
  local sum = 0
  for i = 1, 8 do sum = sum + (i % 2 == 1 and odd[digit(text, i)] or digit(text, i)) end
  return text:sub(9) == string.char(65 + sum % 26)
end

local function bulgarian(text)
  if #text == 9 then
    local rest = weighted(text, { 1, 2, 3, 4, 5, 6, 7, 8 }) % 11
    if rest == 10 then rest = weighted(text, { 3, 4, 5, 6, 7, 8, 9, 10 }) % 11 % 10 end
    return rest == digit(text, 9)
  end
  return weighted(text, { 2, 4, 8, 5, 10, 9, 7, 3, 6 }) % 11 % 10 == digit(text, 10) or weighted(text, { 21, 19, 17, 13, 11, 9, 7, 3, 1 }) % 10 == digit(text, 10)
    or is_eleven(text, { 4, 3, 2, 7, 6, 5, 4, 3, 2 }, 10, nil, 0)
end

local function lithuanian(text)
  local rest, again = 0, 0
  for i = 1, #text - 1 do
    rest = rest + digit(text, i) * (1 + (i - 1) % 9)
    again = again + digit(text, i) * (1 + (i + 1) % 9)
  end
  rest = rest % 11 == 10 and again % 11 % 10 or rest % 11
  return rest == digit(text, #text)
end

local function dutch(text)
  local letters = ("NL" .. text):gsub("%u", function(c) return tonumber(c, 36) end)
  local rest = 0
  for c in letters:gmatch "%d" do rest = (10 * rest + tonumber(c)) % 97 end
  return rest == 1 or weighted(text, { 9, 8, 7, 6, 5, 4, 3, 2 }) % 11 == digit(text, 9)
end

local function austrian(text)
  local sum = 4
  for i = 2, 8 do
    local d = digit(text, i) * (i % 2 == 1 and 2 or 1)
    sum = sum + d // 10 + d % 10
  end
  return (10 - sum % 10) % 10 == digit(text, 9)
end

local function british(text)
  local rest = (weighted(text, { 8, 7, 6, 5, 4, 3, 2, 10, 1 })) % 97
  return rest == 0 or rest == 42 -- 97 - 55
end

local function romanian(text)
  local padded = ("0"):rep(10 - #text) .. text
  return 10 * weighted(padded, { 7, 5, 3, 2, 1, 7, 5, 3, 2 }) % 11 % 10 == digit(padded, 10)
end

-- What a number looks like without the country, and whether its check digits are right; nil for forms that have none.
local forms = {
  AT = { "^U%d{8}$", austrian },
  BE = { "^[01]%d{9}$", function(t) return tonumber(t:sub(9)) == 97 - tonumber(t:sub(1, 8)) % 97 end },
  BG = { "^%d{9}%d?$", bulgarian },
  CHE = { "^%d{9}%u*$", function(t) return is_eleven(t, { 5, 4, 3, 2, 7, 6, 5, 4 }, 9, nil, 0) end },
  CY = { "^%d{8}%u$", cypriot },
  CZ = { "^%d{8}%d?%d?$", function(t) return #t ~= 8 or is_eleven(t, { 8, 7, 6, 5, 4, 3, 2 }, 8, 0, 1) end },
  DE = { "^%d{9}$", is_mod_11_10 },
  DK = { "^%d{8}$", function(t) return weighted(t, { 2, 7, 6, 5, 4, 3, 2, 1 }) % 11 == 0 end },
  EE = { "^%d{9}$", function(t) return weighted(t, { 3, 7, 1, 3, 7, 1, 3, 7, 1 }) % 10 == 0 end },
  EL = { "^%d{9}$", function(t) return weighted(t, { 256, 128, 64, 32, 16, 8, 4, 2 }) % 11 % 10 == digit(t, 9) end },
  ES = { "^[%d%u]%d{7}[%d%u]$", spanish },
  FI = { "^%d{8}$", function(t) return is_eleven(t, { 7, 9, 10, 5, 8, 4, 2 }, 8, nil, 0) end },
  FR = { "^[%d%u][%d%u]%d{9}$", french },
  GB = { "^%d{9}%d*$", british },
  HR = { "^%d{11}$", is_mod_11_10 },
  HU = { "^%d{8}$", function(t) return weighted(t, { 9, 7, 3, 1, 9, 7, 3, 1 }) % 10 == 0 end },
  IE = { "^%d[%d%u]%d{5}%u%u?$", irish },
  IT = { "^%d{11}$", is_luhn },
  LT = { "^%d{9}%d*$", lithuanian },
  LU = { "^%d{8}$", function(t) return tonumber(t:sub(1, 6)) % 89 == tonumber(t:sub(7)) end },
  LV = { "^%d{11}$", function(t) return digit(t, 1) < 4 or weighted(t, { 9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1 }) % 11 == 3 end },
  MT = { "^%d{8}$", function(t) return (weighted(t, { 3, 4, 6, 7, 8, 9 }) + tonumber(t:sub(7))) % 37 == 0 end },
  NL = { "^%d{9}B%d%d$", dutch },
  NO = { "^%d{9}%u*$", function(t) return is_eleven(t, { 3, 2, 7, 6, 5, 4, 3, 2 }, 9, nil, 0) end },
  PL = { "^%d{10}$", function(t) return weighted(t, { 6, 5, 7, 2, 3, 4, 5, 6, 7 }) % 11 == digit(t, 10) end },
  PT = { "^%d{9}$", function(t) return is_eleven(t, { 9, 8, 7, 6, 5, 4, 3, 2 }, 9, 0, 0) end },
  RO = { "^%d%d%d*$", romanian },
  SE = { "^%d{10}%d%d$", function(t) return is_luhn(t:sub(1, 10)) end },
  SI = { "^%d{8}$", function(t) return is_eleven(t, { 8, 7, 6, 5, 4, 3, 2 }, 8, 0, nil) end },
  SK = { "^%d{10}$", function(t) return tonumber(t) % 11 == 0 end },
}
forms.XI, forms.GR = forms.GB, forms.EL
local most = { GB = 12, XI = 12, LT = 12, RO = 10 }

-- The pattern of a form in Lua's words, which have no {9}: made when its country is first asked for.
local function pattern_of(form)
  if not form.pattern then
    form.pattern = form[1]:gsub("(%%%a){(%d+)}", function(class, count) return class:rep(tonumber(count)) end)
  end
  return form.pattern
end

-- Why a number in capitals, without spaces, cannot be one of its country; nil if it can, or if the country is not known.
local function problem(number)
  local country = number:find "^CHE" and "CHE" or number:sub(1, 2)
  local form, rest = forms[country], number:sub(#country + 1)
  if form == nil then return nil end
  if not rest:find(pattern_of(form)) or #rest > (most[country] or math.huge) then return ("is not a number of %s"):format(country) end
  if not form[2](rest) then return "has wrong check digits" end
end

return ee.strategy {
  "vat_id",
  help = "VAT numbers, punctuation and case aside; country = \"DE\" lets one side leave the prefix out; a miss names wrong check digits.",
  options = {
    country = { "string", help = "the two letters that a number without a prefix belongs to" },
    valid = { "boolean", help = "true: a candidate with wrong check digits is wrong, also if the expected value is the same" },
  },
  score = function(expected, candidate, context)
    local country = context.options.country and context.options.country:lower()
    local function plain(value)
      return ee.prim.normalize(tostring(value), "alnum", "casefold")
    end
    local x, y = plain(expected), plain(candidate)
    local with_country = (country and y:find "^%d" and country .. y or y):upper()
    local why = problem(with_country)
    local same = x == y or (country and (x == country .. y or y == country .. x)) or false
    if same and not (context.options.valid and why) then return true end
    if same then return false, ("%s %s"):format(y, why) end
    return false, ("%s is not %s%s"):format(y, x, why and not problem(x:upper()) and (" (it %s)"):format(why) or "")
  end,
}
