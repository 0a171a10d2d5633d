/** Returns the commands that a start prints, as somebody copies them: up to what stands in a second column. */
export const printedCommands = (output: string): readonly string[] =>
  output
    .split('\n')
    .map((line) => line.trim().replace(/ {2,}.*$/, ''))
    .filter((line) => /^(alice=|curl |npm run )/.test(line));

/** Scripts that speak to an instance that runs. */
const FOR_A_RUNNING_ONE = /^npm run (?:-s |--silent )?(?:demo|deploy:local|token|orderly)\b/;

/** Returns the commands that a document tells for a running instance: in code spans and in indented or fenced blocks. */
export function documentedCommands(markdown: string): readonly string[] {
  const spans = [...markdown.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  const lines = markdown.split('\n').flatMap((line) => /^ {4,}(npm .*)$/.exec(line)?.[1] ?? []);
  const found = [...spans, ...lines].map((command) => command.replace(/ +#.*$/, '').trim());
  return [...new Set(found.filter((command) => FOR_A_RUNNING_ONE.test(command)))];
}
