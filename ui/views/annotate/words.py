"""What the Annotate page says: its sentence, the names of its tabs, captions, help and messages."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = (
    "Mark text and press Enter; click a mention to change it; ? shows every key. Each edit is saved at once."
)
QUEUE: Final = "Queue"
BULK: Final = "Bulk"
HISTORY: Final = "History"
PEOPLE: Final = "People"
VERSIONS: Final = "Versions and scores"
LABELS: Final = "Labels"
PROGRESS: Final = "My progress"
PARTS: Final = (QUEUE, BULK, HISTORY, PEOPLE, VERSIONS, LABELS)
BLIND_PARTS: Final = (QUEUE, HISTORY, LABELS, PROGRESS)
"""What a blind annotator sees besides the text."""
EDITS, COMMENTS = "edits of this document", "comments in the corpus"
AGREEMENT_PART, PROJECT_PART = "agreement and gold", "members and progress"

CLOSED: Final = "suggestions and scores of the run are shown when you ask for them; annotating needs neither."
NO_DOCUMENT: Final = "There is no document to annotate."

# Who works on what
LAYERS: Final = {"shared": "shared gold", "own": "my own layer, blind", "seeing": "my own layer, others visible"}
LAYER_HELP: Final = (
    "Your own layer starts empty (in a bag: with its pair). Blind, you see nobody else's annotation; otherwise the"
    " decisions of others stand in the text as suggestions."
)
LEAST_HELP: Final = "Suggestions of the run in the sidebar that the model is less sure of are hidden."
WHO_HELP: Final = (
    "Whose edits these are: choose, or write your name and press Enter. A login decides, where one is set up."
)

# The queue
UNAIDED: Final = "Without a run that fits this corpus, documents come in their own order or by diversity."
NO_SECOND_RUN: Final = "Disagreement needs a second run of the same system; train one first."
NOT_DONE: Final = "{left} of {documents} are not done."
NEXT_KEY: Final = " q in the editor marks a document as done and opens the next."
NONE_LEFT: Final = " Nothing is left in this queue."

# Bulk
BY_RUN, BY_RULE = "suggestions of the run", "mark by rule"
WORDS, DICTIONARY, PATTERN = "the same words", "names of a dictionary", "a regular expression"
RULES: Final = (WORDS, DICTIONARY, PATTERN)
RULE_HELP: Final = {
    WORDS: "Words as they stand in the text; in the editor, a on a mention fills this in with what it is.",
    DICTIONARY: "A name on every line, then its type and its entity, with tabs or commas between. Whole words, the"
    " longest name first.",
    PATTERN: "What it matches is marked, or its group (?P<mention>…). One that takes longer than 20 s is stopped.",
}
LOOKING: Final = "Looking through the corpus"
SPARE_DONE: Final = "Leave documents alone that are done"
WOULD_MARK: Final = (
    "{places} in {documents}; {left} left alone, where a mention stands or was refused. Marking is one action: Ctrl+Z"
    " in the editor takes all of it back."
)
MARKED: Final = "Marked: {places}."
NOT_MARKED: Final = "Nothing was marked."
NO_BULK: Final = "Bulk answers need a run that fits this corpus."
FOUND: Final = "{suggestions} in {documents}. The answer is one action: Ctrl+Z in the editor takes all of it back."

# People
TOO_FEW: Final = (
    "Agreement appears when two annotators have worked on their own layers ({names}). Choose “my own layer” above."
)
NOBODY: Final = "nobody has yet"
CHOOSE_TWO: Final = "Choose two or more: agreement is between people."
NOTHING_SHARED: Final = "No document has been annotated by all of them yet ({names})."
PEOPLE_HELP: Final = "Compared on the documents that all of them have worked on. At first: the two with most in common."
AGREEMENT: Final = "Agreement of {names}, mean over pairs: 1 is full; for kappa and alpha 0 is chance."
LEFT: Final = "{agreed} not in gold yet, {questions}, in {documents}; {here} in this one."
COMPLETE: Final = "Gold is complete: everything agreed is in it, and every question is answered."
THRESHOLDS: Final = {
    "all": "all agree on",
    "majority": "most agree on",
    "weight": "most agree on, by weight",
}
THRESHOLD_HELP: Final = (
    "One action, for all documents: Ctrl+Z in the editor takes it back. By weight, a voice counts as much as its owner"
    " agrees with the others (mean F1). Gold says of each annotation who agreed."
)
TAKEN: Final = "Taken over in {documents}."
KEY_TAKE: Final = "Key: Shift+A, while the text is not in focus"
KEY_NEXT: Final = "Key: n, while the text is not in focus"
REASON: Final = "why, for the history (may be left empty)"
KINDS: Final = {"mention": "Mention", "chain": "Chain", "relation": "Relation", "label": "Label"}

CURATORS_ONLY: Final = "Curators and leads of the project adjudicate."

# Comments
NO_COMMENTS: Final = "Nobody has written a comment that fits. In the editor, t writes one."
NO_EDITS: Final = "Nobody has edited this document yet."

# Labels
LEAD_ONLY: Final = "Only the lead of the project changes the label set."
LOCKED: Final = "The set is locked: nothing else can be given."
OPEN_SET: Final = "The set is open: labels that people write stand behind it, and no key or colour moves."
NOT_DEFINED: Final = "Nobody has defined the set; this is what the corpus came with and what people have given since."
LABEL_TABLES: Final = {
    "types": "Types of mentions",
    "relations": "Relations, with the types they may hold between",
    "labels": "Labels of the document",
}
LOCK_HELP: Final = "Refuse every label that is not in the set."
GUIDELINE_HELP: Final = "Shown beside the types in the editor (key h). Headings, lists, bold, italics, code."
KEYS_HELP: Final = "1 to 9, or f and a digit or letter; left empty, the next that is free"
COLOUR_NAMES: Final = (
    "blue",
    "orange",
    "green",
    "rose",
    "amber",
    "sky",
    "wine",
    "forest",
    "indigo",
    "olive",
    "purple",
    "brown",
)
DEPRECATED_HELP: Final = "No longer given; what has it keeps it"
SIDES_HELP: Final = "Types with commas between; empty: any"
EVERYWHERE: Final = "Rename or merge: in the set, in gold and in everybody's layer, as one action"
TYPES_EXAMPLE: Final = "PER, LOC, ORG"
RELATION_EXAMPLE: Final = "lives_in"
LISTED_HELP: Final = "One name, or several with commas between; Enter adds them."
IMPORT_LABELS: Final = "Take over labels"
LABEL_FILES: Final = "Our JSON, brat's annotation.conf, a Label Studio config, or layers of INCEpTION as JSON"
LABELS_SAVED: Final = "The label set is saved."
LABELS_UNDONE: Final = "The last change is taken back, in every document it reached."
NOTHING_TO_UNDO: Final = "There is nothing of yours to take back."
LABELS_REFUSED: Final = "The label set was not changed."
RENAMED: Final = "Renamed in {documents}."

# The project
OPEN_PROJECT: Final = "An open corpus: everybody may do everything. Name members to make it a project."
BLIND: Final = "annotated blind"
NOT_BLIND: Final = "not blind"
LEAD_SETS_UP: Final = "The lead of the project names members and assigns documents."
NOTHING_ASSIGNED: Final = "No document is assigned yet."
MINUTES_HELP: Final = "Read off the log: pauses of up to five minutes between one's edits count."
SO_FAR_HELP: Final = "Mean F1 of the decisions with everybody else's, on documents that both have done."
MEMBERS: Final = "Members and their roles"
ADD_MEMBERS: Final = "One name, or several with commas between; Enter adds them. A member gets the new role."
MEMBERS_ADDED: Final = "Added: {names}."
NAMES_HELP: Final = "The address people log in with, where a login is set up; else the name they choose"
BLIND_HELP: Final = (
    "Annotators work on their own layer and see nothing else of this corpus: no gold, nobody's work, no model, no other"
    " page. The server keeps to it."
)
NOT_SET_UP: Final = "The project was not changed."
SET_UP: Final = "The project is saved."
ASSIGN: Final = "Who annotates what"
ASSIGNED: Final = "Assigned: {documents}."
BLIND_HERE: Final = "This corpus is annotated blind: the lead has closed everything but your own layer."
MINE: Final = "Only mine"

# Versions
FROZEN: Final = (
    "A frozen version never changes: its scores stay comparable and its exports are the same bytes each time."
)
ONLY_DONE_HELP: Final = (
    "Learn only from documents that are marked as done in the shared gold (key d), wherever some are. Without it, texts"
    " that came without annotation and that nobody has touched are left out all the same."
)
IMPORTED: Final = "as imported"
NOW: Final = "now"
DIFFERENCES: Final = "Differences between two versions"
SAME_VERSION: Final = "Choose a later version to compare with."
NO_VERSIONS: Final = "No version is frozen yet."
NOT_FROZEN: Final = "This version was not made."
NO_SCORES: Final = "Scores need a run that fits this corpus; choose or train one."
RETRAIN_HELP: Final = "Gold is taken as it stands now, with every correction."
NOT_LEARNT_FROM: Final = (
    "The corpus on screen is not among them: its corrections change the score, but nothing is learnt from them."
)
EFFORT: Final = "Score against documents done"
EFFORT_HELP: Final = (
    "Runs of this system that learnt from this corpus, with the documents that were done when they learnt and what"
    " people had spent on them; the score is the run's own on its dev corpus."
)
NO_EFFORT: Final = (
    "The curve appears when two runs have learnt from this corpus and were scored on the same dev corpus: retrain as"
    " documents get done."
)
NOT_FINISHED: Final = "The new run did not finish."
BEFORE_AND_AFTER: Final = "All scores before (A) and after (B)"
