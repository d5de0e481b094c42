"""What is known about each script language: how it is written, and what its functions do."""

from __future__ import annotations

from interlock.analyse.scripts.tables.javascript import JAVASCRIPT
from interlock.analyse.scripts.tables.lua import LUA
from interlock.analyse.scripts.tables.others import APPLESCRIPT, ERLANG, GROOVY, JULIA, OCTAVE, R
from interlock.analyse.scripts.tables.perl import PERL
from interlock.analyse.scripts.tables.php import PHP
from interlock.analyse.scripts.tables.ruby import ELIXIR, RUBY

SYNTAXES = {
    known.name: known
    for known in (PERL, RUBY, JAVASCRIPT, PHP, LUA, APPLESCRIPT, R, JULIA, GROOVY, ELIXIR, OCTAVE, ERLANG)
}
