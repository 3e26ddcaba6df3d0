"""The static site: `./lab docs`. Stays with the instructor, who gives students the pages."""
