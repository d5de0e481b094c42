"""What a package makes run on the machine of whoever installs it."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "installing",
    Rule(
        name="install_hook",
        level=Level.HIGH,
        when=effect("code.opaque", "install_hook"),
        reason="A package that replaces the install command runs its own code on every machine it is installed on",
        match=[
            ">>> from setuptools import setup; setup(name='x', cmdclass={'install': Custom})",
            ">>> from distutils.core import setup\nsetup(name='x', cmdclass=dict(develop=Custom))",
        ],
        no_match=[
            ">>> from setuptools import setup; setup(name='x', packages=['x'])",
            ">>> from setuptools import setup; setup(name='x', cmdclass={'build_ext': Build})",
        ],
    ),
    Rule(
        name="install_network",
        level=Level.HIGH,
        when=effect("net.*", "install_time"),
        reason="A package that uses the network while it is installed can bring anything with it",
        match=[
            ">>> from setuptools import setup; import requests\nrequests.get('https://example.com')\nsetup(name='x')",
            ">>> import setuptools, urllib.request\nurllib.request.urlopen(url)\nsetuptools.setup(name='x')",
        ],
        no_match=[
            ">>> import requests; requests.get('https://example.com')",
            ">>> from setuptools import setup; setup(name='x', url='https://example.com')",
        ],
    ),
)
