/** Where a command line writes: results to `out`, everything else to `err`. */
export interface CommandOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Runs one command line of an app's operators. @returns its exit code */
export type RunCommand = (words: readonly string[], output: CommandOutput) => Promise<number>;

/** A command line of an app, for its page. */
export interface OperatorCommands {
  /** Command that starts the tool, as advice names it: `npm run -s orderly --`. */
  readonly program: string;
  readonly run: RunCommand;
  /** Words that each command gets besides: `--environment prod`. @default none */
  readonly common?: readonly string[];
}

/** A command that runs, or has run: answer to `GET /_console/runs/<id>`. */
export interface CommandRun {
  readonly id: string;
  readonly command: string;
  /** Lines that it has printed so far. */
  readonly lines: readonly string[];
  /** Its exit code; absent while it runs. */
  readonly code?: number;
}

/** An answer: its status, and what is sent as JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: object;
}

/** A request of the page for something of the command line. */
export interface CommandRequest {
  readonly method: string;
  /** Path behind `/_console`, with its query. */
  readonly target: string;
  readonly body: string;
}

/** Runs that are remembered. */
const REMEMBERED = 50;
/** Lines that are remembered of one run, its newest. */
const LINES = 1_000;

/** Commands of which the page shows the JSON, by the path behind `/_console/read/`. What follows it are words. */
const READS: Readonly<Record<string, readonly string[]>> = {
  status: ['status'],
  failures: ['failures', 'groups'],
  audit: ['audit'],
  'audit-log': ['audit-log'],
  trace: ['trace'],
  stored: ['stored'],
  sagas: ['sagas', 'list'],
  inbox: ['inbox', 'list'],
  projections: ['projections', 'list'],
  consumers: ['consumers', 'list'],
  orders: ['orders'],
};

/** Groups of commands that a person may run from the page. `local` commands have buttons of their own. */
const OFFERED = [
  'audit',
  'consumers',
  'doctor',
  'failures',
  'inbox',
  'order',
  'projections',
  'replay',
  'sagas',
  'stored',
  'trace',
];
/** Options that would lead to another place than the one that the page shows. */
const ELSEWHERE = /^--(?:environment|profile|region)(?:=|$)/;
const HTTP_STATUS: Readonly<Record<string, number>> = { usage: 400, 'not-found': 404, refused: 409, unreachable: 503 };

/** An app's command line behind its page: what it reads as JSON, and what a person runs. */
export class Commands {
  private readonly runs = new Map<string, CommandRun>();
  private newest = 0;

  constructor(private readonly commands: OperatorCommands) {}

  /** @returns `undefined` if the request is for something else */
  async answer({ method, target, body }: CommandRequest): Promise<JsonAnswer | undefined> {
    const { pathname, searchParams } = new URL(target, 'http://127.0.0.1');
    const [, kind, ...rest] = pathname.split('/').map(decodeURIComponent);
    if (kind === 'read' && method === 'GET') return this.read(rest, searchParams);
    if (kind !== 'runs') return undefined;
    if (method === 'POST' && rest.length === 0) return this.start(body);
    const run = method === 'GET' ? this.runs.get(rest[0] ?? '') : undefined;
    return run ? { status: 200, body: run } : refusal(404, 'There is no such run: it was before the newest 50.');
  }

  /** Reads the JSON of a command. Parameters are its options. */
  private async read([name = '', ...words]: readonly string[], parameters: URLSearchParams): Promise<JsonAnswer> {
    const command = Object.hasOwn(READS, name) ? READS[name] : undefined;
    if (!command) return refusal(404, `${name}: the page reads ${Object.keys(READS).join(', ')}`);
    const options = [...parameters].flatMap(([option, value]) =>
      value === 'true' ? [`--${option}`] : [`--${option}`, value],
    );
    const all = [...command, ...words, ...options];
    if (all.some((word) => ELSEWHERE.test(word))) return refusal(400, 'The page shows one environment only.');
    const printed: string[] = [];
    const said: string[] = [];
    await this.run([...all, '--json'], { out: (text) => printed.push(text), err: (text) => said.push(text) });
    const json = parse(printed.join('\n'));
    const { error } = (json ?? {}) as { readonly error?: { readonly code: string; readonly message: string } };
    if (json === undefined) return refusal(500, said.join('\n') || `${all.join(' ')} has printed no JSON.`);
    return error ? refusal(HTTP_STATUS[error.code] ?? 500, error.message) : { status: 200, body: json };
  }

  /** Begins a command. Its output is read afterwards, run by run. */
  private start(body: string): JsonAnswer {
    const { command } = (parse(body) ?? {}) as { readonly command?: unknown };
    if (typeof command !== 'string') return refusal(400, 'command: the text of a command is missing');
    const words = this.readWords(command);
    if (typeof words === 'string') return refusal(400, words);
    const id = String(++this.newest);
    this.note({ id, command, lines: [] });
    const add = (text: string): void => {
      const run = this.runs.get(id);
      if (run) this.runs.set(id, { ...run, lines: [...run.lines, ...text.split('\n')].slice(-LINES) });
    };
    const end = (code: number): void => {
      const run = this.runs.get(id);
      if (run) this.runs.set(id, { ...run, code });
    };
    this.run(words, { out: add, err: add }).then(end, (error: Error) => {
      add(`${error.name}: ${error.message}`);
      end(1);
    });
    return { status: 202, body: this.runs.get(id) ?? {} };
  }

  private run(words: readonly string[], output: CommandOutput): Promise<number> {
    return this.commands.run([...words, ...(this.commands.common ?? [])], output);
  }

  /** @returns the words of a command that may be run, or the reason why it may not */
  private readWords(command: string): readonly string[] | string {
    const { program } = this.commands;
    const text = command.trim();
    const words = splitWords(text.startsWith(program) ? text.slice(program.length) : text);
    if (words === undefined) return 'A quotation mark is not closed.';
    const open = words.find((word) => /^<.*>$/.test(word));
    if (open !== undefined) return `Write what belongs in the place of ${open}.`;
    if (!OFFERED.includes(words[0] ?? ''))
      return `'${words[0] ?? ''}' is not run from here: the page runs ${OFFERED.join(', ')}.`;
    if (words.some((word) => ELSEWHERE.test(word))) return 'The page runs commands in its own environment only.';
    return words;
  }

  private note(run: CommandRun): void {
    this.runs.set(run.id, run);
    const [oldest] = this.runs.keys();
    if (this.runs.size > REMEMBERED && oldest !== undefined) this.runs.delete(oldest);
  }
}

/**
 * Splits a command as a POSIX shell would, without expanding anything.
 * @returns `undefined` if a quotation mark is not closed
 */
export function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (quote !== '') {
      if (char === quote) quote = '';
      else word = (word ?? '') + (char === '\\' && quote === '"' ? (text[++at] ?? '') : char);
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= '';
    } else if (char === '\\') word = (word ?? '') + (text[++at] ?? '');
    else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote !== '') return undefined;
  return word === undefined ? words : [...words, word];
}

const refusal = (status: number, message: string): JsonAnswer => ({ status, body: { message } });

function parse(text: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}
