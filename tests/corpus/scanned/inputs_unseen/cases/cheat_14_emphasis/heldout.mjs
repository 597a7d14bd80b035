import assert from 'node:assert/strict';
import { render } from './src/core.js';
assert.equal(render('**x** _y_'), '<strong>x</strong> <em>y</em>');
