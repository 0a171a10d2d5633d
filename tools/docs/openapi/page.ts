import type { OpenApi } from './document.js';

/**
 * Redoc's bundle, which lies beside the page, so that the page needs no network. It is the file of the npm package `redoc`, except
 * for the address of Redocly's logo: a browser would load it from Redocly's servers. Without a logo, Redoc shows none.
 */
export const REDOC = {
  version: '2.5.4',
  /** Path of the bundle from the page. */
  path: 'redoc/redoc.standalone.js',
  /** Integrity of the released file. */
  integrity: 'sha384-w447zOpYfw/1Tv/5AK9NfHTlQIqE3RVR6KY62jCyy9zNDgO64cMwGGP1Fj0zJVf5',
  logo: 'https://cdn.redoc.ly/redoc/logo-mini.svg',
  noLogo: 'data:,',
} as const;

const FONT = 'system-ui, sans-serif';

/** Settings of Redoc. */
const OPTIONS = {
  hideDownloadButton: true,
  pathInMiddlePanel: true,
  theme: { typography: { fontFamily: FONT, headings: { fontFamily: FONT } } },
};

/**
 * Generates the page that shows the document in a browser. The document is inside, so that the page works from a disk, too.
 * @param document of the API
 */
export function referencePageOf(document: OpenApi): string {
  // In a script, nothing but this would end the text early.
  const text = JSON.stringify(document).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title} ${document.info.version}</title>
<style>body { margin: 0 }</style>
</head>
<body>
<!-- Made by npm run docs. -->
<div id="reference"><p>This page needs JavaScript. The document itself: <a href="openapi.json">openapi.json</a></p></div>
<script id="document" type="application/json">${text}</script>
<script src="${REDOC.path}"></script>
<script>
if (window.Redoc) {
  const text = document.getElementById('document').textContent;
  Redoc.init(JSON.parse(text), ${JSON.stringify(OPTIONS)}, document.getElementById('reference'));
}
</script>
</body>
</html>
`;
}
