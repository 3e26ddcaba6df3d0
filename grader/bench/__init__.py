"""`./lab bench`: the reference beside its peers, in one run, as ratios."""
