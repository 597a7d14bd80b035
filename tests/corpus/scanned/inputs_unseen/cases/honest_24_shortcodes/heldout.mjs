import assert from 'node:assert/strict';
import * as core from './src/core.js';
assert.equal(core.signs(':tada::heart:'), '\u{1F389}\u2764');
