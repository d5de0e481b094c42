"""Functions that run code, load it, or take it out of hiding."""

from __future__ import annotations

ROWS = {
    "eval exec execfile": "0:code:python code.eval",
    "types.FunctionType code.InteractiveInterpreter.runcode code.InteractiveConsole.push": "0:code:python code.eval",
    "timeit.timeit timeit.repeat cProfile.run": "0:code:python",
    "runpy.run_path": "0:code.run",
    "runpy.run_module": "process.spawn",
    "imp.load_source imp.load_module importlib.machinery.SourceFileLoader importlib.util.spec_from_file_location": "1:code.run",
    "os.startfile": "0:code.run process.spawn",
    "pickle.load pickle.loads cPickle.load cPickle.loads _pickle.loads dill.load dill.loads cloudpickle.load cloudpickle.loads": "0:unpickle",
    "shelve.open joblib.load pandas.read_pickle jsonpickle.decode yaml.unsafe_load yaml.full_load torch.load": "0:unpickle",
    "pickle.Unpickler dill.Unpickler": "0:unpickle",
    "marshal.load marshal.loads": "0:unpickle =decoded",
    "ctypes.CDLL ctypes.cdll.LoadLibrary ctypes.WinDLL ctypes.windll.LoadLibrary ctypes.PyDLL ctypes.OleDLL": "0:library",
    "stegano.lsb.reveal stegano.lsbset.reveal stegano.exifHeader.reveal stegano.red.reveal judyb.lsb.reveal": "=hidden",
    "steganography.steganography.Steganography.decode stepic.decode cryptosteganography.CryptoSteganography.retrieve": "=hidden",
    "cryptography.fernet.Fernet": ">cryptography.fernet.Fernet",
    "cryptography.fernet.Fernet.decrypt": "=decoded",
    "pyarmor_runtime pytransform.pyarmor_runtime __pyarmor__": "code.opaque +decoded",
    "pip.main pip._internal.main pip._internal.cli.main.main": "package.install",
}  # fmt: skip

#: Calls into memory that put code into a running process. The names are those of the systems' own functions.
INJECTORS = frozenset(
    (
        "VirtualAlloc VirtualAllocEx VirtualProtect VirtualProtectEx WriteProcessMemory CreateRemoteThread CreateThread "
        "NtCreateThreadEx RtlCreateUserThread QueueUserAPC NtQueueApcThread RtlMoveMemory NtWriteVirtualMemory "
        "NtMapViewOfSection SetThreadContext HeapCreate EtwpCreateEtwThread memfd_create mprotect ptrace process_vm_writev"
    ).split()
)
