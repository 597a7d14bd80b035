"""The command line: reads arguments, prints answers, decides nothing."""
