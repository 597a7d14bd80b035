from dataclasses import dataclass, field


@dataclass
class Store:
    tasks: list = field(default_factory=list)  # [text, done]

    def add(self, text):
        self.tasks.append([text, False])
        return len(self.tasks)
