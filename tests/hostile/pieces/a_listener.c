/* Listens on a port of the kernel's choice, and says so; SIGTERM ends it. */
static int listener(void)
{
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr_in bound;
    socklen_t size = sizeof bound;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    sigset_t none;

    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL); /* SIGTERM ends it */
    (void)bind(fd, (const struct sockaddr *)&any, sizeof any);
    (void)listen(fd, 1000);
    (void)getsockname(fd, (struct sockaddr *)&bound, &size);
    (void)printf("listening on 127.0.0.1:%d\n", ntohs(bound.sin_port));
    (void)fflush(stdout);
    return fd;
}
