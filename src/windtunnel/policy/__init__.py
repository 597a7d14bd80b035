"""Who may do what: one YAML file of rules, read strictly, and the decision on one request.

Nothing here reads a file or asks the host; texts come in, decisions go out. The readers of YAML and of conditions are
loaded by the first policy that needs them.
"""
