"""Starts the program that the package carries: the command `evalengine`, or `python -m evalengine`."""
from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the program, with the arguments of this one. Exit status 127 if the package does not carry it."""
    program = Path(__file__).parent / "bin" / "evalengine"
    try:
        os.execv(program, ["evalengine", *sys.argv[1:]])
    except OSError as error:
        print(f"evalengine: cannot start {program}: {error.strerror}", file=sys.stderr)
        sys.exit(127)


if __name__ == "__main__":
    main()
