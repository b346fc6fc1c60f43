"""What is loaded, how the systems stand, and what to do next."""

from ui.shell import navigation

navigation.guard()

from ui.shell import layout
from ui.views.home import widgets as overview

layout.title_line("Espalier", "See how a model decided, tune it exactly, mend its errors. Choose where to go on.")
overview.preparation()
overview.systems()
overview.corpora()
