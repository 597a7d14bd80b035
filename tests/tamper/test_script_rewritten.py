"""A test file rewritten in other words, another library or another shape; and one that gives something up on the way."""

from __future__ import annotations

import pytest

from windtunnel.tamper import compare_tests

OLD = """const assert = require('assert');
const { Cart, price } = require('../lib/cart');
describe('Cart', function () {
  let cart;
  beforeEach(function () { cart = new Cart(); });
  it('starts empty', function () { assert.strictEqual(cart.size, 0); assert.deepStrictEqual(cart.items(), []); });
  it('prices things', function () {
    assert.strictEqual(price({ cents: 1250 }), '12.50');
    assert.strictEqual(price({ cents: 5 }), '0.05');
    assert.throws(() => price({ cents: -1 }), /negative/);
  });
  it('rejects unknown codes', async function () { await assert.rejects(cart.redeem('NOPE'), { code: 'E_CODE' }); });
});
"""


def swap(*pairs: str) -> str:
    text = OLD
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        assert old in text
        text = text.replace(old, new)
    return text


REWRITTEN = {
    "vitest": swap("const assert = require('assert');", "import { beforeEach, describe, expect, it } from 'vitest';", "const { Cart, price } = require('../lib/cart');", "import { Cart, price } from '../lib/cart';",
        "assert.strictEqual(cart.size, 0);", "expect(cart.size).toBe(0);", "assert.deepStrictEqual(cart.items(), []);", "expect(cart.items()).toStrictEqual([]);",
        "assert.strictEqual(price({ cents: 1250 }), '12.50');", "expect(price({ cents: 1250 })).toBe('12.50');", "assert.strictEqual(price({ cents: 5 }), '0.05');", "expect(price({ cents: 5 })).toBe('0.05');",
        "assert.throws(() => price({ cents: -1 }), /negative/);", "expect(() => price({ cents: -1 })).toThrow(/negative/);", "await assert.rejects(cart.redeem('NOPE'), { code: 'E_CODE' });", "await expect(cart.redeem('NOPE')).rejects.toMatchObject({ code: 'E_CODE' });"),
    "own cart": swap("  let cart;\n  beforeEach(function () { cart = new Cart(); });\n", "", "assert.strictEqual(cart.size", "const cart = new Cart(); assert.strictEqual(cart.size", "await assert.rejects(cart", "const cart = new Cart(); await assert.rejects(cart"),
    "object table": swap("    assert.strictEqual(price({ cents: 1250 }), '12.50');\n    assert.strictEqual(price({ cents: 5 }), '0.05');\n", "    const prices = { 1250: '12.50', 5: '0.05' };\n    for (const [cents, text] of Object.entries(prices)) assert.strictEqual(price({ cents: Number(cents) }), text);\n"),
    "each template": swap("    assert.strictEqual(price({ cents: 1250 }), '12.50');\n    assert.strictEqual(price({ cents: 5 }), '0.05');\n", "    [[1250, '12.50'], [5, '0.05']].forEach(([cents, text]) => { assert.strictEqual(price({ cents }), text); });\n"),
    "message": swap("'12.50');", "'12.50', 'euros and cents');"),
    "try rejects": swap("await assert.rejects(cart.redeem('NOPE'), { code: 'E_CODE' });", "const refused = cart.redeem('NOPE');\n    await assert.rejects(refused, { code: 'E_CODE', name: 'CodeError' });"),
    "returns promise": swap("async function () { await assert.rejects(cart.redeem('NOPE'), { code: 'E_CODE' }); }", "function () { return assert.rejects(cart.redeem('NOPE'), { code: 'E_CODE' }); }"),
    "factory": swap("cart = new Cart();", "cart = makeCart();", "describe('Cart'", "const makeCart = () => new Cart();\ndescribe('Cart'"),
    "nested": swap("describe('Cart', function () {", "describe('lib', () => { describe('Cart', () => {", "E_CODE' }); });\n});", "E_CODE' }); });\n}); });"),
    "reordered": swap("assert.strictEqual(cart.size, 0); assert.deepStrictEqual(cart.items(), []);", "assert.deepStrictEqual(cart.items(), []); assert.strictEqual(cart.size, 0);"),
}  # fmt: skip
LESS = {
    "no await": swap("await assert.rejects", "assert.rejects"),
    "any code": swap("{ code: 'E_CODE' }", "Error"),
    "length only": swap("assert.deepStrictEqual(cart.items(), []);", "assert.ok(cart.items());"),
    "empty": swap("    assert.strictEqual(price({ cents: 5 }), '0.05');\n", ""),
    "if cart": swap("assert.strictEqual(cart.size, 0);", "if (cart.size === undefined) { assert.strictEqual(cart.size, 0); }"),
    "platform": swap("  it('prices things'", "  if (process.platform === 'plan9') it('prices things'"),
    "alias skip": swap("  it('prices things'", "  const later = it.skip;\n  later('prices things'"),
    "break": swap("    assert.strictEqual(price({ cents: 1250 }), '12.50');\n    assert.strictEqual(price({ cents: 5 }), '0.05');\n", "    for (const [cents, text] of [[1250, '12.50'], [5, '0.05']]) { assert.strictEqual(price({ cents }), text); break; }\n"),
    "catch": swap("    assert.strictEqual(price({ cents: 5 }), '0.05');\n", "    Promise.resolve().then(() => assert.strictEqual(price({ cents: 5 }), '0.05')).catch(() => {});\n"),
    "stub": swap("const { Cart, price } = require('../lib/cart');", "const { Cart } = require('../lib/cart');\nconst price = ({ cents }) => (cents / 100).toFixed(2);"),
    "mock": swap("describe('Cart'", "jest.mock('../lib/cart', () => ({ price: () => '12.50' }));\ndescribe('Cart'"),
}  # fmt: skip


def lost(new: str) -> set[str]:
    found = compare_tests("test/cart.test.js", OLD.encode(), new.encode())
    return {each.rule for each in found if each.severity == "block"}


@pytest.mark.parametrize("new", REWRITTEN.values(), ids=REWRITTEN)
def test_a_rewritten_test_that_keeps_its_claims_is_let_through(new):
    assert lost(new) == set()


@pytest.mark.parametrize("new", LESS.values(), ids=LESS)
def test_a_rewritten_test_that_gives_something_up_is_blocked(new):
    assert lost(new) != set()
