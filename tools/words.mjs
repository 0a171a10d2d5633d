// Finds words that the house doesn't write, in sources, comments, test names and pages: `npm run lint` runs it.
//   node tools/words.mjs
// A linter of prose (cspell, textlint, vale) was looked at: each needs a parser or a binary of its own for comments of TypeScript,
// and none suggests a replacement for phrases there.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Each phrase, and what to write instead. Whole words, in any case, also over the end of a line. */
const WORDS = [
  ['hears', 'subscribes to, receives'],
  ['(is|are|was|were) told', 'receives, gets, learns'],
  ['of ours', 'our'],
  ['(anew|afresh)', 'again, from the beginning'],
  ['goes on', 'continues'],
  ['where there is none', 'if there is none'],
  ['dearest', 'most expensive'],
  ['by and by', 'over time'],
  ['stands? in for', 'replaces'],
];

/** Generated text, recorded answers of others, and the licence. */
const EXEMPT = [
  /^(test\/golden|docs\/decisions\/README|tools\/docs\/openapi\/answers|package-lock|LICENSE)/,
  /conformance\/.*\.json$/,
  /^tools\/words\.mjs$/,
  /^test\/tools\/words\.test\.ts$/,
];

/** @returns each banned phrase of a text, with its line and what to write instead; names between backticks on one line are left out */
export function bannedWords(written) {
  const text = written.replaceAll(/`[\w. ]+`/g, (name) => 'x'.repeat(name.length));
  return WORDS.flatMap(([phrase, instead]) => {
    const words = new RegExp(`(?<![\\w-])${phrase.replaceAll(' ', '(?:\\s+(?:\\*|//)?\\s*)')}(?![\\w-])`, 'gi');
    return [...text.matchAll(words)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split('\n').length;
      return { line, message: `'${found.replaceAll(/\s+(\*|\/\/)?\s*/g, ' ')}': write ${instead}` };
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../', import.meta.url));
  const args = ['ls-files', '-co', '--exclude-standard', '*.ts', '*.mjs', '*.md', '*.json', '*.py'];
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const found = files
    .filter((file) => !EXEMPT.some((pattern) => pattern.test(file)))
    .flatMap((file) => bannedWords(readFileSync(join(root, file), 'utf8')).map((word) => ({ file, ...word })));
  for (const { file, line, message } of found) console.error(`${file}:${line}: ${message}`);
  if (found.length > 0) {
    console.error(`${found.length} phrases that make readers stumble (CONTRIBUTING.md, Documents).`);
    process.exit(1);
  }
}
