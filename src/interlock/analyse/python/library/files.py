"""Functions on files and folders."""

from __future__ import annotations

ROWS = {
    "os.remove os.unlink": "0:fs.delete",
    "os.rmdir os.removedirs": "0:fs.delete +empty",
    "shutil.rmtree distutils.dir_util.remove_tree setuptools.distutils.dir_util.remove_tree": "0:fs.delete +recursive +library",
    "send2trash.send2trash": "0:fs.move",
    "os.rename os.renames os.replace shutil.move": "0:fs.move 1:fs.write",
    "shutil.copy shutil.copy2 shutil.copyfile shutil.copytree distutils.dir_util.copy_tree": "0:fs.read 1:fs.write",
    "os.mkdir os.makedirs": "0:fs.write +new",
    "os.truncate": "0:fs.write +truncate",
    "os.symlink os.link": "0:fs.read 1:fs.write",
    "os.chmod os.lchmod": "0:fs.mode",
    "os.chown os.lchown shutil.chown": "0:fs.owner",
    "os.mkfifo os.mknod": "0:fs.write",
    "os.scandir os.stat os.path.getsize os.readlink": "0:fs.read +names",
    "shutil.make_archive": "2:fs.read 0:fs.write",
    "shutil.unpack_archive": "0:fs.read 1:fs.write",
    "archive.extractall archive.extract": "0:fs.write",
    "archive.write archive.add": "0:fs.read",
    "file.truncate": "self:fs.write +truncate",
    "pathlib.Path.unlink": "self:fs.delete",
    "pathlib.Path.rmdir": "self:fs.delete +empty",
    "pathlib.Path.touch": "self:fs.write",
    "pathlib.Path.mkdir": "self:fs.write +new",
    "pathlib.Path.stat": "self:fs.read +names",
    "pathlib.Path.rename pathlib.Path.replace": "self:fs.move 0:fs.write",
    "pathlib.Path.chmod": "self:fs.mode",
    "pathlib.Path.symlink_to pathlib.Path.hardlink_to": "self:fs.write",
    "pandas.read_csv pandas.read_json pandas.read_excel pandas.read_parquet numpy.load numpy.loadtxt": "0:fs.read",
}  # fmt: skip

#: Functions that open a file by a mode, and what they give.
OPENERS = {
    **dict.fromkeys(
        "open io.open codecs.open pathlib.Path.open gzip.open bz2.open lzma.open aiofiles.open".split(), "file"
    ),
    **dict.fromkeys("tarfile.open tarfile.TarFile zipfile.ZipFile tarfile.TarFile.open".split(), "archive"),
}
#: Functions that make a file with a name of its own in the temporary folder.
TEMPORARY = frozenset(
    "tempfile.NamedTemporaryFile tempfile.TemporaryFile tempfile.SpooledTemporaryFile tempfile.TemporaryDirectory "
    "tempfile.mkstemp".split()
)
#: Methods that give what a file holds.
READERS = frozenset(
    "file.read file.readline file.readlines file.__iter__ pathlib.Path.read_text pathlib.Path.read_bytes".split()
)
#: Methods that put something into a file, and functions that do so from an argument to another.
WRITERS = frozenset("file.write file.writelines pathlib.Path.write_text pathlib.Path.write_bytes".split())
#: Methods that say what they do to a path, whatever object they are called on.
TELLING_METHODS = {
    "unlink": "fs.delete",
    "rmtree": "fs.delete",
    "write_text": "fs.write",
    "write_bytes": "fs.write",
}
#: Methods of unknown objects whose first argument is a path that is written.
SAVERS = frozenset("to_csv to_excel to_json to_parquet to_pickle savefig save_model imwrite imsave".split())

#: Endings of files that a machine runs, where there is no bit that says so.
PROGRAM_ENDINGS = (
    ".exe",
    ".scr",
    ".dll",
    ".bat",
    ".cmd",
    ".ps1",
    ".vbs",
    ".vbe",
    ".wsf",
    ".hta",
    ".msi",
    ".pif",
    ".com",
)
#: Endings that no native library has.
FALSE_ENDINGS = (".py", ".txt", ".png", ".jpg", ".jpeg", ".gif", ".dat", ".tmp", ".log", ".json", ".md", ".db")
