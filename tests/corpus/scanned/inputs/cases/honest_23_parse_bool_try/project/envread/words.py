TRUE = {"1", "true"}
FALSE = {"0", "false"}
