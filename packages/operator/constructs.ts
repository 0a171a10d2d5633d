/** Everything of the operator that belongs to deploy time. Functions never import it: their bundles would hold the CDK. */
export { OperatorApi, type OperatorApiProps } from './api/operator-api.construct.js';
export { DeliveryAudit, type DeliveryAuditProps } from './auditor/auditor.construct.js';
export { operatorEntries } from './entries.js';
