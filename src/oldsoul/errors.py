"""The errors Oldsoul raises, in one tree; faces turn them into exit codes and HTTP statuses.

```
OldsoulError                 anything of ours
├── BadInput                 what was given makes no sense; says what to give instead
│   ├── BadName              no document, agent, room or person can be called that
│   ├── TooLarge             a write would pass a document's size limit
│   ├── DocumentError        a document cannot take this edit (its text is in the way)
│   └── SettingsError        a setting is unknown or has an impossible value
├── NotFound                 no such document, entry, change or proposal
│   └── Gone                 it is no longer kept
├── Conflict                 the document moved on and the change no longer fits
├── Refused                  policy, audience or the shrink guard says no
├── Busy                     another process holds what is needed, and did not let go in time
├── Unavailable              a server or a disk does not answer, or an extra is not installed
│   └── OutOfBudget          what the model may cost in a day is spent
├── Unwritable               the disk is full, or may only be read; what stands can still be read
├── Cancelled                somebody wanted it to be ended before it was done; what is done is whole
├── Closed                   the home was closed, so nothing can be asked of it
└── Damaged                  stored data is not what it must be
```
"""


class OldsoulError(Exception):
    """Anything Oldsoul raises on purpose."""


class BadInput(OldsoulError):
    """What was given makes no sense; the message says what to give instead."""


class BadName(BadInput):
    """No document, agent, room or person can be called that."""


class TooLarge(BadInput):
    """A write would pass a document's size limit; nothing was written."""

    def __init__(self, what: str, size: int, limit: int) -> None:
        super().__init__(f"{what} would have {size} bytes, more than its limit of {limit}; nothing was written")
        self.size = size
        self.limit = limit


class DocumentError(BadInput):
    """A document cannot take this edit, because of what its text looks like there."""


class SettingsError(BadInput):
    """A setting is unknown or has a value it cannot have."""


class NotFound(OldsoulError):
    """There is no such document, entry, change or proposal."""


class Gone(NotFound):
    """What was asked for was there, and is no longer kept; begin anew."""


class Conflict(OldsoulError):
    """The document changed meanwhile in the same place; read it again and repeat the change."""


class Refused(OldsoulError):
    """Policy, audience or the shrink guard says no; nothing was written."""


class Busy(OldsoulError):
    """Another process holds the workspace and did not let go in time."""


class Unavailable(OldsoulError):
    """A server that is configured, or a disk, does not answer; or what is needed to speak to it is not installed."""


class OutOfBudget(Unavailable):
    """What the language model may cost in a day is spent; the message says how much, and which setting allows more."""


class Unwritable(OldsoulError):
    """The disk is full, or may only be read: nothing was written, and what stands can still be read."""


class Cancelled(OldsoulError):
    """Long work was ended before it was done, at somebody's wish; what is done is whole, and the rest can be done again."""


class Closed(OldsoulError):
    """The home was closed, so nothing can be asked of it; open it again."""


class Damaged(OldsoulError):
    """Stored data is not what it must be; the message says which, and how to mend it."""
