"""Every report that is made from a grader.model.Result, as functions of it: no input, no output.

view.py decides who sees what; safe_text.py makes harmless what a submission wrote; write.py is the
one that writes files.
"""
