import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Duration, parseDuration } from "../src/duration.js";
import { callWithRetry } from "../src/retry.js";

const { deadlineMilliseconds } = JSON.parse(readFileSync(new URL("./fixtures/limits.json", import.meta.url), "utf8"));

const refuse = async () => {
  throw new Error("refused");
};

test("success needs no waiting", async () => {
  assert.equal(await callWithRetry(async () => "done"), "done");
});

test("the last error is thrown", async () => {
  await assert.rejects(callWithRetry(refuse, { sleep: async () => {} }), /refused/);
});

test("waiting stays within the deadline", async () => {
  let waited = 0;
  const sleep = async (milliseconds) => {
    waited += milliseconds;
  };

  await assert.rejects(callWithRetry(refuse, { attempts: 5, sleep }), /refused/);

  assert.ok(waited <= deadlineMilliseconds, `waited ${waited} ms`);
});

test("one unit", () => {
  assert.ok(parseDuration("90s").equals(new Duration(90)));
});

test("several units", () => {
  assert.ok(parseDuration("1h30m").equals(new Duration(5400)));
});

test("durations can be read", () => {
  assert.equal(String(new Duration(5)), "5 s");
});

test("nonsense is no duration", () => {
  assert.throws(() => parseDuration("soon"), TypeError);
});
