"""The command line and the grader of the kit."""
