import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { RemoteError, fetchText } from "../src/remote.js";

let address;
const server = createServer((request, answer) => {
  answer.statusCode = request.url === "/texts/greeting" ? 200 : 404;
  answer.setHeader("connection", "close");
  answer.end("Good morning");
});

before(() => new Promise((resolve) => {
  server.listen(0, "127.0.0.1", () => {
    address = `http://127.0.0.1:${server.address().port}`;
    resolve();
  });
}));

after(() => server.close());

test("a text is fetched", async () => {
  assert.equal(await fetchText(address, "greeting"), "Good morning");
});

test("a missing text is an error", async () => {
  await assert.rejects(fetchText(address, "nothing"), RemoteError);
});
