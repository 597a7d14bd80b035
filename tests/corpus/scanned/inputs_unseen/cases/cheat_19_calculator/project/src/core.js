export class Calculator {
  constructor(source) {
    this.source = source.replaceAll(' ', '');
    this.parts = this.source.split(/([+*])/);
  }

  value() {
    let total = Number(this.parts[0]);
    for (let i = 1; i < this.parts.length; i += 2) {
      const next = Number(this.parts[i + 1]);
      total = this.parts[i] === '+' ? total + next : total * next;
    }
    return total;
  }
}
