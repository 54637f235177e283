import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_HANDOFF_MAX } from '../../lib/recipes/handoff-options.js';
import { resolveOptions } from '../../lib/zk-lock.options-check.js';

const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
/** The second column of the row that begins with this option. */
const documentedDefault = (option: string): string | undefined =>
  new RegExp(`^\\| \`${option}\` +\\| (.*?) *\\|`, 'm').exec(page)?.[1];

describe('docs/configuration.md', () => {
  const {
    servers: _s,
    hosts: _h,
    chroot: _c,
    auth,
    acl,
    retry,
    handoff,
    maxWaiting,
    ...plain
  } = resolveOptions({ connectString: 'zk1' });

  it.each(Object.entries(plain))('should give the default of %s', (option, value) => {
    expect(documentedDefault(option)).toBe(typeof value === 'number' ? String(value) : `\`'${value}'\``);
  });

  it('should describe the options whose default is not a plain value', () => {
    expect([auth, acl]).toEqual([undefined, undefined]);
    expect([handoff, maxWaiting]).toEqual([{}, Infinity]);
    expect(documentedDefault('handoff')).toBe(`\`{ max: ${DEFAULT_HANDOFF_MAX} }\``);
    expect(documentedDefault('maxWaiting')).toBe('unlimited');
    const policy = Object.entries(retry).map(([name, value]) => `${name}: ${value}`);
    expect(documentedDefault('retry')).toBe(`\`{ ${policy.join(', ')} }\``);
    expect(documentedDefault('connectString')).toBe('required');
    expect(documentedDefault('auth')).toBe('none');
    expect(documentedDefault('acl')).toBe("`'creator'` with `auth`, else `'open'`");
    expect(documentedDefault('isGlobal')).toBe('`true`');
    expect(documentedDefault('connectionName')).toBe('none');
  });
});
