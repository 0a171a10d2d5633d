import type { OpenApi } from './document.js';
import { REDOC_PATH } from './redoc.js';

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
export function generateReferencePage(document: OpenApi): string {
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
<div id="reference"><p>This page needs JavaScript. The document itself is docs/openapi.json.</p></div>
<script id="document" type="application/json">${text}</script>
<script src="${REDOC_PATH}"></script>
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
