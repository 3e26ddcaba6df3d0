"""What a student handed in, in whatever form, becomes five C files; the rest is named and left."""
