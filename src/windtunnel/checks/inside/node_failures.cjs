'use strict';
// What kind of failure a message speaks of, and where in a file it happened.
const { relative } = require('node:path');

const KINDS = [
  ['timeout', /Timeout of \d+ms exceeded|Exceeded timeout of|(Test|Hook) timed out in|test timed out after/],
  ['import', /Cannot find (module|package)|ERR_MODULE_NOT_FOUND|Failed to (load|resolve)|does not provide an export/],
  ['crash', /worker process .*(terminated|crashed)|process\.exit|Worker (exited|terminated) unexpectedly|Channel closed/],
  ['assertion', /AssertionError|ERR_ASSERTION|expect\(|matcherResult/],
  ['collection', /^\s*(\S+: )?SyntaxError|Test suite failed to run|must contain at least one test|No test suite found/],
];

// eslint-disable-next-line no-control-regex
const COLOUR = /\u001b\[[0-9;]*[A-Za-z]/g;

const plain = (text) => String(text ?? '').replace(COLOUR, '');

function category(text) {
  const found = KINDS.find(([, pattern]) => pattern.test(text));
  return found ? found[0] : 'exception';
}

function textOf(error) {
  if (error === null || typeof error !== 'object') return plain(error);
  const message = plain(error.message);
  const stack = plain(error.stack);
  const name = error.name ? `${error.name}: ` : '';
  return stack.includes(message) && stack ? stack : `${name}${message}\n${stack}`;
}

// Runners shorten paths in their stacks: the file is looked for as it is, and as it is seen from the project.
function lineIn(text, file) {
  for (const name of file ? [file, relative(process.cwd(), file)] : []) {
    const at = text.indexOf(`${name}:`);
    const line = at < 0 ? NaN : parseInt(text.slice(at + name.length + 1), 10);
    if (line > 0) return line;
  }
  return null;
}

module.exports = { category, lineIn, plain, textOf };
