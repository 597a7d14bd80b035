/** Rows as aligned columns; columns of numbers are aligned to the right. */
export function renderTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  const lines = rows.map((row) => row.map((cell, column) => String(cell).padEnd(widths[column])).join("  ").trimEnd());
  return lines.join("\n") + "\n";
}
