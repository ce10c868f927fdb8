"""The dashboard's files, which are the same for everybody: the page, and the scripts and styles that it loads."""

from __future__ import annotations

import asyncio
import os
import re
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

FOLDER = Path(__file__).parents[2] / "web"
"""Where `make web` puts them, and where an installed package has them."""
_INDEX, _ASSETS = "index.html", "assets/"
_OTHERS = ("api", "mcp", "metrics", "v1")
"""What paths begin with that are not the dashboard's."""
_ADDRESSES = re.compile(r"/(?:login/?|settings/?|agents/[^/]+(?:/[^/]*)?)?")
"""The addresses of the dashboard, as `web/src/router.tsx` has them."""
_NOT_BUILT = "The dashboard is not built. Run `make web` in the folder of the source code, then load this page again.\n"
_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""What the operating system says about names of files differs, and browsers run a script only by its right type."""


def is_page(method: str, path: str) -> bool:
    """Whether a request is for the dashboard's files, which need no token."""
    return method in ("GET", "HEAD") and not _is_of_others(path)


def is_of_the_page(method: str, path: str) -> bool:
    """Whether a request belongs to loading the page: its addresses, scripts and styles."""
    return is_page(method, path) and (path.startswith(f"/{_ASSETS}") or is_known(path))


def is_known(path: str) -> bool:
    """Whether there may be something at a path, for this method or another."""
    return _is_of_others(path) or bool(_ADDRESSES.fullmatch(path))


def _is_of_others(path: str) -> bool:
    return path.partition("/")[2].partition("/")[0] in _OTHERS


class Pages(StaticFiles):
    """Serves the dashboard: a file where there is one, else its page at each of its addresses."""

    def __init__(self, folder: Path = FOLDER) -> None:
        super().__init__(directory=folder, check_dir=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if not is_page(scope["method"], scope["path"]):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        answer = await self.get_response(self.get_path(scope), scope)
        await answer(scope, receive, send)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file at a path; the page where the path is one of its addresses."""
        try:
            return await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != HTTPStatus.NOT_FOUND or not _ADDRESSES.fullmatch(scope["path"]):
                raise
        return await asyncio.to_thread(self.index, scope)

    def index(self, scope: Scope) -> Response:
        """The page; where nobody has built it, what to do."""
        path, stat = self.lookup_path(_INDEX)
        return (
            PlainTextResponse(_NOT_BUILT, HTTPStatus.NOT_FOUND)
            if stat is None
            else self.file_response(path, stat, scope)
        )

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """A file with its type. The name of an asset changes with its content, so browsers may keep it for good."""
        answer = super().file_response(full_path, stat_result, scope, status_code)
        is_asset = Path(full_path).is_relative_to(Path(str(self.directory)).resolve() / _ASSETS)
        answer.headers["cache-control"] = "public, max-age=31536000, immutable" if is_asset else "no-cache"
        if "content-type" in answer.headers:
            found = _TYPES.get(Path(full_path).suffix, "application/octet-stream")
            answer.headers["content-type"] = f"{found}; charset=utf-8" if found.startswith("text/") else found
        return answer
