"""What is loaded, how the systems stand, and what to do next."""

from ui import shell

shell.guard()

from ui import layout, overview  # noqa: E402

layout.title_line("Espalier", "See how a model decided, tune it exactly, mend its errors. Choose where to go on.")
overview.preparation()
overview.systems()
overview.corpora()
