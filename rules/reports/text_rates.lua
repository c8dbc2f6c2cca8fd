-- Error rates, BLEU and chrF of texts over a data set, as the field reports them: from sums over all cases, not the mean of their scores.
-- rates("transcript") or rates { "transcript", candidate = "text", tokenizer = "words", normalize = { "casefold" }, name = "speech" }

local function add(sums, counts)
  for i, count in ipairs(counts) do sums[i] = (sums[i] or 0) + count end
end

-- The text at the path; "" and false if the path has no text.
local function text_at(document, path, normalize)
  local value = type(document) == "userdata" and ee.get(document, path)
  if type(value) ~= "string" then return "", false end
  return ee.prim.normalize(value, table.unpack(normalize)), true
end

local function step(options, state, result)
  local expected, is_text = text_at(result.expected, options[1], options.normalize)
  if not is_text then
    state.without_text = state.without_text + 1
    return state
  end
  local candidate = text_at(result.candidate, options.candidate, options.normalize)
  local _, edits, words = ee.prim.wer(expected, candidate, { tokenizer = options.tokenizer })
  local _, letter_edits, letters = ee.prim.cer(expected, candidate)
  state.texts = state.texts + 1
  add(state.wer, { edits, words })
  add(state.cer, { letter_edits, letters })
  add(state.bleu, ee.prim.bleu_counts(expected, candidate))
  add(state.chrf, ee.prim.chrf_counts(expected, candidate))
  return state
end

local function rate(sums) return sums[2] > 0 and sums[1] / sums[2] or sums[1] end

local function finish(state)
  if state.texts == 0 then return { texts = 0, ["without text"] = state.without_text } end
  return { texts = state.texts, ["without text"] = state.without_text, ["expected words"] = state.wer[2], ["word error rate"] = rate(state.wer),
    ["character error rate"] = rate(state.cer), BLEU = ee.prim.corpus_bleu(state.bleu), chrF = ee.prim.corpus_chrf(state.chrf) }
end

local function merge(state, later)
  state.texts, state.without_text = state.texts + later.texts, state.without_text + later.without_text
  for _, name in ipairs { "wer", "cer", "bleu", "chrf" } do add(state[name], later[name]) end
  return state
end

local known = { [1] = "string", candidate = "string", tokenizer = "string", normalize = "table", name = "string" }

return function(given)
  local options = type(given) == "table" and ee.copy(given) or { given }
  for name, value in pairs(options) do
    local wanted = known[name]
    if wanted == nil then error(("text_rates has no option '%s' (candidate, tokenizer, normalize, name)"):format(name), 2) end
    if type(value) ~= wanted then error(("option '%s' of text_rates must be a %s, got a %s"):format(name, wanted, type(value)), 2) end
  end
  if options[1] == nil then error("text_rates needs a path", 2) end
  options.candidate = options.candidate or options[1]
  options.tokenizer = options.tokenizer or "whitespace"
  options.normalize = options.normalize or {}
  ee.prim.wer("", "", { tokenizer = options.tokenizer }) -- mistakes are found when the rule file loads
  ee.prim.normalize("", table.unpack(options.normalize))
  return ee.summary {
    options.name or ("text rates of " .. options[1]),
    init = function() return { texts = 0, without_text = 0, wer = {}, cer = {}, bleu = {}, chrf = {} } end,
    step = function(state, result) return step(options, state, result) end,
    finish = finish,
    merge = merge,
  }
end
