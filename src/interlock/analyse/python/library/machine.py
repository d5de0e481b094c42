"""Functions on the machine: its settings, processes and people, and what it tells about itself."""

from __future__ import annotations

ROWS = {
    "print pprint.pprint": "out.print",
    "os.kill os.killpg signal.pthread_kill": "0:process.signal",
    "psutil.Process": ">psutil.Process",
    "psutil.Process.kill psutil.Process.terminate psutil.Process.suspend psutil.Process.send_signal": "process.signal",
    "os.setuid os.setgid os.seteuid os.setreuid os.setresuid": "privilege.raise",
    "platform.node platform.uname socket.gethostname socket.getfqdn os.uname getpass.getuser os.getlogin": "=host_facts",
    "json.load json.loads tomllib.load tomllib.loads toml.load yaml.safe_load msgpack.loads": "=extracted",
    "os.getcwd os.getcwdb uuid.getnode pwd.getpwuid psutil.users psutil.net_if_addrs netifaces.ifaddresses": "=host_facts",
    "get_mac_address getmac.get_mac_address cpuinfo.get_cpu_info wmi.WMI locale.getdefaultlocale": "=host_facts",
    "winreg.SetValueEx winreg.SetValue winreg.CreateKey winreg.CreateKeyEx _winreg.SetValueEx": "system.change +registry",
    "winreg.DeleteKey winreg.DeleteValue winreg.DeleteKeyEx": "system.change +registry",
    "crontab.CronTab": ">crontab.CronTab",
    "crontab.CronTab.write crontab.CronTab.new crontab.CronTab.remove_all": "schedule.change",
    "ctypes.windll.user32.BlockInput ctypes.windll.user32.LockWorkStation": "system.change",
    "ctypes.windll.shell32.ShellExecuteW": "process.spawn",
    "psutil.process_iter": ">psutil.Process",
    "boto3.client boto3.resource boto3.Session.client boto3.Session.resource": "infra.read >cloud.infra",
    "boto3.Session boto3.session.Session": ">boto3.Session",
    "google.cloud.storage.Client google.cloud.compute_v1.InstancesClient azure.mgmt.compute.ComputeManagementClient": "infra.read >cloud.infra",
    "kubernetes.client.CoreV1Api kubernetes.client.AppsV1Api kubernetes.client.BatchV1Api": "cluster.read >cloud.cluster",
    "interlock.Gate interlock.Gate.open interlock.gate.Gate interlock.gate.Gate.open interlock.gate.gate.Gate": ">interlock.Gate",
    "docker.from_env docker.DockerClient": "container.read >cloud.container",
}  # fmt: skip
