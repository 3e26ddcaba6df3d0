// main.cpp - runs the cases that are named, or all.
#include "cpp_test.hpp"

#include <cstring>

static bool is_chosen(const char *name, int count, char **names)
{
    for (int i = 1; i < count; i++) {
        if (std::strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return count <= 1;
}

int main(int argc, char **argv)
{
    int run = 0;

    for (const auto &one : test::cases()) {
        if (is_chosen(one.name, argc, argv)) {
            (void)std::fprintf(stderr, "%s\n", one.name);
            one.run();
            run++;
        }
    }
    return run >= argc - 1 && run > 0 ? 0 : 2; // 2: there is no case of that name
}
