"""Languages with a grammar, read by their syntax trees: JavaScript, TypeScript, Ruby, PHP, Perl and Lua.

`source.py` gives the tree, `walker.py` goes through it, and a module for each language says what its kinds of nodes
mean, mostly in words of `node_readers.py`. What a call does is in the tables, as for every other script.
"""
