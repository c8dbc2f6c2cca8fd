return ee.rules {
  ee.code_judge { "header",
    script = "header.lua",
    config = { threshold = 0.9 },
  },
}
