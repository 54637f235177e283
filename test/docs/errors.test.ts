import { Logger, type ArgumentsHost } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as api from 'nestjs-zk-lock';
import { MarkdownPage } from './markdown.js';

type ErrorClass = new (message: string, details: object) => api.ZkLockError;

const readme = new MarkdownPage('README.md');
const rows = readme.table('Class', '`code`', 'When', 'What to do', 'HTTP');
const classes = Object.entries(api).flatMap(([name, value]) =>
  typeof value === 'function' && value.prototype instanceof api.ZkLockError
    ? [{ name, make: value as unknown as ErrorClass }]
    : [],
);

/** What the filter answers with: its own code, only the socket is left out. */
function answerTo(error: api.ZkLockError): { status: number; body: unknown } {
  let answer = { status: 0, body: {} as unknown };
  const httpAdapter = {
    isHeadersSent: () => false,
    setHeader: () => undefined,
    reply: (_response: unknown, body: unknown, status: number) => (answer = { status, body }),
  };
  const host = { getType: () => 'http', switchToHttp: () => ({ getResponse: () => ({}) }) };
  new api.LockExceptionFilter({ httpAdapter } as unknown as HttpAdapterHost).catch(
    error,
    host as unknown as ArgumentsHost,
  );
  return answer;
}

describe('Errors in README.md', () => {
  beforeAll(() => void Logger.overrideLogger(false));
  afterAll(() => void Logger.overrideLogger(['log', 'warn', 'error', 'debug']));

  it('should be all that the package exports', () => {
    expect(rows.map(([name]) => name).sort()).toEqual(classes.map(({ name }) => `\`${name}\``).sort());
  });

  it.each(classes)('should have the code and the status of $name', ({ name, make: Make }) => {
    const error = new Make('text', { waitedMs: 1, reason: 'shutdown' });
    const row = rows.find(([cell]) => cell === `\`${name}\``);
    expect(row?.[1]).toBe(`\`${error.code}\``);
    expect(row?.[4]).toBe(String(answerTo(error).status));
  });

  it('should show the body of an answer as it is', () => {
    const [json] = readme.blocksIn('json');
    expect(JSON.parse(json!.code)).toEqual(answerTo(new api.LockTimeoutError('text', { waitedMs: 1 })).body);
  });
});
