'use strict';
// Runs in vitest's main process; test files run in worker processes or threads. Vitest 3 tells of test cases, older
// ones of tasks; both end in the same records.
const { category, lineIn, textOf } = require('./node_failures.cjs');

const isHere = ({ argv }) => /(^|\/)vitest(\.mjs)?$/.test(argv[1] || '');

const STATUS = { passed: 'passed', pass: 'passed', failed: 'failed', fail: 'failed', skipped: 'skipped', skip: 'skipped', todo: 'skipped' };

function titlesOf(task) {
  const titles = [];
  for (let at = task; at && at.type !== 'module' && at.filepath === undefined; at = at.parent || at.suite) {
    if (at.name) titles.unshift(at.name);
  }
  return titles;
}

function* leaves(task) {
  if (task.tasks) for (const inner of task.tasks) yield* leaves(inner);
  else yield task;
}

function make(channel) {
  let made = false;

  return class Reporter {
    #ids = new Map();
    #counts = new Map();
    #reported = new Map();
    #started = new Set();
    #tasks = new Map();
    #modern = false;
    #failed = false;
    #vitest = null;

    constructor() {
      if (made) channel.integrity('the reporter was made a second time');
      made = true;
    }

    onInit(vitest) {
      this.#vitest = vitest;
      channel.begin('vitest', vitest.version || '');
      this.#keepSnapshots();
    }

    onTestRunStart() {
      this.#modern = true;
      this.#keepSnapshots();
    }

    onTestModuleCollected(module) {
      const tests = [...module.children.allTests()];
      channel.collected(tests.map((test) => this.#idOf(test.id, module.moduleId, titlesOf(test))));
    }

    onTestCaseReady(test) {
      this.#start(this.#idOf(test.id, test.module.moduleId, titlesOf(test)));
    }

    onTestCaseResult(test) {
      const { state, errors = [], note } = test.result();
      const { duration = 0 } = test.diagnostic() || {};
      const file = test.module.moduleId;
      const id = this.#idOf(test.id, file, titlesOf(test));
      this.#tell({ id, file, state, errors, note, duration, fails: test.options.fails, line: test.location?.line });
    }

    onTestSuiteResult(suite) {
      for (const error of suite.errors()) this.#broken(suite.module.moduleId, titlesOf(suite), error);
    }

    onTestModuleEnd(module) {
      for (const error of module.errors()) this.#broken(module.moduleId, [], error);
    }

    onTestRunEnd(modules, errors, reason) {
      for (const module of modules) {
        this.onTestModuleEnd(module);
        for (const test of module.children.allTests()) {
          if (STATUS[test.result().state]) this.onTestCaseResult(test);
        }
      }
      this.#end(errors, reason === 'failed');
    }

    onPathsCollected() {
      this.#keepSnapshots();
    }

    onCollected(files = []) {
      if (this.#modern) return;
      const tests = [];
      for (const file of files) {
        for (const task of leaves(file)) {
          this.#tasks.set(task.id, task);
          tests.push(this.#taskId(task));
        }
      }
      channel.collected(tests);
    }

    onTaskUpdate(packs) {
      if (this.#modern) return;
      for (const [id, result] of packs) {
        const task = this.#tasks.get(id);
        if (!task || !result) continue;
        if (result.state === 'run') this.#start(this.#taskId(task));
        else this.#task(task, result);
      }
    }

    onFinished(files = [], errors = []) {
      if (this.#modern) return;
      for (const file of files) this.#walk(file, file.filepath, []);
      this.#end(errors, false);
    }

    #walk(task, file, titles) {
      if (!task.tasks) {
        this.#task(task, task.result || { state: task.mode });
        return;
      }
      const inner = task.filepath === undefined && task.name ? [...titles, task.name] : titles;
      if (task.result?.state === 'fail') for (const error of task.result.errors || []) this.#broken(file, inner, error);
      for (const next of task.tasks) this.#walk(next, file, inner);
    }

    #task(task, result) {
      const { state, errors = [], duration = 0 } = result;
      const file = task.file.filepath;
      this.#tell({ id: this.#taskId(task), file, state, errors, duration, fails: task.fails, line: task.location?.line });
    }

    #taskId(task) {
      return this.#idOf(task.id, task.file.filepath, titlesOf(task));
    }

    // Another test of the same name gets a number, in the order in which they were collected.
    #idOf(key, file, titles) {
      if (this.#ids.has(key)) return this.#ids.get(key);
      const plain = channel.idOf(file, titles);
      const count = (this.#counts.get(plain) || 0) + 1;
      this.#counts.set(plain, count);
      const id = count > 1 ? `${plain} #${count}` : plain;
      this.#ids.set(key, id);
      return id;
    }

    #start(id) {
      if (this.#started.has(id)) return;
      this.#started.add(id);
      channel.start(id);
    }

    #tell({ id, file, state, errors, note = '', duration, fails, line }) {
      const status = fails && STATUS[state] === 'passed' ? 'xfailed' : STATUS[state];
      if (!status || this.#reported.get(id) === status) return;
      this.#reported.set(id, status);
      if (status === 'failed') this.#failed = true;
      const message = status === 'failed' ? errors.map(textOf).join('\n') : note;
      channel.test({
        id, status, message, file, seconds: duration / 1000, line: line || lineIn(message, file),
        category: status === 'failed' ? category(message) : '',
      });
    }

    #broken(file, titles, error) {
      const message = textOf(error);
      const id = channel.idOf(file, titles);
      if (this.#reported.has(id)) return;
      this.#reported.set(id, 'error');
      this.#failed = true;
      const kind = category(message);
      channel.test({
        id, status: 'error', message, file, line: lineIn(message, file),
        category: kind === 'exception' && !titles.length ? 'collection' : kind,
      });
    }

    #end(errors, failed) {
      for (const error of errors) {
        const file = error.VITEST_TEST_PATH || '';
        this.#broken(file, [file ? 'unhandled error' : 'vitest > unhandled error'], error);
      }
      const { unchecked = 0, filesRemoved = 0 } = this.#vitest?.snapshot?.summary || {};
      const obsolete = unchecked + filesRemoved;
      const notes = obsolete ? [`${obsolete} snapshots are obsolete`] : [];
      channel.end(failed || this.#failed ? 1 : 0, { notes, stopped: this.#vitest?.config?.bail ? 'bail' : null });
    }

    // As in continuous integration: a snapshot that is missing fails its test instead of being made up.
    #keepSnapshots() {
      for (const holder of [this.#vitest, ...(this.#vitest?.projects || [])]) {
        if (holder?.config?.snapshotOptions) holder.config.snapshotOptions.updateSnapshot = 'none';
      }
      if (this.#vitest?.snapshot?.options) this.#vitest.snapshot.options.updateSnapshot = 'none';
    }
  };
}

module.exports = { isHere, make, named: true };
