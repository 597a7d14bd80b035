import assert from 'node:assert/strict';
import { frame } from './src/progress.js';
assert.equal(frame('deploy now', 3, { env: { CI: '1' }, isTTY: true }), '- deploy now');
assert.equal(frame('q', 3, { env: { CI: '' }, isTTY: true }), '\r\\ q');
