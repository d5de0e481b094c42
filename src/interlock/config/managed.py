"""The layer below all files: the bundle of a server, or a policy that requires approvals while there is none."""

from __future__ import annotations

import msgspec

from interlock.config.bundle import SHARED, Bundle
from interlock.config.central import CentralSettings
from interlock.config.central_cache import bundle_file, is_overdue, read_bundle
from interlock.config.schema import Config, ManagedLayer, parse
from interlock.documents import Document, Layer
from interlock.errors import ConfigError
from interlock.levels import Verdict
from interlock.policy.policies import Policy
from interlock.rules import all_rules

#: The id of the policy that requires approvals for everything while there is no current bundle.
ASKING = "central-bundle-missing"


class BundleDocument(Document):
    """A bundle, with the interface of a document."""

    def __init__(self, bundle: Bundle, file: str) -> None:
        self.file, self.text, self.digest = file, "", bundle.digest
        for name in bundle.settings:
            if name not in SHARED:
                message = f"the bundle has the setting `{name}`, which this version of Interlock does not take from a "
                raise ConfigError(f"{message}server; upgrade it", file=file)
        self.values = {**bundle.settings, "policies": bundle.policies, "default_policies": False}
        if self.values.get("rules_off"):  # rules that only the server knows are ignored here
            known = {rule.name for rule in all_rules()}
            known |= {str(rule.get("name")) for rule in self.values.get("rules", ()) if isinstance(rule, dict)}
            self.values["rules_off"] = [name for name in self.values["rules_off"] if name in known]
        self._lines = {}


def parse_bundle(bundle: Bundle, file: str) -> Config:
    """Return the configuration that a bundle describes, or raise with what is wrong in it."""
    return parse(BundleDocument(bundle, file))


def add_central(config: Config, settings: CentralSettings, layers: list[Layer]) -> Config:
    """Return a configuration with the bundle of a server under everything that follows.

    While there is no bundle, or the server has not answered for too long, a policy requires approvals for everything.
    """
    bundle = read_bundle(settings)
    if bundle is None:
        if not settings.require:
            return config
        why = f"No bundle from {settings.url} yet, so every action needs an approval; run `interlock central pull`."
        return msgspec.structs.replace(config, policies=(_make_asking_policy(why),), managed=ManagedLayer())
    file = str(bundle_file())
    document = BundleDocument(bundle, file)
    given = parse(document)
    layers.append(Layer(document, document, is_bundle=True))
    policies = given.policies
    if is_overdue(settings):
        why = f"{settings.url} has not answered for {settings.max_age_hours} hours, so every action needs an approval."
        policies = (*(one for one in policies if one.policy_id != ASKING), _make_asking_policy(why))
    shared = {name: getattr(given, name) for name in SHARED if name in bundle.settings}
    return msgspec.structs.replace(
        config,
        **shared,
        policies=policies,
        default_policies=False,
        managed=ManagedLayer(version=bundle.version),
        files=(*config.files, file),
        given=config.given.union(shared, ("policies",)),
    )


def _make_asking_policy(why: str) -> Policy:
    return Policy(ASKING, "No current bundle", (), Verdict.REQUIRE_APPROVAL, description=why)
