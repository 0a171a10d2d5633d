/** Orderly's name among other applications, and the roles of its callers. Functions and constructs read both from here. */
export const APP = {
  name: 'orderly',
  roles: ['customer', 'operator', 'shop'],
  operatorRoles: ['operator'],
  runbook: 'docs/operations/',
} as const;

/** Role of a caller, as their token says. */
export type Role = (typeof APP.roles)[number];
