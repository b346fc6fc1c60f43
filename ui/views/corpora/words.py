"""What the Corpora page says: its sentence, the names of its views, captions and messages."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = "Everything the systems learn from. The corpus chosen in the sidebar is shown here."
DOCUMENTS: Final = "Documents"
STATISTICS: Final = "Statistics"
ADD: Final = "Add"
EXPORT: Final = "Export"
VIEWS: Final = (DOCUMENTS, STATISTICS, ADD, EXPORT)

NO_CORPUS: Final = "There is no corpus in this workspace yet."
NO_DOCUMENTS: Final = "This corpus has no documents."
LISTED: Final = "{found} of {all} — search in the sidebar, sort by a column, choose a row to open the document."

UPLOAD: Final = "Files of one corpus (with their sidecars, if they have any)"
BY_CONTENT: Final = "by name and content"
FORMATS: Final = "What is read"
NOT_ADDED: Final = "The upload was not added: it cannot be read as it is."
LINE: Final = "The line in question begins:"
READ: Final = "The files were read without problems."

AS_IT_STANDS: Final = "gold as it stands"
LOSSES: Final = "{format} cannot hold everything:"
NO_LOSS: Final = "Nothing is lost in this format."
NOT_WRITTEN: Final = "This corpus cannot be written in this format."

REMOVE: Final = "Remove this corpus from the workspace"
REMOVED: Final = "“{corpus}” and its {documents} will be gone."
