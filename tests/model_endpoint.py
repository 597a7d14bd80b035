"""A model's endpoint of the OpenAI form on loopback, which answers as it is told."""

from __future__ import annotations

import contextlib
import http.server
import json
import threading

USAGE = {"prompt_tokens": 1000, "completion_tokens": 50}


class Model(http.server.ThreadingHTTPServer):
    """Answers every question with what it was given, and keeps the questions."""

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer, self.asked = answer, []

    @property
    def environ(self):
        return {"WINDTUNNEL_MODEL_URL": f"http://127.0.0.1:{self.server_port}/v1", "WINDTUNNEL_MODEL_NAME": "small",
                "WINDTUNNEL_MODEL_KEY": "secret-key", "WINDTUNNEL_MODEL_PRICE": "1.00/2.00 USD"}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append((self.path, self.headers["Authorization"], json.loads(body)))
        with contextlib.suppress(OSError):
            self.server.answer(self)

    def log_message(self, *_):
        pass


def says(text, *, status=200, usage=USAGE):
    def answer(handler):
        data = text if isinstance(text, bytes) else json.dumps({"choices": [{"message": {"content": text}}], "usage": usage}).encode()
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)
    return answer


@contextlib.contextmanager
def serving(answer):
    with Model(answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
