"""Runners: a package is fetched from its registry and run at once."""

from interlock.analyse.catalogue.spec import Spec

_NPX = Spec(
    "npx bunx pnpx uvx",
    operands="package.install",
    options={
        "-p --package --from --with --with-editable --spec": "=package.install",
        "-c --call": "=code:shell",
        "--python -w --workspace --prefix --refresh-package --env-file": "=-",
        "--registry --index-url -i --index --default-index --extra-index-url --pip-args --find-links -f": "=- +index",
        "-y --yes -q --quiet --no-install --offline --isolated --no-cache --bun --prefer-offline --ignore-existing": "",
    },
)

SPECS = (_NPX,)
RUNNERS = {"npx": _NPX}
