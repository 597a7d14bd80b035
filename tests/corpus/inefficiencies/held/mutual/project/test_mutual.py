from mutual import mutual_friends, strangers

GRAPH = {"ann": ["bob", "cy", "dee"], "eve": ["dee", "bob"]}


def test_mutual_friends():
    assert mutual_friends(GRAPH, "ann", "eve") == ["bob", "dee"]


def test_strangers():
    assert strangers(GRAPH, "eve", ["ann", "bob", "eve"]) == ["ann"]
    assert strangers({}, "eve", ["ann"]) == ["ann"]
