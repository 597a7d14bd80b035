import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from shop.rates import fetch_rate


class Bank(BaseHTTPRequestHandler):
    def do_GET(self):
        known = self.path == "/rates/USD"
        self.send_response(200 if known else 404)
        self.end_headers()
        self.wfile.write(json.dumps({"rate": 1.25} if known else {}).encode())

    def log_message(self, *arguments):
        pass


@pytest.fixture
def bank():
    with HTTPServer(("127.0.0.1", 0), Bank) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_the_bank_is_asked_for_a_rate(bank):
    assert fetch_rate(bank, "USD") == 1.25


def test_a_currency_without_a_rate_is_an_error(bank):
    with pytest.raises(OSError):
        fetch_rate(bank, "XXX")
