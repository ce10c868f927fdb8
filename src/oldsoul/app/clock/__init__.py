"""What runs by itself: the timetable of keepers, who runs them, and who keeps indexes up to date."""
