"""End-to-end checks of the echo server: what docs/protocol.md promises, seen by real clients."""
