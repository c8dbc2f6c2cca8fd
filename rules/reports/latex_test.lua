-- Tests of reports/latex.lua: evalengine test rules/reports/latex_test.lua
local latex = require "latex"

local right = { id = "a", expected = { n = "x" }, candidate = { n = "x" } }
local wrong = { id = "b", expected = { n = "x" }, candidate = { n = "z" } }

describe("latex", function()
  it("is a table with a row for each field and averages", function()
    local rules = compile(ee.rules { name = "inv", ee.fields { ee.exact "n" }, latex })
    expect(rules:report("latex", { right, wrong })):equals([[
% inv: 2 cases, mean score 0.500. Needs \usepackage{booktabs}.
\begin{tabular}{llrrrrrr}
  \toprule
  Judge & Field & TP & FP & FN & Precision & Recall & $F_1$ \\
  \midrule
  fields & n & 1 & 1 & 1 & 0.500 & 0.500 & 0.500 \\
   & \emph{micro average} & 1 & 1 & 1 & 0.500 & 0.500 & 0.500 \\
   & \emph{macro average} & & & & 0.500 & 0.500 & 0.500 \\
  \bottomrule
\end{tabular}
]])
  end)

  it("has the same number of cells in every row", function()
    local rules = compile(ee.rules {
      ee.fields { name = "a & b \\", ee.exact { "n", name = "x & y & z" } }, ee.judge { "own", function() return 1 end }, latex,
    })
    local rows = 0
    for line in rules:report("latex", { right, wrong }):gmatch("[^\n]+") do
      if line:sub(-2) == "\\\\" then
        local _, cells = line:gsub("\\&", ""):gsub("&", "")
        expect(cells):equals(7)
        rows = rows + 1
      end
    end
    expect(rows):equals(5)
  end)

  it("escapes what LaTeX reads", function()
    local rules = compile(ee.rules {
      ee.fields { name = [[[1] 50% of $5 #2 {x} ~ ^ <>|]], ee.exact { "n", name = [[a_b\c --- "q" `t` *]] } }, latex,
    })
    local text = rules:report("latex", { right })
    expect(text):contains([[  {[}1] 50\% of \$5 \#2 \{x\} \textasciitilde{} \textasciicircum{} \textless{}\textgreater{}\textbar{} & ]])
    expect(text):contains([[a\_b\textbackslash{}c -{}-{}- {\char34}q{\char34} \textasciigrave{}t\textasciigrave{} {*} & ]])
  end)

  it("keeps a name on one line", function()
    local rules = compile(ee.rules { name = "a\nb", ee.fields { name = "c\nd", ee.exact "n" }, latex })
    local text = rules:report("latex", { right })
    expect(text):contains("% a b: 1 case,")
    expect(text):contains("  c d & n &")
  end)

  it("has a dash for what is not known", function()
    local rules = compile(ee.rules { ee.fields { ee.exact "none" }, latex })
    expect(rules:report("latex", { right })):contains(" & none & 0 & 0 & 0 & -- & -- & -- ")
  end)
end)
