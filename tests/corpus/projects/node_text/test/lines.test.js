import { describe, it, test } from "node:test";
import assert from "node:assert/strict";
import { truncate } from "../src/truncate.js";
import { titleCase, wordCount } from "../src/words.js";
import { wrap } from "../src/wrap.js";

test("lines are filled", () => {
  assert.deepEqual(wrap("the quick brown fox", 10), ["the quick", "brown fox"]);
});

test("a long word gets a line of its own", () => {
  assert.deepEqual(wrap("a incomprehensible b", 5), ["a", "incomprehensible", "b"]);
});

test("nothing to wrap", () => {
  assert.deepEqual(wrap("  ", 5), []);
});

describe("truncate", () => {
  it("leaves short texts alone", () => {
    assert.equal(truncate("short", 5), "short");
  });

  it("counts the mark", () => {
    assert.equal(truncate("a long sentence", 7), "a long…");
    assert.equal(truncate("a long sentence", 8, "..."), "a lon...");
  });

  it("needs room for the mark", () => {
    assert.throws(() => truncate("text", 1, "..."), RangeError);
  });
});

test("words are counted", () => {
  assert.equal(wordCount(" to be or  not to be "), 6);
});

test("titles have capitals", () => {
  assert.equal(titleCase("the old man"), "The Old Man");
});
