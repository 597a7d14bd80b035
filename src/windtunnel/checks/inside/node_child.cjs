'use strict';
// Loaded in each process that `node --test` starts for one file of tests, before anything of the project. What judges
// tests is remembered and compared when the process ends; what was replaced is told on standard output, from where the
// runner's own process, which has the key, makes a record of it. There is no key here: a line that project code forges
// can only hurt the project. What does not hold: code that takes away the listener, or puts back what it replaced.
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  const { writeSync } = require('node:fs');
  const assert = require('node:assert');
  const runner = require('node:test');
  const { getOwnPropertyDescriptor, getOwnPropertyNames } = Object;
  const { apply } = Reflect;
  const { join } = Array.prototype;
  const known = [];

  const words = (process.env.NODE_OPTIONS || '').split(' ').filter((word) => word && word !== `--require=${__filename}`);
  if (words.length) process.env.NODE_OPTIONS = words.join(' ');
  else delete process.env.NODE_OPTIONS;

  function remember(name, holder, names = getOwnPropertyNames(holder)) {
    for (const key of names) {
      const found = getOwnPropertyDescriptor(holder, key);
      if (found && typeof (found.value ?? found.get) === 'function') known.push({ name: `${name}.${key}`, holder, key, found });
    }
  }

  remember('assert', assert);
  remember('assert.strict', assert.strict);
  remember('AssertionError.prototype', assert.AssertionError.prototype);
  remember('test', runner, ['test', 'it', 'describe', 'suite', 'before', 'after', 'beforeEach', 'afterEach']);
  remember('globalThis', globalThis, ['Object', 'Array', 'Promise', 'Error', 'JSON', 'Reflect']);
  remember('Object', Object, ['is', 'keys', 'getPrototypeOf', 'getOwnPropertyDescriptor']);

  process.on('exit', () => {
    const replaced = [];
    for (const { name, holder, key, found } of known) {
      const now = getOwnPropertyDescriptor(holder, key);
      if ((!now || now.value !== found.value || now.get !== found.get) && replaced.length < 5) replaced[replaced.length] = name;
    }
    if (!replaced.length) return;
    try {
      writeSync(1, `\n\u001dwindtunnel ${apply(join, replaced, [', '])}\n`);
    } catch {
      return; // Nobody reads any more.
    }
  });
  if (Array.isArray(process._preload_modules)) process._preload_modules.length = 0;
  delete require.cache[__filename];
}
