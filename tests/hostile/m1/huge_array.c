/* An object file of a gibibyte. */

char a[1 << 30] = {1};

/* (the stub) */
