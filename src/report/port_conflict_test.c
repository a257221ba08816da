/* Messages as the programs print them (torch 1.13, Python 3.11, jaxlib 0.4, TensorFlow 2.15 …). */
#include "report/port_conflict.h"

#include "base/buf.h"
#include "base/testing.h"

static void test_messages(void **state)
{
    static const struct {
        const char *log;
        int port; /* -1: no conflict */
    } rows[] = {
        { "RuntimeError: The server socket has failed to listen on any local network address. The "
          "server socket has failed to bind to [::]:23456 (errno: 98 - Address already in use). "
          "The server socket has failed to bind to 0.0.0.0:23456 (errno: 98 - Address already in "
          "use).\n",
          23456 },
        { "torch.distributed.DistNetworkError: The server socket has failed to listen on any local "
          "network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: "
          "address already in use\n",
          29500 },
        { "OSError: [Errno 98] Address already in use\n", 0 },
        { "OSError: [Errno 98] error while attempting to bind on address ('0.0.0.0', 23456): "
          "address already in use",
          23456 },
        { "E1117 17:39:11.953780458   17286 server_chttp2.cc:40]        "
          "{\"created\":\"@1794937151.953743538\",\"description\":\"No address added out of total "
          "1 resolved\",\"file\":\"external/chttp2_server.cc\",\"file_line\":395,\"errno\":98,"
          "\"os_error\":\"Address already in use\",\"syscall\":\"bind\"}\n",
          0 },
        { "tensorflow.python.framework.errors_impl.UnknownError: Could not start gRPC server\n",
          0 },
        { "2026/11/17 17:40:01 listen tcp :8080: bind: address already in use\n", 8080 },
        { "Error: listen EADDRINUSE: address already in use :::3000\n    at Server.setupListen\n",
          3000 },
        { "nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)\n", 80 },
        { "Address already in use\nPort 5000 is in use by another program. Either identify it\n",
          5000 },
        { "ERROR:    [Errno 98] error while attempting to bind on address ('::', 8000, 0, 0): "
          "[errno 98] address already in use\n",
          0 },
        { "12:30:59 Address already in use\n", 0 }, /* a time is no port */
        { "Address already in use: 127.0.0.1:99999\n", 0 },
        { "ConnectionRefusedError: [Errno 111] Connection refused\n", -1 },
        { "RuntimeError: 0.0.0.0:8080 answered nothing\n", -1 },
        { "", -1 },
        { "\n\n", -1 },
    };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        int port = 7;
        bool found = ty_port_conflict_find(ty_str(rows[i].log), &port);
        if (found != (rows[i].port >= 0) || port != (found ? rows[i].port : 0))
            fail_msg("%s: %d, port %d", rows[i].log, found, port);
    }
}

/* A server that found the port in use and took another one ended for another reason. */
static void test_only_the_last_lines(void **state)
{
    ty_auto_buf log = { 0 };
    int port = 0;

    (void)state;
    ty_buf_cstr(&log, "Address already in use 0.0.0.0:6006\n");
    for (int i = 0; i < 39; i++)
        ty_buf_cstr(&log, "step\n");
    assert_true(ty_port_conflict_find(ty_buf_str(&log), &port));
    assert_int_equal(port, 6006);
    ty_buf_cstr(&log, "KeyError: 1\n");
    assert_false(ty_port_conflict_find(ty_buf_str(&log), &port));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_only_the_last_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
