import { Test } from '@nestjs/testing';
import { jest, describe, expect, it } from '@jest/globals';
import { TERMINUS_MISSING } from '../../lib/zk-lock.messages.js';

// There is no other way to be without a package that is installed.
jest.unstable_mockModule('@nestjs/terminus', () => {
  throw Object.assign(new Error("Cannot find package '@nestjs/terminus'"), { code: 'ERR_MODULE_NOT_FOUND' });
});

describe('ZkLockHealthIndicator without @nestjs/terminus', () => {
  it('should be imported without it, and name the command that installs it when the application starts', async () => {
    const { ZkLockHealthIndicator } = await import('../../lib/health/index.js');
    const app = await Test.createTestingModule({ providers: [ZkLockHealthIndicator] }).compile();
    await expect(app.init()).rejects.toThrow(TERMINUS_MISSING);
    expect(TERMINUS_MISSING).toContain('npm install @nestjs/terminus');
  });
});
