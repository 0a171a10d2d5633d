/** Questions of clients about an account. AWS, "API Reference: DescribeLimits, DescribeEndpoints"; "Quotas in Amazon DynamoDB". */
import { readRequest } from '../operations/request.js';
import { defineShape } from '../operations/shape.js';
import type { WireObject } from '../wire.js';
import type { Catalog } from './catalog.js';

const NOTHING = defineShape([], {});

export function describeLimits(_catalog: Catalog, input: WireObject): WireObject {
  readRequest(input, NOTHING);
  return {
    AccountMaxReadCapacityUnits: 80_000,
    AccountMaxWriteCapacityUnits: 80_000,
    TableMaxReadCapacityUnits: 40_000,
    TableMaxWriteCapacityUnits: 40_000,
  };
}

export function describeEndpoints({ region }: Catalog, input: WireObject): WireObject {
  readRequest(input, NOTHING);
  return { Endpoints: [{ Address: `dynamodb.${region}.amazonaws.com`, CachePeriodInMinutes: 1440 }] };
}
