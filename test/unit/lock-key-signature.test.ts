import { runInThisContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { readSignature, type Binding } from '../../lib/locking/method-signature.js';

type Method = (...args: never[]) => unknown;

/** The function as Node would have it, with nothing rewritten by a compiler. */
const fromSource = (source: string): Method => runInThisContext(`(${source})`) as Method;
const method = (source: string, name = 'm'): Method =>
  (fromSource(`({ ${source} })`) as unknown as Record<string, Method>)[name]!;
const shown = ({ name, index, path, rest }: Binding): string =>
  `${name}=${rest ? '...' : ''}${[index, ...path].join('.')}`;
const namesOf = (fn: Method): string[] => readSignature(fn)!.bindings.map(shown);

describe('readSignature', () => {
  it.each([
    ['m(id, amount) {}', ['id=0', 'amount=1']],
    ['async m(id) {}', ['id=0']],
    ['* m(id) {}', ['id=0']],
    ['async * m(id) {}', ['id=0']],
    ['m() { return (a, b) => a }', []],
    ['m(a = ")", b = \'(\', c) {}', ['a=0', 'b=1', 'c=2']],
    ['m(a = (x, y) => x + y, b) {}', ['a=0', 'b=1']],
    ['m(a = x => ({ x }), b) {}', ['a=0', 'b=1']],
    ['m(a = function (x, y) { return ")" }, b) {}', ['a=0', 'b=1']],
    ['m(a = class { x(y) {} }, b) {}', ['a=0', 'b=1']],
    ['m(a = [1, (2, 3)], b = { x: [")"] }, c) {}', ['a=0', 'b=1', 'c=2']],
    ['m(a = `)${`,${"}"}`}(`, b) {}', ['a=0', 'b=1']],
    ['m(a = /[)/]\\/,\\(/, b = 4 / 2 / 1, c) {}', ['a=0', 'b=1', 'c=2']],
    ['m(a /* , x) { */, // y, z)\n b) {}', ['a=0', 'b=1']],
    ['m /* (nope) */ (a) {}', ['a=0']],
    ['m(a, ...others) {}', ['a=0', 'others=...1']],
    ['m({ id, amount: total }, b) {}', ['id=0.id', 'total=0.amount', 'b=1']],
    [
      'm({ buyer: { id = 7, tags: [first, , third] } = {} } = {}, b) {}',
      ['id=0.buyer.id', 'first=0.buyer.tags.0', 'third=0.buyer.tags.2', 'b=1'],
    ],
    [
      'm({ "quoted-key": q, 0: zero, [`computed(${1})`]: c, ...others }, b) {}',
      ['q=0.quoted-key', 'zero=0.0', 'b=1'],
    ],
    ['m([a, { b }], [...c], d) {}', ['a=0.0', 'b=0.1.b', 'd=2']],
    ['m(...[a, b]) {}', []],
    ['m($a, _b, ünï) {}', ['$a=0', '_b=1', 'ünï=2']],
    ['m(a, b,) {}', ['a=0', 'b=1']],
  ])('should read %s', (source, names) => {
    expect(namesOf(method(source))).toEqual(names);
  });

  it('should read methods with computed, quoted and private names', () => {
    expect(namesOf(method('[((x, y) => "m")(1, [")"])](id) {}'))).toEqual(['id=0']);
    expect(namesOf(method('"a (b) c"(id) {}', 'a (b) c'))).toEqual(['id=0']);
    const secret = fromSource('class { #pay(id) {} static steal() { return new this().#pay } }.steal()');
    expect(namesOf(secret)).toEqual(['id=0']);
  });

  it('should read functions and arrow functions', () => {
    expect(namesOf(fromSource('async function pay(id, amount) {}'))).toEqual(['id=0', 'amount=1']);
    expect(namesOf(fromSource('function* (id) {}'))).toEqual(['id=0']);
    expect(namesOf(fromSource('id => id'))).toEqual(['id=0']);
    expect(namesOf(fromSource('async id => (id)'))).toEqual(['id=0']);
    expect(namesOf(fromSource('async (id, { b }) => b'))).toEqual(['id=0', 'b=1.b']);
  });

  it('should count the parameters', () => {
    expect(readSignature(method('m(a, { b, c }, d = 1) {}'))!.count).toBe(3);
    expect(readSignature(method('m(a, ...b) {}'))!.count).toBe(Infinity);
    expect(readSignature(method('m() {}'))!.count).toBe(0);
  });

  it('should say so when there is no source to read', () => {
    expect(readSignature(Math.max)).toBeUndefined();
    expect(readSignature(method('m(a) {}').bind(null))).toBeUndefined();
    expect(readSignature(new Proxy(method('m(a) {}'), {}))).toBeUndefined();
  });

  it('should read what the compiler of this project makes of a class', () => {
    class Orders {
      constructor(private readonly prefix: string) {}
      async pay(id: string, { amount }: { amount: number }, note = (s: string) => `${s})`): Promise<string> {
        return note(this.prefix + id + String(amount));
      }
      async *list(filter: string): AsyncGenerator<string> {
        yield filter;
      }
    }
    expect(namesOf(Orders.prototype.pay)).toEqual(['id=0', 'amount=1.amount', 'note=2']);
    expect(namesOf(Orders.prototype.list)).toEqual(['filter=0']);
  });
});
