"""What Interlock knows about programs, files, variables, hosts and tools, written as data.

The files are TOML, one for each program, described in `docs/knowledge.md`. They are compiled into one artefact.
"""
