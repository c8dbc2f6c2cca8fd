"""What a program has, as its own help says: for tests that must try each of these."""
import re
import subprocess


def said(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def choices(text, option):
    """The values a|b|c of an option."""
    return re.search(r"^\s+(?:-\w, )?" + option + r" ([\w|-]+)$", text, re.M).group(1).split("|")


def parts_of(program):
    """Names of commands (without that of an evaluation, which has none), formats of reports, tools whose files are read, judges."""
    text = said(program, "--help")
    usage = text[:text.index("\nExamples:")]
    judges = said(program, "--list").split("\nStrategies")[0]
    return {
        "command": re.findall(r"^  evalengine (\w+) \[", usage, re.M),
        "format": choices(text, "--format"),
        "tool": choices(text, "--from"),
        "judge": re.findall(r"^  (\w+)  ", judges, re.M),
    }


def command_and_options(words):
    """(command or None, values of -f, values of --from) of a command line, as a list of words."""
    begin = words[0] if words and re.fullmatch(r"[a-z]+", words[0]) else None
    formats = [value for option, value in zip(words, words[1:]) if option in ("-f", "--format")]
    return begin, formats, [value for option, value in zip(words, words[1:]) if option == "--from"]
