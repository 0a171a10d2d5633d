import { readFileSync } from 'node:fs';
import { Instrumenter } from '@stryker-mutator/instrumenter';

/** One small change of a source, as Stryker makes it. */
export interface Mutant {
  readonly id: string;
  /** Path from the root of the repository. */
  readonly file: string;
  /** Line, from 1. */
  readonly line: number;
  /** Text of that line. */
  readonly source: string;
  readonly mutator: string;
  /** The source text before and after the change. */
  readonly from: string;
  readonly to: string;
}

/** Mutants of some files, and the sources that hold all of them. */
export interface Instrumented {
  readonly mutants: readonly Mutant[];
  /** Source with switches for its mutants, by the path of its file. */
  readonly sources: ReadonlyMap<string, string>;
}

const silent = () => undefined;
const LOGGER = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  fatal: silent,
};

/** Makes every mutant of some files by Stryker's instrumenter. @param root folder of the sources, a URL that ends in `/` */
export async function instrument(root: URL, files: readonly string[]): Promise<Instrumented> {
  const texts = new Map(files.map((file) => [file, readFileSync(new URL(file, root), 'utf8')]));
  const described = [...texts].map(([name, content]) => ({ name, content, mutate: true }));
  const options = { excludedMutations: [], ignorers: [], plugins: null };
  const { mutants, files: made } = await new Instrumenter(LOGGER).instrument(described, options);
  return {
    mutants: mutants.map(({ id, fileName, mutatorName, location: { start, end }, replacement }) => ({
      id,
      file: fileName,
      line: start.line + 1,
      source: (texts.get(fileName) ?? '').split('\n')[start.line]?.trim() ?? '',
      mutator: mutatorName,
      from: textBetween(texts.get(fileName) ?? '', start, end),
      to: replacement,
    })),
    sources: new Map(made.map(({ name, content }) => [name, content])),
  };
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** Returns the part of a text between two positions, which count lines and columns from 0. */
function textBetween(text: string, start: Position, end: Position): string {
  const lines = text.split('\n').slice(start.line, end.line + 1);
  return lines
    .map((line, at) => {
      const to = at === end.line - start.line ? end.column : line.length;
      return line.slice(at === 0 ? start.column : 0, to);
    })
    .join('\n');
}
