"""What a program's coroutines did, as tests/support/trace.h records it, in three forms."""
