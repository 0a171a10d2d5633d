/** Path of the control's requests; no API's stage can have this name. */
export const CONTROL = '/_local';
