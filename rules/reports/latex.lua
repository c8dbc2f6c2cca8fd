-- A LaTeX table of the fields (booktabs). In a rule file: require "reports.latex". Then
--   evalengine RULES.lua DATA -f latex -o fields.tex
-- and in the document \usepackage{booktabs} and \input{fields.tex}, inside a table environment if it needs a caption.

local special = {
  ["\\"] = "\\textbackslash{}", ["{"] = "\\{", ["}"] = "\\}", ["$"] = "\\$", ["&"] = "\\&", ["#"] = "\\#",
  ["%"] = "\\%", ["_"] = "\\_", ["^"] = "\\textasciicircum{}", ["~"] = "\\textasciitilde{}", ["<"] = "\\textless{}",
  [">"] = "\\textgreater{}", ["|"] = "\\textbar{}", ["`"] = "\\textasciigrave{}", ['"'] = "{\\char34}",
  -- After the end of a row these would be its arguments.
  ["["] = "{[}", ["*"] = "{*}",
}

local function escape(text)
  local escaped, dashes = text:gsub("%c", " "):gsub("[\\{}$&#%%_^~<>|`\"%[%*]", special), 1
  while dashes > 0 do escaped, dashes = escaped:gsub("%-%-", "-{}-") end -- two hyphens would be a dash
  return escaped
end

-- Three decimals, but what is not quite 0 or 1 does not look like it; a dash for an undefined number.
local function share(number)
  if not number then return "--" end
  local text = ("%.3f"):format(number)
  if text == "1.000" and number < 1 then return "0.999" end
  if text == "0.000" and number > 0 then return "0.001" end
  return text
end

local function counts(part) return ("%d & %d & %d"):format(part.tp, part.fp, part.fn) end

local function row(judge, field, numbers, part)
  return ("  %s & %s & %s & %s & %s & %s \\\\"):format(judge, field, numbers, share(part.precision), share(part.recall),
    share(part.f1))
end

local function add_judge(lines, judge)
  local name = escape(judge.name)
  lines[#lines + 1] = "  \\midrule"
  local any = false
  for _, field in ee.each(judge, "fields") do
    lines[#lines + 1] = row(any and "" or name, escape(field.name), counts(field), field)
    any = true
  end
  if not any then
    lines[#lines + 1] = ("  %s & \\emph{mean score} & & & & & & %s \\\\"):format(name, share(judge.mean_score))
    return
  end
  lines[#lines + 1] = row("", "\\emph{micro average}", counts(judge.pooled), judge.micro)
  lines[#lines + 1] = row("", "\\emph{macro average}", "& &", judge.macro)
end

return ee.report {
  "latex",
  done = function(results)
    local name = results.rules.name:gsub("%c", " ")
    local cases = results.cases
    local lines = {
      ("%% %s: %d case%s, mean score %s. Needs \\usepackage{booktabs}."):format(name, cases, cases == 1 and "" or "s",
        share(results.mean_score)),
      "\\begin{tabular}{llrrrrrr}",
      "  \\toprule",
      "  Judge & Field & TP & FP & FN & Precision & Recall & $F_1$ \\\\",
    }
    for _, judge in ee.each(results, "judges") do add_judge(lines, judge) end
    lines[#lines + 1] = "  \\bottomrule"
    lines[#lines + 1] = "\\end{tabular}"
    return table.concat(lines, "\n") .. "\n"
  end,
}
