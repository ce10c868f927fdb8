"""The channels of the soul keeper's digest, against real servers on the loopback and a real program."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any, Self

import pytest

from oldsoul.adapters.notify import Command, Mail, MailServer, Webhook
from oldsoul.errors import Unavailable
from oldsoul.values.history import Digest, Grown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DIGEST = Digest(
    "main",
    "2026-02-04 02:30",
    (Grown("7", "**Emojis**: none.", "Vibe", "the operator corrected this on 2026-02-03"),),
    (Grown("k3f9w2m7qa", "Ask first – always.", "Core Truths", "the operator asked for this on 2026-02-03"),),
    ("left out: one",),
)
SECRET = "s3cr3t-t0ken"  # noqa: S105 - no secret of ours


# web hook


@contextmanager
def web(status: int = 204, delay: float = 0.0, location: str = "") -> Iterator[tuple[str, list[dict[str, Any]]]]:
    heard: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            heard.append({"path": self.path, "type": self.headers["Content-Type"], "json": json.loads(body)})
            time.sleep(delay)
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.end_headers()

        do_GET = do_POST  # noqa: N815 - the name the server looks for

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/{SECRET}", heard
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_web_hook_gets_the_digest_as_json() -> None:
    with web() as (url, heard):
        Webhook(url).send(DIGEST)
    ((said),) = heard
    assert said["type"] == "application/json; charset=utf-8"
    assert said["json"] == {**DIGEST.facts(), "text": DIGEST.text}
    assert said["json"]["proposals"][0]["text"] == "Ask first – always."


@pytest.mark.parametrize("status", [302, 404, 500])
def test_a_web_hook_that_does_not_take_it_is_told_without_its_address(status: int) -> None:
    with web() as (elsewhere, others), web(status, location=elsewhere) as (url, heard):
        with pytest.raises(Unavailable, match=f"it answered {status}") as caught:
            Webhook(url).send(DIGEST)
        assert len(heard) == 1
        assert others == []
    assert SECRET not in str(caught.value)


def test_a_web_hook_that_is_slow_closed_or_no_address_is_given_up() -> None:
    with web(delay=1.0) as (url, _), pytest.raises(Unavailable) as caught:
        Webhook(url, timeout=0.2).send(DIGEST)
    assert SECRET not in str(caught.value)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for address in (f"http://127.0.0.1:{port}/{SECRET}", f"file:///etc/{SECRET}", SECRET, f"http://[{SECRET}"):
        with pytest.raises(Unavailable) as caught:
            Webhook(address, timeout=2).send(DIGEST)
        assert SECRET not in str(caught.value)


# a program


def program(tmp_path: Path, code: str) -> list[str]:
    path = tmp_path / "told.py"
    path.write_text(code)
    return [sys.executable, str(path), "a b; echo $HOME", str(tmp_path / "out")]


def test_a_program_gets_the_digest_on_its_input_and_nothing_of_our_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLDSOUL_SMTP_PASSWORD", SECRET)
    code = (
        "import json, os, sys\n"
        "facts = {'in': sys.stdin.read(), 'argv': sys.argv[1], 'env': dict(os.environ), 'cwd': os.getcwd()}\n"
        "open(sys.argv[2], 'w').write(json.dumps(facts))\n"
    )
    Command(program(tmp_path, code)).send(DIGEST)
    told = json.loads((tmp_path / "out").read_text())
    assert told["in"] == DIGEST.text + "\n"
    assert told["argv"] == "a b; echo $HOME"
    assert told["cwd"] == "/"
    assert set(told["env"]) <= {"PATH", "LANG", "OLDSOUL_AGENT", "LC_CTYPE", "__CF_USER_TEXT_ENCODING"}
    assert SECRET not in json.dumps(told)


def test_a_program_that_fails_hangs_or_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="it ended with exit code 3"):
        Command(program(tmp_path, "import sys; sys.stdin.read(); sys.exit(3)")).send(DIGEST)
    with pytest.raises(Unavailable, match="it ended with exit code 4"):
        Command(program(tmp_path, "import os; os._exit(4)")).send(DIGEST)
    with pytest.raises(Unavailable, match="longer than"):
        Command(program(tmp_path, "import time; time.sleep(60)"), timeout=0.5).send(DIGEST)
    for argv in ([], ["/nonexistent/program"], [str(tmp_path)]):
        with pytest.raises(Unavailable):
            Command(argv).send(DIGEST)


# mail


class Post:
    """A mail server that takes one mail, and offers encryption if it has a certificate."""

    def __init__(self, tls: ssl.SSLContext | None = None, refuses: str = "") -> None:
        self.tls, self.refuses = tls, refuses
        self.said: list[str] = []
        self.encrypted = False
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()
        self.thread.join(300)

    def _serve(self) -> None:
        try:
            talk, _ = self.socket.accept()
        except OSError:
            return
        talk.settimeout(5)
        with suppress(OSError):
            self._talk(talk)

    def _talk(self, talk: socket.socket) -> None:
        stream = talk.makefile("rwb")

        def say(*lines: str) -> None:
            stream.write("".join(f"{line}\r\n" for line in lines).encode())
            stream.flush()

        say("220 here")
        while line := stream.readline().decode().strip():
            self.said.append(line)
            word = line.split()[0].upper()
            if self.refuses and word == self.refuses:
                say(f"550 {SECRET} no")
            elif word == "EHLO":
                offers = ["250-STARTTLS"] if self.tls and not self.encrypted else []
                say("250-here", *offers, "250 AUTH PLAIN")
            elif word == "STARTTLS" and self.tls:
                say("220 go on")
                talk = self.tls.wrap_socket(talk, server_side=True)
                stream, self.encrypted = talk.makefile("rwb"), True
            elif word == "AUTH":
                say("235 welcome")
            elif word == "DATA":
                say("354 go on")
                while (part := stream.readline().decode().rstrip("\r\n")) != ".":
                    self.said.append(part)
                say("250 taken")
            elif word == "QUIT":
                say("221 bye")
                break
            else:
                say("250 fine")
        stream.close()
        talk.close()


def mail(port: int, **more: Any) -> Mail:
    server = MailServer("127.0.0.1", port, more.pop("user", ""), more.pop("password", ""))
    return Mail(server, "soul@example.org", ["nora@example.org", "tomas@example.org"], timeout=5, **more)


def test_a_mail_has_the_digest_and_goes_to_everyone_named() -> None:
    with Post() as post:
        mail(post.port).send(DIGEST)
    text = "\n".join(post.said)
    assert "Subject: The soul of main: 1 change and 1 proposal" in text
    assert "rcpt to:<nora@example.org>" in text.lower()
    assert "rcpt to:<tomas@example.org>" in text.lower()
    assert "Changed (7): **Emojis**: none. (Vibe)" in text


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")
def test_a_mail_is_encrypted_before_the_password_is_told(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    trusted = ssl.create_default_context(cafile=str(certificate))
    with Post(tls) as post:
        mail(post.port, user="soul", password=SECRET, trusted=trusted).send(DIGEST)
    words = [line.split()[0].upper() for line in post.said if line]
    assert words.index("STARTTLS") < words.index("AUTH") < words.index("DATA")
    assert post.encrypted
    with Post(tls) as post, pytest.raises(Unavailable):
        mail(post.port, user="soul", password=SECRET).send(DIGEST)  # nobody knows this certificate
    assert not any("AUTH" in line for line in post.said)


def test_a_mail_that_is_not_taken_is_told_without_what_the_server_said() -> None:
    with Post(refuses="MAIL") as post, pytest.raises(Unavailable) as caught:
        mail(post.port).send(DIGEST)
    assert SECRET not in str(caught.value)
    with pytest.raises(Unavailable, match="smtp_host"):
        Mail(MailServer(""), "", []).send(DIGEST)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Unavailable):
        mail(port).send(DIGEST)


def test_a_server_elsewhere_that_offers_no_encryption_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *a, **k: real("127.0.0.1" if host == "mail.example.org" else host, *a, **k)
    )
    with Post() as post, pytest.raises(Unavailable, match="no encryption"):
        Mail(MailServer("mail.example.org", post.port), "a@example.org", ["b@example.org"], timeout=5).send(DIGEST)
    assert not any(line.upper().startswith("MAIL") for line in post.said)
