"""Questions that no memory answers: asked of a store, they show what its scores look like when it knows nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_QUESTIONS = """
When did {name} climb Mount Kilimanjaro?
What does {name} think about the new tax on imported steel?
Where did {name} bury the time capsule?
How many lighthouses has {name} visited?
What is the name of {name}'s submarine?
Who taught {name} to juggle knives?
When did {name} appear before the supreme court?
What instrument did {name} play in the navy orchestra?
Which glacier did {name} cross on skis?
Why did {name} sell the vineyard?
What colour is {name}'s hot-air balloon?
When did {name} win the lottery?
How did {name} repair the grandfather clock?
Which planet does {name} observe with the telescope?
What did {name} steal from the bakery?
Where does {name} keep the beehives?
Who designed {name}'s wedding crown?
What did {name} say in the speech to parliament?
How much did {name} pay for the castle?
When did {name} become an astronaut?
Which opera did {name} conduct in Vienna?
What kind of dinosaur fossil did {name} dig up?
What was the verdict in {name}'s patent trial?
When did {name} sail around Cape Horn?
Which chess grandmaster did {name} defeat?
What is {name}'s locker number at the ice rink?
Who painted the ceiling of {name}'s chapel?
How many sheep graze on {name}'s farm?
What did {name} translate from ancient Greek?
When did {name} undergo knee replacement?
Which volcano erupted during {name}'s expedition?
What did {name} invent to filter seawater?
Where did {name} learn to forge swords?
What is the password of {name}'s telegraph office?
How long did {name} live on the oil rig?
Which regiment did {name} serve in?
What does {name} feed the falcons?
When did {name} testify about the bank merger?
What was stolen from {name}'s museum?
Who is the godparent of {name}'s triplets?
What river did {name} dam for the power plant?
Which satellite did {name} help to launch?
When did {name} retire from professional wrestling?
What brand of tractor does {name} drive?
How did {name} survive the avalanche?
Which emperor is {name} writing a biography of?
What is the interest rate on {name}'s mortgage?
Where did {name} hide the treasure map?
What disease did {name} find a vaccine for?
Who rented {name}'s windmill?
When did {name} plant the olive grove?
What did {name} order at the truck stop?
Which bridge did {name} engineer?
How many medals did {name} win at the Olympics?
What was {name}'s score in the bar exam?
Where did {name} meet the ambassador?
What species of orchid does {name} breed?
Who dubbed {name}'s voice in the cartoon?
When did {name} crash the tram?
What is the motto on {name}'s coat of arms?
"""


def foreign(people: Sequence[str]) -> list[str]:
    """Sixty questions, with the names of those the store knows put in by turns."""
    names = list(people) or ["they"]
    lines = _QUESTIONS.strip().split("\n")
    return [line.format(name=names[at % len(names)]) for at, line in enumerate(lines)]
