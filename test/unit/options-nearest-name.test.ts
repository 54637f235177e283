import { describe, expect, it } from '@jest/globals';
import { nearestName } from '../../lib/nearest-name.js';

describe('nearestName', () => {
  const names = ['connectString', 'waitMs', 'root', 'acl'];

  it.each([
    ['connectstring', 'connectString'],
    ['conectString', 'connectString'],
    ['waitms', 'waitMs'],
    ['waitsMs', 'waitMs'],
    ['rot', 'root'],
    ['acls', 'acl'],
    ['ac', 'acl'],
  ])('should find what %s was meant to be', (written, meant) => {
    expect(nearestName(written, names)).toBe(meant);
  });

  it.each(['ttl', 'x', '', 'maxWait', 'host'])('should not guess what %j was meant to be', (written) => {
    expect(nearestName(written, names)).toBeUndefined();
  });
});
