import { describe, expect, it } from '@jest/globals';
import { LeaderOnly, type LeaderOnlyOptions } from '../../lib/locking/leader-only.decorator.js';
import * as messages from '../../lib/locking/locking.messages.js';

describe('@LeaderOnly when the class is loaded', () => {
  it('should refuse what it cannot stand on', () => {
    const load = (key: unknown, options?: unknown) => () => {
      class Loaded {
        @LeaderOnly(key as string, options as LeaderOnlyOptions)
        async run(_id: string): Promise<void> {
          await Promise.resolve();
        }
      }
      return Loaded;
    };
    const templates = ['reports:<_id>', 'reports:{_id}', 'reports:${_id}', 'reports:#{_id}', 'reports/:_id'];
    for (const key of [...templates, () => 'reports', null, undefined, 7, ['a']]) {
      expect(load(key)).toThrow(messages.leaderKeyNotFixed('Loaded.run', key));
    }
    expect(load(null)).toThrow(/but it is null/);
    expect(load('reports:{other}')).not.toThrow();
    expect(load({ path: 'relative' })).toThrow(/The path 'relative' cannot be a lock's/);
    expect(load({ path: '/a', mode: 'read' })).toThrow(/mode would be ignored/);
    expect(load('')).toThrow(messages.keyEmpty());
    expect(load('a', { onSuspend: 'keep' })).toThrow(
      /Loaded.run: There is no option "onSuspend". Did you mean "onSuspended"/,
    );
    expect(load('a', { onSuspended: 'panic' })).toThrow(
      /"onSuspended" is 'panic'; allowed are 'keep' and 'step-down'/,
    );
    expect(load('a', { onLost: 'panic' })).toThrow(/"onLost" is 'panic'/);
    expect(load('a', { waitMs: 1 })).toThrow(/no option "waitMs"/);
    expect(load('a<<b')).not.toThrow();
    expect(() => {
      const decorate = LeaderOnly('a') as MethodDecorator;
      class Static {
        static async run(): Promise<void> {
          await Promise.resolve();
        }
        own = 1;
      }
      decorate(Static, 'run', Object.getOwnPropertyDescriptor(Static, 'run')!);
    }).toThrow(messages.staticTarget('LeaderOnly', 'Static.run'));
  });
});
