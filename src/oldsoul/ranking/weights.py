"""How much each part of a score weighs."""

from __future__ import annotations

from oldsoul.values.frozen import frozen


@frozen
class Weights:
    """The weights of all parts. Tuned on three conversations of LoCoMo and on talks written for it; others only reported."""

    content: float = 0.8
    """The content words' vector, beside the whole question's at 1."""
    sentence: float = 0.46
    """The best sentence of a row."""
    read: float = 0.7
    """How near a row is by an embedder that reads whole texts, half of it with its neighbours."""
    read_foreign: float = 2.0
    """The same for a question in another language than English, where words are met less."""
    kin: float = 0.8
    """Terms that share their first letters, beside equal terms at 1, where words are not cut to their stems."""
    related: float = 0.8
    """How much of a term counts there as met by one that shares its first letters."""
    before_words: float = 0.5
    """What a row takes from the one before, in words."""
    before_vectors: float = 0.425
    """The same, in vectors."""
    after_words: float = 0.8
    """The share of that for the row after, in words."""
    after_vectors: float = 0.9
    """The same, in vectors."""
    two_away: float = 0.4
    """The share of that for rows two away."""
    answers: float = 0.45
    """What a row takes more from the one before, when that is another's question."""
    agent_lends: float = 0.6
    """The share of that, when the row beside is the agent's."""
    vectors: float = 0.63
    """Meaning."""
    words: float = 0.37
    """Words."""
    late: float = 0.11
    """Late interaction."""
    late_foreign: float = 0.3
    """The same for a question in another language than English, where words are harder to tell apart."""
    coverage: float = 0.25
    """The share of the question that is met."""
    pairs: float = 0.12
    """Pairs of words."""
    identifier: float = 0.4
    """A number of letters and digits (`kx2291`) that the question names."""
    members: float = 0.15
    """What belongs to a kind of thing the question names."""
    members_list: float = 2.5
    """How much more that weighs for questions that want a list."""
    belongs: float = 0.7
    """How much of a term counts as met by what belongs to its kind."""
    speaker: float = 0.4
    """The one named person speaks."""
    first_person: float = 0.06
    """And does so in the first person."""
    asker: float = 0.3
    """Whoever asks about themselves said it."""
    when: float = 0.15
    """A time, asked for."""
    name: float = 0.16
    """A name, asked for."""
    count: float = 0.12
    """A number, asked for."""
    month: float = 0.2
    """The row's month or year is named."""
    day: float = 0.7
    """The row is of the very day that is named."""
    days: float = 0.4
    """The row is of one of some days that are named."""
    day_alone: float = 1.5
    """The same, where a question names nothing but the time."""
    changes: float = 0.1
    """What says that something is otherwise now, where nobody asks how it was."""
    event: float = 0.1
    """What the row speaks of falls into a time that is named."""
    agent: float = 0.5
    """What the agent's own words lose; where they are asked for, they gain it."""
    likes: float = 0.15
    """What somebody likes, where advice is asked for."""
    money: float = 0.15
    """A sum of money, asked for."""
    length: float = 0.17
    """Rows that say more, by the logarithm of their words."""
    asks: float = 0.135
    """What a row that ends in a question loses."""
    session: float = 0.25
    """The best of the row's document."""
    session_list: float = 0.3
    """The share of that for questions that want a list."""
    doubt: float = 0.1
    """What a row of no confidence loses; others their share of it."""
    derived: float = 0.15
    """What a row loses that only tells of a conversation."""
    archived: float = 0.15
    """What a row in an archive loses."""
    age: float = 0.01
    """The most that age moves a row, as a share of the highest score there can be: enough to break ties, no more."""
