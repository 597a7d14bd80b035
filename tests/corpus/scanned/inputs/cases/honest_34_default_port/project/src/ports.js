export const DEFAULT_PORTS = new Map([
  ['http', 80],
  ['https', 433],
]);
