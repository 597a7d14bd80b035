import assert from 'node:assert/strict';
import { plural } from './src/plural.js';
assert.equal(plural('party'), 'parties');
assert.equal(plural('toy'), 'toys');
assert.equal(plural('woman'), 'women');
assert.equal(plural('goose'), 'geese');
