"""Comments on requests: plain text, in chronological order."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.approval.rows import find_row, make_entry
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.rows import write_row
from interlock.errors import ApprovalError, MissingApprovalError
from interlock.ids import new_id
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.store.clock import now_in
from interlock.store.tables import comments
from interlock.store.where import Where

MAX_COMMENT = 2_000
#: How many comments a request can have.
MAX_COMMENTS = 200


class Comment(Struct, frozen=True, kw_only=True):
    """A comment. Lines are kept; every other character that does not print is shown as its code."""

    comment_id: str
    approval_id: str
    author: str
    text: str
    created_at: int


class Comments:
    """The comments of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def list(self, approval_id: str) -> list[Comment]:
        """Return the comments on a request, the oldest first."""
        query = "SELECT * FROM interlock_comments WHERE approval_id = :approval_id ORDER BY created_at, seq"
        with self._journal.database.read() as connection:
            rows = connection.rows(query, approval_id=approval_id)
        return [Comment(**{name: row[name] for name in Comment.__struct_fields__}) for row in rows]

    def count(self, approval_ids: Sequence[str]) -> dict[str, int]:
        """Return how many comments each of some requests has; those without any are left out."""
        if not approval_ids:
            return {}
        where = Where().among("approval_id", approval_ids)
        query = f"SELECT approval_id, count(*) FROM interlock_comments {where} GROUP BY approval_id"
        with self._journal.database.read() as connection:
            return dict(connection.tuples(query, **where.given))

    def add(self, approval_id: str, author: str, text: str) -> Comment:
        """Add a comment to a request, or raise."""
        written = clean_comment(text)

        def operation(transaction: Transaction) -> Comment:
            connection = transaction.connection
            row = find_row(connection, approval_id)
            if row["approval_id"] != approval_id:
                raise MissingApprovalError("there is no such request")
            count = "SELECT count(*) FROM interlock_comments WHERE approval_id = :approval_id"
            if connection.value(count, approval_id=approval_id) >= MAX_COMMENTS:
                raise ApprovalError(f"a request can have {MAX_COMMENTS} comments, and this one has")
            at = now_in(connection).wall
            comment = Comment(comment_id=new_id(), approval_id=approval_id, author=author, text=written, created_at=at)
            fields = {name: getattr(comment, name) for name in Comment.__struct_fields__}
            entry = make_entry("approval.commented", row, author, at, {"text": written}, comment.comment_id)
            write_row(transaction, comments, fields, entry, new=True)
            return comment

        return self._journal.commit(operation)


def clean_comment(text: str) -> str:
    """Return a comment as it is stored, or raise if it is empty or too long.

    >>> clean_comment(" looks fine\\r\\n\\u202e ")
    'looks fine\\n\\\\u202e'
    """
    lines = [plain(line.rstrip()) for line in text.strip().replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    written = "\n".join(lines).strip()
    if not written:
        raise ApprovalError("write a comment first")
    if len(written) > MAX_COMMENT:
        raise ApprovalError(f"the comment has {len(written):,} characters; the limit is {MAX_COMMENT:,}")
    return written
