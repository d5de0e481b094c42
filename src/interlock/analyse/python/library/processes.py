"""Functions that start programs."""

from __future__ import annotations

ROWS = {
    "os.system posix.system nt.system os.popen os.popen2 os.popen3 os.popen4": "0:code:shell process.spawn",
    "subprocess.getoutput subprocess.getstatusoutput commands.getoutput commands.getstatusoutput popen2.popen3": "0:code:shell process.spawn",
    "asyncio.create_subprocess_shell pexpect.spawn pexpect.run pexpect.spawnu": "0:code:shell process.spawn",
    "invoke.run invoke.Context.run fabric.api.local fabric.api.run fabric.api.sudo": "0:code:shell process.spawn",
    "invoke.Context": ">invoke.Context",
    "fabric.Connection fabric2.Connection": "0:net.connect >fabric.Connection",
    "fabric.Connection.run fabric.Connection.sudo fabric.Connection.local": "0:code:shell",
    "paramiko.SSHClient.exec_command paramiko.Channel.exec_command": "0:code:shell",
    "distutils.spawn.spawn setuptools.Command.spawn": "0:command",
    "os.fork": "process.spawn",
}  # fmt: skip

#: Functions that start a program from an argument list or a shell text.
SPAWNERS = frozenset(
    (
        "subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen "
        "asyncio.create_subprocess_exec asyncio.subprocess.create_subprocess_exec pty.spawn sh.Command "
        "distutils.spawn.spawn subprocess32.Popen psutil.Popen gevent.subprocess.Popen"
    ).split()
)
#: Functions that start a program from a path and an argument list.
EXECUTORS = frozenset(
    (
        "os.execl os.execle os.execlp os.execlpe os.execv os.execve os.execvp os.execvpe os.spawnl os.spawnle "
        "os.spawnlp os.spawnlpe os.spawnv os.spawnve os.spawnvp os.spawnvpe os.posix_spawn os.posix_spawnp"
    ).split()
)
#: Modules whose every function is the program of that name.
PROGRAM_MODULES = ("sh.", "plumbum.cmd.")

#: Programs that tell who and where.
TELLING_PROGRAMS = frozenset(
    "whoami hostname id uname ifconfig ip ipconfig systeminfo hostnamectl getent net arp route netstat ps tasklist wmic lscpu sw_vers".split()
)
