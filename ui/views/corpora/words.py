"""What the Corpora page says: its sentence, the names of its views, captions and messages."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = "Everything the systems learn from. This page shows the corpus chosen in the sidebar."
DOCUMENTS: Final = "Documents"
STATISTICS: Final = "Statistics"
ADD: Final = "Add"
EXPORT: Final = "Export"
VIEWS: Final = (DOCUMENTS, STATISTICS, ADD, EXPORT)

NO_CORPUS: Final = "There is no corpus in this workspace yet."
NO_DOCUMENTS: Final = "This corpus has no documents."
PAGE = "Page, of {pages}"
LISTED: Final = "{found} of {all}. Search in the sidebar, sort by a column, choose a row to open the document."

FILES: Final = "Files"
PASTE: Final = "Pasted text"
OTHER: Final = "Lexicons, constraints, …"
SOURCES: Final = (FILES, PASTE, OTHER)

UPLOAD: Final = "Files of one corpus: a table, texts, a zip of texts, or any other format"
PASTED: Final = "Type or paste text"
PASTE_HINT: Final = "One tweet per line, or paragraphs separated by empty lines"
BY_CONTENT: Final = "recognised by name and content"
UNIT: Final = "What is a document?"
FORMATS: Final = "All supported formats"
TEMPLATES: Final = "Templates to fill in"
TEMPLATES_HELP: Final = "A few example rows for each system. Replace them with your own and upload the file here."
NOT_ADDED: Final = "The upload was not added: it cannot be read as it is."
LINE: Final = "The line in question begins:"

ROW: Final = "A row is"
COLUMNS: Final = "What is in each column? Guessed from the header and the cells; correct what is wrong."
NO_COLUMN: Final = "–"
STILL_NEEDED: Final = "Choose the column for: {roles}."

READ: Final = "Read without problems: {documents}."
SYSTEMS: Final = "What each system can do with it"
SHARED: Final = (
    "Some of it is already in the workspace. Scores are too good if a run was trained on what it is scored on."
)
SPLITS: Final = {
    "": "none: to look at, or to annotate",
    "train": "train: to learn from",
    "dev": "dev: to tune on",
    "test": "test: to be looked at once, at the end",
}
"""Split -> what it is for."""
SPLIT_HELP: Final = (
    "What the corpus is for. Scores on test are shown only when you ask for them, and every look is kept."
)
ONE: Final = "one corpus"
DIVIDED: Final = "split into train, dev and test"
DIVIDED_HELP: Final = "Split by document; near-duplicates stay in the same part. The same seed gives the same split."
TAKEN: Final = "There already is a corpus with this name, so this one will be called “{name}”."
ADDED: Final = "Added. What next?"
ANNOTATE: Final = "Annotate it"
TRAIN: Final = "Train {system} on it"
SEE: Final = "See how {system} decides it"
BROWSE: Final = "Look through its documents"
ANOTHER: Final = "Add another"

KIND: Final = "Kind"
RESOURCE: Final = "Files of this kind"
RESOURCE_NAME: Final = "Name"
RESOURCE_ADDED: Final = "Saved. Training forms offer it wherever it fits the data."
NO_RESOURCES: Final = "Nothing of this kind has been uploaded yet."
REMOVE_RESOURCE: Final = "Remove"

AS_IT_STANDS: Final = "current gold"
LOSSES: Final = "{format} cannot represent everything:"
NO_LOSS: Final = "Nothing is lost in this format."
NOT_WRITTEN: Final = "This corpus cannot be written in this format."

REMOVE: Final = "Remove this corpus from the workspace"
REMOVED: Final = "“{corpus}” and its {documents} will be deleted."
ONLY_DONE: Final = "Only documents that are done"
