from jobs.core import told
assert told(139) == "crashed" and told(140) == "signal 12"
