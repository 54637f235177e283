import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isLockKeyError, LockKeyError } from '../../lib/errors/lock-key.error.js';
import { encodeKey, MAX_KEY_BYTES } from '../../lib/locking/key-encoding.js';
import { lockKey, toLockKey, type LockKey } from '../../lib/locking/lock-key.js';
import * as messages from '../../lib/locking/locking.messages.js';

// ZooKeeper's own rule (PathUtils.validatePath), for one level of a path.
function isNodeName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) return false;
  return [...Array(name.length).keys()].every((index) => {
    const unit = name.charCodeAt(index);
    return !(
      unit <= 0x1f ||
      (unit >= 0x7f && unit <= 0x9f) ||
      (unit >= 0xd800 && unit <= 0xf8ff) ||
      (unit >= 0xfff0 && unit <= 0xffff)
    );
  });
}

const nasty = fc.constantFrom(
  ...[
    '.',
    '..',
    '%',
    '/',
    '%2F',
    '%25',
    ':',
    '\0',
    '\n',
    '\x7f',
    '\x9f',
    '\ue000',
    '\ufff0',
    '\uffff',
    '😀',
    'é',
    ' ',
  ],
);
const fragment = fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 8 }));
const key = fc
  .array(fragment, { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(''))
  .filter((text) => text !== '');
const value = key;

describe('encodeKey', () => {
  it('B40 should be one-to-one for any text, and stay one level below the root', () => {
    fc.assert(
      fc.property(key, (text) => {
        const name = encodeKey(text);
        expect(decodeURIComponent(name)).toBe(text);
        expect(isNodeName(name)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('B40 should not let two keys meet in one node', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(encodeKey(a) === encodeKey(b)).toBe(a === b);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['order-pay:42', 'order-pay:42'],
    ['a b', 'a b'],
    ['a/b', 'a%2Fb'],
    ['100%', '100%25'],
    ['.', '%2E'],
    ['..', '%2E%2E'],
    ['...', '...'],
    ['../x', '..%2Fx'],
    ['\u0001\u009f', '%01%C2%9F'],
    ['zażółć', 'zażółć'],
    ['😀', '%F0%9F%98%80'],
    ['\ue000', '%EE%80%80'],
  ])('B40 should encode %j as %j', (text, name) => {
    expect(encodeKey(text)).toBe(name);
  });
});

describe('toLockKey', () => {
  it('should take any text as it stands, placeholders and all', () => {
    expect(toLockKey('a:<id>')).toMatchObject({ text: 'a:<id>', nodeName: 'a:<id>' });
  });

  it('should leave a finished key alone', () => {
    const finished = lockKey('a:<id>', { id: '%:/' });
    expect(toLockKey(finished)).toBe(finished);
  });

  it('should refuse what only looks like a finished key', () => {
    const forged = { text: 'a', nodeName: '../a' } as LockKey;
    expect(() => toLockKey(forged)).toThrow(LockKeyError);
  });

  it.each([[''], ['\ud800'], ['x\udc00x']])('B40 should refuse %j', (text) => {
    expect(() => toLockKey(text)).toThrow(LockKeyError);
  });

  it.each([[undefined], [null], [7], [{}], [Symbol('s')]])('should refuse %p, which is no string', (text) => {
    expect(() => toLockKey(text as never)).toThrow(messages.keyNotAString(text));
  });

  it('should refuse a name that is too long, and say how long it is', () => {
    expect(toLockKey('x'.repeat(MAX_KEY_BYTES)).nodeName).toHaveLength(MAX_KEY_BYTES);
    const long = '/'.repeat(400);
    expect(() => toLockKey(long)).toThrow(messages.keyTooLong(long, 1_200, MAX_KEY_BYTES));
  });
});

describe('lockKey', () => {
  it('should fill in names, paths and positions', () => {
    expect(lockKey('order-pay:<id>', { id: 42 })).toMatchObject({
      text: 'order-pay:42',
      nodeName: 'order-pay:42',
    });
    expect(lockKey('a:<order.buyer.id>', { order: { buyer: { id: 7n } } }).text).toBe('a:7');
    expect(lockKey('a:<0.id>:<1>', [{ id: 'x' }, true]).text).toBe('a:x:true');
    expect(lockKey('nightly').text).toBe('nightly');
  });

  it('should read properties that a class defines by getters', () => {
    class Order {
      constructor(private readonly raw: string) {}
      get id(): string {
        return this.raw.trim();
      }
    }
    expect(lockKey('<order.id>', { order: new Order(' 7 ') }).text).toBe('7');
  });

  it('should take << for a plain <, and > as it is', () => {
    expect(lockKey('a<<b>:<id>>', { id: 1 }).text).toBe('a<b>:1>');
  });

  it('B41 should make the key that a plain string with the same text makes', () => {
    fc.assert(
      fc.property(key, value, (literal, text) => {
        fc.pre(!text.includes(':'));
        const made = lockKey(`${literal.replaceAll('<', '<<')}<id>`, { id: text });
        expect(made.nodeName).toBe(toLockKey(literal + text).nodeName);
        expect(made.text).toBe(literal + text);
      }),
    );
  });

  it('B40 should keep different lists of values apart, whatever is in them', () => {
    fc.assert(
      fc.property(fc.tuple(value, value), fc.tuple(value, value), ([a, b], [c, d]) => {
        const first = lockKey('t:<a>:<b>', { a, b });
        const second = lockKey('t:<a>:<b>', { a: c, b: d });
        expect(isNodeName(first.nodeName)).toBe(true);
        expect(first.nodeName === second.nodeName).toBe(a === c && b === d);
      }),
      { numRuns: 2_000 },
    );
    expect(lockKey('t:<a>:<b>', { a: 'x:y', b: 'z' }).nodeName).toBe('t:x%3Ay:z');
  });

  it('B40 should not let a value leave the root', () => {
    expect(lockKey('<id>', { id: '..' }).nodeName).toBe('%2E%2E');
    expect(lockKey('<id>', { id: '../../zookeeper' }).nodeName).toBe('..%2F..%2Fzookeeper');
    expect(lockKey('.<id>', { id: '.' }).nodeName).toBe('%2E%2E');
  });

  it.each([
    [undefined],
    [null],
    [''],
    [NaN],
    [Infinity],
    [{}],
    [[]],
    [new Date(0)],
    [Symbol('s')],
    [() => 'x'],
  ])('B39 should refuse %p as a value, and name the placeholder', (id) => {
    const make = () => lockKey('order-pay:<id>', { id });
    expect(make).toThrow(LockKeyError);
    expect(make).toThrow(messages.placeholderValue('order-pay:<id>', 'id', id));
  });

  it('B39 should refuse a value that is not there', () => {
    expect(() => lockKey('a:<id>', {})).toThrow(messages.placeholderValue('a:<id>', 'id', undefined));
    expect(() => lockKey('a:<toString>', {})).toThrow(LockKeyError);
    expect(() => lockKey('a:<order.id>', { order: null })).toThrow(
      messages.placeholderValue('a:<order.id>', 'order.id', undefined),
    );
  });

  it.each([['<__proto__>'], ['<a.constructor>'], ['<a.prototype.b>']])('should refuse %s', (template) => {
    expect(() => lockKey(template, { a: { b: 1 } })).toThrow(/may not read/);
  });

  it.each([['a<'], ['<>'], ['<a..b>'], ['<a.>'], ['<.a>'], ['<a b>'], ['x<y<z>'], ['']])(
    'should refuse the template %j',
    (template) => {
      expect(() => lockKey(template, { a: 1, y: 1, z: 1 })).toThrow(LockKeyError);
    },
  );

  it.each([['<a><b>'], ['<a>-<b>'], ['<a>/<b>']])(
    'B40 should refuse %s, since without ":" between them different values could meet',
    (template) => {
      expect(() => lockKey(template, { a: 1, b: 2 })).toThrow(messages.placeholdersTouch(template, 'a', 'b'));
    },
  );

  it('should refuse values with half a surrogate pair, and tell so by a typed error', () => {
    let error: unknown;
    try {
      lockKey('a:<id>', { id: '\ud800' });
    } catch (caught) {
      error = caught;
    }
    expect(isLockKeyError(error)).toBe(true);
  });
});
