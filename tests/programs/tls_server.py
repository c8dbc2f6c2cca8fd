#!/usr/bin/env python3
"""A server with TLS on a free port of 127.0.0.1, for tests.

    tls_server.py CERTIFICATE.pem KEY.pem

Prints its port, then answers every POST with the embeddings of two texts, until standard input ends.
"""
import http.server
import ssl
import sys
import threading


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b'{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,0]}]}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # clients that do not trust the certificate


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    server = Server(("127.0.0.1", 0), Answers)
    # The handshake is made by the thread of the connection: a client that leaves in the middle must not end the server.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


main()
