return ee.rules {
  provider = {
    "openai",
    url = "http://localhost:8080/v1",
    model = "qwen3-8b",
    cache = "answers.sqlite",
  },
  ee.llm {
    "faithful",
    prompt = [[
Does the summary say only what the article says?

Article:
{{record.article}}

Summary:
{{candidate}}
]],
    scale = { 1, 2, 3, 4, 5 },
    human = "meta.grade",
  },
}
