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
    "Your own layer starts empty (in a bag: with its pair). In blind mode you see nobody else's annotation; otherwise"
    " the decisions of others are shown in the text as suggestions."
)
LEAST_HELP: Final = "Suggestions of the run in the sidebar are hidden if the model is less sure of them than this."
WHO_HELP: Final = (
    "The name under which your edits are saved: choose one, or type your name and press Enter. If a login is set up,"
    " it determines the name."
)

# The queue
UNAIDED: Final = "Without a run that fits this corpus, documents are listed in their own order or by diversity."
NO_SECOND_RUN: Final = "Disagreement needs a second run of the same system; train one first."
NOT_DONE: Final = "{left} of {documents} are still to be done."
NEXT_KEY: Final = " Press q in the editor to mark a document as done and open the next."
NONE_LEFT: Final = " Nothing is left in this queue."

# Bulk
BY_RUN, BY_RULE = "suggestions of the run", "mark by rule"
WORDS, DICTIONARY, PATTERN = "the same words", "names of a dictionary", "a regular expression"
RULES: Final = (WORDS, DICTIONARY, PATTERN)
RULE_HELP: Final = {
    WORDS: "Words as they appear in the text; in the editor, key a on a mention fills in its words, type and entity.",
    DICTIONARY: (
        "One name per line, followed by its type and its entity, separated by tabs or commas. Matches whole words, the"
        " longest name first."
    ),
    PATTERN: "Marks each match, or its group (?P<mention>…). An expression that takes longer than 20 s is stopped.",
}
LOOKING: Final = "Searching the corpus"
SPARE_DONE: Final = "Skip documents that are done"
WOULD_MARK: Final = (
    "{places} in {documents}; {left} skipped, where there is a mention or one was rejected. Marking is one action:"
    " Ctrl+Z in the editor undoes all of it."
)
MARKED: Final = "Marked: {places}."
NOT_MARKED: Final = "Nothing was marked."
NO_BULK: Final = "Bulk answers need a run that fits this corpus."
FOUND: Final = "{suggestions} in {documents}. The answer is one action: Ctrl+Z in the editor undoes all of it."

# People
TOO_FEW: Final = (
    "Agreement is shown once two annotators have worked on their own layers ({names}). Choose “my own layer” above."
)
NOBODY: Final = "nobody has yet"
CHOOSE_TWO: Final = "Choose two or more people to compare."
NOTHING_SHARED: Final = "No document has been annotated by all of them yet ({names})."
PEOPLE_HELP: Final = (
    "Compared on the documents that all of them have worked on. By default, the two people with the most in common."
)
AGREEMENT: Final = "Agreement of {names}, mean over pairs: 1 is full agreement; for kappa and alpha, 0 is chance."
LEFT: Final = "{agreed} not in gold yet, {questions}, in {documents}; {here} in this one."
COMPLETE: Final = "Gold is complete: everything agreed is in it, and every question is answered."
THRESHOLDS: Final = {
    "all": "all agree on",
    "majority": "most agree on",
    "weight": "most agree on, by weight",
}
THRESHOLD_HELP: Final = (
    "One action for all documents; Ctrl+Z in the editor undoes it. By weight, a person's vote counts in proportion to"
    " how well that person agrees with the others (mean F1). Gold records who agreed on each annotation."
)
TAKEN: Final = "Taken over in {documents}."
KEY_TAKE: Final = "Key: Shift+A, while the text does not have the focus"
KEY_NEXT: Final = "Key: n, while the text does not have the focus"
REASON: Final = "reason, for the history (optional)"
KINDS: Final = {"mention": "Mention", "chain": "Chain", "relation": "Relation", "label": "Label"}

CURATORS_ONLY: Final = "Only curators and leads of the project can adjudicate."

# Comments
NO_COMMENTS: Final = "There are no matching comments. To write one, press t in the editor."
NO_EDITS: Final = "Nobody has edited this document yet."

# Labels
LEAD_ONLY: Final = "Only the lead of the project can change the label set."
LOCKED: Final = "The set is locked: no other labels can be used."
OPEN_SET: Final = "The set is open: labels that people add come after it, and no key or colour changes."
NOT_DEFINED: Final = (
    "Nobody has defined the set yet. These are the labels of the imported corpus and those that people have used since."
)
LABEL_TABLES: Final = {
    "types": "Types of mentions",
    "relations": "Relations, with the types they may connect",
    "labels": "Labels of the document",
}
LOCK_HELP: Final = "Refuse every label that is not in the set."
GUIDELINE_HELP: Final = "Shown beside the types in the editor (key h). Headings, lists, bold, italics, code."
KEYS_HELP: Final = "1 to 9, or f and a digit or letter; if empty, the next free key"
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
DEPRECATED_HELP: Final = "Can no longer be assigned; existing annotations keep it"
SIDES_HELP: Final = "Types, separated by commas; empty means any"
EVERYWHERE: Final = "Rename or merge: in the set, in gold and in everybody's layer, as one action"
TYPES_EXAMPLE: Final = "PER, LOC, ORG"
RELATION_EXAMPLE: Final = "lives_in"
LISTED_HELP: Final = "One name, or several separated by commas; Enter adds them."
IMPORT_LABELS: Final = "Add labels"
LABEL_FILES: Final = "Our JSON, brat's annotation.conf, a Label Studio configuration, or INCEpTION layers as JSON"
LABELS_SAVED: Final = "The label set is saved."
LABELS_UNDONE: Final = "The last change has been undone in every document it affected."
NOTHING_TO_UNDO: Final = "You have nothing to undo."
LABELS_REFUSED: Final = "The label set was not changed."
RENAMED: Final = "Renamed in {documents}."

# The project
OPEN_PROJECT: Final = "This corpus is open: everybody may do everything. Name members to make it a project."
BLIND: Final = "annotated blind"
NOT_BLIND: Final = "not blind"
LEAD_SETS_UP: Final = "The lead of the project names members and assigns documents."
NOTHING_ASSIGNED: Final = "No document is assigned yet."
MINUTES_HELP: Final = "Estimated from the log, including pauses of up to five minutes between edits of one person."
SO_FAR_HELP: Final = "Mean F1 of a person's decisions with those of everybody else, on documents that both have done."
MEMBERS: Final = "Members and their roles"
ADD_MEMBERS: Final = "One name, or several separated by commas; Enter adds them. A member gets the new role."
MEMBERS_ADDED: Final = "Added: {names}."
NAMES_HELP: Final = "The address people log in with, if a login is set up; otherwise the name they choose"
BLIND_HELP: Final = (
    "Annotators work on their own layer and see nothing else of this corpus: no gold, no work of others, no model, no"
    " other page. The server enforces this."
)
NOT_SET_UP: Final = "The project was not changed."
SET_UP: Final = "The project is saved."
ASSIGN: Final = "Who annotates what"
ASSIGNED: Final = "Assigned: {documents}."
BLIND_HERE: Final = "This corpus is annotated blind: the lead has hidden everything but your own layer."
MINE: Final = "Only mine"

# Versions
FROZEN: Final = "A frozen version never changes: its scores stay comparable, and its exports are always the same bytes."
ONLY_DONE_HELP: Final = (
    "Train only on documents that are marked as done in the shared gold (key d), if there are any. Even without this"
    " option, texts that came without annotation and that nobody has touched are left out."
)
IMPORTED: Final = "as imported"
NOW: Final = "now"
DIFFERENCES: Final = "Differences between two versions"
SAME_VERSION: Final = "Choose a later version to compare with."
NO_VERSIONS: Final = "No version is frozen yet."
NOT_FROZEN: Final = "The version was not created."
NO_SCORES: Final = (
    "Scores need a run whose answers can be compared with gold here: choose or train one, or annotate first."
)
RETRAIN_HELP: Final = "Uses the current gold, with every correction."
NOT_LEARNT_FROM: Final = (
    "The corpus on screen is not among them: its corrections change the score, but the model is not trained on them."
)
EFFORT: Final = "Score against documents done"
EFFORT_HELP: Final = (
    "Runs of this system that were trained on this corpus, with the number of documents done at that time and the"
    " time people had spent on them; the score is the run's own on its dev corpus."
)
NO_EFFORT: Final = (
    "The curve is shown once two runs have been trained on this corpus and scored on the same dev corpus: retrain as"
    " more documents are done."
)
NOT_FINISHED: Final = "The new run did not finish."
BEFORE_AND_AFTER: Final = "All scores before (A) and after (B)"
