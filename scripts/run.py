"""Starts the server with its dashboard on your home; where there is none, on a demo home in a folder of its own."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import NoReturn

from oldsoul.errors import OldsoulError
from oldsoul.faces.web import server
from oldsoul.wiring import home_folder

OLDSOUL = (sys.executable, "-m", "oldsoul")
HOST = "127.0.0.1"


def main() -> None:
    """Do what `make run` was asked for."""
    reads = argparse.ArgumentParser(description=__doc__)
    reads.add_argument("--demo", type=Path, required=True, help="the folder of the demo home")
    reads.add_argument("--port", type=int, required=True)
    reads.add_argument("--home", help="the home to serve; it is created if it does not exist")
    reads.add_argument("--check", action="store_true", help="open the page behind the login link once, then stop")
    reads.add_argument("--since", type=float, default=time.time(), help="when the set-up began, in seconds")
    given = reads.parse_args()
    try:
        server.listening(HOST, given.port, public=False).close()
    except OldsoulError as error:
        sys.exit(f"{error}\nFor example: make run PORT={given.port + 1}")
    home = home_folder(given.home, os.environ)
    if given.home is None and not (home / "config.yaml").exists():
        home = given.demo.resolve()
        if not (home / "config.yaml").exists():
            part = home.with_name(f"{home.name}.part")  # one that was stopped half-way is not taken for a whole one
            shutil.rmtree(part, ignore_errors=True)
            subprocess.run([*OLDSOUL, "demo", str(part)], check=True, stdout=subprocess.DEVNULL)
            part.rename(home)
        print(f"Demo home: {home} (`oldsoul init` creates your own, `make run` then uses it)", flush=True)
    serve = [*OLDSOUL, "serve", "--home", str(home), "--port", str(given.port)]
    if given.check:
        check(serve, given.since)
    else:
        os.execv(serve[0], serve)  # noqa: S606 - our own command


def check(serve: list[str], since: float) -> NoReturn:
    """Start the server, open the page behind its login link, and stop it."""
    with subprocess.Popen([*serve, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        said = ""
        while server.stdout and not said.endswith("}\n") and (line := server.stdout.readline()):
            said += line
        if not said:
            sys.exit("the server did not start; `make run` without CHECK=1 shows why")
        link = json.loads(said)["login"]
        print(f"Log in: {link}")
        print(f"The login link was there after {time.time() - since:.0f} s.")
        try:
            with urllib.request.urlopen(link) as page:  # noqa: S310 - our own server
                told = page.headers.get_content_type(), page.url
        finally:
            server.terminate()
    if told[0] != "text/html":
        sys.exit(f"{told[1]} is not a page but {told[0]}")
    print("The page is there.")
    sys.exit(server.returncode)


if __name__ == "__main__":
    main()
