import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { APPROVED_API, publicApi } from '../../tools/release/public-api.js';

/** `npm run api:keep`: writes the public API of the packages, the stored formats, the shapes of folded and of stored states and the answers of the API's document as they are now. */
export async function main(): Promise<number> {
  // The formats are stored by functions, which log.
  Object.assign(process.env, { POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' });
  const { APPROVED_FORMATS, storedFormats } = await import('./stored-formats.js');
  const { APPROVED_STATES, approvedStates } = await import('./folded-states.js');
  const { APPROVED_STORED, approvedStored } = await import('./stored-states.js');
  const { APPROVED_ANSWERS, answersOfStory } = await import('./story-answers.js');
  const texts = [...publicApi()].map(([name, text]) => [new URL(`${name}.txt`, APPROVED_API), text] as const);
  mkdirSync(APPROVED_API, { recursive: true });
  for (const [file, make] of [
    ...texts.map(([file, text]) => [file, async () => text] as const),
    [APPROVED_FORMATS, storedFormats] as const,
    [APPROVED_STATES, approvedStates] as const,
    [APPROVED_STORED, approvedStored] as const,
    [APPROVED_ANSWERS, answersOfStory] as const,
  ]) {
    const text = await make();
    const isSame = existsSync(file) && readFileSync(file, 'utf8') === text;
    if (!isSame) writeFileSync(file, text);
    console.log(`${isSame ? 'unchanged' : 'written'}: ${file.pathname}`);
  }
  return 0;
}
