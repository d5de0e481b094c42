"""A lending library: members, books, loans, fines, reservations and a small text interface."""
from __future__ import annotations

import csv
import datetime as dt
import enum
import json
import logging
import re
import uuid
from abc import ABC, abstractmethod
from collections import defaultdict, deque
from dataclasses import dataclass, field
from pathlib import Path

log = logging.getLogger("library")

LOAN_DAYS = {"standard": 21, "student": 28, "staff": 90}
MAX_LOANS = {"standard": 5, "student": 10, "staff": 20}
FINE_PER_DAY = 0.25
MAX_FINE = 10.0


class LibraryError(Exception):
    """Something that the librarian should be told."""


class Status(enum.Enum):
    AVAILABLE = "available"
    LENT = "lent"
    RESERVED = "reserved"
    LOST = "lost"


def new_id(prefix: str) -> str:
    return f"{prefix}-{uuid.uuid4().hex[:8]}"


def parse_isbn(text: str) -> str:
    digits = re.sub(r"[^0-9X]", "", text.upper())
    if len(digits) == 10 and isbn10_sum(digits) % 11 == 0:
        return digits
    if len(digits) == 13 and isbn13_sum(digits) % 10 == 0:
        return digits
    raise LibraryError(f"not an ISBN: {text}")


def isbn10_sum(digits: str) -> int:
    return sum((10 - i) * (10 if d == "X" else int(d)) for i, d in enumerate(digits))


def isbn13_sum(digits: str) -> int:
    return sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(digits))


@dataclass
class Book:
    isbn: str
    title: str
    author: str
    year: int
    status: Status = Status.AVAILABLE
    id: str = field(default_factory=lambda: new_id("book"))

    def describe(self) -> str:
        return f"{self.author}: {self.title} ({self.year}) [{self.status.value}]"

    def to_row(self) -> dict:
        return {"id": self.id, "isbn": self.isbn, "title": self.title, "author": self.author, "year": self.year,
                "status": self.status.value}

    @classmethod
    def from_row(cls, row: dict) -> Book:
        return cls(parse_isbn(row["isbn"]), row["title"], row["author"], int(row["year"]),
                   Status(row.get("status", "available")), row.get("id") or new_id("book"))


@dataclass
class Member:
    name: str
    email: str
    kind: str = "standard"
    fines: float = 0.0
    id: str = field(default_factory=lambda: new_id("member"))

    @property
    def loan_days(self) -> int:
        return LOAN_DAYS[self.kind]

    @property
    def max_loans(self) -> int:
        return MAX_LOANS[self.kind]

    def add_fine(self, amount: float) -> None:
        self.fines = min(self.fines + amount, MAX_FINE)

    def pay(self, amount: float) -> float:
        paid = min(amount, self.fines)
        self.fines -= paid
        return amount - paid


@dataclass
class Loan:
    book: Book
    member: Member
    start: dt.date
    due: dt.date
    returned: dt.date | None = None
    renewals: int = 0

    def days_late(self, today: dt.date) -> int:
        return max((today - self.due).days, 0)

    def fine(self, today: dt.date) -> float:
        return round(self.days_late(today) * FINE_PER_DAY, 2)

    def renew(self, today: dt.date) -> None:
        if self.renewals >= 2:
            raise LibraryError("renewed twice already")
        if self.days_late(today):
            raise LibraryError("overdue loans cannot be renewed")
        self.due += dt.timedelta(days=self.member.loan_days)
        self.renewals += 1


class Notifier(ABC):
    @abstractmethod
    def send(self, member: Member, subject: str, body: str) -> None: ...

    def due_soon(self, loan: Loan) -> None:
        self.send(loan.member, "Due soon", f"{loan.book.title} is due on {loan.due}")

    def overdue(self, loan: Loan, today: dt.date) -> None:
        self.send(loan.member, "Overdue", f"{loan.book.title}: {loan.fine(today):.2f} so far")

    def available(self, member: Member, book: Book) -> None:
        self.send(member, "Your reservation", f"{book.title} is waiting for you")


class LogNotifier(Notifier):
    def send(self, member, subject, body):
        log.info("to %s: %s: %s", member.email, subject, body)


class FileNotifier(Notifier):
    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def send(self, member, subject, body):
        path = self.folder / f"{member.id}.txt"
        with path.open("a", encoding="utf-8") as handle:
            handle.write(f"{dt.datetime.now():%F %T} {subject}: {body}\n")


class Catalogue:
    def __init__(self):
        self.books: dict[str, Book] = {}
        self.by_isbn: dict[str, list[Book]] = defaultdict(list)

    def add(self, book: Book) -> Book:
        self.books[book.id] = book
        self.by_isbn[book.isbn].append(book)
        return book

    def get(self, book_id: str) -> Book:
        if book_id not in self.books:
            raise LibraryError(f"no book {book_id}")
        return self.books[book_id]

    def search(self, query: str) -> list[Book]:
        words = query.lower().split()
        return [book for book in self.books.values() if self._matches(book, words)]

    @staticmethod
    def _matches(book: Book, words: list[str]) -> bool:
        text = f"{book.title} {book.author} {book.isbn}".lower()
        return all(word in text for word in words)

    def load(self, path: Path) -> int:
        with path.open(newline="", encoding="utf-8") as handle:
            rows = list(csv.DictReader(handle))
        for row in rows:
            try:
                self.add(Book.from_row(row))
            except (LibraryError, KeyError, ValueError) as error:
                log.warning("skipped %s: %s", row, error)
        return len(self.books)

    def save(self, path: Path) -> None:
        rows = [book.to_row() for book in self.books.values()]
        with path.open("w", newline="", encoding="utf-8") as handle:
            writer = csv.DictWriter(handle, fieldnames=list(rows[0]) if rows else [])
            writer.writeheader()
            writer.writerows(rows)


class Library:
    def __init__(self, notifier: Notifier, today=dt.date.today):
        self.catalogue = Catalogue()
        self.members: dict[str, Member] = {}
        self.loans: list[Loan] = []
        self.queue: dict[str, deque[Member]] = defaultdict(deque)
        self.notifier = notifier
        self.today = today

    def join(self, name: str, email: str, kind: str = "standard") -> Member:
        if kind not in LOAN_DAYS:
            raise LibraryError(f"unknown kind of member: {kind}")
        if "@" not in email:
            raise LibraryError(f"not an address: {email}")
        member = Member(name, email, kind)
        self.members[member.id] = member
        return member

    def active(self, member: Member) -> list[Loan]:
        return [loan for loan in self.loans if loan.member is member and loan.returned is None]

    def lend(self, book_id: str, member: Member) -> Loan:
        book = self.catalogue.get(book_id)
        self._check_may_borrow(member)
        if book.status is Status.RESERVED and self.queue[book.id] and self.queue[book.id][0] is not member:
            raise LibraryError("reserved for somebody else")
        if book.status in (Status.LENT, Status.LOST):
            raise LibraryError(f"{book.title} is {book.status.value}")
        if self.queue[book.id] and self.queue[book.id][0] is member:
            self.queue[book.id].popleft()
        start = self.today()
        loan = Loan(book, member, start, start + dt.timedelta(days=member.loan_days))
        book.status = Status.LENT
        self.loans.append(loan)
        return loan

    def _check_may_borrow(self, member: Member) -> None:
        if member.fines > 5:
            raise LibraryError(f"{member.name} owes {member.fines:.2f}")
        if len(self.active(member)) >= member.max_loans:
            raise LibraryError(f"{member.name} has {member.max_loans} loans")

    def give_back(self, book_id: str) -> float:
        loan = next((one for one in self.loans if one.book.id == book_id and one.returned is None), None)
        if loan is None:
            raise LibraryError("that book was not lent")
        loan.returned = self.today()
        fine = loan.fine(loan.returned)
        loan.member.add_fine(fine)
        self._release(loan.book)
        return fine

    def _release(self, book: Book) -> None:
        if self.queue[book.id]:
            book.status = Status.RESERVED
            self.notifier.available(self.queue[book.id][0], book)
        else:
            book.status = Status.AVAILABLE

    def reserve(self, book_id: str, member: Member) -> int:
        book = self.catalogue.get(book_id)
        if member in self.queue[book.id]:
            raise LibraryError("reserved already")
        self.queue[book.id].append(member)
        return len(self.queue[book.id])

    def remind(self) -> int:
        today, sent = self.today(), 0
        for loan in self.loans:
            if loan.returned is not None:
                continue
            if loan.days_late(today):
                self.notifier.overdue(loan, today)
                sent += 1
            elif (loan.due - today).days <= 2:
                self.notifier.due_soon(loan)
                sent += 1
        return sent

    def report(self) -> str:
        counts = defaultdict(int)
        for book in self.catalogue.books.values():
            counts[book.status.value] += 1
        owed = sum(member.fines for member in self.members.values())
        return json.dumps({"books": dict(counts), "members": len(self.members), "owed": round(owed, 2)}, indent=2)


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    library = Library(LogNotifier())
    library.catalogue.load(Path("books.csv"))
    ada = library.join("Ada", "ada@example.com", "staff")
    bob = library.join("Bob", "bob@example.com")
    for book in library.catalogue.search("python")[:3]:
        try:
            loan = library.lend(book.id, ada)
            print(loan.book.describe(), loan.due)
            library.reserve(book.id, bob)
        except LibraryError as error:
            print(error)
    library.remind()
    print(library.report())
    library.catalogue.save(Path("books.csv"))


if __name__ == "__main__":
    main()
