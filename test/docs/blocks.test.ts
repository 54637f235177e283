import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SourceTextModule } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { MarkdownPage, ROOT, type CodeBlock } from './markdown.js';

interface Statement {
  run(parameters: object): { changes: number };
  get(): unknown;
}
/** What we need of better-sqlite3, which has no types of its own. */
type Sqlite = new (file: string) => { exec(sql: string): void; prepare(sql: string): Statement };

const pages = MarkdownPage.all();
const all = (language: string): CodeBlock[] => pages.flatMap((page) => page.blocksIn(language));
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  name: string;
  scripts: Record<string, string>;
};

/** The scripts of package.json that a text calls. */
const scriptsIn = (text: string): string[] =>
  [...text.matchAll(/\bnpm (?:run (?<name>[\w:-]+)|(?<short>test)\b)/g)].map(
    ({ groups }) => (groups?.name ?? groups?.short)!,
  );

describe('Blocks of README.md and docs', () => {
  it('should be in a language that a test looks at, or plain text', () => {
    const languages = new Set(pages.flatMap(({ blocks }) => blocks.map(({ language }) => language)));
    expect([...languages].sort()).toEqual(['', 'bash', 'js', 'json', 'sql', 'ts']);
  });

  it.each(all('json'))('should be JSON where they say so: $title', ({ code }) => {
    expect(JSON.parse(code)).toBeDefined();
  });

  it.each(all('js'))('should be JavaScript where they say so: $title', ({ code }) => {
    expect(() => new SourceTextModule(code)).not.toThrow();
  });

  it('should call scripts that exist', () => {
    expect(all('bash').flatMap(({ code }) => scriptsIn(code))).toEqual(
      expect.arrayContaining(['demo', 'test']),
    );
    for (const script of pages.flatMap(({ text }) => scriptsIn(text))) {
      expect(Object.keys(manifest.scripts)).toContain(script);
    }
  });

  it('should call commands that are known', () => {
    for (const line of all('bash').flatMap(({ code }) => code.trim().split('\n'))) {
      expect(line).toMatch(
        new RegExp(
          `^(npm (run [a-z:]+( -- [^#]+)?( +#.*)?|test|install ${manifest.name}|install-scripts approve zookeeper)|(apt-get install -y|apk add) make g\\+\\+ python3 .*|npx zk-lock dev-server --port 2181|node --import \\./test/support/ts-loader\\.mjs test/differential/main\\.ts .*|apt-get install -y zookeeper default-jre-headless|docker run --rm -p 2181:2181 zookeeper:3\\.9|/usr/share/zookeeper/bin/zkServer\\.sh start-foreground)$`,
        ),
      );
    }
  });
});

describe('SQL of README.md and docs', () => {
  const [fencing, reset] = all('sql');
  const Database = createRequire(import.meta.url)('better-sqlite3') as Sqlite;
  const [create = '', claim = '', write = ''] = fencing!.code
    .split(';')
    .map((statement) => statement.replace(/^--.*$/gm, '').trim());

  it('should refuse whoever has an older token', () => {
    const db = new Database(':memory:');
    db.exec(create);
    db.exec("INSERT INTO orders (id, status) VALUES ('1', 'open')");
    const run = (sql: string, token: bigint): number => db.prepare(sql).run({ id: '1', token }).changes;

    const [older, newer] = [2n ** 62n, 2n ** 62n + 1n]; // one and the same as a number
    expect(run(claim, older)).toBe(1);
    expect(run(claim, newer)).toBe(1);
    expect(run(write, older)).toBe(0);
    expect(run(claim, older)).toBe(0);
    expect(run(write, newer)).toBe(1);
    expect(db.prepare('SELECT status FROM orders').get()).toEqual({ status: 'paid' });

    db.exec(reset!.code);
    expect(run(claim, 1n)).toBe(1);
  });
});
