"""How recall ranks: chunks, words, fusion, boosts, decay, diversity."""
