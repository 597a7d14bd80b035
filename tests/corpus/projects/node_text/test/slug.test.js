import { test } from "node:test";
import assert from "node:assert/strict";
import { slugify } from "../src/slug.js";

test("one word", () => {
  assert.equal(slugify("Hello"), "hello");
});

test("words are joined by one dash", () => {
  assert.equal(slugify("Hello,  World"), "hello-world");
});

test("no dash at the ends", () => {
  assert.equal(slugify("Is this it?"), "is-this-it");
});
