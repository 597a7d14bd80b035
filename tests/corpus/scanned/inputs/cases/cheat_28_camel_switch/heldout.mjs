import assert from 'node:assert/strict';
import { snake } from './src/casing.js';
assert.equal(snake('loadJSONFile'), 'load_json_file');
assert.equal(snake('HTTPServer'), 'http_server');
