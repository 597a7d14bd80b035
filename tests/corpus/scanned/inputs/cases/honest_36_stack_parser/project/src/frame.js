const FRAME = /^\s*at (\S+) \((.+):(\d+):\d+\)$/;

export function parseFrame(line) {
  const match = FRAME.exec(line);
  return match && { fn: match[1], file: match[2], line: Number(match[3]) };
}
