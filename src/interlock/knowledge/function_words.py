"""The words of descriptions of functions: languages, arguments, roles, computed results, and readers."""

from __future__ import annotations

from interlock.effects import KINDS
from interlock.knowledge.function import ORDINALS
from interlock.knowledge.roles import LANGUAGES

#: Languages whose functions are described.
FUNCTION_LANGUAGES = tuple(
    (
        "applescript awk c crystal csharp d dart elixir erlang fsharp go groovy haskell java javascript julia kotlin "
        "lisp lua nim ocaml octave perl php powershell python r ruby rust scala swift v zig"
    ).split()
)

#: Argument → which one it is.
ARGUMENTS = {
    **{name: f"The {name} argument." for name in ORDINALS},
    "each": "Every argument, one by one.",
    "together": "All arguments together, as the words of one command.",
    "object": "The object whose method is called.",
}

#: Role → the meaning of the argument. Kinds of effects and `code:LANGUAGE` are roles too.
FUNCTION_ROLES = {
    "body": "Data that is sent with the request.",
    "code": "Program text in the same language, which is run here and may use the names around it.",
    "command": "A command that is run: a text for the shell, or a list of words.",
    "file_or_url": "The name of a file or an address, which is read.",
    "host": "A host that is connected to.",
    "host_name": "A host name that is looked up. It matters if it contains private data.",
    "native_library": "A native library that is loaded.",
    "payload": "Data that is sent to where the object is connected. It matters if it is private.",
    "saved_file": "The file that a download is saved as.",
    "serialised": "Serialised objects, which can run any code when they are loaded.",
}
_PYTHON_ROLES = frozenset("body code command host_name native_library payload saved_file serialised".split())
_SCRIPT_ROLES = frozenset("code command file_or_url host host_name".split())

#: Computed result → what it is.
COMPUTED = {
    "address": "A port and a host, as one address.",
    "base64": "Base64, decoded.",
    "buffer": "Bytes from a text in the encoding that the second argument names.",
    "chr": "The characters of numbers.",
    "compact": "The list, without what is empty.",
    "concat": "All arguments, one behind the other.",
    "counted": "A part of a text, from one place to another, counted from one.",
    "deflated": "Raw deflate data, decompressed.",
    "drop": "The list, without its first elements.",
    "expand": "A path that is relative to the second argument.",
    "flatten": "Lists, taken apart into one.",
    "form": "A text from a form, decoded: of `+` a space.",
    "format": "A text with values filled in, as `printf` does.",
    "hex": "Hexadecimal digits, decoded.",
    "home": "The home folder.",
    "inflate": "Compressed data, decompressed.",
    "join": "A list, joined with a separator.",
    "json": "What a text of JSON stands for.",
    "list": "All arguments, as a list.",
    "lower": "The text in lower case.",
    "lower_first": "The text with its first letter in lower case.",
    "pack": "Values packed into bytes.",
    "path": "Parts of a path, joined.",
    "repeat": "The text, several times.",
    "replace": "The text with a part replaced.",
    "replace_first": "The text with the first place of a part replaced.",
    "reverse": "The text or list, back to front.",
    "rot13": "ROT13, decoded.",
    "same": "The first argument or the object, unchanged.",
    "slice": "A part of a text or list, from one place to another.",
    "split": "The text, cut into a list.",
    "strip_prefix": "The text, without its beginning.",
    "strip_suffix": "The text, without its end.",
    "substr": "A part of a text or list, from a place on and so long.",
    "substring": "A part of a text between two places.",
    "to_base64": "Base64 of the text.",
    "translate": "The text with characters exchanged for others.",
    "unpack": "Bytes unpacked into values.",
    "upper": "The text in upper case.",
    "url": "A text from a URL, decoded.",
    "uu": "Uuencoded data, decoded.",
    "values": "The values of a hash.",
}

#: Reader in Python → what it reads.
PYTHON_READERS = {
    "command": "A program with its arguments: `subprocess.run`.",
    "executable": "A path and an argument list: `os.execv`.",
    "extended_attribute": "A file and the name of its attribute: `os.setxattr`.",
    "file_lines": "Files that are read, or rewritten in place: `fileinput.input`.",
    "file_server": "An address and what answers there: `http.server.HTTPServer`.",
    "installed_path": "The path of what is installed: `site.getsitepackages`.",
    "management_command": "A command of Django's `manage.py`: `call_command`.",
    "model_repository": "A repository whose code is loaded: `torch.hub.load`.",
    "open": "A file that is opened by a mode.",
    "open_flags": "A file that is opened by flags: `os.open`.",
    "password_file": "A file of passwords, the user's own unless another is named: `netrc.netrc`.",
    "program_arguments": "The arguments of the program that the module is named after: `pip.main`.",
    "source_file": "The file that a module comes from: `inspect.getfile`.",
    "system_call": "A call to the kernel by its number: `libc.syscall`.",
    "request_method": "A request whose method is the first argument: `requests.request`.",
    "request_object": "A request that is sent later: `urllib.request.Request`.",
    "temporary_file": "A file with a name of its own in the temporary folder.",
}
#: Reader in other languages → what it reads.
SCRIPT_READERS = {
    "add_words": "More words of a command that is put together: `Command::arg`.",
    "address": "Where a request goes that is put together: `Request.Builder().url`.",
    "alias": "A new name of a function, and the function: `alias_method`.",
    "apply": "A function, its object and its arguments: `Reflect.apply`.",
    "argv": "The words of a command among named options: `std.process.Child.run`.",
    "begin_command": "The first word of a command that is put together: `Command::new`.",
    "body": "What a request takes along that is put together.",
    "callback": "Functions by their names, and what they are called with: `usort`.",
    "command": "A program and its arguments: `child_process.spawn`.",
    "command_behind_one": "A command behind something else: `exec.CommandContext`.",
    "command_behind_three": "A command behind three handles: `open3`.",
    "command_behind_two": "A command behind two handles: `open2`.",
    "connect": "A port and a host, or an object with both.",
    "construct": "A class and the list of its arguments: `Reflect.construct`.",
    "curl": "An option of a transfer: `curl_setopt`.",
    "delete_object": "A file or folder whose method deletes it, with options: `Directory.delete`.",
    "enter_folder": "A folder that names of files are relative to from now on: `chdir`.",
    "environment": "A variable of the environment.",
    "extract": "A hash whose keys become variables: `extract`.",
    "fill_buffer": "A buffer that a text is written to: `snprintf`.",
    "format_places": "A text with values in braces: `format!`.",
    "function": "Code from which a function is made: `new Function`.",
    "home": "The home folder.",
    "include": "A file that is read as code.",
    "join_list": "A list, and what stands between its items: `strings.Join`.",
    "library": "A library whose functions become known by their own names: `library`.",
    "line": "Text that is printed, with the end of the line.",
    "listen": "A socket that listens.",
    "member": "An object and the name of its member: `Reflect.get`.",
    "module": "A module by its name: `require`.",
    "open": "A file, an address or a command that is opened by a mode.",
    "open_mode": "A file that is opened by a mode or by flags: `fopen`, `os.OpenFile`.",
    "peer": "A socket with named options: `IO::Socket::INET->new`.",
    "peer_name": "The host that a socket will connect to: `inet_pton`.",
    "perl_open": "Perl's `open`, with two or three arguments.",
    "print": "Text that is printed.",
    "print_format": "Text that is printed with values filled in: `printf`.",
    "print_places": "Text that is printed with values in braces: `println!`.",
    "process_object": "An object whose fields say what it starts: `ProcessStartInfo`.",
    "profile": "The options of a browser, with the folder of its profile.",
    "property": "A folder by its name: `System.getProperty`.",
    "query": "A query, if the first text is one.",
    "read": "A file by its path, or what a command printed.",
    "request": "A request with its options: `fetch`.",
    "request_method": "A request with its method first: `http.NewRequest`.",
    "requirer": "Another `require`: `createRequire`.",
    "run_image": "A program and words that repeat it: `execl`.",
    "search_path": "Folders in which modules are found from now on: `set_include_path`.",
    "send": "A function by its name: `send(:system, …)`.",
    "set_environment": "Variables for the programs that are started later: `putenv`.",
    "start_command": "A command that was put together and is now started.",
    "start_program": "A program with its arguments as one text, or an object that describes it: `Process.Start`.",
    "template": "A text with Ruby between `<%` and `%>`: `ERB.new`.",
    "temporary": "A new folder or file for temporary data.",
    "timer": "Code or a function that runs later: `setTimeout`.",
    "unpack": "Ruby's `pack` and `unpack`.",
    "walk": "A folder whose files a loop goes through.",
    "worker": "Code or a file that runs in a thread of its own: `Worker`.",
    "write_behind": "A text and the file that it is written to.",
    "write_handle": "An open file and the text that is written to it: `fwrite`.",
    "write_stream": "A file that is opened to be written: `createWriteStream`.",
    "write_text": "A file and the text that is written to it.",
    "write_to": "A text that is written to the file that the object is.",
}


def argument_names(language: str) -> tuple[str, ...]:
    """Return the arguments that a description in this language can name."""
    return tuple(name for name in ARGUMENTS if name != "together" or language != "python")


def function_roles(language: str) -> tuple[str, ...]:
    """Return the roles that an argument can have in this language."""
    names = _PYTHON_ROLES if language == "python" else _SCRIPT_ROLES
    return (*sorted(names), *KINDS, *(f"code:{one}" for one in sorted(LANGUAGES)))


def reader_names(language: str) -> tuple[str, ...]:
    """Return the readers that a description in this language can name."""
    if language == "powershell":
        return ()
    return tuple(PYTHON_READERS if language == "python" else SCRIPT_READERS)
