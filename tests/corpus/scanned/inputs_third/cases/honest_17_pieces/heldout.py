from chess.core import worth
assert worth("QQN") == 21
