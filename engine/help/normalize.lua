return ee.rules {
  ee.fields {
    ee.custom { "name", function(expected, candidate)
      local function key(name)
        return ee.prim.normalize(name, "nfkc", "casefold", "alnum")
      end
      return key(expected) == key(candidate)
    end },
  },
}
