"""The app's entrance: everything is in ui/shell.py."""

from ui import shell

shell.main()
