from summarise.stats import median, spread


def summary(rows, column):
    values = [row[column] for row in rows]
    return {"median": median(values), "spread": spread(values)}
