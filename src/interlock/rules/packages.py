"""Packages and where they come from."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "packages",
    Rule(
        name="package_publish",
        level=Level.HIGH,
        when=effect("package.publish"),
        reason="A published version is public and stays so",
        reversible=False,
        instead="npm ls",
        match=["$ npm publish", "$ twine upload dist/x.whl", "$ cargo publish"],
        no_match=["$ npm ls", "$ cargo build"],
    ),
    Rule(
        name="foreign_index",
        level=Level.HIGH,
        when=(effect("package.install", "index"), effect("package.install", "untrusted")),
        reason="Packages from another index may not be what their names say",
        instead="pip install flask",
        match=[
            "$ pip install -i https://example.com/simple flask",
            "$ npm install --registry https://example.com x",
        ],
        no_match=["$ pip install flask", "$ npm install"],
    ),
    Rule(
        name="package_from_url",
        level=Level.HIGH,
        when=effect("package.install", "url"),
        reason="A package from an address runs code that no index has seen",
        instead="pip install flask",
        match=[
            "$ pip install git+https://example.com/x.git",
            "$ pip install https://example.com/x.whl",
            "$ npm install git+ssh://git@example.com/x",
        ],
        no_match=["$ pip install flask", "$ pip install ."],
    ),
    Rule(
        name="package_remove",
        level=Level.MEDIUM,
        when=effect("package.remove"),
        reason="Other programs may need what is removed",
        match=["$ apt-get remove nginx", "$ pip uninstall -y flask", "$ npm rm left-pad"],
        no_match=["$ pip list", "$ apt list"],
    ),
    Rule(
        name="pip_install",
        level=Level.MEDIUM,
        when=effect("package.install"),
        reason="Installing packages may affect environment",
        match=[
            "$ pip install requests",
            "$ npm install",
            "$ apt-get install -y curl",
            "$ python -m pip install x",
        ],
        no_match=["$ pip list", "$ npm ls", "$ echo pip install x"],
    ),
)
