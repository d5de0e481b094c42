"""Functions on the machine: its settings, processes and people, and what it tells about itself."""

from __future__ import annotations

ROWS = {
    "print pprint.pprint": "out.print",
    "os.kill os.killpg signal.pthread_kill": "0:process.signal",
    "psutil.Process": ">psutil.Process",
    "psutil.Process.kill psutil.Process.terminate psutil.Process.suspend psutil.Process.send_signal": "process.signal",
    "os.setuid os.setgid os.seteuid os.setreuid os.setresuid": "privilege.raise",
    "os.getenv os.environ.get os.environ.pop os.environ.setdefault": "env.read",
    "platform.node platform.uname socket.gethostname socket.getfqdn os.uname getpass.getuser os.getlogin": "=host_facts",
    "os.getcwd os.getcwdb uuid.getnode pwd.getpwuid psutil.users psutil.net_if_addrs netifaces.ifaddresses": "=host_facts",
    "get_mac_address getmac.get_mac_address cpuinfo.get_cpu_info wmi.WMI locale.getdefaultlocale": "=host_facts",
    "winreg.SetValueEx winreg.SetValue winreg.CreateKey winreg.CreateKeyEx _winreg.SetValueEx": "system.change +registry",
    "winreg.DeleteKey winreg.DeleteValue winreg.DeleteKeyEx": "system.change +registry",
    "crontab.CronTab": ">crontab.CronTab",
    "crontab.CronTab.write crontab.CronTab.new crontab.CronTab.remove_all": "schedule.change",
    "ctypes.windll.user32.BlockInput ctypes.windll.user32.LockWorkStation": "system.change",
    "ctypes.windll.shell32.ShellExecuteW": "process.spawn",
    "boto3.client boto3.resource": "infra.read",
}  # fmt: skip
