"""The machine under the shop."""

import contextlib
import os
import signal
import subprocess
import threading
import time


def wait_for_gong() -> bool:
    """Wait until the gong of the clock rings, and say whether it did."""
    rung = []
    old = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        signal.pause()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    return bool(rung)


def wait_for_gong_patiently() -> bool:
    """The same, and whatever else knocks in the meantime is not taken for the gong."""
    rung = threading.Event()
    timer = threading.Timer(0.05, rung.set)
    timer.daemon = True
    timer.start()
    rung.wait()
    return True


def run_a_child() -> int:
    """What a child of ours returns."""
    return subprocess.run(["/bin/sh", "-c", "exit 3"], check=False).returncode


def ask_a_child() -> str:
    """What a child of ours says."""
    return subprocess.run(["/bin/sh", "-c", "echo ready"], capture_output=True, check=True).stdout.decode().strip()


def fork_and_wait() -> int:
    """What a copy of ours returns; only that copy is waited for."""
    child = os.fork()
    if child == 0:
        os._exit(7)
    return os.WEXITSTATUS(os.waitpid(child, 0)[1])


def talk_through_a_pipe() -> bytes:
    """What went through a pipe."""
    reading, writing = os.pipe()
    try:
        os.write(writing, b"through")
        return os.read(reading, 100)
    finally:
        os.close(reading)
        os.close(writing)


def work_in_threads(count: int = 3) -> int:
    """How many of a few threads did their work."""
    done = []
    threads = [threading.Thread(target=done.append, args=(number,)) for number in range(max(0, min(int(count), 3)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(done)


def processors() -> bool:
    """Whether there is a processor."""
    return (os.cpu_count() or 1) >= 1


def sleep_a_little() -> bool:
    """Sleep a little."""
    time.sleep(0.02)
    return True


def tidy_up(path: str = "/tmp/shop-leftover") -> bool:
    """Take a leftover away, if it is there and can be taken away."""
    with contextlib.suppress(OSError, ValueError):
        os.unlink(str(path))
    return True


def with_a_lock() -> int:
    """Count under a lock."""
    lock, count = threading.Lock(), 0
    for _ in range(100):
        with lock:
            count += 1
    return count
