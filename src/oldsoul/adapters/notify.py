"""Ways to tell the operator of growth: a web hook, a program, a mail. What fails says so without addresses or keys."""

from __future__ import annotations

import json
import os
import signal
import smtplib
import ssl
import subprocess
import time
from collections.abc import Sequence
from email.message import EmailMessage
from typing import NoReturn
from urllib.parse import unquote, urlsplit, urlunsplit

from oldsoul.adapters.http import REDIRECTS, ServiceClient, ServiceEndpoint, TransientError, is_local
from oldsoul.errors import Unavailable
from oldsoul.values.frozen import frozen
from oldsoul.values.history import Digest

TIMEOUT = 10.0
"""Seconds after which a channel is given up."""
_SECURE_PORT = 465
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_MOST_SAID = 200


class Webhook:
    """Posts a digest as JSON: where the operator said, and nowhere else."""

    def __init__(self, url: str, timeout: float = TIMEOUT) -> None:
        self._url = url
        self._timeout = timeout

    def send(self, digest: Digest) -> None:
        """Post it; `Unavailable` when nobody takes it."""
        body = json.dumps({**digest.facts(), "text": digest.text}, ensure_ascii=False).encode()
        try:
            line = ServiceClient(_hook(self._url), "it")
        except ValueError:
            _fail("the webhook", "keepers.digest.webhook_url is not an HTTP address")
        try:
            line.prepare()  # what that takes is not the hook's fault
            answer = line.post(body, time.monotonic() + self._timeout)
        except TransientError as failure:
            _fail("the webhook", f"it {failure}")
        except Unavailable as error:
            _fail("the webhook", str(error))
        finally:
            line.close()
        if answer.status >= REDIRECTS:
            _fail("the webhook", f"it answered {answer.status}")


def _hook(url: str) -> ServiceEndpoint:
    """How a web hook is reached; its address can hold a key, so nothing of it is shown."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(url)
    headers = (("Content-Type", "application/json; charset=utf-8"), ("User-Agent", "oldsoul"))
    login = (unquote(parts.username or ""), unquote(parts.password or "")) if parts.username else None
    where = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, parts.query, ""))
    shown = (parts.netloc, parts.path, parts.query)
    return ServiceEndpoint(where, "", is_local(parts.hostname), headers, login, tuple(filter(None, shown)))


class Command:
    """Gives a digest to a program, on its standard input. No shell, and next to nothing of our environment."""

    def __init__(self, argv: Sequence[str], timeout: float = TIMEOUT) -> None:
        self._argv = list(argv)
        self._timeout = timeout

    def send(self, digest: Digest) -> None:
        """Run it; `Unavailable` when it fails or takes too long."""
        if not self._argv:
            _fail("the program", "keepers.digest.command is empty")
        environment = {"PATH": os.defpath, "LANG": "C.UTF-8", "OLDSOUL_AGENT": digest.agent}
        try:
            with subprocess.Popen(  # noqa: S603 - the operator's own program, from config.yaml alone
                self._argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                cwd="/",
                start_new_session=True,
            ) as running:
                try:
                    running.communicate(f"{digest.text}\n".encode(), timeout=self._timeout)
                except subprocess.TimeoutExpired:
                    os.killpg(running.pid, signal.SIGKILL)
                    running.communicate()
                    _fail("the program", f"it took longer than {self._timeout:g} seconds")
        except OSError as error:
            _fail("the program", _why(error))
        if running.returncode:
            _fail("the program", f"it ended with exit code {running.returncode}")


MAIL_PORT = 587


@frozen
class MailServer:
    """Where mail is handed in."""

    host: str
    """its name"""
    port: int = MAIL_PORT
    """its port; 465 is encrypted from the first byte"""
    user: str = ""
    """who we are there; empty for nobody"""
    password: str = ""
    """and how that is known"""


class Mail:
    """Mails a digest. Beyond this machine nothing is sent unencrypted."""

    def __init__(
        self,
        server: MailServer,
        sender: str,
        to: Sequence[str],
        *,
        timeout: float = TIMEOUT,
        trusted: ssl.SSLContext | None = None,
    ) -> None:
        self._server = server
        self._sender = sender
        self._to = list(to)
        self._timeout = timeout
        self._trusted = trusted

    def send(self, digest: Digest) -> None:
        """Mail it; `Unavailable` when it is not taken."""
        if not (self._server.host and self._sender and self._to):
            _fail("mail", "keepers.digest needs smtp_host and mail_to")
        try:
            mail = EmailMessage()
            mail["Subject"], mail["From"], mail["To"] = digest.subject, self._sender, ", ".join(self._to)
            mail.set_content(f"{digest.text}\n")
            with self._connected() as server:
                if self._server.user:
                    server.login(self._server.user, self._server.password)
                server.send_message(mail)
        except smtplib.SMTPResponseException as error:
            _fail("mail", f"the server answered {error.smtp_code}")
        except (OSError, ValueError, smtplib.SMTPException) as error:
            _fail("mail", _why(error))

    def _connected(self) -> smtplib.SMTP:
        host, port = self._server.host, self._server.port
        trusted = self._trusted or ssl.create_default_context()
        if port == _SECURE_PORT:
            return smtplib.SMTP_SSL(host, port, timeout=self._timeout, context=trusted)
        server = smtplib.SMTP(host, port, timeout=self._timeout)
        try:
            server.ehlo()
            if server.has_extn("starttls"):
                server.starttls(context=trusted)
                server.ehlo()
            elif host not in _LOOPBACK:
                _fail("mail", "the server offers no encryption (STARTTLS)")
        except BaseException:
            server.close()
            raise
        return server


def _fail(what: str, why: str) -> NoReturn:
    raise Unavailable(f"the digest was not delivered: {what}: {why}")


def _why(error: Exception) -> str:
    """Why something failed, without the address it was meant for: that can hold a key."""
    said = getattr(error, "strerror", None) or type(error).__name__
    return str(said)[:_MOST_SAID]
