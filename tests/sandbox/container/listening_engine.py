"""A socket that answers Docker's client like an engine, starts nothing, and keeps what it was asked to create."""

from __future__ import annotations

import http.server
import json
import socketserver
import threading

ID = "c0ffee" * 10 + "c0de"


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


class ListeningEngine:
    """``with`` it, ``bodies`` are those of the create requests."""

    def __init__(self, folder):
        self.bodies = bodies = []

        class Answer(http.server.BaseHTTPRequestHandler):
            def say(self, told):
                data = json.dumps(told).encode()
                self.send_response(201 if self.command == "POST" else 200)
                self.send_header("Api-Version", "1.41")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            def do_GET(self):
                self.say({})

            do_HEAD = do_GET  # noqa: N815

            def do_POST(self):
                bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.say({"Id": ID, "Warnings": []})

            def address_string(self):
                return "unix"

            def log_message(self, *_):
                pass

        self.path = f"{folder}/engine"
        self.url = f"unix://{self.path}"
        self._server = _Server(self.path, Answer)

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
