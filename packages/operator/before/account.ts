import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway';
import { BackupClient, DescribeRegionSettingsCommand } from '@aws-sdk/client-backup';
import {
  CloudTrailClient,
  DescribeTrailsCommand,
  GetEventSelectorsCommand,
  type GetEventSelectorsResponse,
  GetTrailStatusCommand,
} from '@aws-sdk/client-cloudtrail';
import { DescribeEventBusCommand, EventBridgeClient, ResourceNotFoundException } from '@aws-sdk/client-eventbridge';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { paginateListServiceQuotas, ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { paginateDescribeParameters, SSMClient } from '@aws-sdk/client-ssm';
import { clientConfig, type Endpoint } from '../deployment/endpoint.js';

/** Facts of an account and region that a deployment needs to know. Each is read with one permission or two. */
export interface AccountFacts {
  /** @permission lambda:GetAccountSettings */
  readonly concurrency: () => Promise<{ readonly limit: number; readonly unreserved: number }>;
  /** Returns EventBridge's quotas by their codes. @permission servicequotas:ListServiceQuotas */
  readonly eventQuotas: () => Promise<ReadonlyMap<string, number>>;
  /** Returns the ARN of the role with which API Gateway writes logs. @permission apigateway:GET */
  readonly apiRole: () => Promise<string | undefined>;
  /** @permission backup:DescribeRegionSettings */
  readonly backsUpDynamoDb: () => Promise<boolean>;
  /** @permission cloudtrail:DescribeTrails, GetTrailStatus, GetEventSelectors */
  readonly managementTrails: () => Promise<readonly string[]>;
  /** Returns the types of the parameters that exist. @permission ssm:DescribeParameters */
  readonly parameterTypes: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** @permission events:DescribeEventBus */
  readonly hasBus: (name: string) => Promise<boolean>;
  readonly close: () => void;
}

/** Reads an account at AWS. */
export function readAccount(endpoint: Endpoint): AccountFacts {
  const config = clientConfig(endpoint);
  const clients = {
    lambda: new LambdaClient(config),
    quotas: new ServiceQuotasClient(config),
    api: new APIGatewayClient(config),
    backup: new BackupClient(config),
    trail: new CloudTrailClient(config),
    ssm: new SSMClient(config),
    events: new EventBridgeClient(config),
  };
  return {
    concurrency: async () => {
      const { AccountLimit = {} } = await clients.lambda.send(new GetAccountSettingsCommand({}));
      const { ConcurrentExecutions: limit = 0, UnreservedConcurrentExecutions: unreserved = limit } = AccountLimit;
      return { limit, unreserved };
    },
    eventQuotas: async () => {
      const found = new Map<string, number>();
      for await (const { Quotas = [] } of paginateListServiceQuotas(
        { client: clients.quotas },
        { ServiceCode: 'events' },
      )) {
        for (const { QuotaCode, Value } of Quotas) {
          if (QuotaCode !== undefined && Value !== undefined) found.set(QuotaCode, Value);
        }
      }
      return found;
    },
    apiRole: async () => (await clients.api.send(new GetAccountCommand({}))).cloudwatchRoleArn,
    backsUpDynamoDb: async () => {
      const settings = await clients.backup.send(new DescribeRegionSettingsCommand({}));
      return settings.ResourceTypeOptInPreference?.DynamoDB === true;
    },
    managementTrails: () => findManagementTrails(clients.trail),
    parameterTypes: async (names) => {
      const found = new Map<string, string>();
      if (names.length === 0) return found;
      const filter = { ParameterFilters: [{ Key: 'Name', Option: 'Equals', Values: [...names] }] };
      for await (const { Parameters = [] } of paginateDescribeParameters({ client: clients.ssm }, filter)) {
        for (const { Name, Type } of Parameters) if (Name !== undefined && Type !== undefined) found.set(Name, Type);
      }
      return found;
    },
    hasBus: async (Name) => {
      try {
        await clients.events.send(new DescribeEventBusCommand({ Name }));
        return true;
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return false;
        throw error;
      }
    },
    close: () => {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}

/** Returns the trails that log management events that write, of this region. Shadow trails are those of other regions. */
async function findManagementTrails(client: CloudTrailClient): Promise<readonly string[]> {
  const { trailList = [] } = await client.send(new DescribeTrailsCommand({ includeShadowTrails: true }));
  const names = await Promise.all(
    trailList.map(async ({ TrailARN: arn = '' }) => {
      const [{ IsLogging }, selectors] = await Promise.all([
        client.send(new GetTrailStatusCommand({ Name: arn })),
        client.send(new GetEventSelectorsCommand({ TrailName: arn })),
      ]);
      return IsLogging === true && logsManagementEvents(selectors) ? [arn] : [];
    }),
  );
  return names.flat();
}

/** Whether a trail's selectors include management events that write. AWS CloudTrail, "Logging management events". */
export const logsManagementEvents = ({
  EventSelectors = [],
  AdvancedEventSelectors = [],
}: Pick<GetEventSelectorsResponse, 'EventSelectors' | 'AdvancedEventSelectors'>): boolean =>
  EventSelectors.some(
    ({ IncludeManagementEvents = true, ReadWriteType = 'All' }) =>
      IncludeManagementEvents && ReadWriteType !== 'ReadOnly',
  ) ||
  AdvancedEventSelectors.some(({ FieldSelectors = [] }) => {
    const valuesOf = (field: string) => FieldSelectors.find(({ Field }) => Field === field)?.Equals;
    return (
      valuesOf('eventCategory')?.includes('Management') === true && valuesOf('readOnly')?.includes('true') !== true
    );
  });
