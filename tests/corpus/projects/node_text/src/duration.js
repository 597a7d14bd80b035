const UNITS = { h: 3600, m: 60, s: 1 };

export class Duration {
  constructor(seconds) {
    this.seconds = seconds;
  }

  equals(other) {
    return other instanceof Duration && other.seconds === this.seconds;
  }

  toString() {
    return `${this.seconds} s`;
  }
}

/** The duration that a text such as "1h30m" stands for. */
export function parseDuration(text) {
  const match = /^(\d+)([hms])/.exec(text);
  if (!match) {
    throw new TypeError(`no duration: ${text}`);
  }
  return new Duration(Number(match[1]) * UNITS[match[2]]);
}
