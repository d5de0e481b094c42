"""Tool calls: which tool is read by whom, and how its payload is laid out.

A name is matched whole (after lower-casing, and past an MCP server's prefix), never by its beginning: a tool
called `bash_session` is not `bash`. A name that is not here is read by the shape of its payload.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

TOOLS: dict[str, str] = {
    **dict.fromkeys(
        (
            "bash shell sh zsh terminal execute_command run_shell_command run_command run_terminal_cmd "
            "run_in_terminal exec exec_command local_shell shell_command shell_exec shelltool unified_exec "
            "terminal_execute run_bash bashtool execute_shell execute_bash run_shell cmd command ssh_exec "
            "write_bash write_stdin"
        ).split(),
        "shell",
    ),
    **dict.fromkeys("powershell pwsh run_powershell execute_powershell powershell_exec".split(), "powershell"),
    **dict.fromkeys(
        (
            "python execute_code python_repl run_python execute_python python_exec code_interpreter jupyter "
            "notebook_execute run_cell execute_cell ipython run_code python_interpreter code_execution"
        ).split(),
        "python",
    ),
    **dict.fromkeys(
        (
            "sql query execute_sql run_sql run_query execute_query sql_query query_database read_query "
            "write_query db_query postgres_query mysql_query sqlite_query"
        ).split(),
        "sql",
    ),
    **dict.fromkeys(
        (
            "write write_file create_file edit edit_file multiedit notebookedit str_replace_editor "
            "str_replace_based_edit_tool replace save_file append_file patch_file write_to_file replace_in_file "
            "insert_edit_into_file update_file search_replace create_directory modify_file text_editor strreplace "
            "str_replace"
        ).split(),
        "write",
    ),
    **dict.fromkeys(["apply_patch", "applypatch", "apply_diff"], "patch"),
    **dict.fromkeys(
        (
            "read read_file view view_file cat_file get_file_content get_file_contents open_file read_many_files "
            "list_files list_directory list_dir ls glob grep search_files find_files file_search grep_search "
            "codebase_search notebookread directory_tree get_file_info search_file_content grep_files search_code "
            "code_search ripgrep search_in_files cat head_file tail_file read_text_file read_media_file"
        ).split(),
        "read",
    ),
    **dict.fromkeys(
        [
            "delete_file",
            "remove_file",
            "rm_file",
            "delete_directory",
            "delete_path",
            "remove_directory",
            "rm_rf",
        ],
        "delete",
    ),
    **dict.fromkeys(["move_file", "rename_file"], "move"),
    **dict.fromkeys(
        (
            "webfetch web_fetch fetch http_request http_get http_post request api_call browser_navigate navigate "
            "url_fetch fetch_url open_url web_request requests_get requests_post curl download_file browse_web"
        ).split(),
        "http",
    ),
}

#: Reading tools that look for something.
SEARCHING = frozenset(
    (
        "glob grep search_files find_files file_search grep_search codebase_search search_file_content grep_files "
        "search_code code_search ripgrep search_in_files"
    ).split()
)

READERS = ("shell", "powershell", "python", "sql", "write", "patch", "read", "delete", "move", "http")

#: The names under which payloads carry each thing, the most usual first.
COMMAND_KEYS = tuple(
    "command cmd commands script shell_command bash_command command_line args input code chars".split()
)
CODE_KEYS = ("code", "source", "script", "python", "cell", "new_source", "input", "program", "text")
SQL_KEYS = ("query", "sql", "statement", "sql_query", "statements", "input", "text")
PATH_KEYS = tuple(
    (
        "file_path path filepath filename file target_file notebook_path absolute_path directory dir paths files "
        "relative_workspace_path target source destination old_path new_path uri"
    ).split()
)
CONTENT_KEYS = tuple(
    "content contents file_text new_string new_str new_text insert_text text code replacement new_source data".split()
)
URL_KEYS = ("url", "uri", "endpoint", "href", "address", "webhook_url", "base_url", "urls")
PATCH_KEYS = ("patch", "input", "diff", "command", "content", "text")
BODY_KEYS = ("body", "data", "json", "payload", "files", "form", "content", "params")


MAX_NAME = 200


def plain_name(tool_name: str) -> str:
    """Return a tool's name as the table writes it.

    >>> plain_name("mcp__desktop__Execute-Command"), plain_name("functions.Bash")
    ('execute_command', 'bash')
    """
    return _plain_name(tool_name[-MAX_NAME:])


@lru_cache(maxsize=1024)
def _plain_name(tool_name: str) -> str:
    name = tool_name.rpartition("__")[2] if tool_name.startswith("mcp__") else tool_name
    name = re.split(r"[./:]", name)[-1]
    return name.replace("-", "_").replace(" ", "_").lower()


def reader_of(tool_name: str, extra: Mapping[str, str]) -> str | None:
    """Return who reads a tool, or None for one that is read by the shape of its payload."""
    if extra:
        found = extra.get(tool_name) or extra.get(plain_name(tool_name))
        if found:
            return found
    return TOOLS.get(tool_name) or TOOLS.get(plain_name(tool_name))
