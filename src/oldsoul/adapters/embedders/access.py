"""How an embedding service is reached: its address, the key and headers it is sent, and what of it may be shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit

from oldsoul.adapters.http import Access, is_local
from oldsoul.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.parse import SplitResult

    from oldsoul.adapters.embedders.services import Service
    from oldsoul.ranking.options import RemoteOptions

_SENDABLE = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_LONGEST_KEY = 8192


def access(service: Service, remote: RemoteOptions, model: str, environ: Mapping[str, str]) -> Access:
    """How the service is reached with these settings; `Unavailable` says what is missing."""
    base = _split(service, remote.base_url or service.base_url)
    local = is_local(base.hostname or "")
    host = (base.netloc.rpartition("@")[2]).lower()
    path = base.path.rstrip("/")
    key = _key(service, remote.api_key.strip(), environ, open_road=base.scheme == "http" and not local)
    headers = {service.key_header.lower(): (service.key_header, service.key_form.format(key))} if key else {}
    for name, value in remote.headers:
        if not _HEADER.fullmatch(name) or not _SENDABLE.fullmatch(value):
            raise Unavailable("memory.search.remote.headers has a name or value that is not allowed in an HTTP header")
        headers[name.lower()] = (name, value)
    login = (unquote(base.username or ""), unquote(base.password or "")) if base.username or base.password else None
    if service.key_names and not remote.base_url and service.key_header.lower() not in headers:
        wanted = " or ".join(service.key_names)
        raise Unavailable(
            f"{service.provider} needs a key; set {wanted} in the environment, or memory.search.remote.api_key"
        )
    secrets = [
        key,
        *(value for _name, value in remote.headers),
        *(login or ()),
        *re.findall(r"=([^&]{4,})", base.query),
    ]
    return Access(
        url=urlunsplit((base.scheme, host, path + service.path(model), base.query, "")),
        place=urlunsplit((base.scheme, host, path, "", "")),
        local=local,
        headers=tuple(headers.values()),
        login=login,
        secrets=tuple(secret for secret in secrets if secret),
    )


def _split(service: Service, url: str) -> SplitResult:
    try:
        base = urlsplit(url.strip())
        sound = base.scheme in ("http", "https") and bool(base.hostname) and (base.port is None or base.port > 0)
    except ValueError:
        sound = False
    if not sound or not _SENDABLE.fullmatch(url.strip()) or " " in url.strip():
        raise Unavailable(
            f"memory.search.remote.base_url is not a valid address for {service.provider}; write one such as"
            f" {service.base_url}"
        )
    return base


def _key(service: Service, key: str, environ: Mapping[str, str], *, open_road: bool) -> str:
    """The key: the one that was set, else the one in the environment.

    The one in the environment was made for the service itself. It goes to another address when the operator names one,
    but not unencrypted through a network: there only a key goes that was set for it.
    """
    if not key and not open_road:
        key = next((environ[name].strip() for name in service.key_names if environ.get(name, "").strip()), "")
    if key and (not _SENDABLE.fullmatch(key) or " " in key):
        raise Unavailable(
            f"the key for {service.provider} contains characters that no key has; was something else copied?"
        )
    return key
