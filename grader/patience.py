"""How long tests that hang are waited for: a program that hangs in each would take ten minutes."""

MUCH_HANGS = 5  # time-outs: from there on a test, or each wait of a check with real clients, has less time
SHORTER = 0.3  # of its time: what is right needs a small part of it

LESS_TIME = f"it had {SHORTER:.0%} of the usual time, for {MUCH_HANGS} tests of this milestone had hung before it"
