export function spiral(rows) {
  return rows.flat();
}
