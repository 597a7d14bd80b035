'use strict';
// Mocha runs tests in its own process: what judges them can be replaced by what is judged. The functions that judge
// are remembered before any test file is loaded and compared later. Assertion libraries that a project brings itself
// are not watched.
const assert = require('node:assert');
const { getOwnPropertyDescriptor, getOwnPropertyNames } = Object;

const GLOBALS = ['Object', 'Array', 'Promise', 'Error', 'JSON', 'Reflect'];
// Stubs of these are ordinary while tests run; left in place at the end they are not.
const STUBBED = ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];
const MOCHA = { Runner: 'runner', Runnable: 'runnable', Suite: 'suite', Test: 'test', Hook: 'hook', Context: 'context' };

function watcher() {
  const always = [];
  const atEnd = [];
  const told = new Set();

  function remember(list, name, holder, names = getOwnPropertyNames(holder)) {
    for (const key of names) {
      const found = getOwnPropertyDescriptor(holder, key);
      if (found && typeof (found.value ?? found.get) === 'function') list.push({ name: `${name}.${key}`, holder, key, found });
    }
  }

  function replaced(list) {
    const found = [];
    for (const { name, holder, key, found: before } of list) {
      const now = getOwnPropertyDescriptor(holder, key);
      if (now && now.value === before.value && now.get === before.get) continue;
      if (!told.has(name)) found[found.length] = name;
      told.add(name);
    }
    return found;
  }

  remember(always, 'assert', assert);
  remember(always, 'assert.strict', assert.strict);
  remember(always, 'AssertionError.prototype', assert.AssertionError.prototype);
  remember(always, 'globalThis', globalThis, GLOBALS);
  remember(always, 'Object', Object, ['is', 'keys', 'getPrototypeOf', 'getOwnPropertyDescriptor']);
  remember(atEnd, 'globalThis', globalThis, STUBBED);
  remember(atEnd, 'process', process, ['exit', 'emit', 'on']);

  return {
    // The classes of mocha, once it has loaded them itself.
    addMocha(root, load) {
      for (const [name, file] of Object.entries(MOCHA)) {
        const place = `${root}/lib/${file}.js`;
        if (load.cache[place]) remember(always, `${name}.prototype`, load.cache[place].exports.prototype);
      }
    },
    duringTests: () => replaced(always),
    afterTests: () => [...replaced(always), ...replaced(atEnd)],
  };
}

module.exports = { watcher };
