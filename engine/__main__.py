"""python -m engine: everything the app does, from the command line."""

import sys

from engine.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
