/** AWS, "API Reference: UpdateTimeToLive, DescribeTimeToLive". */
import { validation } from '../errors.js';
import { structure, text } from '../operations/constraints.js';
import { readRequest } from '../operations/request.js';
import { defineShape } from '../operations/shape.js';
import type { WireObject } from '../wire.js';
import type { Catalog } from './catalog.js';
import { isTrue } from './table-record.js';

const UPDATE = defineShape(['TableName', 'TimeToLiveSpecification'], {
  TimeToLiveSpecification: structure(['AttributeName', 'Enabled'], { AttributeName: text(1, 255) }),
});
const DESCRIBE = defineShape(['TableName'], {});

export function updateTimeToLive(catalog: Catalog, input: WireObject): WireObject {
  const { TableName, TimeToLiveSpecification } = readRequest(input, UPDATE);
  const found = catalog.find(TableName);
  const { AttributeName, Enabled } = TimeToLiveSpecification as WireObject;
  const current = found.table.definition.ttlAttribute;
  const enable = isTrue(Enabled);
  if (enable === (current !== undefined) && (current === undefined || current === AttributeName)) {
    throw validation(`TimeToLive is already ${enable ? 'enabled' : 'disabled'}`);
  }
  if (current !== undefined && current !== AttributeName) {
    throw validation(`TimeToLive is active on a different AttributeName: current AttributeName is ${current}`);
  }
  catalog.change(found, { TimeToLiveSpecification: { AttributeName, Enabled: enable } });
  return { TimeToLiveSpecification: { AttributeName, Enabled: enable } };
}

export function describeTimeToLive(catalog: Catalog, input: WireObject): WireObject {
  const { ttlAttribute } = catalog.find(readRequest(input, DESCRIBE).TableName).table.definition;
  return {
    TimeToLiveDescription:
      ttlAttribute === undefined
        ? { TimeToLiveStatus: 'DISABLED' }
        : { TimeToLiveStatus: 'ENABLED', AttributeName: ttlAttribute },
  };
}
