import { readFileSync } from 'node:fs';

/** Returns the text below a heading of the second level, up to the next heading. @throws {Error} if there is no such heading */
export function readSection(page: string, heading: string): string {
  const [, text] = `\n${readFileSync(page, 'utf8')}`.split(`\n## ${heading}\n`);
  if (text === undefined) throw new Error(`${page} has no heading '${heading}'`);
  return text.split(/\n##? /)[0] ?? '';
}

/** Returns the calls of the operator's command line in a text, in its order: lines of code, and code within sentences. */
export const findCalls = (text: string): readonly string[] =>
  [...text.matchAll(/^ *npm run -s orderly -- (.+)$|`npm run -s orderly -- ([^`]+)`/gm)].map(([, line, inline]) =>
    (line ?? inline ?? '').replaceAll(/\s+/g, ' '),
  );

/**
 * Returns the words of a call as a shell would pass them, without its comment and redirection.
 * @param placeholders what is put in the place of `<order id>` and of the others, by their names
 * @throws {Error} if a placeholder has no value
 */
export function splitWords(call: string, placeholders: Readonly<Record<string, string>>): readonly string[] {
  const filled = call.replaceAll('"$ENVIRONMENT"', 'prod').replaceAll(/<([^<>]+)>/g, (_, name: string) => {
    const value = placeholders[name];
    if (value === undefined) throw new Error(`'${call}' has an unknown placeholder <${name}>`);
    return value;
  });
  const command = filled.replace(/ #.*$/, '').replace(/ > \S+ *$/, '');
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}
