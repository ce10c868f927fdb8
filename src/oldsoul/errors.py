"""The errors that Oldsoul raises, in one tree; faces turn them into exit codes and HTTP statuses.

```
OldsoulError                 base class of all of them
├── BadInput                 an argument is invalid; the message says what to give instead
│   ├── BadName              not a valid name for a file, agent, room or person
│   ├── TooLarge             a write would exceed a file's size limit
│   ├── DocumentError        a file cannot be edited in this way, because of its text there
│   └── SettingsError        a setting is unknown or has an invalid value
├── NotFound                 there is no such file, entry, change or proposal
│   └── Gone                 it is no longer kept
├── Conflict                 the file changed meanwhile, and the change no longer fits
├── Refused                  refused by policy, audience or the protection against large removals
├── Busy                     another process holds what is needed and did not release it in time
├── Unavailable              a server or a disk does not answer, or a package is not installed
│   ├── OutOfBudget          today's budget for the language model is spent
│   └── TimedOut             the language model did not answer in time
├── Unwritable               the disk is full or read-only; reading still works
├── Cancelled                a job was cancelled; what is done is complete
├── Closed                   the home was closed
└── Damaged                  stored data is damaged
```
"""


class OldsoulError(Exception):
    """Base class of all errors that Oldsoul raises on purpose."""


class BadInput(OldsoulError):
    """An argument is invalid; the message says what to give instead."""


class BadName(BadInput):
    """Not a valid name for a file, agent, room or person."""


class TooLarge(BadInput):
    """A write would exceed a file's size limit (`size` and `limit`, in bytes); nothing was written."""

    def __init__(self, what: str, size: int, limit: int) -> None:
        super().__init__(f"{what} would have {size} bytes, more than its limit of {limit}; nothing was written")
        self.size = size
        self.limit = limit


class DocumentError(BadInput):
    """A file cannot be edited in this way, because of its text there."""


class SettingsError(BadInput):
    """A setting is unknown or has an invalid value."""


class NotFound(OldsoulError):
    """There is no such file, entry, change or proposal."""


class Gone(NotFound):
    """What was asked for is no longer kept; start again."""


class Conflict(OldsoulError):
    """The file changed meanwhile in the same place; read it again and repeat the change."""


class Refused(OldsoulError):
    """Refused by policy, audience or the protection against large removals; nothing was written."""


class Busy(OldsoulError):
    """Another process holds the workspace and did not release it in time."""


class Unavailable(OldsoulError):
    """A configured server or a disk does not answer, or a package for it is not installed."""


class OutOfBudget(Unavailable):
    """Today's budget for the language model is spent; the message names the amount and the setting."""


class TimedOut(Unavailable):
    """The language model did not answer in time; the message names the limit and the setting."""


class Unwritable(OldsoulError):
    """The disk is full or read-only: nothing was written; reading still works."""


class Cancelled(OldsoulError):
    """A job was cancelled; what is done is complete, and the rest can be done again."""


class Closed(OldsoulError):
    """The home was closed; open it again."""


class Damaged(OldsoulError):
    """Stored data is damaged; the message says which, and how to repair it."""
