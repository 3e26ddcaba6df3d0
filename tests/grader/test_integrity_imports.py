"""grader/integrity: what a submission's file may call, and what it is told of the rest."""

from __future__ import annotations

import shutil
from typing import Iterator, List, Optional, Tuple

import pytest

from grader.integrity.inspect import MOST_USES, to_findings
from grader.integrity.symbols import group_of, groups
from grader.kit import MILESTONES
from integrity_lab import IntegrityLab, integrity_lab


@pytest.fixture(scope="module", params=["gcc", "clang"])
def lab(request: pytest.FixtureRequest) -> Iterator[IntegrityLab]:
    if shutil.which(request.param) is None:
        pytest.skip(f"no {request.param} here")
    with integrity_lab(request.param) as made:
        yield made


HONEST = r"""
#include "task.h"
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

static _Atomic unsigned long count;
static atomic_flag once = ATOMIC_FLAG_INIT;
static _Thread_local int depth;
int visible_helper;
struct big { char text[300]; int numbers[40]; } example = {"an example", {1, 2, 3}};

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void debug(const char *format, ...)
{
    va_list list;
    char text[200];

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (getenv("DEBUG") != NULL) {
        fprintf(stderr, "[%d] %s: %s\n", (int)getpid(), text, strerror(errno));
        fflush(stderr);
        perror(text);
    }
}

double many_things(struct big b, size_t n, const char *text, int64_t wide, __int128 wider)
{
    int *numbers = calloc(n, sizeof *numbers);
    int local[n + 1];
    char copy[64] = "", *end, *kept = NULL;
    time_t now = time(NULL);
    struct tm tm;
    struct big other = b;
    FILE *memory = open_memstream(&kept, &n);

    assert(numbers != NULL && text[0] != '\0');
    if (atomic_flag_test_and_set(&once)) { atomic_fetch_add(&count, 1); depth++; }
    memset(local, 0, n * sizeof local[0]);
    qsort(numbers, n, sizeof *numbers, ascending);
    numbers = reallocarray(numbers, n, 2 * sizeof *numbers);
    numbers[strtol(text, &end, 10) % (long)n] = atoi(text) + toupper(*end) + isspace(*text);
    numbers[rand() % 2]++;
    (void)bsearch(local, numbers, n, sizeof *numbers, ascending);
    (void)sscanf(text, "%d", &local[0]);
    strftime(copy, sizeof copy, "%H", localtime_r(&now, &tm));
    memmove(&other, &b, sizeof b);
    debug("%s %" PRId64 " %d", strdup(copy), wide * 3, __builtin_popcountll(wide) + ffs(local[0]));
    fputs(strchr(text, 'x') ? "x" : strpbrk(text, "yz"), memory);
    fclose(memory);
    puts(kept);
    free(kept);
    free(numbers);
    if (other.numbers[n % 40] == INT_MAX) { abort(); }
    return sqrt((double)(wider / 7 % 1000)) + floor(strtod(text, NULL)) + fabs(pow(wide, 3));
}

task *first(task *t) { return t; }
"""


def test_what_students_use_is_not_mentioned(lab: IntegrityLab) -> None:
    for milestone in MILESTONES:
        assert lab.uses(HONEST, milestone.id) == []


EVENT_LOOP = r"""
#include "event_loop.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

int all(int fd, struct epoll_event *events, char *buffer, struct iovec *vector, struct msghdr *m)
{
    struct stat stat;
    struct timespec now;
    int error;
    socklen_t size = sizeof error;

    signal(SIGPIPE, SIG_IGN);
    pthread_mutex_lock(&guard);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    fstat(fd, &stat);
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    clock_gettime(CLOCK_MONOTONIC, &now);
    read(fd, buffer, 3); write(fd, buffer, 3); recv(fd, buffer, 3, 0);
    send(fd, buffer, 3, MSG_NOSIGNAL);
    readv(fd, vector, 1); writev(fd, vector, 1); recvmsg(fd, m, 0); sendmsg(fd, m, 0);
    epoll_ctl(epoll_create1(0), EPOLL_CTL_ADD, eventfd(0, 0), events);
    epoll_wait(timerfd_create(CLOCK_MONOTONIC, 0), events, 4, 1);
    accept4(fd, NULL, NULL, 0); connect(fd, NULL, 0); socket(1, 2, 3); shutdown(fd, 1);
    poll(NULL, 0, 1);
    pthread_mutex_unlock(&guard);
    return close(fd);
}
awaiter nap(timers *t) { return sleep_for(t, timers_next_deadline(t)); }
"""

SERVER = r"""
#include "echo_server.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <unistd.h>

int start(event_loop *loop, const char *host, char *text)
{
    struct addrinfo *found = NULL;
    struct rlimit limit;
    struct sockaddr_storage at;
    socklen_t size = sizeof at;
    int spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    getaddrinfo(host, text, NULL, &found);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &size, sizeof size);
    bind(fd, found->ai_addr, found->ai_addrlen);
    listen(fd, SOMAXCONN);
    getsockname(fd, (struct sockaddr *)&at, &size);
    getnameinfo((struct sockaddr *)&at, size, text, 9, text, 9, 0);
    inet_ntop(AF_INET, &at, text, 20);
    puts(gai_strerror(ntohs(1)));
    freeaddrinfo(found);
    getrlimit(RLIMIT_NOFILE, &limit);
    (void)event_loop_close(loop, fd);
    return close(spare) + (int)sysconf(_SC_OPEN_MAX);
}
"""


def test_a_milestone_may_use_what_it_is_about(lab: IntegrityLab) -> None:
    """A spare descriptor is a right design; but an open file can be one's own program."""
    told = lab.uses_of_files(m4=EVENT_LOOP, m5=SERVER)
    assert [(use.what, use.forbidden) for use in told] == [("open", False)]
    assert lab.uses(EVENT_LOOP, "m5") == []


def test_descriptors_are_unusual_before_milestone_4(lab: IntegrityLab) -> None:
    code = '#include "task.h"\n#include <unistd.h>\nlong f(char *b) { return write(1, b, 3); }\n'
    for milestone in ("m1", "m2", "m3"):
        [use] = lab.uses(code, milestone)
        assert (use.what, use.forbidden) == ("write", False)
        assert use.where.endswith(".c:3")
    assert lab.uses(code, "m4") == []


def test_clocks_are_unusual_before_milestone_3(lab: IntegrityLab) -> None:
    code = "#include <time.h>\nint f(struct timespec *t) { return clock_gettime(1, t); }\n"
    [use] = lab.uses(code, "m2")
    assert (use.what, use.where) == ("clock_gettime", "m2-scheduler/scheduler.c:2")
    assert not use.forbidden
    assert lab.uses(code, "m3") == []


def _forbidden_names(milestone: str) -> List[str]:
    forbidden = (group for group in groups() if milestone in group.forbidden)
    return sorted(name for group in forbidden for name in group.names)


@pytest.mark.parametrize("milestone", [m.id for m in MILESTONES])
def test_every_forbidden_name_is_found_with_its_line(lab: IntegrityLab, milestone: str) -> None:
    names = _forbidden_names(milestone)
    assert {"kill", "fork", "pthread_create", "longjmp", "dlsym", "syscall"} <= set(names)
    for begin in range(0, len(names), MOST_USES):
        some = names[begin : begin + MOST_USES]
        # Not by its own name: what the compiler knows of `exit` and `end` is of no interest here.
        code = "\n".join(
            f'extern char o{n} __asm__("{name}"); void *f{n}(void) {{ return &o{n}; }}'
            for n, name in enumerate(some)
        )
        found = {use.what: use for use in lab.uses(code + "\n", milestone)}
        assert sorted(found) == some
        for line, name in enumerate(some, 1):
            assert found[name].forbidden, name
            assert found[name].where.endswith(f".c:{line}"), name


CALLS = [
    ("exit(0)", "exit", "negative errno"),
    ("_exit(0)", "_exit", "negative errno"),
    ("_Exit(0)", "_Exit", "negative errno"),
    ("quick_exit(0)", "quick_exit", "negative errno"),
    ("atexit(f0)", "atexit", "destroy"),
    ("kill(getppid(), 9)", "kill", "ends"),
    ("fork()", "fork", "one thread of one process"),
    ("vfork()", "vfork", "process"),
    ('system("ls")', "system", "process"),
    ('popen("ls", "r")', "popen", "process"),
    ("execv(text, list)", "execv", "process"),
    ("posix_spawn(0, text, 0, 0, list, list)", "posix_spawn", "process"),
    ("pthread_create(room, 0, (void *)f0, 0)", "pthread_create", "heap of deadlines"),
    ("thrd_create(0, 0, 0)", "thrd_create", "heap of deadlines"),
    ("longjmp(room, 1)", "longjmp", "CO_AWAIT"),
    ("siglongjmp(room, 1)", "siglongjmp", "CO_AWAIT"),
    ("swapcontext(0, 0)", "swapcontext", "CO_AWAIT"),
    ('dlopen("x", 1)', "dlopen", "headers"),
    ('dlsym(RTLD_DEFAULT, "exit")', "dlsym", "headers"),
    ("ptrace(PTRACE_TRACEME, 0, 0, 0)", "ptrace", "program"),
    ("mprotect(0, 1, 7)", "mprotect", "code"),
    ("dl_iterate_phdr(0, 0)", "dl_iterate_phdr", "program"),
    ("personality(0)", "personality", "program"),
    ("syscall(60, 0)", "syscall", "C library"),
    ("clock_settime(CLOCK_REALTIME, (void *)room)", "clock_settime", "clock"),
    ("prlimit(getppid(), RLIMIT_CPU, 0, 0)", "prlimit", "limits"),
    ("setsid()", "setsid", "processes"),
    ("__lsan_disable()", "__lsan_disable", "sanitizers"),
    ("__sanitizer_set_death_callback(0)", "__sanitizer_set_death_callback", "sanitizers"),
    ("__asan_set_death_callback(0)", "__asan_set_death_callback", "sanitizers"),
    ("__real_malloc(3)", "__real_malloc", "tests"),
    ("__wrap_malloc(3)", "__wrap_malloc", "tests"),
    ("fail_test(0)", "fail_test", "tests"),
    ("(case_log = 7)", "case_log", "tests"),
]

INCLUDES = "".join(
    f"#include <{header}.h>\n"
    for header in (
        "dlfcn", "link", "pthread", "sanitizer/asan_interface", "sanitizer/common_interface_defs",
        "sanitizer/lsan_interface", "setjmp", "signal", "spawn", "stdio", "stdlib", "sys/mman",
        "sys/personality", "sys/ptrace", "sys/resource", "sys/syscall", "threads", "time",
        "ucontext", "unistd",
    )
)  # fmt: skip


def test_what_is_called_is_found_with_line_and_reason(lab: IntegrityLab) -> None:
    begin = INCLUDES + (
        "void *__real_malloc(size_t), *__wrap_malloc(size_t); void fail_test(char *);"
        " extern int case_log; static jmp_buf room; char *text, **list;\n"
    )
    calls = "".join(f"void f{n}(void) {{ {call}; }}\n" for n, (call, _, _) in enumerate(CALLS))
    code = begin + calls
    for milestone in ("m1", "m5"):
        found = {use.what: use for use in lab.uses(code, milestone)}
        for line, (_, name, reason) in enumerate(CALLS, begin.count("\n") + 1):
            assert found[name].where.endswith(f".c:{line}"), name
            assert reason in found[name].reason, name


DISGUISES = [
    ("#define GONE(x) ex##x(0)\n#include <stdlib.h>\nvoid f(void) { GONE(it); }", "exit", 3),
    ('extern void leave(int) __asm__("exit");\nvoid f(void) { leave(0); }', "exit", 2),
    ("void exit(int) __attribute__((weak));\nvoid f(void) { if (exit) exit(0); }", "exit", 2),
    ("void exit(int);\nint x;\nvoid (*leave)(int) = exit;", "exit", None),
    ("void exit(int);\nvoid (*const f(void))(int) { static void (*const p[])(int) = {exit};\n"
     "return p[f == 0]; }", "exit", None),
    ("int x;\nvoid f(void) { __asm__(\"call exit\"); }", "exit", 2),
    ('__asm__(".symver leave, exit@GLIBC_2.2.5");\nvoid leave(int);\n'
     'void f(void) { leave(0); }',
     "exit", 3),
    ('__asm__(".set leave, exit");\nvoid leave(int);\nvoid f(void) { leave(0); }', "exit", None),
    ('__asm__(".weakref leave, exit\\n.data\\n.quad leave");', "exit", None),
    ('__asm__(".section .secret, \\"aw\\"\\n.quad exit");', "exit", None),
    ("#ifdef __SANITIZE_ADDRESS__\n#define ON 1\n#elif __has_feature(address_sanitizer)\n"
     "#define ON 1\n#endif\n#ifdef ON\nvoid exit(int);\nvoid f(void) { exit(0); }\n#endif",
     "exit", 8),
    ("long __libc_fork(void);\nlong f(void) { return __libc_fork(); }", "__libc_fork", 2),
    ("long __fork(void);\nlong f(void) { return __fork(); }", "__fork", 2),
    ("long __libc_system(char *);\nlong f(void) { return __libc_system(\"x\"); }",
     "__libc_system", 2),
    ("extern char __ehdr_start[];\nvoid *f(void) { return __ehdr_start; }", "__ehdr_start", 2),
    ("long __read_chk(int, void *, long, long);\n"
     "long f(char *b) { return __read_chk(1, b, 2, 3); }",
     "__read_chk", 2),
]  # fmt: skip


@pytest.mark.parametrize("code, name, line", DISGUISES)
def test_a_disguise_does_not_help(
    lab: IntegrityLab, code: str, name: str, line: Optional[int]
) -> None:
    where = "m1-task/task.c" + ("" if line is None else f":{line}")
    [use] = [use for use in lab.uses(code + "\n") if use.what == name]
    assert use.where.startswith(where)


def test_a_variable_is_a_line_too(lab: IntegrityLab) -> None:
    if "clang" in lab.stage.compiler:
        pytest.skip("nm does not find its variables")
    [use] = lab.uses("void exit(int);\nint x;\nvoid (*leave)(int) = exit;\n")
    assert use.where == "m1-task/task.c:3"


def test_a_name_in_no_list_is_unusual(lab: IntegrityLab) -> None:
    code = "int quite_unknown(void);\nint f(void) { return 1 + quite_unknown(); }\n"
    [use] = lab.uses(code)
    assert (use.what, use.where, use.forbidden) == ("quite_unknown", "m1-task/task.c:2", False)


def test_a_strange_name_is_spelled_out(lab: IntegrityLab) -> None:
    code = 'extern int x __asm__("good\\xe2\\x80\\xaetixe");\nint f(void) { return x; }\n'
    [use] = lab.uses(code)
    assert (use.what, use.where) == ("good\\u202etixe", "m1-task/task.c:2")


def test_the_first_of_several_lines_is_told(lab: IntegrityLab) -> None:
    code = "void exit(int);\n" + "".join(f"void f{n}(void) {{ exit({n}); }}\n" for n in range(3))
    [use] = lab.uses(code)
    assert use.where == "m1-task/task.c:2"
    assert to_findings([use])[0].detail.startswith("exit: ends the program")
    assert to_findings([use])[0].kind == "unusual"


def test_what_is_inlined_from_elsewhere_is_where_it_is_used(lab: IntegrityLab) -> None:
    code = """
        void exit(int);
        #line 5 "elsewhere.h"
        static inline __attribute__((always_inline)) void leave(void) { exit(3); }
        #line 40 "task.c"
        int f(int n) { return n + 1; }
        void g(void) { leave(); }
        """
    [use] = lab.uses(code)
    assert use.where == "m1-task/task.c:41"


def test_a_higher_layer_is_unusual_and_a_lower_one_is_not(lab: IntegrityLab) -> None:
    body = "return timers_expire(t) + task_done(k);"
    code = f'#include "timers.h"\nsize_t f(timers *t, task *k) {{ {body} }}\n'
    [use] = lab.uses(code, "m2")
    assert (use.what, use.forbidden) == ("timers_expire", False)
    assert lab.uses(code, "m4") == []


def test_a_stub_ends_the_program_and_may(lab: IntegrityLab) -> None:
    stub = '#include "not_implemented.h"\nint f(void) { not_implemented(); return 0; }\n'
    assert lab.uses(stub) == []
    [use] = lab.uses(stub + "int g(void) { _exit(0); }\n")
    assert (use.what, use.where, use.forbidden) == ("_exit", "m1-task/task.c:3", False)


def test_what_is_odd_without_end_is_not_told_without_end(lab: IntegrityLab) -> None:
    code = "".join(f"int odd{n}(void); int f{n}(void) {{ return odd{n}(); }}\n" for n in range(100))
    uses = lab.uses(code + "int fork(void); int f(void) { return fork(); }\n")
    assert len(uses) == MOST_USES + 1
    assert (uses[0].what, uses[0].forbidden) == ("fork", True)
    assert uses[-1].reason.startswith("61 more")


def test_no_name_is_hidden_behind_an_earlier_group() -> None:
    hidden = [name for group in groups() for name in group.names if group_of(name) is not group]
    assert hidden == []


def test_groups_say_what_is_expected() -> None:
    seen: List[Tuple[str, str]] = []
    for group in groups():
        assert not group.allowed & group.forbidden
        assert len(group.reason) > 5
        seen += [(name, group.reason) for name in group.names]
    assert len({name for name, _ in seen}) == len(seen)
