"""PowerShell: its statements, expressions, cmdlets and .NET calls."""
