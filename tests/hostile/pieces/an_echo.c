/* Echoes until the client closes. Whole, also if it is stopped on the way: so what is said of it is the same each
 * time. */
static void echo(int fd)
{
    static char data[65536];
    ssize_t got;

    while ((got = read(fd, data, sizeof data)) > 0) {
        ssize_t sent = 0, n = 0;

        while (sent < got && (n = write(fd, data + sent, (size_t)(got - sent))) > 0) {
            sent += n;
        }
    }
    (void)close(fd);
}
