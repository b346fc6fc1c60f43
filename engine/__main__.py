"""python -m engine, or `espalier` where the package is installed: everything the app does, from the command line."""

import sys

from engine.threads import one_per_process

one_per_process()

from engine.cli.main import main  # noqa: E402  (numpy reads the number of threads when it is imported)

if __name__ == "__main__":
    sys.exit(main())
