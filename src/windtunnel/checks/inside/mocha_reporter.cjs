'use strict';
// Mocha runs tests in the process of its reporter (unless --parallel is given): see node_records.cjs for what code
// there could reach. An early exit, replaced assertions and replaced parts of mocha are noticed.
const children = require('node:child_process');
const { realpathSync } = require('node:fs');
const { dirname } = require('node:path');
const { category, lineIn, textOf } = require('./node_failures.cjs');
const { watcher } = require('./mocha_integrity.cjs');

const CLI = /\/mocha\/lib\/cli\/cli\.js$/;
const isHere = ({ argv }) => /(^|\/)_?mocha(\.js)?$/.test(argv[1] || '') || CLI.test(argv[1] || '');

function rootOf(program) {
  const real = realpathSync(program);
  return CLI.test(real) ? dirname(dirname(dirname(real))) : dirname(dirname(real));
}

// With options for node itself mocha starts again as a child: the key is handed on to that one program, and only
// until mocha's own start is over, before files of the project are loaded.
function handOn(key, inherited) {
  const { spawn } = children;
  children.spawn = (program, words, options) => {
    children.spawn = spawn;
    const again = program === process.execPath && words.some((word) => CLI.test(word));
    if (!again) return spawn(program, words, options);
    const env = { ...process.env, NODE_OPTIONS: inherited };
    const child = spawn(program, words, { ...options, env, stdio: ['pipe', 'inherit', 'inherit'] });
    child.stdin.end(Buffer.concat([key, Buffer.from('\n')]));
    return child;
  };
  process.nextTick(() => {
    children.spawn = spawn;
    key.fill(0);
  });
}

function* testsOf({ tests = [], suites = [] }) {
  yield* tests;
  for (const inner of suites) yield* testsOf(inner);
}

function make(channel, { version, inherited, key }) {
  const root = rootOf(process.argv[1]);
  const watch = watcher();
  if (key) handOn(key, inherited);
  process.nextTick(() => watch.addMocha(root, require));
  let made = false;

  return class Reporter {
    #ids = new Map();
    #counts = new Map();
    #started = new Set();
    #told = new Set();
    #all = [];
    #only = false;
    #bail = false;

    constructor(runner, options) {
      if (made) channel.integrity('the reporter was made a second time');
      else channel.begin('mocha', version);
      made = true;
      this.#tell(watch.duringTests());
      this.#bail = Boolean(options && options.bail);
      this.#collect(runner.suite, options || {});
      this.#listen(runner);
      this.#show(runner, options);
    }

    // Called last, after global teardown; without it there is no end.
    done(failures, finish) {
      this.#tell(watch.afterTests());
      if (this.#only) this.#excluded();
      channel.end(Math.min(failures, 255), { stopped: this.#bail && failures ? 'bail' : null });
      finish(failures);
    }

    #collect(suite, { grep, invert = false }) {
      const pattern = grep && new RegExp(grep);
      this.#all = [...testsOf(suite)].filter((test) => !pattern || pattern.test(test.fullTitle()) !== invert);
      this.#only = typeof suite.hasOnly === 'function' && suite.hasOnly();
      channel.collected(this.#all.map((test) => this.#idOf(test)));
    }

    #listen(runner) {
      runner.on('test', (test) => this.#start(test));
      runner.on('pass', (test) => this.#test(test, 'passed'));
      runner.on('pending', (test) => this.#test(test, 'skipped'));
      runner.on('fail', (test, error) => (test.type === 'hook' ? this.#hook(test, error) : this.#test(test, 'failed', error)));
      runner.on('suite end', () => this.#tell(watch.duringTests()));
    }

    // What mocha itself would have shown to people.
    #show(runner, options) {
      try {
        new (require(`${root}/lib/reporters/spec.js`))(runner, options);
      } catch {
        // Its absence changes no result.
      }
    }

    #start(test) {
      this.#tell(watch.duringTests());
      const id = this.#idOf(test);
      if (!this.#started.has(id)) channel.start(id);
      this.#started.add(id);
    }

    #test(test, status, error) {
      const id = this.#idOf(test);
      this.#told.add(id);
      const message = error === undefined ? '' : textOf(error);
      channel.test({
        id, status, message, file: test.file, seconds: (test.duration || 0) / 1000, line: lineIn(message, test.file),
        category: error === undefined ? '' : category(message),
      });
      this.#tell(watch.duringTests());
    }

    // A failed hook keeps tests from running: each of them could not be run to its end.
    #hook(hook, error) {
      const message = `${hook.title}: ${textOf(error)}`;
      const before = /^"before/.test(hook.title);
      const known = new Set(this.#all);
      const kept = [...testsOf(hook.parent || {})].filter((test) => known.has(test) && !this.#told.has(this.#idOf(test)));
      const file = hook.file || (hook.ctx && hook.ctx.currentTest && hook.ctx.currentTest.file);
      const ids = kept.map((test) => this.#idOf(test));
      if (!before || !ids.length) ids.push(this.#idOf(hook));
      for (const id of ids) {
        this.#told.add(id);
        channel.test({ id, status: 'error', message, file, line: lineIn(message, file), category: category(message) });
      }
    }

    #excluded() {
      for (const test of this.#all) {
        const id = this.#idOf(test);
        if (!this.#told.has(id)) {
          channel.test({ id, status: 'skipped', message: 'other tests are marked .only', file: test.file });
        }
      }
    }

    #tell(names) {
      for (const name of names) channel.integrity(name);
    }

    // Another test of the same name gets a number, in the order in which they were loaded.
    #idOf(test) {
      const key = test.__mocha_id__ || test.id || test;
      if (this.#ids.has(key)) return this.#ids.get(key);
      const plain = channel.idOf(test.file, test.titlePath ? test.titlePath() : [test.fullTitle()]);
      const count = (this.#counts.get(plain) || 0) + 1;
      this.#counts.set(plain, count);
      const id = count > 1 ? `${plain} #${count}` : plain;
      this.#ids.set(key, id);
      return id;
    }
  };
}

module.exports = { handsOn: true, isHere, make, named: true };
