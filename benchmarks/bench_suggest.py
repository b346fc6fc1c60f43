"""What an edit costs the server in a document of 10 000 tokens with a linker in the loop, in CPU time.

CPU time, so that other work on the machine does not count: writing the edit down and making what the editor draws,
the first suggestions, and the suggestions after each further correction, for which the scores are kept.

python -m benchmarks.bench_suggest [--quick]
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.places import ROOT, parser
from engine import corpora
from engine.data.document import Document
from engine.data.edits import AddMention, to_json
from engine.data.plain_text import tokenised
from engine.store.workspace import Workspace
from engine.tasks.base import AnyModel, AnyTask, Resources
from engine.tasks.registry import get
from engine.workbench.experiments.choosing import trained
from engine.workbench.suggestions import reject
from ui.views.annotate.data import payload
from ui.views.annotate.desk import Desk, perform
from ui.views.annotate.vocabulary import Vocabulary

LEARNT = 60
"""Documents of the sample that the linker learns from."""


def linker_and_text(characters: int) -> tuple[AnyTask, AnyModel, Document]:
    """A linker of the sample, and a text that is made of the sample's."""
    task, sample = get("linking"), ROOT / "sample_data" / "linking"
    texts = corpora.read(sample / "train.jsonl")
    info = task.learner("perceptron", "quick")
    files = Resources(lexicon=(sample / "lexicon",))
    model, _ = trained(task, (texts[:LEARNT], []), info.name, info.settings, files)
    words = " ".join(one.text for one in texts)
    return task, model, tokenised(Document("long", (words * (characters // len(words) + 1))[:characters]))


def main() -> None:
    characters, repeats = (2_000, 2) if parser(__doc__).parse_args().quick else (52_000, 8)
    task, model, document = linker_and_text(characters)
    with tempfile.TemporaryDirectory() as folder:
        space = Workspace.open(Path(folder))
        log = space.annotations(space.add_corpus("Long", [document]))
        desk = Desk(log, document, "anna", task=task, model=model)
        vocabulary = Vocabulary.of([document])
        written, decided = [], []
        for i in range(repeats):
            rows, state = desk.rows(), desk.state()
            begun = time.process_time()
            offered, _ = desk.suggestions(rows, state)
            decided.append(1000 * (time.process_time() - begun))
            log.append(document, reject(offered[i]), user="anna")
            begun = time.process_time()
            edit = to_json(AddMention(f"m{i}", *document.tokens[5 * i], type="PER"))
            perform(desk, {"action": "edit", "edit": edit, "client": "bench", "seq": i + 1})
            payload(desk, vocabulary, offer=lambda *asked, known=offered: (known, ""))
            written.append(1000 * (time.process_time() - begun))
        space.close()
    print(f"{len(document.tokens):,} tokens, {len(offered):,} suggestions, CPU in ms")
    print(f"written down and drawn   median {statistics.median(written):.0f}, worst {max(written):.0f}")
    print(f"suggestions              first {decided[0]:.0f}, then median {statistics.median(decided[1:]):.0f}")


if __name__ == "__main__":
    main()
