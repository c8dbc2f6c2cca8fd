return ee.rules {
  ee.fields {
    ee.fuzzy { "supplier.name", algorithm = "token_set", threshold = 0.85 },
    ee.fuzzy { "answer", algorithm = "token_f1", tokenizer = "squad" },
    ee.fuzzy { "transcript", algorithm = "wer", threshold = 0.9 },
  },
}
