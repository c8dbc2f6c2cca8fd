return ee.rules {
  provider = {
    "openai",
    url = "http://localhost:8080/v1",
    model = "bge-m3",
    cache = "answers.sqlite",
  },
  ee.fields { ee.semantic { "description", threshold = 0.8 } },
}
