import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');

function diagnosticsOf(files: string[]): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: unknown };
  };
  const { options } = ts.parseJsonConfigFileContent(
    { compilerOptions: config.compilerOptions, files },
    ts.sys,
    root,
  );
  const program = ts.createProgram(files, { ...options, noEmit: true });
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, start = 0, messageText }) =>
        `${file?.fileName ?? ''}:${(file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
}

describe('Types of the public API', () => {
  it('should compile what is right and refuse what is wrong', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.types.ts'));
    expect(files).not.toEqual([]);
    expect(diagnosticsOf(files.map((name) => join(import.meta.dirname, name)))).toEqual([]);
  });
});
