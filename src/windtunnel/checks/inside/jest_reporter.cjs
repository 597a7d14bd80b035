'use strict';
// Runs in jest's main process; test files run in worker processes, also where there is only one of them.
const { category, lineIn, plain } = require('./node_failures.cjs');

const isHere = ({ argv }) => /(^|\/)jest(\.js)?$/.test(argv[1] || '');

const STATUS = { passed: 'passed', failed: 'failed', pending: 'skipped', skipped: 'skipped', disabled: 'skipped', todo: 'skipped' };

function make(channel, { version }) {
  // Since jest 29 this keeps tests out of the main process; the limit itself is never reached.
  if (parseInt(version, 10) >= 29) process.argv.splice(2, 0, '--workerIdleMemoryLimit=1000GB');
  let made = false;

  return class Reporter {
    #started = new Set();
    #reported = new Map();
    #counts = new Map();

    constructor() {
      if (made) channel.integrity('the reporter was made a second time');
      else channel.begin('jest', version);
      made = true;
    }

    onTestCaseStart(test, info) {
      const id = channel.idOf(test.path, [...info.ancestorTitles, info.title]);
      if (this.#started.has(id)) return;
      this.#started.add(id);
      channel.start(id);
    }

    // A failure may still be tried again: it is told when its file is done.
    onTestCaseResult(test, result) {
      if (result.status === 'failed') return;
      this.#tell(test.path, result, this.#numbered(this.#counts, test.path, result));
    }

    onTestFileResult(test, file) {
      const counts = new Map();
      for (const result of file.testResults) this.#tell(test.path, result, this.#numbered(counts, test.path, result));
      if (file.testExecError || (file.failureMessage && !file.testResults.some((result) => result.status === 'failed'))) {
        this.#broken(test.path, file);
      }
    }

    onRunComplete(contexts, results) {
      const { unchecked = 0, filesRemoved = 0 } = results.snapshot || {};
      const notes = unchecked + filesRemoved > 0 ? [`${unchecked + filesRemoved} snapshots are obsolete`] : [];
      const bad = results.numFailedTests + results.numRuntimeErrorTestSuites > 0 || results.runExecError;
      channel.end(bad || (results.snapshot && results.snapshot.failure) ? 1 : 0, { notes });
    }

    // A retried test comes again under its own name; another test of the same name gets a number.
    #numbered(counts, path, result) {
      const id = channel.idOf(path, [...result.ancestorTitles, result.title]);
      const count = (counts.get(id) || 0) + ((result.invocations || 1) > 1 && counts.has(id) ? 0 : 1);
      counts.set(id, count);
      return count > 1 ? `${id} #${count}` : id;
    }

    #tell(path, result, id) {
      const status = result.failing && result.status === 'passed' ? 'xfailed' : STATUS[result.status];
      if (!status || this.#reported.get(id) === status) return;
      this.#reported.set(id, status);
      const message = plain(result.failureMessages.join('\n'));
      const details = status === 'failed' ? result.failureDetails[0] : null;
      channel.test({
        id, status, message, file: path, seconds: (result.duration || 0) / 1000,
        line: (result.location && result.location.line) || lineIn(message, path),
        category: status !== 'failed' ? '' : details && details.matcherResult ? 'assertion' : category(message),
      });
    }

    #broken(path, file) {
      const message = plain(file.failureMessage || (file.testExecError && file.testExecError.message));
      const kind = category(message);
      channel.test({
        id: channel.idOf(path, []), status: 'error', message, file: path, line: lineIn(message, path),
        category: kind === 'exception' || kind === 'assertion' ? 'collection' : kind,
      });
    }
  };
}

module.exports = { isHere, make, named: true };
