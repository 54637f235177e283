import { describe, expect, it } from '@jest/globals';
import type { InterceptedRequest, Rule, Verdict } from 'nestjs-zk-lock/testing';
import { Rules } from '../../../lib/testing/server/rules.js';

const REQUEST: InterceptedRequest = { op: 'create', path: '/a', session: '0x1', zxid: '0x2', xid: 1 };

describe('Rules', () => {
  const judgeBy = (rule: Rule) => {
    const rules = new Rules();
    rules.add(rule);
    return rules;
  };

  it.each<[Verdict, object]>([
    [{ error: 'NoNode' }, { error: -101, delayMs: 0 }],
    [{ error: -7 }, { error: -7, delayMs: 0 }],
    [
      { error: 'NoNode', delayMs: 5 },
      { error: -101, delayMs: 5 },
    ],
    [{ delayMs: 2 ** 31 - 1 }, { error: undefined, delayMs: 2 ** 31 - 1 }],
    [{ delayMs: Infinity }, { error: undefined, delayMs: Infinity }],
  ])('should understand %j', (verdict, ruling) => {
    expect(judgeBy(() => verdict).judge(REQUEST)).toEqual({ kind: 'answer', ...ruling });
  });

  it.each([
    null,
    false,
    'kut',
    {},
    Promise.resolve('cut'),
    { error: 'OK' },
    { error: 0 },
    { error: 'toString' },
    { error: 1.5 },
    { delayMs: '100' },
    { delayMs: -1 },
    { delayMs: 2 ** 31 },
    { delayMs: NaN },
    { error: 'NoNode', delayMs: 'x' },
  ])('should tell once that %p is no verdict, and remove the rule', (verdict) => {
    const rules = judgeBy(() => verdict as Verdict);

    expect(() => rules.judge(REQUEST)).toThrow(/^A rule of intercept\(\) returned .*; it is removed\./);
    expect(rules.judge(REQUEST)).toBeUndefined();
    expect(rules.isEmpty).toBe(true);
  });

  it('should remove a rule that throws', () => {
    const rules = judgeBy(() => {
      throw new Error('a bug in the test');
    });

    expect(() => rules.judge(REQUEST)).toThrow('a bug in the test');
    expect(rules.judge(REQUEST)).toBeUndefined();
  });

  it('should not ask about a session that is spared', () => {
    const rules = judgeBy(() => 'cut');
    rules.spare('0x1');

    expect(rules.judge(REQUEST)).toBeUndefined();
    expect(rules.judge({ ...REQUEST, session: '0x2' })).toEqual({ kind: 'cut' });
  });

  it('should know the names of operations and errors when it is compiled', () => {
    // @ts-expect-error no operation of ZooKeeper
    judgeBy(({ op }) => (op === 'creat' ? 'cut' : undefined));
    // @ts-expect-error OK is no error to refuse with
    judgeBy(() => ({ error: 'OK' }));
    expect(judgeBy(({ op }) => (op === '99' ? 'cut' : undefined)).judge(REQUEST)).toBeUndefined();
  });
});
