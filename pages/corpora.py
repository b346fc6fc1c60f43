"""Corpora: bring one in, look through it, count what it holds, take it out in any format."""

from ui.shell import navigation

navigation.guard()

from ui.shell import layout, sidebar
from ui.views.corpora import adding, widgets, words

layout.title_line("Corpora", words.SENTENCE)
view = widgets.choose_view()
choice = sidebar.current()
if view == words.ADD:
    adding.show()
elif choice.corpus is None:
    layout.empty(words.NO_CORPUS, "corpora", "Add one", view=words.ADD)
elif not choice.documents:
    layout.empty(words.NO_DOCUMENTS, "corpora", "Add another one", view=words.ADD)
    widgets.remove(choice.corpus)
elif view == words.STATISTICS:
    widgets.show_statistics(choice.corpus)
elif view == words.EXPORT:
    widgets.export(choice.corpus, choice.run)
    widgets.remove(choice.corpus)
else:
    widgets.browse(choice.corpus)
