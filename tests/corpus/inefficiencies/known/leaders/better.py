import heapq
from typing import Dict, List, Tuple


def leaders(scores: Dict[str, int], count: int = 3) -> List[Tuple[str, int]]:
    """The best players, best first; of equals the first one in the table."""
    return heapq.nsmallest(count, scores.items(), key=lambda item: -item[1])


def weekly(weeks: List[Dict[str, int]]) -> List[List[Tuple[str, int]]]:
    return [leaders(week) for week in weeks]
