"""Annotation projects: the members of a corpus and their roles, who annotates which document, and whether blindly.

A project without named members is open: everybody may do everything, as on a personal computer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

import sqlalchemy as sa

from engine.data.document import GOLD
from engine.data.errors import InputError
from engine.store import database
from engine.store.annotations import LABELS
from engine.store.gold import Gold
from engine.store.tables import storable

Role: TypeAlias = Literal["lead", "curator", "annotator"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
LONGEST: Final = 120
"""Maximum number of characters of a name."""


@dataclass(frozen=True)
class Project:
    """How a corpus is annotated."""

    members: Mapping[str, Role] = field(default_factory=dict)
    assigned: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Document -> its annotators."""
    blind: bool = False
    """Whether annotators see no other annotators' work, no gold and no model."""
    deadline: str = ""
    """A date such as 2026-11-30; empty if there is none."""

    def leads(self, user: str) -> bool:
        """Whether the user may change labels, members and assignments. Without a lead, everybody may."""
        return "lead" not in self.members.values() or self.members.get(user) == "lead"

    def curates(self, user: str) -> bool:
        """Whether the user may adjudicate: curators and leads, and everybody if there are no named members."""
        return not self.members or self.members.get(user) in ("lead", "curator")

    def is_blind_to(self, user: str) -> bool:
        """Whether the user may see only the text: everybody except leads and curators, including non-members."""
        return self.blind and bool(self.members) and not self.curates(user)

    def documents_of(self, user: str) -> set[str]:
        return {document for document, names in self.assigned.items() if user in names}

    @property
    def annotators(self) -> list[str]:
        return [name for name, role in self.members.items() if role == "annotator"]


class Projects(Gold):
    """The projects of a workspace, by corpus."""

    def project(self, corpus: str) -> Project:
        """The corpus's project; an open one if none was set up."""
        found, who, of = database.projects, database.members, database.assignments
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(found).where(found.c.corpus == corpus)).first()
            people = connection.execute(sa.select(who).where(who.c.corpus == corpus).order_by(who.c.name)).all()
            given = connection.execute(
                sa.select(of).where(of.c.corpus == corpus).order_by(of.c.document, of.c.member)
            ).all()
        assigned: dict[str, tuple[str, ...]] = {}
        for one in given:
            assigned[one.document] = (*assigned.get(one.document, ()), one.member)
        return Project(
            {one.name: _role(one.role) for one in people},
            assigned,
            bool(row.blind) if row else False,
            row.deadline if row else "",
        )

    def set_up_project(
        self, corpus: str, *, members: Mapping[str, str], blind: bool = False, deadline: str = ""
    ) -> None:
        """Set the members and options; assignments of former members are dropped."""
        roles = {_name(name): _role(role) for name, role in members.items()}
        if roles and "lead" not in roles.values():
            raise InputError("a project needs a lead: somebody has to be able to change it")
        if deadline and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", deadline):
            raise InputError(f"{deadline[:40]!r} is not a date; write it as 2026-11-30")
        with database.transaction(self._engine) as connection:
            for table in (database.projects, database.members):
                connection.execute(table.delete().where(table.c.corpus == corpus))
            values = {"corpus": corpus, "blind": blind, "deadline": deadline}
            connection.execute(database.projects.insert().values(values))
            if roles:
                rows = [{"corpus": corpus, "name": name, "role": role} for name, role in roles.items()]
                connection.execute(database.members.insert(), rows)
            given = database.assignments
            connection.execute(given.delete().where(given.c.corpus == corpus, given.c.member.not_in(list(roles))))

    def assign(self, corpus: str, assigned: Mapping[str, Sequence[str]]) -> None:
        """Set the annotators of these documents; other assignments stay."""
        known, members = set(self.document_ids(corpus)), self.project(corpus).members
        for document, names in assigned.items():
            if document not in known:
                raise InputError(f"the corpus has no document {document!r}")
            strangers = sorted(set(names) - set(members))
            if strangers:
                raise InputError(f"{strangers[0]!r} is not a member of the project")
        given = database.assignments
        with database.transaction(self._engine) as connection:
            for document, names in assigned.items():
                connection.execute(given.delete().where(given.c.corpus == corpus, given.c.document == document))
                rows = [{"corpus": corpus, "document": document, "member": name} for name in dict.fromkeys(names)]
                if rows:
                    connection.execute(given.insert(), rows)


def _role(role: str) -> Role:
    for known in ROLES:
        if known == role:
            return known
    raise InputError(f"there is no role {role!r}; choose {', '.join(ROLES)}")


def _name(name: str) -> str:
    storable(name, "the name of a member")
    if not name.strip() or len(name) > LONGEST or name in (GOLD, LABELS):
        raise InputError(f"{name[:40]!r} cannot be the name of a member")
    return name.strip()
