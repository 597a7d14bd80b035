"""A program ends though a thread of it held a store when everything stopped."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys, threading
from windtunnel.store import database
from windtunnel.store.history import SHAPE

kept = database.Database(sys.argv[1], SHAPE)
kept.do(lambda connection: connection.execute("SELECT 1").fetchall())
holder = threading.Thread(target=database._lock.acquire)  # and never lets go
holder.start()
holder.join()
print("done")
"""


def test_a_store_that_a_stopped_thread_holds_does_not_keep_the_program_from_ending(tmp_path):
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path / "history.db")], capture_output=True, text=True,
                          timeout=60, check=False)

    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)
