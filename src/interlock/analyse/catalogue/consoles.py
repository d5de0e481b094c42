"""Clients of the services that a company runs on: its people, customers, tickets, errors and models of machines."""

from interlock.analyse.catalogue.cli import Cli

_OPTIONS = {
    "-h": "+help",
    "-y -f": "+confirmed",
    "--profile --org -o --project -p --token --url --auth-token --account-id --accountId": "=-",
}

SPECS = (
    Cli(
        "gam gamadv-xtd3 gyb",
        at=0,
        span=4,
        flags="directory",
        options={"-h": "+help"},
        calls={
            "print/info/show/report/version/help": "!infra.read",
            "create user": "+identity",
            "create admin": "+granted",
            "add/create delegate/delegates": "+granted",
            "update user": "+identity",
            "suspend": "+disabled",
            "… wipe": "!infra.destroy",
            "… delegate": "+granted",
            "… forward": "+granted",
            "… transfer": "!infra.destroy",
        },
    ),
    Cli(
        "sf sfdx",
        at=0,
        span=4,
        flags="platform",
        options={"-o --target-org -u -h --json": "=-?", "--no-prompt": "+confirmed"},
        calls={
            "org display/list/open": "!infra.read",
            "org display user": "!infra.read +session",
            "org delete": "!infra.destroy +project",
            "org create": "",
            "data query/search/get": "!infra.read",
            "data delete": "!infra.destroy +database",
            "apex run": "+remote_run",
            "project deploy": "!deploy.release",
            "project retrieve/convert/generate/list": "!infra.read",
            "project delete": "!infra.destroy",
            "force source deploy/push": "!deploy.release",
        },
    ),
    Cli(
        "sentry-cli jira newrelic datadog-ci zendesk zcli auth0 okta hubspot hs contentful sanity algolia "
        "launchdarkly ldcli grafanactl pagerduty confluent temporal tctl",
        at=0,
        span=4,
        flags="console",
        options=_OPTIONS,
        calls={
            "releases new/finalize/set-commits": "!infra.change",
            "sourcemaps/upload-dif/debug-files": "!infra.change",
            "info": "!infra.read",
            "me": "!infra.read",
            "issue/epic/sprint list/view": "!infra.read",
            "workflow terminate": "!infra.destroy",
            "dataset delete": "!infra.destroy +database",
            "space delete": "!infra.destroy +project",
        },
    ),
    Cli(
        "juju boundary waypoint chalice zappa flarectl openfaas faas-cli nuclio",
        at=0,
        span=3,
        flags="cloud",
        options=_OPTIONS,
        calls={
            "status/models/controllers/whoami/logs/plan/url": "!infra.read",
            "kill-controller/destroy-controller/destroy-model": "!infra.destroy +project",
            "remove-application/remove-unit/remove-machine/remove-storage": "!infra.destroy",
            "exec": "+remote_run",
            "run": "+remote_run",
            "ssh": "!net.connect",
            "deploy": "!deploy.release",
            "up": "!deploy.release",
            "local": "!process.spawn",
            "dev": "!process.spawn",
            "undeploy": "!infra.destroy +service",
        },
    ),
)
