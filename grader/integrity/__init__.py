"""What a submission's object files use that its milestones do not need."""
