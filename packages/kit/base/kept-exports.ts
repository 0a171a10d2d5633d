import { CfnElement, Stack } from 'aws-cdk-lib';

/**
 * Keeps an export of a stack for one release after its last use.
 *
 * CloudFormation refuses to delete an export that a deployed stack imports, and stacks are deployed in the order of their
 * references: the one that exports first, while the one that imports still has its previous template. So what crosses stacks
 * leaves in two releases. The first one no longer imports it and keeps the export by this function; the second one drops
 * both. `exportValue` gives the export the name that the CDK gave it for the reference (AWS CDK, `Stack.exportValue`).
 *
 * Synth refuses an export that is kept although a stack of the app still imports it, since it needs no keeping then.
 * @param value attribute of a resource of the stack: `handler.function.functionArn`, `bus.eventBusName`
 * @example keepExport(stack, platform.alarmTopic.topicArn);
 */
export function keepExport(stack: Stack, value: string): void {
  const exported = stack.resolve(stack.exportValue(value)) as { readonly 'Fn::ImportValue': string };
  const name = exported['Fn::ImportValue'];
  stack.node.addValidation({
    validate: () =>
      findImporters(stack, name).map(
        (importer) =>
          `the export '${name}' is kept, although ${importer.node.path} still imports it: expected one that no stack imports, so remove keepExport or the reference`,
      ),
  });
}

/** Returns the stacks of the app that import an export. References between stacks are resolved before validation. */
function findImporters(exporter: Stack, exportName: string): readonly Stack[] {
  const isImported = ({ node }: Stack): boolean =>
    node
      .findAll()
      .filter((element) => CfnElement.isCfnElement(element))
      .some((element) => JSON.stringify(render(element)).includes(JSON.stringify({ 'Fn::ImportValue': exportName })));
  return exporter.node.root.node
    .findAll()
    .filter((construct) => Stack.isStack(construct))
    .filter((stack) => stack !== exporter && isImported(stack));
}

/** Returns an element's part of the template. The method is CDK's own, and not in its types. */
const render = (element: CfnElement): unknown =>
  element.stack.resolve((element as unknown as { _toCloudFormation(): unknown })._toCloudFormation());
