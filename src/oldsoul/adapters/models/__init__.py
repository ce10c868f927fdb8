"""Those who answer the keepers' questions."""
