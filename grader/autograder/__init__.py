"""What other systems need to grade with this kit: uploads, and what runs in their containers."""
