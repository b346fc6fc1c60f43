"""Help: the tour, what every word means, and the keys of every page."""

from ui.shell import navigation

navigation.guard()

from ui.shell import layout
from ui.views.help import widgets, words

layout.title_line("Help", words.SENTENCE)
widgets.show_start()
widgets.show_words()
