from accounts.validate import name_errors
for n in range(3, 33):
    assert name_errors("q" * n) == []
for n in range(33, 60):
    assert name_errors("q" * n) == ["at most 32 characters"]
