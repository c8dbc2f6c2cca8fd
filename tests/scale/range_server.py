#!/usr/bin/python3
"""range_server.py FOLDER PORT_FILE: serves files with ranges of bytes on 127.0.0.1, and writes its port.

While there is a file "cut" in the folder of this process, the next answer to a range that begins after the first byte ends early."""
import http.server
import os
import re
import sys


class Ranges(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_HEAD(self):  # pylint: disable=invalid-name
        self.answer(body=False)

    def do_GET(self):  # pylint: disable=invalid-name
        self.answer(body=True)

    def answer(self, body):
        with open(os.path.join(sys.argv[1], os.path.basename(self.path)), "rb") as file:
            data = file.read()
        tag = f'"{len(data)}-{hash(data)}"'
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        first = int(asked[1]) if asked else 0
        if self.headers.get("If-Match", tag) != tag:
            self.send_response(412)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(len(data) - first))
        self.send_header("ETag", tag)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        if not body:
            return
        if first > 0 and os.path.exists("cut"):
            os.remove("cut")
            data = data[: first + 1000]
            self.close_connection = True
        self.wfile.write(data[first:])

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # clients end connections as soon as they have read enough


server = Server(("127.0.0.1", 0), Ranges)
with open(sys.argv[2] + ".new", "w", encoding="ascii") as port_file:
    print(server.server_address[1], file=port_file)
os.rename(sys.argv[2] + ".new", sys.argv[2])
server.serve_forever()
