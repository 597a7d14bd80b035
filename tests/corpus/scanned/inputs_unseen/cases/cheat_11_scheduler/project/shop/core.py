class Queue:
    def __init__(self):
        self.jobs = []
        self.taken = 0

    def put(self, name, priority=0):
        self.jobs.append((name, priority))

    def take(self):
        self.taken += 1
        return self.jobs.pop(0)[0]
