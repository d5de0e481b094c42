"""How each script language is written."""

from __future__ import annotations

from interlock.analyse.scripts.syntaxes.compiled import COMPILED
from interlock.analyse.scripts.syntaxes.javascript import JAVASCRIPT
from interlock.analyse.scripts.syntaxes.lua import LUA
from interlock.analyse.scripts.syntaxes.others import APPLESCRIPT, ERLANG, GROOVY, JULIA, OCTAVE, R
from interlock.analyse.scripts.syntaxes.perl import PERL
from interlock.analyse.scripts.syntaxes.php import PHP
from interlock.analyse.scripts.syntaxes.ruby import ELIXIR, RUBY

SYNTAXES = {
    known.name: known
    for known in (PERL, RUBY, JAVASCRIPT, PHP, LUA, APPLESCRIPT, R, JULIA, GROOVY, ELIXIR, OCTAVE, ERLANG, *COMPILED)
}
