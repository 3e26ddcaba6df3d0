"""What the four systems that the kit stands for promise, and where it is shown. See docs/seeds.md."""
