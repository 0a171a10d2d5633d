/** Folder of documents that `npm run docs` builds and that are not committed, from the root of the repository. `npm start` serves them at `/_docs/`. */
export const BUILT = '.build/docs/';
