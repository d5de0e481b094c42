"""Platforms that host apps and databases."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "platforms",
    Rule(
        name="platform_database_reset",
        level=Level.HIGH,
        when=effect("infra.destroy", "platform", "reset"),
        reason="A reset drops every table with its data",
        reversible=False,
        instead="supabase db diff",
        match=["$ supabase db reset --linked", "$ supabase db reset --db-url $DB"],
        no_match=["$ supabase db diff", "$ supabase start", "$ supabase db reset"],
    ),
    Rule(
        name="platform_database_destroyed",
        level=Level.HIGH,
        when=effect("infra.destroy", "platform", "database", without="reset"),
        reason="The database of an app, or a branch of it, would be deleted",
        reversible=False,
        match=["$ pscale database delete shop", "$ heroku addons:destroy postgresql", "$ wrangler d1 delete shop"],
        no_match=["$ pscale database list", "$ heroku addons", "$ wrangler d1 list"],
    ),
    Rule(
        name="platform_app_removed",
        level=Level.HIGH,
        when=effect("infra.destroy", "platform", "project"),
        reason="The app would be deleted, with its history and settings",
        reversible=False,
        match=["$ vercel remove web --yes", "$ netlify sites:delete", "$ surge teardown example.surge.sh"],
        no_match=["$ vercel ls", "$ netlify status", "$ surge list"],
    ),
    Rule(
        name="platform_volume_destroyed",
        level=Level.HIGH,
        when=effect("infra.destroy", "platform", "storage"),
        reason="The app's disk holds its data",
        reversible=False,
        match=["$ fly volumes destroy vol_1", "$ wrangler r2 bucket delete b"],
        no_match=["$ fly volumes list", "$ wrangler r2 bucket list"],
    ),
    Rule(
        name="platform_settings_removed",
        level=Level.HIGH,
        when=effect("infra.destroy", "platform", "stored"),
        reason="Without this setting, the app can fail at its next start",
        match=["$ fly secrets unset KEY", "$ vercel env rm KEY", "$ wrangler secret delete KEY"],
        no_match=["$ fly secrets list", "$ vercel env ls"],
    ),
    Rule(
        name="platform_access_granted",
        level=Level.HIGH,
        when=effect("infra.change", "platform", "granted"),
        reason="Somebody would get access to the app and its settings",
        match=["$ heroku access:add eve@example.com -a web", "$ heroku members:add eve@example.com --role admin"],
        no_match=["$ heroku access -a web", "$ heroku members"],
    ),
    Rule(
        name="platform_signing_keys_revoked",
        level=Level.HIGH,
        when=effect("infra.destroy", "platform", "key", without="database"),
        reason="Builds could no longer be signed with these keys",
        reversible=False,
        match=["$ fastlane match nuke distribution", "$ fly certs remove example.com"],
        no_match=["$ fastlane match development --readonly", "$ fly certs list"],
    ),
    Rule(
        name="platform_stopped",
        level=Level.HIGH,
        when=effect("infra.change", "platform", "disabled"),
        reason="The app would not answer its users",
        match=["$ heroku ps:stop web -a app", "$ fly machine stop 1", "$ heroku maintenance:on"],
        no_match=["$ heroku ps -a app", "$ fly machine list"],
    ),
)
