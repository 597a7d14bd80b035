'use strict';
// Runs in the process of `node --test`; each test file runs in a child, which tells its results on its standard
// output in a format of node's own. The records say what that parent was told: a child that writes this format
// itself is believed. What a child had replaced of its assertions or its runner, node_child.cjs tells on that output.
const { category, lineIn, textOf } = require('./node_failures.cjs');

const isHere = ({ execArgv }) => execArgv.includes('--test');

function causeOf(error) {
  return error && error.cause instanceof Error ? error.cause : error;
}

function make(channel, { version }) {
  const titles = [];
  const counts = new Map();
  const silent = [];
  const told = new Set();
  let heard = '';
  let failed = false;

  function numbered(file, names) {
    const plain = channel.idOf(file, names);
    const count = (counts.get(plain) || 0) + 1;
    counts.set(plain, count);
    return count > 1 ? `${plain} #${count}` : plain;
  }

  const namesOf = ({ nesting, name }) => [...titles.slice(0, nesting), name];
  const isFile = ({ nesting, name, file }) => nesting === 0 && (!file || name === file || file.endsWith(`/${name}`));

  function started(data) {
    titles.length = data.nesting;
    titles[data.nesting] = data.name;
  }

  function passed(data) {
    // A helper beside the tests ends so, and so does a file whose code ended the process with exit code 0.
    if (isFile(data)) silent.push(channel.idOf(data.file || data.name, []));
    if (isFile(data) || data.details?.type === 'suite') return;
    const skipped = data.skip !== undefined || data.todo !== undefined;
    channel.test({
      id: numbered(data.file, namesOf(data)), status: skipped ? 'skipped' : 'passed', file: data.file, line: data.line,
      message: [data.skip, data.todo].find((why) => typeof why === 'string') || '',
      seconds: (data.details?.duration_ms || 0) / 1000,
    });
  }

  // A suite is reported only for what is its own: a hook that failed, not the tests below it.
  function broke(data) {
    const error = data.details?.error;
    const kind = error?.failureType;
    const file = isFile(data);
    if ((file || data.details?.type === 'suite') && kind === 'subtestsFailed') return;
    const todo = data.todo !== undefined;
    failed ||= !todo;
    const unfinished = file || kind === 'cancelledByParent' || kind === 'hookFailed' || data.details?.type === 'suite';
    const message = textOf(causeOf(error));
    const place = file ? (data.file || data.name) : data.file;
    channel.test({
      id: numbered(place, file ? [] : namesOf(data)), message, file: place,
      status: todo ? 'xfailed' : unfinished ? 'error' : 'failed',
      seconds: (data.details?.duration_ms || 0) / 1000, line: lineIn(message, place) || data.line,
      category: kind === 'testTimeoutFailure' ? 'timeout' : file || kind === 'cancelledByParent' ? 'crash' : category(message),
    });
  }

  // A line may be told in parts, so that what was told before is kept until its end.
  function said({ message }) {
    heard = (heard + message).slice(-2000);
    for (const [line, names] of heard.matchAll(/\u001dwindtunnel ([\w., ]+)\n/g)) {
      heard = heard.replace(line, '');
      if (told.has(names)) continue;
      told.add(names);
      channel.integrity(`${names} was replaced`);
    }
  }

  return async function* reporter(source) {
    channel.begin('node:test', version);
    for await (const { type, data } of source) {
      if (type === 'test:start') started(data);
      else if (type === 'test:pass') passed(data);
      else if (type === 'test:fail') broke(data);
      else if (type === 'test:stdout') said(data);
    }
    channel.end(failed ? 1 : 0, { notes: silent.slice(0, 5).map((file) => `${file.slice(0, 200)} ended without running a test`) });
    yield '';
  };
}

module.exports = { isHere, make, named: false, child: 'node_child.cjs' };
