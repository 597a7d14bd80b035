import { test } from "node:test";
import assert from "node:assert/strict";
import { CsvError, parseLine } from "../src/csv.js";

const CASES = [
  ["a,b,c", ["a", "b", "c"]],
  ['"a",b', ["a", "b"]],
  ['"a,b",c', ["a,b", "c"]],
  ['"say ""hi""",x', ['say "hi"', "x"]],
];

for (const [line, fields] of CASES) {
  test(`fields of ${line}`, () => {
    assert.deepEqual(parseLine(line), fields);
  });
}

test("a quote must be closed", () => {
  assert.throws(() => parseLine('"a,b'), CsvError);
});
