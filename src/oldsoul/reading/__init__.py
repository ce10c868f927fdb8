"""What is in a text: dates, times, numbers, money, names; and whether two of them agree."""
