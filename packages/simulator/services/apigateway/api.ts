import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { type Operations, paginate, Refused, toSeconds } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';

const PAGE = 25;

/** Parts of an account that its APIs need. */
interface Account {
  readonly deployment: { readonly assembly: Assembly };
  readonly world: EventLoop;
}

/** REST APIs and their stages. Amazon API Gateway REST API Reference, "Actions". */
export function apigatewayApi({ deployment: { assembly }, world }: Account): Operations {
  const createdDate = toSeconds(world.begins);
  const all = assembly.findByType('AWS::ApiGateway::RestApi');
  const described = ({ ref, properties }: Resource) => ({
    id: ref,
    name: properties.Name,
    createdDate,
    apiKeySource: 'HEADER',
    endpointConfiguration: { types: ['REGIONAL'] },
  });
  const findApi = ({ restApiId }: Input): Resource => {
    const found = all.find(({ ref }) => ref === restApiId);
    if (!found) throw new Refused('NotFoundException', 'Invalid API identifier specified', 404);
    return found;
  };
  return {
    GetRestApis: ({ position, limit = PAGE }) => {
      const { page, next } = paginate(all, position, Number(limit));
      return { item: page.map(described), ...(next !== undefined && { position: next }) };
    },
    GetRestApi: (input) => described(findApi(input)),
    GetStages: (input) => {
      const { ref } = findApi(input);
      const stages = assembly
        .findByType('AWS::ApiGateway::Stage')
        .filter(({ properties }) => properties.RestApiId === ref);
      return {
        item: stages.map(({ properties: { StageName, DeploymentId } }) => ({
          stageName: StageName,
          deploymentId: DeploymentId,
          createdDate,
          lastUpdatedDate: createdDate,
        })),
      };
    },
  };
}
