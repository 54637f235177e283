import { NOT_ON_EMBEDDED } from './test/server-suites.mjs';

const embedded = process.env.ZK_SERVER === 'embedded';

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  ...(embedded && { globalSetup: '<rootDir>/test/support/embedded/global-setup.mjs' }),
  testPathIgnorePatterns: embedded ? Object.keys(NOT_ON_EMBEDDED).map((path) => `<rootDir>/${path}`) : [],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^nestjs-zk-lock$': '<rootDir>/lib/index.ts',
    '^nestjs-zk-lock/health$': '<rootDir>/lib/health/index.ts',
    '^nestjs-zk-lock/testing$': '<rootDir>/lib/testing/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2022',
          keepClassNames: true,
        },
        module: { type: 'es6' },
      },
    ],
  },
  maxWorkers: 2,
  testTimeout: 30_000,
};
