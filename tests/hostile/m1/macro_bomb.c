/* A few lines that the preprocessor makes many millions of. */
#define A(x) x x x x x x x x x x
#define B(x) A(A(A(x)))
#define C(x) B(B(B(x)))
int a[] = {C(1, )};
