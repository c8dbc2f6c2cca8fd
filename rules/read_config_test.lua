-- Tests of read_config.lua: evalengine test rules/read_config_test.lua
local read = require "read_config"

local rows = {
  fields = { "fields", keys = { threshold = { "share" } } },
  paths = { "paths", default = { "a" } },
  threshold = { "share", default = 0.85 },
  algorithm = { "choice", "levenshtein", "jaro_winkler" },
  path = { "text" },
}

-- Whether reading `config` fails with `text` in the message.
local function refuses(config, text)
  expect(function() read(rows, config) end):fails(text)
end

describe("a config", function()
  it("has its defaults", function()
    expect(read(rows, {})):equals { paths = { "a" }, threshold = 0.85, algorithm = "levenshtein" }
    expect(read(rows)):equals(read(rows, {}))
  end)

  it("says otherwise", function()
    local config = { threshold = 0, algorithm = "jaro_winkler", path = "a.b", paths = { "x", { path = "y" } } }
    expect(read(rows, config)):equals { threshold = 0, algorithm = "jaro_winkler", path = "a.b", paths = { "x", "y" } }
  end)

  it("lists fields as paths or as tables", function()
    local fields = read(rows, { fields = { "a", { path = "b.c" }, { path = "d", threshold = 1 } } }).fields
    expect(fields):equals { { path = "a" }, { path = "b.c" }, { path = "d", threshold = 1 } }
  end)

  it("is not changed", function()
    local config = { fields = { "a" } }
    read(rows, config).fields[1].path = "b"
    expect(config):equals { fields = { "a" } }
  end)
end)

describe("a mistake", function()
  it("names what was meant", function()
    refuses({ thresold = 0.5 }, "config has no key 'thresold' (did you mean 'threshold'?)")
    refuses({ zebra = 1 }, "config has no key 'zebra'")
    refuses({ fields = { { path = "a", treshold = 1 } } }, "config.fields[1] has no key 'treshold' (did you mean 'threshold'?)")
  end)

  it("names its place", function()
    refuses({ threshold = 2 }, "config.threshold must be a number from 0 to 1, got 2")
    refuses({ threshold = "0.5" }, "config.threshold must be a number from 0 to 1, got '0.5'")
    refuses({ algorithm = "soundex" }, "config.algorithm must be one of levenshtein, jaro_winkler, got 'soundex'")
    refuses({ path = " " }, "config.path must be a text, got ' '")
    refuses({ path = { "a" } }, "config.path must be a text, got a list")
    refuses({ fields = "a" }, "config.fields must be a list of fields, got 'a'")
    refuses({ fields = {} }, "config.fields must be a list of fields, got a table")
    refuses({ fields = { "a", 7 } }, "config.fields[2] must be a path, or a table with a path, got 7")
    refuses({ fields = { ee.null } }, "config.fields[1] must be a path, or a table with a path, got a value of type null")
    refuses({ fields = { { threshold = 0.5 } } }, "config.fields[1].path is missing")
    refuses({ fields = { { path = "a", threshold = true } } }, "config.fields[1].threshold must be a number from 0 to 1, got a value of type boolean")
    refuses({ paths = { { path = 3 } } }, "config.paths[1].path must be a text, got 3")
  end)

  it("does not come alone", function()
    refuses({ threshold = -1, path = 1 }, "config.path must be a text, got 1; config.threshold must be a number from 0 to 1, got -1")
  end)

  it("requires what must be there", function()
    expect(function() read({ fields = { "paths", required = true } }, {}) end):fails("config.fields is missing")
  end)
end)
