"""Waits for a condition: the only poll loop of the tests. A test names what it waits for, and a wait that
fails says what was seen instead. No test sleeps for "long enough"."""
import time

WAIT_SECONDS = 240  # also on a machine with much else to do


def poll_until(look, seconds=WAIT_SECONDS, poll=0.05):
    """What `look` returns as soon as that is true; after `seconds`, what it returned last."""
    end = time.monotonic() + seconds
    while not (seen := look()) and time.monotonic() < end:
        time.sleep(poll)
    return seen


def wait_for(what, look, seconds=WAIT_SECONDS, show=None, child=None, poll=0.05):
    """What `look` returns as soon as that is true, or an AssertionError. `show` returns what there is
    instead; `child` is a process that must not end before."""
    def look_at_child_first():
        code = child.poll() if child else None
        seen = look()
        assert seen or code is None, f"it ended with {code} before: {what}{shown(show)}"
        return seen

    seen = poll_until(look_at_child_first, seconds, poll)
    assert seen, f"not after {seconds} s: {what}{shown(show) or f'; last seen: {seen!r}'}"
    return seen


def shown(show):
    return f"; there is: {show()}" if show else ""


def stays(what, look, seconds=2.0):
    """Fails as soon as `look` is no longer true. For what must never happen and has no event after it
    that a test could wait for: a duration is all there is."""
    assert not poll_until(lambda: not look(), seconds, poll=0.1), f"no longer so: {what}"


def at_rest(look, seconds=2.0, most=WAIT_SECONDS):
    """What `look` returns when that has been the same for `seconds`: others have written what they had to."""
    def changed():
        now = look()
        return [now] if now != seen else None

    seen, end = look(), time.monotonic() + most
    while change := poll_until(changed, seconds, poll=0.1):
        assert time.monotonic() < end, f"never the same for {seconds} s: {seen}, then {change[0]}"
        seen = change[0]
    return seen
