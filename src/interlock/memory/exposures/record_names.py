"""Names of files and tables that hold people's data, a whole database, or something confidential."""

from __future__ import annotations

from interlock.patterns import late

MAX_NAME = 300
_PACKED = frozenset({"gz", "bz2", "xz", "zst", "zip"})
#: Endings of whole databases, mailboxes, recordings and dumps.
_STORES = frozenset(
    (
        "sql dump dmp bak sqlite sqlite3 db rdb mdb accdb pst ost mbox vcf pcap pcapng har tfstate core hprof qif ofx"
    ).split()
)
#: Endings of tables and documents with data in them, and of documents that people write.
_DATA = frozenset(
    (
        "csv tsv json jsonl ndjson xls xlsx ods parquet avro pdf doc docx txt xml zip tgz tar gz 7z yml yaml "
        "log eml msg"
    ).split()
)
_DOCUMENTS = frozenset("md rst org rtf odt ppt pptx key pages htm html eml msg png jpg jpeg m4a mp3 mp4".split())
_FILED = frozenset("csv tsv xls xlsx ods pdf doc docx ppt pptx odt md txt eml msg zip".split())
#: Words in the names of files with data about people or about money.
_SUBJECTS = frozenset(
    (
        "customer customers client clients user users member members subscriber subscribers patient patients "
        "employee employees staff people contact contacts payroll salary salaries candidate candidates "
        "applicant applicants student students donor donors tenant tenants guest guests attendee attendees "
        "resume resumes cvs invoice invoices payment payments order orders transaction transactions contract "
        "contracts tax taxes passport passports medical health hr lead leads account accounts email emails "
        "clinical cohort cohorts grades gradebook payslip payslips witness witnesses claims sealed restricted "
        "billing ssn pii confidential internal private secret secrets personal board legal nda finance "
        "financial financials prod production"
    ).split()
)
_CONFIDENTIAL = frozenset(
    (
        "board minutes salary salaries payroll confidential private personal legal nda layoff layoffs merger "
        "acquisition diagnosis diagnoses"
    ).split()
)
#: Names of folders in which such files are kept; data of any format counts in those that no program has.
_FOLDERS = frozenset(
    "private confidential personal hr payroll legal board patient patients medical nda sealed grades payslips".split()
)
_OFFICES = frozenset(
    "finance finances accounting bookkeeping banking taxes payroll payslips personnel hr medical patients".split()
)
_WORDS = late(r"[_.\s-]+")


def holds_records(path: str) -> bool:
    """Whether a file holds people's data, a database or something confidential, by its name.

    >>> holds_records("/p/exports/customers_2024.csv"), holds_records("/p/src/users.py"), holds_records("/p/a.sql.gz")
    (True, False, True)
    >>> holds_records("/home/a/Documents/finance/export.json"), holds_records("/p/src/board/config.json")
    (True, False)
    """
    *folders, name = path[-MAX_NAME:].lower().split("/")
    stem, dot, ending = name.rpartition(".")
    if not dot:
        return False
    if ending in _PACKED and "." in stem:
        inner, _, packed = stem.rpartition(".")
        if packed in _STORES or packed in _DATA:
            stem, ending = inner, packed
    if ending in _STORES:
        return True
    words = frozenset(_WORDS.split(stem))
    if (ending in _DATA and not words.isdisjoint(_SUBJECTS)) or (
        ending in _DOCUMENTS and not words.isdisjoint(_CONFIDENTIAL)
    ):
        return True
    if ending in _FILED and not _FOLDERS.isdisjoint(folders):
        return True
    return ending in _DATA and not _OFFICES.isdisjoint(folders)
