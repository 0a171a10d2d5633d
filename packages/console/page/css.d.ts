/** esbuild collects imported stylesheets into the page's own. */
declare module '*.css';
