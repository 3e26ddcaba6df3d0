"""Grades a class: every submission in a folder, several at a time, to be resumed after a kill."""
