"""Long runs that go on after a crash: cycles written down as they finish, and whoever restarts what died."""
