"""What is loaded, how the systems stand, and what to do next."""

from ui.shell import navigation

navigation.guard()

from ui.shell import layout
from ui.views.home import widgets, words

layout.title_line("Espalier", words.SENTENCE)
widgets.show_preparation()
widgets.show_tour()
widgets.show_systems()
widgets.show_corpora()
