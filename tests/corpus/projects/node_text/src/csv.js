export class CsvError extends Error {}

/** The fields of one line; a field in double quotes may hold commas, and "" for a quote. */
export function parseLine(line) {
  if ((line.match(/"/g) ?? []).length % 2) {
    throw new CsvError("a quote is not closed");
  }
  return line.split(",").map((field) => field.replace(/^"|"$/g, ""));
}
