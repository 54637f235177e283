import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, type MarkdownPage } from './markdown.js';

/** The blocks of a page that are files, in a folder from which they can be imported. */
export class ExampleFolder implements Disposable {
  private readonly folder = mkdtempSync(join(tmpdir(), 'examples-'));

  constructor(page: MarkdownPage) {
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'));
    for (const { file, code } of page.blocks)
      if (file !== undefined) writeFileSync(join(this.folder, file), code);
  }

  /** The module that a block is. */
  load(file: string): Promise<unknown> {
    return import(join(this.folder, file));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}
