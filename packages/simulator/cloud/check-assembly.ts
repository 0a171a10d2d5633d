import { AssemblyNotModelled, type Obstacle } from '../assembly/obstacles.js';
import { readAssembly } from '../assembly/without-stacks.js';
import { Random } from '../engine/random.js';
import { Environment, type EnvironmentHost } from '../runtime/environment.js';
import { CodeNotRunnable, findCodeObstacle, isProviderOnly } from '../runtime/function-code.js';
import { HandlerNotFound } from '../runtime/handler.js';
import { Cloud, Deployment } from './cloud.js';

/**
 * Lists all that keeps the simulator from playing an assembly: what no model knows, what a model refuses, and code of functions that can't
 * be loaded, for which the modules of all functions run once.
 * @param folder cloud assembly, as `cdk synth` writes it
 * @param without stacks that are left out
 * @throws {TemplateError} if a template can't be read at all
 */
export function checkAssembly(folder: string, without: readonly string[] = []): readonly Obstacle[] {
  const deployment = new Deployment(readAssembly(folder, without), undefined, undefined, { obstacles: 'collected' });
  return [...deployment.obstacles, ...findRefused(deployment), ...findUnloadable(deployment)];
}

/** Finds what the models of an account refuse when they are made. */
function findRefused(deployment: Deployment): readonly Obstacle[] {
  try {
    new Cloud(deployment, { seed: 'check', keepTrace: false });
    return [];
  } catch (error) {
    if (error instanceof AssemblyNotModelled) return error.obstacles;
    return [
      { type: 'assembly', label: deployment.assembly.folder, what: (error as Error).message, mayBeIgnored: false },
    ];
  }
}

/** Finds functions whose module can't be loaded. */
function findUnloadable(deployment: Deployment): readonly Obstacle[] {
  const { assembly } = deployment;
  return assembly.findByType('AWS::Lambda::Function').flatMap((resource): readonly Obstacle[] => {
    // Its known problems are among the obstacles already; a provider of custom resources never runs.
    if (findCodeObstacle(resource, assembly) !== undefined || isProviderOnly(resource, assembly)) return [];
    const { type, label, properties } = resource;
    try {
      const { Variables = {} } = (properties.Environment ?? {}) as { readonly Variables?: Record<string, string> };
      const bundle = deployment.loadBundle(resource);
      const runtime = {
        AWS_EXECUTION_ENV: `AWS_Lambda_${String(properties.Runtime)}`,
        AWS_REGION: assembly.home.region,
      };
      const environment = new Environment(bundle, { ...Variables, ...runtime }, nowhere());
      environment.init(String(properties.Handler ?? 'index.handler'));
      environment.kill();
      return [];
    } catch (error) {
      if (error instanceof CodeNotRunnable && error.install.length > 0) {
        const what = 'its code needs packages that are not installed here';
        return [{ type, label, what, mayBeIgnored: false, install: error.install }];
      }
      if (error instanceof HandlerNotFound) {
        const meaning = 'its invocations fail, here as at AWS';
        return [{ type, label, what: error.message, meaning, mayBeIgnored: true }];
      }
      const { name, message } = error as Error;
      const what =
        name === 'CodeNotRunnable' ? message : `its module can't be loaded: ${name}: ${message}${WHY[message] ?? ''}`;
      return [{ type, label, what, mayBeIgnored: false }];
    }
  });
}

/** Explanations of errors, by their messages. */
const WHY: Readonly<Record<string, string>> = {
  "Cannot find module 'aws-sdk'":
    " (the SDK v2 is not in Lambda's runtimes from Node.js 18 on, so the function fails at AWS too)",
};

/** Surroundings in which code is only loaded: nothing answers, and no time passes. */
const nowhere = (): EnvironmentHost => ({
  now: () => BEGUN,
  begun: BEGUN,
  after: () => () => undefined,
  enter: () => undefined,
  random: new Random('check'),
  send: () => undefined,
  log: () => undefined,
  onDeath: () => undefined,
});

const BEGUN = Date.UTC(2026, 0, 5);
