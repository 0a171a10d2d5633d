/** What Orderly is called wherever it meets other applications, and who may use it: declared once, for functions and constructs. */
export const APP = {
  name: 'orderly',
  roles: ['customer', 'operator'],
  operatorRoles: ['operator'],
} as const;

/** Role of a caller, as their token says. */
export type Role = (typeof APP.roles)[number];
