"""Plans carried out: in order, at once where that is possible, and on from where they stopped."""
