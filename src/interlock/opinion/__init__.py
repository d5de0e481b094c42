"""A learned second opinion on code that the rules would let run. It can only make a verdict stricter.

A linear model over what the analysis found and the words of the text, trained by `make learn` on the published
benchmark. The table `second-opinion.toml` of the knowledge is the whole model.
"""
