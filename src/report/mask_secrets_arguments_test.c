#include "report/mask_secrets_testing.h"

static void arguments(void **state TY_UNUSED)
{
    static const struct mask_row rows[] = {
        { "curl -u bob:s3cret https://h", "curl -u *** https://h" },
        { "curl -u bob:s3/c?r#et x", "curl -u *** x" },
        { "curl --user=bob:s3cret", "curl --user=***" },
        { "curl -u 'bob:s3 cret' x", "curl -u '***' x" },
        { "['curl', '-u', 'bob:s3cret', 'x']", "['curl', '-u', '***', 'x']" },
        { "curl -u me:pa;ss https://h", "curl -u *** https://h" },
        { "Command 'curl -u me:p&q https://h' failed", "Command 'curl -u *** https://h' failed" },
        { "curl -u me:x(y)z", "curl -u ***" },
        { "curl -u me:s3cret; x", "curl -u ***; x" },
        { "curl -u me:s3cret|| x", "curl -u ***|| x" },
        { "sshpass -p ab&cd ssh h", "sshpass -p *** ssh h" },
        { "docker run --user 1000:1000 -u 0:0 x", NULL },
        { "python -u train.py; git push -u origin", NULL },
        { "x-u bob:s3cret", NULL },
        { "-u", NULL },
        { "-u ", NULL },
        { "-u a:", "-u ***" },
        { "-unknown:b", NULL },
        { "mysql -uroot -phunter2 db", "mysql -uroot -p*** db" },
        { "+ /usr/bin/mysqldump -h db -p\"a b\" x", "+ /usr/bin/mysqldump -h db -p\"***\" x" },
        { "sh -c \"mysql -ps3cret\" \"x\"", "sh -c \"mysql -p***\" \"x\"" },
        { "{\"c\": \"{\\\"run\\\": \\\"mysql -ps3cret\\\"}\"}",
          "{\"c\": \"{\\\"run\\\": \\\"mysql -p***\\\"}\"}" },
        { "Command '['mariadb', '-ps3 cret', 'db']' failed",
          "Command '['mariadb', '-p***', 'db']' failed" },
        { "mysql -ps3c\\$ret <x.sql", "mysql -p*** <x.sql" },
        { "mysql -p", NULL },
        { "mysql -p db", NULL },
        { "\"mysql -p\", \"x\"", NULL },
        { "['mysql', '-p', 'db']", NULL },
        { "mysql -h db -P 3306 --port 3306", NULL },
        { "docker run --name mysql -p 3306:3306 -p8080:80 mysql:8", NULL },
        { "mysql: [Warning] -phase", NULL },
        { "my-mysql -phase x.mysql -phase pymysql -phase mysqlx -phase", NULL },
        { "mysql x | less -page; y -page && z -page\nw -page", NULL },
        { "sshpass -p hunter2 ssh -p 2222 me@h", "sshpass -p *** ssh -p 2222 me@h" },
        { "sshpass -phunter2 rsync -e 'ssh -p 22' a h:b",
          "sshpass -p*** rsync -e 'ssh -p 22' a h:b" },
        { "['sshpass', '-p', 'hunter2', 'scp']", "['sshpass', '-p', '***', 'scp']" },
        { "sshpass -p 'a b' git -p log", "sshpass -p '***' git -p log" },
        { "sshpass -e ssh -p 2222 h", NULL },
        { "sshpass -f x scp -P 22 a h:b; sshpass -p", NULL },
        { "redis-cli -h r -p 6379 -a hunter2 ping", "redis-cli -h r -p 6379 -a *** ping" },
        { "redis-cli --pass \"a b\" ping", "redis-cli --pass \"***\" ping" },
        { "redis-cli -a", NULL },
        { "redis-cli -a -n 1", NULL },
        { "ls -a secret -p 8080; python -p x -a y", NULL },
        { "torchrun -p 8080 train.py -a resnet50 --ssh -p 1", NULL },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++)
        check_row(&rows[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(arguments) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
