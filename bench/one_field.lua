-- What a case costs with one built-in strategy: the base line for one_lua_field.lua.
return ee.rules {
  case = { id = "id", expected = "truth", candidate = "answer" },
  ee.fields { ee.exact "a" },
}
