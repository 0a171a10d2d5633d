import { coloured, wantsColour } from './colour.js';

/**
 * Prints a result: with colours and in a pager, where somebody sees it.
 * @param paged whether a long text may go through a pager
 * @param app name of the application: `shop` has `SHOP_PAGER`
 */
export async function print(text: string, { paged, app }: { readonly paged: boolean; readonly app: string }) {
  endWithReader();
  const isJson = text.startsWith('{');
  const shown = wantsColour(process.stdout) && !isJson ? coloured(text) : text;
  if (paged && !isJson && process.stdout.isTTY) {
    const { pagerFor, showInPager } = await import('./pager.js');
    const variable = `${app.toUpperCase().replaceAll('-', '_')}_PAGER`;
    const pager = pagerFor(shown, { variable });
    if (pager !== undefined && (await showInPager(pager, shown))) return;
  }
  console.log(shown);
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
