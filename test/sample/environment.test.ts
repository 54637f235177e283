import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '../../sample-app/src/config/configuration.error.js';
import { readEnvironment } from '../../sample-app/src/config/read-environment.js';
import { createApp } from '../../sample-app/src/create-app.js';

const problemsOf = (variables: Record<string, string>): readonly string[] => {
  try {
    readEnvironment(variables);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
};

describe('environment of the sample', () => {
  it('should need nothing for a try on one machine', () => {
    expect(readEnvironment({})).toEqual({
      ZK_CONNECT: '127.0.0.1:2181',
      ZK_AUTH: undefined,
      ZK_ROOT: '/locks',
      ZK_SESSION_TIMEOUT_MS: 10_000,
      PORT: 3000,
      HOST: '127.0.0.1',
      DATABASE_URL: undefined,
      SQLITE_FILE: 'orders.sqlite',
      GATEWAY_MS: 25,
    });
  });

  it('should take an empty variable as not set and numbers as numbers', () => {
    const { PORT, DATABASE_URL } = readEnvironment({ PORT: ' 8080 ', DATABASE_URL: '' });
    expect({ PORT, DATABASE_URL }).toEqual({ PORT: 8080, DATABASE_URL: undefined });
  });

  it.each([
    ['PORT', '70000', 'PORT="70000": must be a whole number between 0 and 65535'],
    ['PORT', 'http', 'PORT="http": must be a whole number between 0 and 65535'],
    ['PORT', '3000.5', 'PORT="3000.5": must be a whole number between 0 and 65535'],
    [
      'ZK_SESSION_TIMEOUT_MS',
      '10',
      'ZK_SESSION_TIMEOUT_MS="10": must be a whole number of ms between 1000 and 60000',
    ],
    [
      'ZK_ROOT',
      'locks',
      'ZK_ROOT="locks": must be an absolute path without a slash at its end, for example /locks',
    ],
    ['GATEWAY_MS', '-1', 'GATEWAY_MS="-1": must be a whole number of ms between 0 and 60000'],
  ])('should name the variable, its value and what is allowed: %s=%s', (name, value, problem) => {
    expect(problemsOf({ [name]: value })).toEqual([problem]);
  });

  it('should name all wrong variables at once', () => {
    expect(problemsOf({ PORT: '-1', GATEWAY_MS: '1e9' })).toHaveLength(2);
  });

  it('should not show a secret', () => {
    expect(problemsOf({ ZK_AUTH: 'hunter2', DATABASE_URL: 'mysql://root:hunter2@db' })).toEqual([
      'ZK_AUTH=(hidden): must be user:password',
      'DATABASE_URL=(hidden): must be postgres://user:password@host:port/database',
    ]);
  });

  it('should not start with a wrong environment', async () => {
    await expect(createApp({ PORT: 'http' }, { logger: false })).rejects.toThrow(ConfigurationError);
  });
});
