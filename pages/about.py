"""About: the version, the papers, the licences of parts, and where the workspace is."""

from ui.shell import navigation

navigation.guard()

from ui.shell import layout
from ui.views.help import about, words

layout.title_line("About", words.ABOUT)
about.show_version()
about.show_papers()
about.show_licences()
