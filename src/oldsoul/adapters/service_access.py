"""How a service over HTTP is reached: its address, key and headers, by its own rules and the settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Protocol
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from oldsoul.adapters.http import ServiceEndpoint, is_local
from oldsoul.errors import Unavailable

_SENDABLE = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


class ServiceOptions(Protocol):
    """What a service is reached by."""

    @property
    def provider(self) -> str:
        """Its name in the settings."""

    @property
    def base_url(self) -> str:
        """Its own address."""

    @property
    def key_names(self) -> tuple[str, ...]:
        """The environment variables its key is usually in; none when it needs no key."""

    @property
    def key_header(self) -> str:
        """The header the key is sent in."""

    @property
    def key_form(self) -> str:
        """What is in it, `{}` being the key."""

    @property
    def path(self) -> Callable[[str], str]:
        """Where a model's requests go, below the base URL."""


class Address(Protocol):
    """The settings of a service: they may name another address, a key and headers."""

    @property
    def base_url(self) -> str:
        """Another address than its own, or empty."""

    @property
    def api_key(self) -> str:
        """The key, or empty: then the one in the environment."""

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """Headers of every request."""


def access(
    service: ServiceOptions, remote: Address, model: str, environ: Mapping[str, str], *, section: str
) -> ServiceEndpoint:
    """How the service is reached with these settings; `Unavailable` says what is missing.

    Args:
        service: what is known of it.
        remote: the settings.
        model: the model that is asked.
        environ: the environment its key may be in.
        section: where the settings are in config.yaml.

    Raises:
        Unavailable: an address, a key or a header cannot be used.
    """
    base = _split(service, remote.base_url.strip() or service.base_url, section)
    local = is_local(base.hostname or "")
    host = (base.netloc.rpartition("@")[2]).lower()
    path = base.path.rstrip("/")
    key = _key(service, remote.api_key.strip(), environ, open_road=base.scheme == "http" and not local)
    headers = {service.key_header.lower(): (service.key_header, service.key_form.format(key))} if key else {}
    for name, value in remote.headers:
        if not _HEADER.fullmatch(name) or not _SENDABLE.fullmatch(value):
            raise Unavailable(f"{section}.headers has a name or value that is not allowed in an HTTP header")
        headers[name.lower()] = (name, value)
    login = (unquote(base.username or ""), unquote(base.password or "")) if base.username or base.password else None
    if service.key_names and not remote.base_url and service.key_header.lower() not in headers:
        wanted = " or ".join(service.key_names)
        raise Unavailable(f"{service.provider} needs a key; set {wanted} in the environment, or {section}.api_key")
    secrets = [
        key,
        *(value for _name, value in remote.headers),
        *(login or ()),
        *re.findall(r"=([^&]{4,})", base.query),
    ]
    return ServiceEndpoint(
        url=urlunsplit((base.scheme, host, path + service.path(model), base.query, "")),
        place=urlunsplit((base.scheme, host, path, "", "")),
        local=local,
        headers=tuple(headers.values()),
        login=login,
        secrets=tuple(secret for secret in secrets if secret),
    )


def _split(service: ServiceOptions, url: str, section: str) -> SplitResult:
    try:
        base = urlsplit(url.strip())
        sound = base.scheme in ("http", "https") and bool(base.hostname) and (base.port is None or base.port > 0)
    except ValueError:
        sound = False
    if not sound or not _SENDABLE.fullmatch(url.strip()) or " " in url.strip():
        raise Unavailable(
            f"{section}.base_url is not a valid address for {service.provider}; write one such as {service.base_url}"
        )
    return base


def _key(service: ServiceOptions, key: str, environ: Mapping[str, str], *, open_road: bool) -> str:
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
