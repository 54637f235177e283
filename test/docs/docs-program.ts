import { join } from 'node:path';
import ts from 'typescript';
import { ROOT, type CodeBlock, type MarkdownPage } from './markdown.js';

const MAIN = join(ROOT, 'lib/index.ts');
const TESTING = join(ROOT, 'lib/testing/index.ts');

/**
 * All TypeScript of the documentation as one program. Each block is a module of its own, in a folder per page that exists
 * only here; one that begins with `// name.ts` is a file of that name, so that others can import it.
 */
export class DocsProgram {
  private readonly blocks = new Map<string, CodeBlock>();
  private readonly program: ts.Program;
  private readonly checker: ts.TypeChecker;

  constructor(pages: readonly MarkdownPage[]) {
    for (const page of pages) {
      page.blocksIn('ts').forEach((block, at) => {
        const folder = join(ROOT, 'test/docs/virtual', page.path.replaceAll(/[/.]/g, '-'));
        this.blocks.set(join(folder, block.file ?? `block-${at + 1}.ts`), block);
      });
    }
    const options = { ...readOptions(), noEmit: true, noUnusedLocals: false, noUnusedParameters: false };
    this.program = ts.createProgram([MAIN, TESTING, ...this.blocks.keys()], options, this.hostOf(options));
    this.checker = this.program.getTypeChecker();
  }

  get size(): number {
    return this.blocks.size;
  }

  /** What does not compile, by page, block and line. */
  problems(): string[] {
    return ts.getPreEmitDiagnostics(this.program).map(({ file, start = 0, messageText }) => {
      const text = ts.flattenDiagnosticMessageText(messageText, '\n');
      const block = file && this.blocks.get(file.fileName);
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return block === undefined
        ? `${file?.fileName ?? ''}:${line} ${text}`
        : `${block.title}, line ${line} of the block: ${text}`;
    });
  }

  /** The names of the properties of a type that the package exports, in its main entry or that for tests. */
  propertiesOf(exported: string): string[] {
    const symbol = [...this.exportsOf(MAIN), ...this.exportsOf(TESTING)].find(
      ({ name }) => name === exported,
    );
    if (symbol === undefined) throw new Error(`The package does not export ${exported}.`);
    const type = this.checker.getDeclaredTypeOfSymbol(this.resolved(symbol));
    return type
      .getProperties()
      .filter(({ valueDeclaration }) => !isPrivate(valueDeclaration))
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('__@'));
  }

  /** The names of everything that the main entry exports. */
  exportedNames(): string[] {
    return this.exportsOf(MAIN).map(({ name }) => name);
  }

  private exportsOf(path: string): ts.Symbol[] {
    const entry = this.program.getSourceFile(path);
    const module = entry && this.checker.getSymbolAtLocation(entry);
    return module === undefined ? [] : this.checker.getExportsOfModule(module);
  }

  private resolved(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  private hostOf(options: ts.CompilerOptions): ts.CompilerHost {
    const host = ts.createCompilerHost(options);
    const source = (path: string): string | undefined => {
      const block = this.blocks.get(path);
      return block && `${block.code}\nexport {};\n`; // a module, whatever is in it
    };
    const folders = new Set([...this.blocks.keys()].map((path) => join(path, '..')));
    const { fileExists, readFile, directoryExists, getSourceFile } = host;
    host.fileExists = (path) => this.blocks.has(path) || fileExists.call(host, path);
    host.readFile = (path) => source(path) ?? readFile.call(host, path);
    host.directoryExists = (path) => folders.has(path) || (directoryExists?.call(host, path) ?? true);
    host.getSourceFile = (path, target, ...rest) => {
      const text = source(path);
      return text === undefined
        ? getSourceFile.call(host, path, target, ...rest)
        : ts.createSourceFile(path, text, target);
    };
    return host;
  }
}

function isPrivate(declaration: ts.Declaration | undefined): boolean {
  return (
    declaration !== undefined && (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) !== 0
  );
}

function readOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: unknown };
  };
  const { options } = ts.parseJsonConfigFileContent(
    { compilerOptions: config.compilerOptions, files: [] },
    ts.sys,
    ROOT,
  );
  const library = {
    'nestjs-zk-lock': ['lib/index.ts'],
    'nestjs-zk-lock/health': ['lib/health/index.ts'],
    'nestjs-zk-lock/testing': ['lib/testing/index.ts'],
  };
  const paths = Object.fromEntries(
    Object.entries(library).map(([name, [file = '']]) => [name, [join(ROOT, file)]]),
  );
  return { ...options, paths };
}
