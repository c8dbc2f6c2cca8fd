return ee.rules {
  ee.exec { "spelling", command = { "python3", "spelling.py" } },
}
