"""The entry point of the app; everything is in ui/shell/navigation.py."""

from ui.shell import navigation

navigation.main()
