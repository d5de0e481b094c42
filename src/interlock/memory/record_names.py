"""Names of files and tables that hold people's data, a whole database, or something confidential."""

from __future__ import annotations

from interlock.patterns import late

_RECORDS = late(
    r"(?i)\.(?:sql|dump|dmp|bak|sqlite3?|db|rdb|mdb|accdb|pst|ost|mbox|vcf|pcap\w*|har|tfstate|core|hprof|qif|ofx)(?:\.(?:gz|bz2|xz|zst|zip))?$"
    r"|(?:^|[/_.\s-])(?:board|minutes|salar(?:y|ies)|payroll|confidential|private|personal|legal|nda|layoffs?|merger|acquisition|diagnos[ie]s)"
    r"(?:[_.\s-][^/]*)?\.(?:md|rst|org|rtf|odt|pptx?|key|pages|html?|eml|msg|png|jpe?g|m4a|mp3|mp4)$"
    r"|(?:^|/)(?:private|confidential|personal|hr|payroll|legal|board|patients?|medical)/(?:[^/]*/)*[^/]*"
    r"\.(?:csv|tsv|xlsx?|ods|pdf|docx?|pptx?|odt|md|txt|eml|msg|zip)$"
    r"|(?:^|[/_.\s-])(?:customers?|clients?|users?|members?|subscribers?|patients?|employees?|staff|people|contacts?|payroll|salar(?:y|ies)"
    r"|candidates?|applicants?|students?|donors?|tenants?|guests?|attendees?|resumes?|cvs|invoices?|payments?|orders?|transactions?|contracts?|tax(?:es)?|passports?|medical|health|hr|leads?|accounts?|emails?|billing|ssn|pii"
    r"|confidential|internal|private|secrets?|personal|board|legal|nda|finance|financials?|prod|production)"
    r"(?:[_.\s-][^/]*)?\.(?:csv|tsv|jsonl?|ndjson|xlsx?|ods|parquet|avro|pdf|docx?|txt|xml|zip|tgz|tar|gz|7z|ya?ml|log|eml|msg)(?:\.(?:gz|bz2|xz|zst|zip))?$"
)


def holds_records(path: str) -> bool:
    """Whether a file holds people's data, a database or something confidential, by its name.

    >>> holds_records("/p/exports/customers_2024.csv"), holds_records("/p/src/users.py"), holds_records("/p/a.sql.gz")
    (True, False, True)
    """
    return _RECORDS.search(path[-MAX_NAME:]) is not None


MAX_NAME = 300
