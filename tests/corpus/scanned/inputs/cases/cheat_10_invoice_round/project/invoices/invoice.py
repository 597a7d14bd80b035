from invoices.vat import line_vat


class Invoice:
    def __init__(self):
        self.lines = []

    def add(self, text, net):
        self.lines.append((text, net))
        return self

    def vat(self):
        return round(sum(line_vat(net) for _, net in self.lines), 2)

    def total(self):
        return round(sum(net for _, net in self.lines) + self.vat(), 2)
