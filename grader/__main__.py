"""`python -m grader`, for who does not use ./lab."""

from grader.cli import main

main()
