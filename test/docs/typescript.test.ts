import { describe, expect, it } from '@jest/globals';
import { DocsProgram } from './docs-program.js';
import { MarkdownPage } from './markdown.js';

const readme = new MarkdownPage('README.md');
const program = new DocsProgram(MarkdownPage.all());
const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();
/** The names in the first cell of a row: `a`, `b`. */
const namesIn = ([cell = '']: string[]): string[] =>
  [...cell.matchAll(/`(\w+)(?:\(\))?`/g)].map(([, name]) => name!);

describe('TypeScript of README.md and docs', () => {
  it('should compile', () => {
    expect(program.size).toBeGreaterThan(10);
    expect(program.problems()).toEqual([]);
  });

  it('should be blamed by block and line', () => {
    const code =
      "import { DistributedLock } from 'nestjs-zk-lock';\nexport const a: number = DistributedLock;";
    const page = new MarkdownPage('docs/wrong.md', `# Wrong\n\n\`\`\`ts\n${code}\n\`\`\`\n`);
    expect(new DocsProgram([page]).problems()).toEqual([
      expect.stringMatching(
        /^docs\/wrong\.md block 1 \(line 4\), line 2 of the block: Type .* is not assignable/,
      ),
    ]);
  });
});

describe('Tables of README.md and docs', () => {
  it('should list every option of the module, with the default of docs/configuration.md', () => {
    const rows = readme.table('Option', 'Default', 'Meaning');
    expect(sorted(rows.flatMap(namesIn))).toEqual(
      sorted([...program.propertiesOf('ZkLockModuleOptions'), ...program.propertiesOf('ZkLockModuleExtras')]),
    );
    const configuration = new MarkdownPage('docs/configuration.md').prose;
    for (const [option = '', byDefault = ''] of rows) {
      const [, documented] = new RegExp(`^\\| ${option} +\\| (.*?) *\\|`, 'm').exec(configuration) ?? [];
      expect([option, byDefault]).toEqual([option, documented]);
    }
  });

  it('should list every option of a lock, and say where it belongs', () => {
    const service = program.propertiesOf('LockOptions');
    const decorators = program.propertiesOf('DistributedLockOptions');
    const where = (name: string): string =>
      service.includes(name) && decorators.includes(name)
        ? 'both'
        : service.includes(name)
          ? 'service'
          : 'decorators';
    const rows = readme.table('Option', 'Where', 'Default', 'Meaning');
    expect(sorted(rows.flatMap(namesIn))).toEqual(sorted([...service, ...decorators]));
    for (const row of rows) expect([row[0], row[1]]).toEqual([row[0], where(namesIn(row)[0]!)]);
  });

  it('should list every option of the server for tests, and every member of its helper', () => {
    const testing = new MarkdownPage('docs/testing.md');
    const options = testing.table('Option', 'Default', 'Meaning');
    expect(sorted(options.flatMap(namesIn))).toEqual(sorted(program.propertiesOf('TestingServerOptions')));
    const members = testing.table('`ZkLockTesting`', 'What it does');
    const names = members.flatMap(([cell = '']) =>
      [...cell.matchAll(/`(\w+)(?:\(.*?\))?`/g)].map(([, name]) => name!),
    );
    expect(sorted(names)).toEqual(sorted(program.propertiesOf('ZkLockTesting')));
  });

  it('should list every member of a held lock', () => {
    const rows = readme.table('Member', 'Meaning');
    expect(sorted(rows.flatMap(namesIn))).toEqual(sorted(program.propertiesOf('HeldLock')));
  });
});
