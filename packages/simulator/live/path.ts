/** Path of the control's requests; no API's stage can have this name. */
export const CONTROL = '/_local';
/** Path of the page's files and data. */
export const CONSOLE = '/_console';
