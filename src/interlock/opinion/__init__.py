"""Learned second opinions on actions that the rules would allow. They can only make a verdict stricter.

Linear models, trained by `make learn` on the published benchmark: one over what the analysis of code found and the
words of its text, one over the words of tool calls. The tables `second-opinion.toml` and `second-opinion-calls.toml`
of the knowledge are the whole models.
"""
