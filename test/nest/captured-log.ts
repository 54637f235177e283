import type { LoggerService } from '@nestjs/common';
import { waitFor } from '../support/wait-for.js';

type Level = 'log' | 'warn' | 'error' | 'debug' | 'verbose' | 'fatal';

/** A logger for an application under test that keeps what this library says. */
export class CapturedLog implements LoggerService {
  private readonly lines: { level: Level; text: string; context: unknown }[] = [];

  /** @param of whose lines are kept. */
  constructor(private readonly of = 'ZkLockModule') {}

  log = this.keep('log');
  warn = this.keep('warn');
  error = this.keep('error');
  debug = this.keep('debug');
  verbose = this.keep('verbose');
  fatal = this.keep('fatal');

  /** What was said so far at this level by the library. */
  at(level: Level): string[] {
    return this.lines.filter((line) => line.level === level).map(({ text }) => text);
  }

  /** Waits until this very line was said. */
  async said(level: Level, text: string): Promise<void> {
    await waitFor(() => this.at(level).includes(text), {
      what: `${level} "${text}" in ${JSON.stringify(this.lines)}`,
    });
  }

  private keep(level: Level) {
    return (message: unknown, ...rest: unknown[]): void => {
      const context = rest.at(-1);
      if (context === this.of) this.lines.push({ level, text: String(message), context });
    };
  }
}
