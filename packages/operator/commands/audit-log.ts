import { AUDIT_RETENTION_DAYS } from '../audit-log/audit-retention.js';
import { operatorCommand } from '../cli/command.js';
import { parseSpan } from './options.js';

/** Command that lists what operators did. */
export const auditLogCommand = operatorCommand({
  name: 'audit-log',
  usage: 'audit-log [--since <duration>]',
  positionals: [],
  options: { since: { type: 'string', default: '24h' } },
  example: ['audit-log', '--since', '7d'],
  about: 'lists what operators changed, newest first: who, when, why, and what came of it',
  details: `Lists each redrive, discard, retry, resolve, resend, replay and step of a restore. The delivery audit has entries too: what it sent
again by itself (resend). Entries are kept for ${AUDIT_RETENTION_DAYS} days. A run over a group is one entry here; --json lists each message.
  --since     how far back: 90s, 30m, 24h, 7d; default 24h`,
  parse: ({ options: { since }, wrong }) => ({ back: parseSpan('since', since, '24h or 7d', wrong) }),
  run: async (...call) => (await import('../audit-log/audit-log.js')).listAuditLog(...call),
});
