"""Corpora: bring one in, look through it, count what it holds, take it out in any format."""

from ui.shell import navigation

navigation.guard()

from ui.shell import layout, sidebar
from ui.views.corpora import widgets as corpora_views

layout.title_line("Corpora", "Everything the systems learn from. The corpus chosen in the sidebar is shown here.")
view = corpora_views.choose_view()
choice = sidebar.current()
if view == "Add":
    corpora_views.add()
elif choice.corpus is None:
    layout.empty("There is no corpus in this workspace yet.", "corpora", "Add one", view="Add")
elif not choice.documents:
    layout.empty("This corpus has no documents.", "corpora", "Add another one", view="Add")
    corpora_views.remove(choice.corpus)
elif view == "Statistics":
    corpora_views.show_statistics(choice.corpus)
elif view == "Export":
    corpora_views.export(choice.corpus, choice.run)
    corpora_views.remove(choice.corpus)
else:
    corpora_views.browse(choice.corpus)
