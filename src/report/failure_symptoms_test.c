/* Errors as the programs print them; more of them, whole, are in testdata/cascades. */
#include "report/failure_symptoms.h"

#include "base/testing.h"

static void test_table(void **state)
{
    static const struct {
        const char *error;
        enum ty_failure_symptom want;
    } rows[] = {
        { "ValueError: boom", TY_SYMPTOM_OWN },
        { "KeyboardInterrupt", TY_SYMPTOM_OWN },
        { "[enforce fail at ./gloo/transport/tcp/pair.cc:510] op.preamble.length <= op.nbytes. 8 "
          "vs 4",
          TY_SYMPTOM_OWN },
        { "subprocess.CalledProcessError: Command 'x' died with <Signals.SIGTERM: 15>.",
          TY_SYMPTOM_STOPPED },
        { "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB",
          TY_SYMPTOM_OWN },
        { "RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)", TY_SYMPTOM_OWN },
        { "EOFError: Ran out of input", TY_SYMPTOM_OWN }, /* a file that is cut off */
        { "torch.distributed.DistNetworkError: The server socket has failed to listen on any local "
          "network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE",
          TY_SYMPTOM_OWN }, /* its own port */
        { "TimeoutError: the download of shard 3 took too long", TY_SYMPTOM_OWN },
        { "EOFError: EOF when reading a line", TY_SYMPTOM_OWN }, /* of input() */
        { "EOFError: stage 2 of the pipeline ended early", TY_SYMPTOM_OWN },
        { "EOFError", TY_SYMPTOM_PEER }, /* of multiprocessing.Connection.recv() */
        { "EOFError: worker closed the connection", TY_SYMPTOM_PEER },
        { "RuntimeError: [./gloo/transport/tcp/pair.cc:598] Connection closed by peer "
          "[127.0.0.1]:50342",
          TY_SYMPTOM_PEER },
        { "RuntimeError: [../third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] Timed out "
          "waiting 8000ms for recv operation to complete",
          TY_SYMPTOM_PEER },
        { "ConnectionResetError: [Errno 104] Connection reset by peer", TY_SYMPTOM_PEER },
        { "BrokenPipeError: [Errno 32] Broken pipe", TY_SYMPTOM_PEER },
        { "RuntimeError: Socket Timeout", TY_SYMPTOM_PEER },
        { "torch.distributed.DistStoreError: Timed out after 61 seconds waiting for clients. 1/2 "
          "clients joined.",
          TY_SYMPTOM_PEER },
        { "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, remote "
          "process exited or there was a network error, NCCL version 2.20.5",
          TY_SYMPTOM_PEER },
        { "torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to "
          "the C10d store has failed. See inner exception for details.",
          TY_SYMPTOM_PEER },
        { "xgboost.core.XGBoostError: [17:45:15] ./rabit/include/rabit/internal/utils.h:86: "
          "Allreduce failed",
          TY_SYMPTOM_PEER },
        { "xgboost.core.XGBoostError: [17:45:15] ./src/data/data.cc:500: Check failed: "
          "labels.Size() == num_row_",
          TY_SYMPTOM_OWN },
        { "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
          TY_SYMPTOM_LAUNCHER },
        { "subprocess.CalledProcessError: Command '['python']' returned non-zero exit status 1.",
          TY_SYMPTOM_LAUNCHER },
        { "torch.distributed.elastic.multiprocessing.api.SignalException: Process 3 got signal: 15",
          TY_SYMPTOM_STOPPED },
        { "", TY_SYMPTOM_OWN },
    };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(rows); i++)
        if (ty_failure_symptom(ty_str(rows[i].error)) != rows[i].want)
            fail_msg("%s: not %d", rows[i].error, (int)rows[i].want);
}

static void test_timeouts(void **state)
{
    (void)state;
    assert_true(ty_failure_symptom_timeout(TY_LIT("RuntimeError: Socket Timeout")));
    assert_true(ty_failure_symptom_timeout(TY_LIT("TimeoutError: timed out")));
    assert_true(ty_failure_symptom_timeout(TY_LIT("Timed out waiting 8000ms for recv")));
    assert_false(ty_failure_symptom_timeout(TY_LIT("RuntimeError: Connection closed by peer")));
    assert_false(ty_failure_symptom_timeout(TY_LIT("")));
}

static void test_refusals(void **state)
{
    (void)state;
    assert_int_equal(ty_failure_symptom_refusal(TY_LIT("ConnectionRefusedError: [Errno 111] x")),
                     TY_REFUSAL_OF_PROGRAM);
    assert_int_equal(ty_failure_symptom_refusal(TY_LIT("RuntimeError: [./gloo/transport/tcp/"
                                                       "device.cc:1] connect: Connection refused")),
                     TY_REFUSAL_OF_FRAMEWORK);
    assert_int_equal(ty_failure_symptom_refusal(TY_LIT("MPI: Connection Refused")),
                     TY_REFUSAL_OF_FRAMEWORK);
    assert_int_equal(ty_failure_symptom_refusal(TY_LIT("ConnectionResetError: reset by peer")),
                     TY_REFUSAL_NONE);
    assert_int_equal(ty_failure_symptom_refusal(TY_LIT("")), TY_REFUSAL_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_table),
                                        cmocka_unit_test(test_timeouts),
                                        cmocka_unit_test(test_refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
