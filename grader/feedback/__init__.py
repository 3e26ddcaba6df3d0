"""What a student is told of a failed test, and the pages that show it."""
