// One line of JSON for each test, as node:test tells it: {"id": "test/a.test.js > suite > test", "status": "passed"}.
import { relative } from "node:path";

const statusOf = ({ type, data }) => {
  if (data.skip !== undefined && data.skip !== false) return "skipped";
  if (data.todo !== undefined && data.todo !== false) return "xfailed";
  return type === "test:pass" ? "passed" : "failed";
};

export default async function* reporter(events) {
  const names = [];
  for await (const event of events) {
    const { type, data } = event;
    if (type === "test:start") {
      names.length = data.nesting;
      names[data.nesting] = data.name;
    } else if ((type === "test:pass" || type === "test:fail") && data.details?.type !== "suite") {
      names.length = data.nesting;
      names[data.nesting] = data.name;
      const file = data.file ? relative(process.cwd(), data.file) : "?";
      yield `${JSON.stringify({ id: [file, ...names].join(" > "), status: statusOf(event) })}\n`;
    }
  }
}
