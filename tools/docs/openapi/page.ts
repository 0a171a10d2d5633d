import type { OpenApi } from './document.js';

/** Redoc's own bundle, of this version and no other: a browser refuses it if its content is another one. */
const REDOC = {
  src: 'https://cdn.jsdelivr.net/npm/redoc@2.5.4/bundles/redoc.standalone.js',
  integrity: 'sha384-w447zOpYfw/1Tv/5AK9NfHTlQIqE3RVR6KY62jCyy9zNDgO64cMwGGP1Fj0zJVf5',
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
<div id="reference"><p>This page needs JavaScript and a connection. The document itself: <a href="openapi.json">openapi.json</a></p></div>
<script id="document" type="application/json">${text}</script>
<script src="${REDOC.src}" integrity="${REDOC.integrity}" crossorigin="anonymous"></script>
<script>
if (window.Redoc) {
  const text = document.getElementById('document').textContent;
  Redoc.init(JSON.parse(text), { hideDownloadButton: true, pathInMiddlePanel: true }, document.getElementById('reference'));
}
</script>
</body>
</html>
`;
}
