"""The findings of the security review: takes the mend of each out again, in a copy of the code, and shows that the test
that guards it fails.

python -m tests.trials.findings [NUMBER ...]

The findings whose tests need a browser or a PostgreSQL server are named with these tests in docs/lab/reliability.md.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.mutants import Mutant, copied, plant


def _mend(number: int, name: str, file: str, before: str, after: str, *tests: str) -> tuple[int, Mutant]:
    return number, Mutant(name, file, before, after, " ".join(tests))


FINDINGS: Final[tuple[tuple[int, Mutant], ...]] = (
    _mend(
        1,
        "a path of the server can be chosen for a training",
        "ui/background/files.py",
        "if id not in there:",
        "if id not in there and not Path(id).exists():",
        "tests/ui/test_files.py::test_a_path_is_not_a_name",
    ),
    _mend(
        1,
        "a model can name a path of the server",
        "ui/background/files.py",
        "return any(Path(path).resolve().is_relative_to(place.resolve()) for place in places)",
        "return True",
        "tests/ui/test_files.py::test_a_model_file_cannot_make_the_server_open_a_path",
    ),
    _mend(
        2,
        "the arrays of trees reach compiled code unchecked",
        "engine/tasks/schemas.py",
        "        fine = (child > nodes) & (child < np.repeat(lengths, lengths))\n",
        "        fine = child > nodes\n",
        "tests/tasks/test_schemas.py::test_a_damaged_forest_is_refused",
    ),
    _mend(
        2,
        "a model that breaks the process becomes a run",
        "ui/background/trial.py",
        'raise InputError("the model broke the process that tried it", file=path) from None',
        "return {}",
        "tests/ui/test_jobs.py::test_a_model_that_breaks_the_process_that_tries_it_becomes_no_run",
    ),
    _mend(
        3,
        "the database password is shown",
        "engine/store/database.py",
        "return parsed.set(query={}).render_as_string(hide_password=True)",
        "return parsed.render_as_string(hide_password=False)",
        "tests/store/test_hostile.py::test_the_password_is_in_no_message",
    ),
    _mend(
        3,
        "a driver that quotes the password is quoted",
        "engine/store/database.py",
        'text = text.replace(secret, "***").replace(quote(secret, safe=""), "***")',
        "pass",
        "tests/store/test_hostile.py::test_a_driver_that_quotes_the_password_is_not_quoted",
    ),
    _mend(
        4,
        "what would come back as another document is added",
        "engine/store/corpora.py",
        "    if _read(document.id, record, what) != document:\n",
        "    if False:\n",
        "tests/store/test_hostile.py::test_what_would_come_back_as_another_document_is_not_added",
    ),
    _mend(
        5,
        "a model is unpacked whatever its size",
        "engine/store/modelfile.py",
        "if total > most_bytes:",
        "if False:",
        "tests/store/test_modelfile.py::test_a_model_that_is_larger_unpacked_than_allowed_is_not_unpacked",
    ),
    _mend(
        5,
        "a text of any length is made up",
        "engine/corpora/io/texts.py",
        "if last.mention.end > min(LONGEST_MADE_UP, most):",
        "if last.mention.end > 10**20:",
        "tests/corpora/test_limits.py::test_many_long_texts_that_are_made_up_are_refused",
    ),
    _mend(
        5,
        "an upload is unpacked whatever its size",
        "engine/corpora/io/archives.py",
        "            left -= _more_when_read(path, left, source)\n",
        "",
        "tests/ui/test_upload.py::test_what_is_too_large_unpacked_is_refused_while_unpacking",
    ),
    _mend(
        5,
        "uploads are taken before the login",
        "ui/server/guard.py",
        'BEHIND_LOGIN: Final = ("/_stcore/upload_file", "/media/"',
        'BEHIND_LOGIN: Final = ("/media/"',
        "tests/ui/test_guard.py::test_files_are_behind_the_login",
    ),
    _mend(
        6,
        "a flipped bit is an exception",
        "engine/store/modelfile.py",
        "    zlib.error,\n",
        "",
        "tests/store/test_modelfile.py::test_a_flipped_bit_is_an_input_error_wherever_it_is",
    ),
    _mend(
        6,
        "an encrypted member is an exception",
        "engine/store/modelfile.py",
        "    RuntimeError,\n    NotImplementedError,\n",
        "",
        "tests/store/test_modelfile.py::test_an_encrypted_or_oddly_compressed_member_is_refused",
    ),
    _mend(
        7,
        "a field that a writer has a word for breaks it",
        "engine/corpora/formats/uimacas.py",
        "item = self._annotation(kind, mention.start, mention.end, _features(mention.extra))",
        "item = self._annotation(kind, mention.start, mention.end, dict(kind=kind, **_features(mention.extra)))",
        "tests/corpora/test_limits.py::test_a_tac_table_can_be_written_as_uima_cas",
    ),
    _mend(
        8,
        "a file may be called ..",
        "engine/corpora/io/archives.py",
        'if last not in ("", ".", "..") else "upload"',
        'if last not in ("",) else "upload"',
        "tests/ui/test_upload.py::test_a_zip_with_odd_names_is_read_or_refused",
    ),
    _mend(
        9,
        "an address that was not verified is let in",
        "ui/shell/login.py",
        'if str(user.get("email_verified", True)).lower() == "false":',
        "if False:",
        "tests/ui/test_login.py::test_an_address_that_was_not_verified_does_not_enter",
    ),
    _mend(
        9,
        "a tab that was left open goes on saving",
        "ui/shell/login.py",
        'if "auth" in known and (refusal(_user(), known) is not None or _is_over()):',
        "if False:",
        "tests/ui/test_login.py::test_a_tab_that_was_left_open_asks_again_and_saves_nothing",
    ),
    _mend(
        9,
        "whoever is not on the list cannot log out",
        "ui/shell/login.py",
        '_door(reason, "Log out", "login.out", _leave)',
        "st.text(reason)\n        st.stop()",
        "tests/ui/test_login.py::test_a_list_of_people_keeps_others_out",
    ),
    _mend(
        10,
        "a first start that was killed stays as it was",
        "ui/background/first.py",
        "        jobs.settle(workspace)\n        loaded = _load(workspace, progress)\n",
        "        loaded = _load(workspace, progress)\n        if workspace.runs():\n            return\n",
        "tests/ui/test_first.py::test_a_first_start_that_was_killed_goes_on_where_it_was",
    ),
    _mend(
        11,
        "what fails outside a page's frame is a raw exception",
        "ui/server/serve.py",
        ", on_script_error=_say",
        "",
        "tests/ui/test_full_disk.py",
    ),
    _mend(
        12,
        "a run is called dead while it is being started",
        "ui/background/jobs.py",
        "            fcntl.flock(file, fcntl.LOCK_EX)\n            _depth.held = True\n",
        "            _depth.held = True\n",
        "tests/ui/test_jobs.py::test_another_server_does_not_call_a_run_dead_that_is_being_started",
    ),
    _mend(
        13,
        "entities are expanded",
        "engine/corpora/formats/nif.py",
        'if syntax == "xml" and ("<!DOCTYPE" in text or "<!ENTITY" in text):',
        "if False:",
        "tests/corpora/test_limits.py::test_document_types_are_refused[file]",
    ),
    _mend(
        14,
        "a missing driver is a ModuleNotFoundError",
        "engine/store/database.py",
        "except ModuleNotFoundError as error:",
        "except ZeroDivisionError as error:",
        "tests/store/test_hostile.py::test_a_missing_driver_is_said_with_what_to_install",
    ),
    _mend(
        14,
        "a NUL reaches the database",
        "engine/store/tables.py",
        'if "\\x00" in text:',
        "if False:",
        "tests/store/test_hostile.py::test_texts_that_a_database_cannot_keep_are_refused_by_name",
    ),
    _mend(
        15,
        "a bias in the address may be infinite",
        "ui/tab/session.py",
        "return value if value is not None and math.isfinite(value) else None",
        "return value",
        "tests/ui/test_shell.py::test_a_number_in_the_address_that_is_not_finite_counts_as_absent",
    ),
    _mend(
        15,
        "a NUL in a lexicon reaches the training",
        "engine/lexicon/build.py",
        'if "\\x00" in line or "\\\\u0000" in line:',
        "if False:",
        "tests/lexicon/test_lexicon.py::test_a_nul_in_a_name_is_refused_with_its_line",
    ),
    _mend(
        15,
        "an emptied database is taken for a new one",
        "engine/store/workspace.py",
        "if file.is_file() and file.stat().st_size == 0 and any(",
        "if False and any(",
        "tests/store/test_hostile.py::test_a_database_of_no_bytes_beside_models_is_not_taken_for_a_new_one",
    ),
    _mend(
        15,
        "a record that is not JSON is an exception",
        "engine/store/tables.py",
        "except (ValueError, TypeError, RecursionError) as error:",
        "except ZeroDivisionError as error:",
        "tests/store/test_hostile.py::test_one_bad_record_stops_its_corpus_and_no_other",
    ),
    _mend(
        15,
        "cells of exported tables are formulas",
        "engine/workbench/reporting/tables.py",
        'return f"\'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell',
        "return cell",
        "tests/workbench/test_tables.py::test_csv_cells_are_no_formulas_and_numbers_stay_numbers",
    ),
    _mend(
        15,
        "cells of Markdown tables are images",
        "engine/workbench/reporting/tables.py",
        'return _MARKDOWN.sub(r"\\\\\\1", text.replace("\\n", " ")).replace("<", "&lt;")',
        "return text",
        "tests/workbench/test_tables.py::test_markdown_cells_hold_no_image_link_or_code",
    ),
)
"""(number of the finding, its mend taken out)"""


def main(arguments: Sequence[str]) -> int:
    chosen = [one for one in FINDINGS if not arguments or str(one[0]) in arguments]
    missed = 0
    with tempfile.TemporaryDirectory() as scratch:
        copy = copied(Path(scratch) / "copy")
        for number, mutant in chosen:
            verdict = plant(mutant, copy)
            missed += verdict != "caught"
            print(f"{number:>2} {verdict:<10} {mutant.name}: {mutant.tests}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} mends are guarded")
    return 1 if missed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
