"""The app's entrance: everything is in ui/shell/navigation.py."""

from ui.shell import navigation

navigation.main()
