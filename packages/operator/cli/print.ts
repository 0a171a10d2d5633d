import { colourStates, wantsColour } from './colour.js';

/** Prints a result, with colours where somebody sees it. */
export function print(text: string): void {
  endWithReader();
  console.log(wantsColour(process.stdout) && !text.startsWith('{') ? colourStates(text) : text);
}

let endsWithReader = false;

/** Ends quietly when nobody reads any more: `… | head -1`. */
function endWithReader(): void {
  if (endsWithReader) return;
  endsWithReader = true;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}
