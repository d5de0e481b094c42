"""Functions that fetch, send, connect, listen and look names up."""

from __future__ import annotations

_CLIENTS = (
    "requests requests.Session httpx httpx.Client httpx.AsyncClient aiohttp.ClientSession requests_html.HTMLSession "
    "cloudscraper.CloudScraper niquests"
).split()
_FETCH = "get head options stream".split()
_SEND = "post put patch delete".split()


def _names(verbs: list[str]) -> str:
    return " ".join(f"{client}.{verb}" for client in _CLIENTS for verb in verbs)


ROWS = {
    _names(_FETCH): "0:net.fetch",
    _names(_SEND): "0:net.send",
    "urllib.request.urlopen urllib2.urlopen urllib.urlopen": "0:net.fetch",
    "urllib.request.urlretrieve urllib.urlretrieve wget.download urllib.request.URLopener.retrieve": "0:net.fetch",
    "urllib.request.build_opener urllib.request.OpenerDirector urllib2.build_opener": ">urllib.request.OpenerDirector",
    "urllib.request.OpenerDirector.open": "0:net.fetch",
    "webbrowser.open webbrowser.open_new webbrowser.open_new_tab": "0:net.fetch",
    "socket.create_connection": "0:net.connect >socket.socket",
    "socket.socket": ">socket.socket",
    "socket.socket.connect socket.socket.connect_ex": "0:net.connect",
    "socket.socket.bind socket.socket.listen": "net.listen",
    "socket.socket.recv socket.socket.recvfrom socket.socket.makefile": "=download",
    "socket.socket.send socket.socket.sendall socket.socket.sendto": "0:carry",
    "socket.gethostbyname socket.gethostbyname_ex socket.getaddrinfo": "0:lookup =host_facts",
    "dns.resolver.query dns.resolver.resolve dns.resolver.Resolver.query dns.resolver.Resolver.resolve": "0:lookup =download",
    "aiodns.DNSResolver.query aiodns.DNSResolver.gethostbyname dns.asyncresolver.resolve": "0:lookup =download",
    "websocket.create_connection websockets.connect": "0:net.connect >websocket",
    "websocket.recv": "=download",
    "websocket.send": "0:carry",
    "smtplib.SMTP.sendmail smtplib.SMTP.send_message": "message.send",
    "ftplib.FTP ftplib.FTP_TLS": "0:net.connect >ftplib.FTP",
    "ftplib.FTP.storbinary ftplib.FTP.storlines": "net.send",
    "telnetlib.Telnet": "0:net.connect",
    "paramiko.SSHClient.connect paramiko.Transport": "0:net.connect",
    "paramiko.SFTPClient.put paramiko.SFTPClient.putfo": "net.send +copy",
    "telebot.TeleBot.send_message telebot.TeleBot.send_document telebot.TeleBot.send_photo": "message.send",
    "discord_webhook.DiscordWebhook dhooks.Webhook slack_sdk.WebClient": "message.send",
    "urllib3.PoolManager": ">urllib3.PoolManager",
    "dns.resolver.Resolver": ">dns.resolver.Resolver",
    "aiodns.DNSResolver": ">aiodns.DNSResolver",
    "requests.Session requests.session": ">requests.Session",
    "cloudscraper.create_scraper": ">requests.Session",
    "httpx.Client": ">httpx.Client",
    "httpx.AsyncClient": ">httpx.AsyncClient",
    "aiohttp.ClientSession": ">aiohttp.ClientSession",
    "smtplib.SMTP smtplib.SMTP_SSL": ">smtplib.SMTP",
    "paramiko.SSHClient": ">paramiko.SSHClient",
    "http.client.HTTPConnection http.client.HTTPSConnection httplib.HTTPConnection httplib.HTTPSConnection": "0:net.connect >http.client.HTTPConnection",
    "http.client.HTTPConnection.getresponse": "=download",
}  # fmt: skip

#: Functions that make a request whose method is their first argument.
REQUESTERS = frozenset(
    (
        "requests.request httpx.request requests.Session.request httpx.Client.request httpx.AsyncClient.request "
        "aiohttp.ClientSession.request aiohttp.request urllib3.request urllib3.PoolManager.request "
        "http.client.HTTPConnection.request urllib3.PoolManager.urlopen"
    ).split()
)
#: Classes of requests that somebody sends later.
REQUESTS = frozenset("urllib.request.Request urllib2.Request urllib3.Request requests.Request httpx.Request".split())
#: Functions whose second argument is data to send.
DATA_SECOND = frozenset("urllib.request.urlopen urllib2.urlopen urllib.urlopen".split())
#: Functions that put what they fetch into the file that their second argument names.
SAVING = frozenset(
    "urllib.request.urlretrieve urllib.urlretrieve wget.download urllib.request.URLopener.retrieve".split()
)
