-- A message for Slack. In a rule file: require "reports.slack". The report is the JSON that an incoming webhook takes:
--   evalengine RULES.lua DATA -f slack | curl --json @- "$SLACK_WEBHOOK"
local fields_shown, gates_shown = 5, 10

-- Text of the data: nothing in it is a link, a mention or a format.
local function code(text)
  local one_line = text:gsub("%c", " "):gsub("`", "'")
  local escaped = one_line:gsub("[&<>]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" })
  return "`" .. escaped .. "`"
end

-- Three decimals, but what is not quite 0 or 1 does not look like it.
local function share(number)
  local text = ("%.3f"):format(number)
  if text == "1.000" and number < 1 then return "0.999" end
  if text == "0.000" and number > 0 then return "0.001" end
  return text
end

local function count(number, noun) return ("%d %s%s"):format(number, noun, number == 1 and "" or "s") end

local function gate_text(gate)
  local words = {}
  for _, word in ipairs { gate.slice or "", gate.judge or "", gate.field or "", gate.metric } do
    if word ~= "" then words[#words + 1] = word end
  end
  local text = table.concat(words, " ")
  if gate.min then text = text .. " >= " .. ("%.6g"):format(gate.min) end
  if gate.max then text = text .. " <= " .. ("%.6g"):format(gate.max) end
  local is = gate.value and share(gate.value) or "not known"
  -- With a confidence it is the end of the interval that is held against the limit.
  if gate.min and gate.low then is = ("%s, lower end %s (%.6g %%)"):format(is, share(gate.low), 100 * gate.confidence) end
  if gate.max and gate.high then is = ("%s, upper end %s (%.6g %%)"):format(is, share(gate.high), 100 * gate.confidence) end
  if gate.worst then is = is .. " in " .. code(gate.worst) end
  return ("• %s is %s%s"):format(code(text), is, gate.reason and " (" .. gate.reason .. ")" or "")
end

local function add_gates(lines, results)
  local failed, all = {}, 0
  for _, gate in ee.each(results, "gates") do
    all = all + 1
    if not gate.passed then failed[#failed + 1] = gate_text(gate) end
  end
  if all == 0 then return "" end
  if #failed == 0 then
    lines[#lines + 1] = all == 1 and "The gate passed" or ("All %d gates passed"):format(all)
    return ":white_check_mark: "
  end
  lines[#lines + 1] = ("%d of %s failed:"):format(#failed, count(all, "gate"))
  for i = 1, math.min(#failed, gates_shown) do lines[#lines + 1] = failed[i] end
  if #failed > gates_shown then lines[#lines + 1] = ("and %d more"):format(#failed - gates_shown) end
  return ":x: "
end

local function add_worst_fields(lines, results)
  local worst = {}
  for _, judge in ee.each(results, "judges") do
    for _, field in ee.each(judge, "fields") do
      if field.f1 and field.f1 < 1 then
        worst[#worst + 1] = { f1 = field.f1, place = #worst, field = field, judge = judge.name }
      end
    end
  end
  table.sort(worst, function(a, b)
    if a.f1 ~= b.f1 then return a.f1 < b.f1 end
    return a.place < b.place
  end)
  if #worst == 0 then return end
  lines[#lines + 1] = "Worst fields:"
  for i = 1, math.min(#worst, fields_shown) do
    local field = worst[i].field
    lines[#lines + 1] = ("• %s %s: F1 %s, FP %d, FN %d"):format(code(worst[i].judge), code(field.name), share(field.f1),
      field.fp, field.fn)
  end
end

local function add_errors(lines, results)
  local errors = results.errors
  local records = (errors.unreadable or 0) + (errors.duplicate_ids or 0)
  if records > 0 then lines[#lines + 1] = ":warning: " .. count(records, "record") .. " could not be used" end
  if (errors.rule_errors or 0) > 0 then
    lines[#lines + 1] = ":warning: " .. count(errors.rule_errors, "error") .. " raised by the rules"
  end
end

return ee.report {
  "slack",
  done = function(results)
    local lines = {}
    local mark = add_gates(lines, results)
    add_worst_fields(lines, results)
    add_errors(lines, results)
    local name = results.rules.name
    local verdicts, interval = results.verdicts, results.mean_score_interval
    local score = results.mean_score and share(results.mean_score) or "-"
    if interval then score = ("%s (%s to %s)"):format(score, share(interval.low), share(interval.high)) end
    local head = ("%s%s: mean score *%s*, %s: %d pass, %d borderline, %d fail"):format(mark, code(name), score,
      count(results.cases, "case"), verdicts.pass, verdicts.borderline, verdicts.fail)
    table.insert(lines, 1, head)
    return ee.json { text = table.concat(lines, "\n") } .. "\n"
  end,
}
