"""The kit's own tests: `./lab selftest`."""
