/* A table of what frameworks say when a peer is gone. An error that is not in it is the process's
 * own: a missing row makes a victim a suspect, whose place in time then decides. */
#include "report/failure_symptoms.h"

#include <ctype.h>

#include "base/arena.h"

enum { READ_BYTES = 512 };

/* In lower case. The first row that is part of the error decides. */
static const struct {
    const char *words;
    enum ty_failure_symptom means;
} table[] = {
    { "childfailederror", TY_SYMPTOM_LAUNCHER },
    { "died with <signals.sigterm", TY_SYMPTOM_STOPPED },
    { "subprocess.calledprocesserror", TY_SYMPTOM_LAUNCHER },
    { "signalexception: process", TY_SYMPTOM_STOPPED },
    { "signal 15 (sigterm)", TY_SYMPTOM_STOPPED },
    { "got signal: 15", TY_SYMPTOM_STOPPED },
    { "systemexit: 143", TY_SYMPTOM_STOPPED },
    /* an address of our own that cannot be used, whatever the rest says */
    { "address already in use", TY_SYMPTOM_OWN },
    { "eaddrinuse", TY_SYMPTOM_OWN },
    /* sockets, in every language */
    { "closed by peer", TY_SYMPTOM_PEER },
    { "reset by peer", TY_SYMPTOM_PEER },
    { "connection closed", TY_SYMPTOM_PEER },
    { "connection reset", TY_SYMPTOM_PEER },
    { "connection refused", TY_SYMPTOM_PEER },
    { "connection aborted", TY_SYMPTOM_PEER },
    { "connection timed out", TY_SYMPTOM_PEER },
    { "connectionreseterror", TY_SYMPTOM_PEER },
    { "connectionrefusederror", TY_SYMPTOM_PEER },
    { "connectionabortederror", TY_SYMPTOM_PEER },
    { "brokenpipeerror", TY_SYMPTOM_PEER },
    { "broken pipe", TY_SYMPTOM_PEER },
    { "remotedisconnected", TY_SYMPTOM_PEER },
    { "incompletereaderror", TY_SYMPTOM_PEER },
    { "socket timeout", TY_SYMPTOM_PEER },
    { "socket closed", TY_SYMPTOM_PEER },
    { "socket.timeout: timed out", TY_SYMPTOM_PEER },
    { "timeouterror: timed out", TY_SYMPTOM_PEER },
    /* torch: gloo, NCCL, the store, rendezvous */
    { "enforce fail at", TY_SYMPTOM_OWN }, /* an assertion of gloo, torch or Caffe2 */
    { "gloo/transport", TY_SYMPTOM_PEER },
    { "gloo/rendezvous", TY_SYMPTOM_PEER },
    { "connectfullmesh", TY_SYMPTOM_PEER },
    { "client socket has timed out", TY_SYMPTOM_PEER },
    { "waiting for clients", TY_SYMPTOM_PEER },
    { "store based barrier", TY_SYMPTOM_PEER },
    { "key-value store", TY_SYMPTOM_PEER },
    { "wait timeout after", TY_SYMPTOM_PEER },
    { "diststoreerror", TY_SYMPTOM_PEER },
    { "distnetworkerror", TY_SYMPTOM_PEER },
    { "failed to recv, got", TY_SYMPTOM_PEER },
    { "tcpstore", TY_SYMPTOM_PEER },
    { "rendezvousconnectionerror", TY_SYMPTOM_PEER },
    { "rendezvoustimeouterror", TY_SYMPTOM_PEER },
    { "rendezvousclosederror", TY_SYMPTOM_PEER },
    { "remote process exited", TY_SYMPTOM_PEER },
    { "nccl communicator was aborted", TY_SYMPTOM_PEER },
    { "ncclremoteerror", TY_SYMPTOM_PEER },
    { "ncclsystemerror", TY_SYMPTOM_PEER },
    { "nccl operations have failed or timed out", TY_SYMPTOM_PEER },
    { "watchdog caught collective operation timeout", TY_SYMPTOM_PEER },
    { "application timeout caused pair closure", TY_SYMPTOM_PEER },
    /* XGBoost */
    { "rabit/internal", TY_SYMPTOM_PEER },
    { "allreduce failed", TY_SYMPTOM_PEER },
    { "broadcast failed", TY_SYMPTOM_PEER },
    { "allgather failed", TY_SYMPTOM_PEER },
    { "failed to connect to the tracker", TY_SYMPTOM_PEER },
    { "failed to connect to tracker", TY_SYMPTOM_PEER },
    /* JAX and TensorFlow */
    { "coordination service", TY_SYMPTOM_PEER },
    { "coordination_service", TY_SYMPTOM_PEER },
    { "coordinationservice", TY_SYMPTOM_PEER },
    { "heartbeat", TY_SYMPTOM_PEER },
    { "deadline_exceeded", TY_SYMPTOM_PEER },
    { "unavailable:", TY_SYMPTOM_PEER },
    { "distributed service detected fatal errors", TY_SYMPTOM_PEER },
    { "another task died", TY_SYMPTOM_PEER },
    { "gloo context initialization failed", TY_SYMPTOM_PEER },
    { "gloo all-reduce failed", TY_SYMPTOM_PEER },
    { "gloo all-gather failed", TY_SYMPTOM_PEER },
    { "gloo allreduce failed", TY_SYMPTOM_PEER },
    /* MPI, Horovod */
    { "peer process has unexpectedly disconnected", TY_SYMPTOM_PEER },
    { "tcp connect to a peer mpi process", TY_SYMPTOM_PEER },
    { "horovodinternalerror", TY_SYMPTOM_PEER },
    { "horovod has been shut down", TY_SYMPTOM_PEER },
};

/* The text in lower case, at most READ_BYTES of it. */
static struct ty_str lower(struct ty_str error, char *to)
{
    size_t n = error.n < READ_BYTES ? error.n : READ_BYTES;

    for (size_t i = 0; i < n; i++)
        to[i] = (char)tolower((unsigned char)error.p[i]);
    return (struct ty_str){ to, n };
}

/* An EOFError without words (the other end of a pipe is closed), or with those of a connection.
 * Else it is about a file, or about the terminal: "EOFError: EOF when reading a line". */
static bool is_hangup(struct ty_str low)
{
    static const char *const words[] = { "connection", "socket", "peer" };
    bool hangup = ty_str_is(low, "eoferror");

    for (size_t i = 0; i < TY_COUNT(words) && ty_str_starts(low, TY_LIT("eoferror: ")); i++)
        hangup |= ty_str_contains(low, ty_str(words[i]));
    return hangup;
}

enum ty_failure_symptom ty_failure_symptom(struct ty_str error)
{
    char low[READ_BYTES];
    struct ty_str text = lower(error, low);

    if (is_hangup(text))
        return TY_SYMPTOM_PEER;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (ty_str_contains(text, ty_str(table[i].words)))
            return table[i].means;
    return TY_SYMPTOM_OWN;
}

bool ty_failure_symptom_timeout(struct ty_str error)
{
    static const char *const words[] = { "timeout", "timed out", "deadline", "heartbeat",
                                         "waiting for" };
    char low[READ_BYTES];
    struct ty_str text = lower(error, low);

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (ty_str_contains(text, ty_str(words[i])))
            return true;
    return false;
}

enum ty_failure_refusal ty_failure_symptom_refusal(struct ty_str error)
{
    char low[READ_BYTES];
    struct ty_str text = lower(error, low);

    if (ty_str_starts(text, TY_LIT("connectionrefusederror")))
        return TY_REFUSAL_OF_PROGRAM;
    return ty_str_contains(text, TY_LIT("refused")) ? TY_REFUSAL_OF_FRAMEWORK : TY_REFUSAL_NONE;
}
