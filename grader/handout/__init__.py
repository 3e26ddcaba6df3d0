"""What students get of the kit: `./lab handout`. Stays with the instructor."""
