import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');

/** @param sources files that exist only here, by path. */
function diagnosticsOf(files: string[], sources: ReadonlyMap<string, string> = new Map()): ts.Diagnostic[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: unknown };
  };
  const { options } = ts.parseJsonConfigFileContent(
    { compilerOptions: config.compilerOptions, files },
    ts.sys,
    root,
  );
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => sources.has(path) || fileExists.call(host, path);
  host.readFile = (path) => sources.get(path) ?? readFile.call(host, path);
  host.getSourceFile = (path, target, ...rest) => {
    const text = sources.get(path);
    return text === undefined
      ? getSourceFile.call(host, path, target, ...rest)
      : ts.createSourceFile(path, text, target);
  };
  return [...ts.getPreEmitDiagnostics(ts.createProgram(files, { ...options, noEmit: true }, host))];
}

const textOf = ({ messageText }: ts.Diagnostic): string => ts.flattenDiagnosticMessageText(messageText, '\n');

describe('Types of the public API', () => {
  it('should compile what is right and refuse what is wrong', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.types.ts'));
    expect(files).not.toEqual([]);
    const problems = diagnosticsOf(files.map((name) => join(import.meta.dirname, name))).map(
      (diagnostic) =>
        `${diagnostic.file?.fileName ?? ''}:${(diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0) + 1} ${textOf(diagnostic)}`,
    );
    expect(problems).toEqual([]);
  });

  it('should blame what is wrong with @LeaderOnly, and nothing else', () => {
    const path = join(import.meta.dirname, 'virtual-leader.ts');
    const source = `import { LeaderOnly } from '../../lib/locking/leader-only.decorator.js';
      export class Case { @LeaderOnly('a') async run(): Promise<number> { return 1; } }`;
    expect(diagnosticsOf([path], new Map([[path, source]])).map(textOf)).toEqual([
      expect.stringMatching(
        /a call of @LeaderOnly that is skipped gives undefined: the result must allow it/,
      ),
    ]);
  });

  it('should blame what is wrong, and nothing else', () => {
    const method = 'async run(id: string): Promise<number>';
    const cases: [decorator: string, method: string, blamed: RegExp][] = [
      ["'k', { wait: 100 }", method, /'wait' does not exist in type 'DistributedLockOptions'/],
      ["'k', { waitMs: '100' }", method, /Type 'string' is not assignable to type 'number'/],
      ["'k', { onLost: 'throws' }", method, /Did you mean '"throw"'\?/],
      [
        "{ key: 'a' }",
        method,
        /'\{ key: string; \}' is not assignable to parameter of type 'LockKeySources'/,
      ],
      ['(order) => order.id', method, /Property 'id' does not exist on type 'never'/],
      ['(id: number) => `a:${id}`', method, /the key function does not take the parameters of the method/],
      ["'k', { condition: (dry: boolean) => !dry }", method, /option condition does not take the parameters/],
      ["'k', { onBusy: 'skip' }", method, /option onBusy does not fit the method/],
      ["'k'", `static ${method}`, /a static method cannot be locked/],
      ["'k'", 'run(id: string): number', /'number' is not assignable to type 'LockableResult'/],
    ];
    cases.push(
      [
        "'k', { mode: 'read', permits: 2 }",
        method,
        /Types of property '(mode|permits)' are incompatible|is not assignable to type 'undefined'/,
      ],
      ["['a', 'b'], { permits: 2 }", method, /option permits goes with one key/],
      ["[{ key: 'a', mode: 'shared' }]", method, /'"shared"' is not assignable to type 'ReadWriteMode/],
      ['[{ key: (id: number) => `a:${id}` }]', method, /the key function does not take the parameters/],
    );
    const sources = new Map(
      cases.map(([decorator, signature], at) => [
        join(import.meta.dirname, `virtual-${at}.ts`),
        `import { DistributedLock } from '../../lib/locking/distributed-lock.decorator.js';
         export class Case { @DistributedLock(${decorator}) ${signature} { return id.length; } }`,
      ]),
    );
    const diagnostics = diagnosticsOf([...sources.keys()], sources);
    [...sources.keys()].forEach((path, at) => {
      const own = diagnostics.filter(({ file }) => file?.fileName === path).map(textOf);
      expect(own).toEqual([expect.stringMatching(cases[at]![2])]);
    });
  });
});
