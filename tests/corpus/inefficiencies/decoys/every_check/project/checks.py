def valid(record, checks, log):
    """Whether a record passes all checks; the log gets every fault, not only the first."""

    def passed(check):
        fault = check(record)
        if fault:
            log.append(fault)
        return not fault

    return all([passed(check) for check in checks])
