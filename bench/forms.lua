-- What a form costs with one built-in strategy: the base line for forms_quality.lua.
return ee.rules {
  case = { id = "id", expected = "truth", candidate = "answer" },
  ee.fields { ee.exact "reference" },
}
