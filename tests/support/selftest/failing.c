/* failing.c - cases whose expectations do not hold, and two whose do. */
#include "chance.h"
#include "lab_test.h"

#include <errno.h>
#include <stdio.h>

LAB_TEST(passes)
{
    step("look at the truth");
    expect_true("1 < 2", 1 < 2);
    expect_int("two", 2, 2);
    expect_between("three", 3, 3, 4);
    expect_string("text", "same", "same");
    expect_bytes("bytes", "a\0b", 3, "a\0b", 3);
    expect_time("time", 5, 5, 6);
    trace("a%d", 1);
    trace("b");
    expect_trace("a1 b");
    trace_clear();
    expect_trace("");
}

LAB_TEST(passes_noisily)
{
    int i;

    for (i = 0; i < 20000; i++) {
        (void)printf("line %d: AddressSanitizer and Segmentation fault are only words here\n", i);
    }
}

LAB_TEST(fails_int)
{
    step("count to %d", 3);
    step("count on");
    expect_int("the count", 4, 5);
    step("never reached");
}

LAB_TEST(fails_errno)
{
    expect_int("task_resume(t)", 0, -EINVAL);
}

LAB_TEST(fails_string)
{
    expect_string("the greeting", "hallo", "hello");
}

LAB_TEST(fails_bytes)
{
    expect_bytes("the echo", "abc\x01xyz", 7, "abc\x02xyz!", 8);
}

LAB_TEST(fails_time)
{
    expect_time("the sleep", 49000000, 50000000, 60000000);
}

LAB_TEST(fails_time_without_end)
{
    expect_time("the sleep", 49000000, 50000000, INT64_MAX);
}

LAB_TEST(fails_trace)
{
    trace("1");
    trace("3");
    expect_trace("1 2 3");
}

static void fail_here(void *argument)
{
    expect_true(argument, false);
}

LAB_TEST(fails_in_thread)
{
    run_on_small_stack(fail_here, "what the thread found");
    step("never reached");
}

LAB_TEST(fails_after_many_steps)
{
    int i;

    for (i = 1; i <= 100; i++) {
        step("step %d of 100, which is told at such a length that it cannot be shown whole: %0300d",
             i, 0);
    }
    for (i = 0; i < 100; i++) {
        (void)printf("output line %d %0500d\n", i, 0);
    }
    fail_test("one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten");
}

/* Which of the seeds from 1 to 25 fails, and no other. */
static void fail_with_seven(struct chance chance)
{
    int number = chance_below(&chance, 1000000);
    int i;

    for (i = 0; i < 100; i++) {
        step("step %d", i);
    }
    expect_true("the number is not that of seed 7", number != 676950);
}

LAB_TEST(fails_by_chance)
{
    for_each_seed(fail_with_seven);
}

static void draw(struct chance chance)
{
    expect_between("a number", chance_below(&chance, 3), 0, 2);
}

LAB_TEST(fails_after_chance)
{
    for_each_seed(draw);
    fail_test("no seed repeats this");
}

static void trace_number(struct chance chance)
{
    trace("%d", chance_below(&chance, 100));
}

LAB_TEST(passes_by_chance)
{
    for_each_seed(trace_number);
    expect_trace("15 82 0 32 61 50 50 80 46 90 21 53 69 69 64 28 30 8 65 81 42 24 3 7 28");
}

LAB_TEST(fails_with_bad_text)
{
    step("quote \" backslash \\ tab \t euro \xe2\x82\xac cut \xe2\x82");
    fail_test("bell \x07 bytes \xff\xfe surrogate \xed\xa0\x80 end");
}
