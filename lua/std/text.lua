-- ee.text: what rules often do with texts. UTF-8 in, UTF-8 out.
local ee = ...
local normalize = ee.prim.normalize
local text = {}

--- `s` without white space at both ends.
function text.trim(s) return normalize(s, "trim") end

--- `s` in Unicode's folded case, for comparing without case.
function text.fold(s) return normalize(s, "casefold") end

--- Trimmed, folded, compatibility forms composed, runs of white space as one space.
function text.plain(s) return normalize(s, "nfkc", "casefold", "collapse_space", "trim") end

--- The list of words of `s`: runs of anything but white space.
function text.words(s)
  local words = {}
  for word in normalize(s, "collapse_space"):gmatch "[^ ]+" do words[#words + 1] = word end
  return words
end

--- The list of parts of `s` between `separator`, a plain text that is not empty.
function text.split(s, separator)
  if separator == "" then error("ee.text.split needs a separator", 2) end
  local parts, from = {}, 1
  while true do
    local first, last = s:find(separator, from, true)
    if not first then break end
    parts[#parts + 1] = s:sub(from, first - 1)
    from = last + 1
  end
  parts[#parts + 1] = s:sub(from)
  return parts
end

function text.starts_with(s, head) return s:sub(1, #head) == head end

function text.ends_with(s, tail) return tail == "" or s:sub(-#tail) == tail end

--- True when `part` occurs in `s`, letter for letter.
function text.contains(s, part) return s:find(part, 1, true) ~= nil end

return text
