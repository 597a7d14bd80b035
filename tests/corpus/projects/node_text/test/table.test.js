import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { renderTable } from "../src/table.js";

const fixture = (name) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8");

test("a table of words", () => {
  assert.equal(renderTable([["name", "town"], ["Ada", "London"], ["Grace", "New York"]]), fixture("words.txt"));
});

test("a table of numbers", () => {
  assert.equal(renderTable([["item", "price"], ["tea", 3], ["teapot", 1250]]), fixture("numbers.txt"));
});
