rockspec_format = "3.0"
package = "evalengine"
version = "0.1.0-1"
source = {
  url = "git+https://github.com/evalengine/evalengine.git",
  tag = "v0.1.0",
  dir = "evalengine/engine/api/lua",
}
description = {
  summary = "Tells how good structured answers are",
  detailed = "Compares expected with candidate JSON by rules, case by case. Needs libevalengine and its header.",
  license = "MIT",
}
dependencies = { "lua >= 5.4, < 5.5" }
external_dependencies = {
  EVALENGINE = { header = "evalengine.h", library = "evalengine" },
}
build = {
  type = "builtin",
  modules = {
    evalengine = "evalengine.lua",
    ["evalengine.json"] = "json.lua",
    ["evalengine.core"] = {
      sources = { "core.c" },
      libraries = { "evalengine" },
      incdirs = { "$(EVALENGINE_INCDIR)" },
      libdirs = { "$(EVALENGINE_LIBDIR)" },
    },
  },
}
