-- Company names: the legal form ("GmbH", "Ltd.", "S.A.") says little about who is meant, so it is compared apart from the name.
local forms = {}
for form in ("ab ag aps as asa bv co corp gmbh inc kg kk ks limited llc llp ltd nv oy oyj plc pty sa sarl sas sl spa sro srl"):gmatch "%a+" do
  forms[form] = true
end

-- The words of a name, and its legal form or "". "S.p.A." and "SpA" are one word.
local function split(name)
  local text = ee.prim.normalize(name, "nfkc", "casefold"):gsub("%.", ""):gsub("%f[%a]a/s%f[%A]", "as"):gsub("%f[%a]k/s%f[%A]", "ks")
  local words, form = {}, ""
  for word in text:gmatch "[^%s,;&+/()-]+" do
    if forms[word] then form = word else words[#words + 1] = word end
  end
  return table.concat(words, " "), form
end

return ee.strategy {
  "company",
  help = "Company names by edit distance, legal forms aside; another legal form costs `form_penalty`.",
  options = {
    form_penalty = { "number", help = "what different legal forms take off the similarity (0.05)" },
  },
  score = function(expected, candidate, context)
    local x, x_form = split(tostring(expected))
    local y, y_form = split(tostring(candidate))
    local similarity = ee.prim.levenshtein_similarity(x, y)
    if x_form ~= y_form and x_form ~= "" and y_form ~= "" then
      similarity = math.max(0, similarity - (context.options.form_penalty or 0.05))
    end
    return similarity, ("similarity %.3f without legal forms"):format(similarity)
  end,
}
