"""Windows: what `cmd.exe` and PowerShell call commands. Options are written in lower case, with one dash."""

from interlock.analyse.catalogue.spec import Spec

_COMMON = {"-whatif": "!system.read", "-confirm -verbose -erroraction -ea -passthru": "=-?", "-computername": "=-"}

SPECS = ()
