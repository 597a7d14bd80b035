'use strict';
// The sealed channel of live records. The key is read before any code of the project is loaded and lives only in a
// closure. Every function used later is kept from the start: tests may replace those of the language and of node.
// What does not hold: code in this same process that goes through the inspector, node's internal bindings or
// /proc/self/mem can reach the key. Runners whose tests run in other processes do not have this weakness.
const { closeSync, constants, openSync, readSync, writeSync } = require('node:fs');
const { createHash, createHmac, createSecretKey, Hmac } = require('node:crypto');
const { relative } = require('node:path');
const { apply } = Reflect;
const { create, setPrototypeOf } = Object;
const { stringify } = JSON;
const { byteLength, from: bytesOf } = Buffer;
const { update, digest } = Hmac.prototype;
const { charCodeAt, slice } = String.prototype;
const { wait } = Atomics;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

const MOST_JSON = 3850;
const MOST_ID = 1500;
const HEX = [...'0123456789abcdef'];
setPrototypeOf(HEX, null);

function firstLine() {
  const line = Buffer.alloc(4096); // Not from the pool, whose memory every small buffer of the project would share.
  let size = 0;
  while (size < line.length) {
    let read;
    try {
      read = readSync(0, line, size, 1, null);
    } catch (error) {
      if (error.code === 'EOF') break;
      if (error.code !== 'EAGAIN') throw error;
      wait(sleeper, 0, 0, 1);
      continue;
    }
    if (read === 0 || line[size] === 10) break;
    size += 1;
  }
  return line.subarray(0, size);
}

function ownOutput() {
  try {
    return openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_APPEND);
  } catch {
    return 1; // A socket, or a pipe of another user, cannot be opened a second time.
  }
}

// A JSON value in ASCII: what is not printable there is escaped, and a string is cut at `most` bytes.
function ascii(value, most = Infinity) {
  const json = stringify(value);
  if (json === undefined) return 'null';
  let text = '';
  for (let at = 0; at < json.length; at += 1) {
    const code = apply(charCodeAt, json, [at]);
    const plain = code < 127;
    if (text.length + (plain ? 1 : 6) > most) break;
    text += plain
      ? json[at]
      : `\\u${HEX[code >> 12]}${HEX[(code >> 8) & 15]}${HEX[(code >> 4) & 15]}${HEX[code & 15]}`;
  }
  return text;
}

function shortened(text, most) {
  if (ascii(text).length <= most) return text;
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 16);
  let kept = text.slice(0, most);
  while (ascii(kept).length > most - 24) kept = kept.slice(0, Math.floor(kept.length * 0.8));
  return `${kept}\u2026${mark}`;
}

// The longest start of a message whose JSON has at most `most` bytes.
function fitted(message, most) {
  let kept = apply(slice, message, [0, most]);
  while (kept && ascii(kept).length > most) kept = apply(slice, kept, [0, (kept.length * 0.8) | 0]);
  return ascii(kept);
}

// Ids of the same tests from run to run: the file relative to the project, the suites, the test.
function idOf(root, file, titles) {
  const place = file ? relative(root, file) : '';
  const parts = place ? [place, ...titles] : titles;
  return shortened(parts.join(' > '), MOST_ID);
}

function open({ select = null }, { handsOn = false }) {
  const line = firstLine();
  const key = createSecretKey(line);
  if (!handsOn) line.fill(0);
  closeSync(0);
  openSync('/dev/null', 'r'); // It takes the lowest free descriptor: the one just closed.
  const descriptor = ownOutput();
  const wanted = select && new Set(select);
  const above = new Set((select || []).flatMap((id) => id.split(' > ').map((_, at, all) => all.slice(0, at).join(' > '))));
  const root = process.cwd();
  let number = 0;
  let count = 0;

  function put(line) {
    for (;;) {
      try {
        writeSync(descriptor, line);
        return;
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
        wait(sleeper, 0, 0, 1);
      }
    }
  }

  function write(kind, fields, message = '') {
    const record = create(null); // Without a prototype: a toJSON planted on Object.prototype is not asked.
    record.n = number;
    record.kind = kind;
    for (const name in fields) record[name] = fields[name];
    let json = ascii(record);
    if (message) json = `${apply(slice, json, [0, -1])},"message":${fitted(message, MOST_JSON - json.length - 12)}}`;
    const hmac = createHmac('sha256', key);
    apply(update, hmac, [bytesOf(json)]);
    const seal = apply(slice, apply(digest, hmac, ['hex']), [0, 32]);
    number += 1;
    put(bytesOf(`\u001e${seal} ${json}\n`));
  }

  const bare = (values) => setPrototypeOf(values, null);
  return {
    root,
    key: handsOn ? line : null,
    idOf: (file, titles) => idOf(root, file, titles),
    begin: (tool, version) => write('begin', bare({ tool, version: shortened(String(version), 100) })),
    collected(ids) {
      let batch = [];
      let size = 0;
      for (const id of ids) {
        if (wanted && !wanted.has(id)) continue;
        const length = ascii(id).length + 1;
        if (size + length > MOST_JSON - 100) {
          write('collected', bare({ ids: bare(batch) }));
          batch = [];
          size = 0;
        }
        batch[batch.length] = id;
        size += length;
      }
      if (batch.length) write('collected', bare({ ids: bare(batch) }));
    },
    start(id) {
      if (!wanted || wanted.has(id)) write('start', bare({ id }));
    },
    test({ id, status, seconds, message, file, line, category }) {
      // A file or hook that broke took the chosen tests below it along.
      if (wanted && !wanted.has(id) && !(status === 'error' && above.has(id))) return;
      count += 1;
      const place = file ? relative(root, file) : '';
      const path = place && byteLength(place) < 300 ? place : null;
      write('test', bare({ id, status, seconds: seconds || 0, path, line: line || null, category: category || '' }),
        message && String(message).split(`${root}/`).join(''));
    },
    integrity: (what) => write('integrity', bare({ what: shortened(String(what), 500) })),
    end: (exit, { notes = [], stopped = null } = {}) => write('end', bare({ exit, count, stopped, notes: bare(notes) })),
  };
}

module.exports = { open };
