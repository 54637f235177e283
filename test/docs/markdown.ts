import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** A fenced block of code in a page. */
export interface CodeBlock {
  /** `README.md block 3 (line 52)` */
  readonly title: string;
  /** Line of the page on which the code begins, from 1. */
  readonly line: number;
  /** What stands behind the opening fence; empty for plain text. */
  readonly language: string;
  readonly code: string;
  /** `app.module.ts`, when the code begins with `// app.module.ts`. */
  readonly file: string | undefined;
}

/** A page of the documentation. */
export class MarkdownPage {
  readonly blocks: readonly CodeBlock[];

  /** @param path below the project, `docs/architecture.md` */
  constructor(
    readonly path: string,
    readonly text = readFileSync(join(ROOT, path), 'utf8'),
  ) {
    this.blocks = readBlocks(path, text);
  }

  /** README.md and everything in docs. */
  static all(): MarkdownPage[] {
    const docs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
    return ['README.md', 'CHANGELOG.md', ...docs.map((name) => `docs/${name}`)].map(
      (path) => new MarkdownPage(path),
    );
  }

  blocksIn(language: string): CodeBlock[] {
    return this.blocks.filter((block) => block.language === language);
  }

  /** @throws {Error} when no block begins with `// <file>` */
  blockOf(file: string): CodeBlock {
    const block = this.blocks.find((candidate) => candidate.file === file);
    if (block === undefined) throw new Error(`${this.path} has no block that begins with "// ${file}".`);
    return block;
  }

  /** The text without its blocks of code. */
  get prose(): string {
    return this.text.replace(FENCED, '');
  }

  /** The texts of all headings, without the `#` signs. */
  get headings(): string[] {
    return [...this.prose.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text);
  }

  /** The cells of the rows of the table whose first row begins with these titles. */
  table(...titles: string[]): string[][] {
    const lines = this.prose.split('\n');
    const start = lines.findIndex((line) => titles.every((title, at) => cells(line)[at] === title));
    if (start === -1) throw new Error(`${this.path} has no table with the columns ${titles.join(', ')}.`);
    const rest = lines.slice(start + 2);
    const end = rest.findIndex((line) => !line.startsWith('|'));
    return rest.slice(0, end === -1 ? undefined : end).map(cells);
  }
}

const FENCED = /^```(\S*)\n([^]*?)^```$/gm;

function readBlocks(path: string, text: string): CodeBlock[] {
  return [...text.matchAll(FENCED)].map(({ 1: language = '', 2: code = '', index }, at) => {
    const line = text.slice(0, index).split('\n').length + 1;
    const file = /^\/\/ (\S+\.ts)\n/.exec(code)?.[1];
    return { title: `${path} block ${at + 1} (line ${line})`, line, language, code, file };
  });
}

const cells = (row: string): string[] =>
  row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
