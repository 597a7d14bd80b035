'use strict';
// Loaded by NODE_OPTIONS before anything else. In the process of the runner itself it reads the key, puts the ready
// reporter where the runner will look for it, and takes itself out of the environment; in programs that only start
// the runner (npx, nyc) it leaves all as it is, and in worker threads it does nothing.
const { realpathSync } = require('node:fs');
const { dirname, join } = require('node:path');

function versionOf(program) {
  try {
    for (let folder = dirname(realpathSync(program)); folder !== dirname(folder); folder = dirname(folder)) {
      try {
        return require(join(folder, 'package.json')).version || '';
      } catch {
        continue;
      }
    }
  } catch {
    return '';
  }
  return '';
}

function leaveEnvironment() {
  const words = (process.env.NODE_OPTIONS || '').split(' ').filter((word) => word && word !== `--require=${__filename}`);
  if (words.length) process.env.NODE_OPTIONS = words.join(' ');
  else delete process.env.NODE_OPTIONS;
}

// For processes that the runner starts for single files of tests.
function enterEnvironment(file) {
  process.env.NODE_OPTIONS = `--require=${file} ${process.env.NODE_OPTIONS || ''}`.trim();
}

function forget() {
  for (const name of Object.keys(require.cache)) {
    if (dirname(name) === __dirname && !name.endsWith('_reporter.cjs')) delete require.cache[name];
  }
  if (Array.isArray(process._preload_modules)) process._preload_modules.length = 0;
}

if (require('node:worker_threads').isMainThread) {
  const settings = require('./settings.json');
  const place = require.resolve(`./${settings.runner}_reporter.cjs`);
  const runner = require(place);
  if (runner.isHere(process)) {
    const inherited = process.env.NODE_OPTIONS;
    leaveEnvironment();
    const version = runner.named ? versionOf(process.argv[1]) : process.version;
    const channel = require('./node_records.cjs').open(settings, runner);
    if (runner.child) enterEnvironment(join(__dirname, runner.child));
    const { key } = channel;
    delete channel.key;
    require.cache[place].exports = runner.make(channel, { version, inherited, key });
    forget();
  }
}
