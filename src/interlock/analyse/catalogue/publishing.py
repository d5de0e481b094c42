"""What package managers have in common: publishing, taking back, owners, signing in."""

from interlock.analyse.catalogue.spec import Spec

PUBLISH = Spec(
    "publish",
    operands="-*",
    does="package.publish",
    options={
        "-n --dry-run --check --package-only --no-upload": "!package.read",
        "-r --repository --registry --tag --access --otp --token -u --username -p --password --api-key -k --source -s --publish-url --index -F -p --package": "=-",
    },
)
WITHDRAW = Spec(
    "unpublish",
    operands="-*",
    does="package.publish",
    flags="withdraw",
    options={
        "--dry-run -n": "!package.read",
        "--vers --registry --index --token": "=-",
        "-f --force": "",
        "--undo": "!package.read",
    },
)
OWNERS = Spec(
    "owner",
    does="package.publish",
    flags="owners",
    operands="-*",
    options={"-l --list": "!package.read", "-a --add -r --remove --registry --token -q": "=-"},
)
LOGIN = Spec("login", does="process.run", operands="-*", flags="login")
