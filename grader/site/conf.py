"""Sphinx' configuration of the site. staging.py lays the pages out; the theme is in site_theme/."""

from pathlib import Path

project = "Coroutine lab"
html_title = project
extensions = ["myst_parser"]

# staging.py has made them what they are in HTML, and check.py checks them.
myst_all_links_external = True
suppress_warnings = ["misc.highlighting_failure", "myst.header"]

primary_domain = "c"
highlight_language = "text"

html_theme = "site_theme"
html_theme_path = [str(Path(__file__).parent)]
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # it needs a web server
