/** As much of a template as says which routes it deploys. */
interface Template {
  readonly Resources?: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }>
  >;
}

/**
 * Methods and paths of a template's REST API, sorted: `GET /orders/{orderId}`. `ANY`, which answers 405, is none.
 * @param template of the stack that has the API, as CloudFormation has it
 */
export function listRoutes({ Resources = {} }: Template): readonly string[] {
  const pathOf = (reference: unknown): string => {
    const { Properties } = Resources[String((reference as { Ref?: string }).Ref)] ?? {};
    return Properties ? `${pathOf(Properties.ParentId)}/${Properties.PathPart}` : '';
  };
  return Object.values(Resources)
    .flatMap(({ Type, Properties = {} }) =>
      Type === 'AWS::ApiGateway::Method' && Properties.HttpMethod !== 'ANY'
        ? [`${Properties.HttpMethod} ${pathOf(Properties.ResourceId) || '/'}`]
        : [],
    )
    .sort();
}
