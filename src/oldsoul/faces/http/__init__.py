"""The HTTP API: workspaces, memory, conversations and upkeep for the dashboard and for programs."""

from oldsoul.errors import Unavailable

try:
    import fastapi  # noqa: F401 - everything here needs it
except ModuleNotFoundError as error:
    raise Unavailable(
        f"the server needs packages that are not installed ({error.name}): pip install 'oldsoul[server]'"
    ) from None
