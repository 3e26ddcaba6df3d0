"""Mutants: wrong solutions that the tests of their milestone must catch. See docs/faults.md."""
