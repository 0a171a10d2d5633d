import type { EdgeKind, MapEdge, MapNode, MapRule } from '@orderly/console';
import type { Resource } from '../assembly/assembly.js';
import type { Cloud } from '../cloud/cloud.js';
import type { Rule } from '../services/events/rules.js';
import { failureDestinations, labelOf, type MapNodes } from './page-map-nodes.js';
import { accessesOf, type MapAccess } from './page-map-rights.js';

/** Accesses of functions that were read before. */
const KNOWN = new WeakMap<Resource, readonly MapAccess[]>();

/** Edges of a map: from routes, rules, targets, mappings, redrive policies, and the rights and variables of functions. */
export class MapEdges {
  private readonly edges = new Map<string, MapEdge>();

  constructor(
    private readonly cloud: Cloud,
    private readonly nodes: MapNodes,
  ) {}

  list(): readonly MapEdge[] {
    return [...this.edges.values()];
  }

  addAll(): void {
    this.addRoutes();
    for (const rule of this.cloud.events.rules.list()) this.addRule(rule);
    this.addMappings();
    this.addFailures();
    this.addAccesses();
    this.addProviders();
  }

  private addRoutes(): void {
    for (const api of this.cloud.apis) {
      for (const { method, resource, backend } of api.routes) {
        // A mock answers for methods that a path doesn't have, and to pages that ask before they call.
        if ('mock' in backend && /^(ANY|OPTIONS)$/.test(method)) continue;
        const name = `${method} ${resource}`;
        const label = `${api.label} ${name}`;
        const route = this.nodes.add(undefined, {
          id: `route:${label}`,
          kind: 'route',
          name,
          label,
          service: api.stack,
        });
        if ('functionArn' in backend) this.addByArn(route, backend.functionArn, 'calls');
      }
    }
  }

  private addRule(rule: Rule): void {
    const { resource, expression, targets } = rule;
    const { label, stack } = resource;
    for (const from of this.sourcesOf(rule)) {
      for (const { Arn, DeadLetterConfig } of targets) {
        const target = this.nodes.find(Arn);
        const rules = [{ label, ...namesIn(rule.pattern) }];
        if (target) this.add({ from: from.id, to: target.id, kind: 'delivers', rules });
        if (DeadLetterConfig) this.addByArn(from, DeadLetterConfig.Arn, 'fails');
      }
    }
    if (expression === undefined) return;
    const schedule = this.nodes.add(undefined, {
      id: `schedule:${label}`,
      kind: 'schedule',
      name: expression,
      label,
      service: stack,
    });
    for (const { Arn } of targets) this.addByArn(schedule, Arn, 'calls');
  }

  /** Returns where a rule's events come from: its bus, or the buckets that it names. */
  private sourcesOf({ pattern, bus }: Rule): readonly MapNode[] {
    if (!pattern) return [];
    const { bucket } = (pattern.detail ?? {}) as { readonly bucket?: { readonly name?: readonly unknown[] } };
    const { sources } = namesIn(pattern);
    const names = sources.includes('aws.s3') ? (bucket?.name ?? []) : [];
    const buckets = names.flatMap((name) => this.nodes.find(this.cloud.buckets.findArn(String(name)) ?? '') ?? []);
    const own = this.nodes.find(this.cloud.home.arn('events', `event-bus/${bus}`));
    return buckets.length > 0 ? buckets : own ? [own] : [];
  }

  private addMappings(): void {
    for (const { resource, fn } of this.cloud.sources) {
      const arn = String(resource.properties.EventSourceArn);
      const table = /^(.*:table\/[^/]+)\/stream\//.exec(arn)?.[1];
      const source = this.nodes.find(table ?? arn);
      const target = this.nodes.find(fn.resource.arn);
      if (source && target) this.add({ from: source.id, to: target.id, kind: table ? 'streams' : 'consumes' });
    }
  }

  private addFailures(): void {
    for (const queue of this.cloud.queues.values()) {
      const from = this.nodes.find(queue.resource.arn);
      if (from && queue.deadLetterTargetArn !== undefined) this.addByArn(from, queue.deadLetterTargetArn, 'fails');
    }
    const { assembly } = this.cloud.deployment;
    for (const [resource, arn] of failureDestinations(assembly.resources)) {
      const owner = resource.properties.FunctionName;
      const from = this.nodes.find(owner === undefined ? resource.arn : assembly.findByArn(owner).arn);
      if (from) this.addByArn(from, arn, 'fails');
    }
  }

  private addAccesses(): void {
    const { assembly } = this.cloud.deployment;
    for (const fn of assembly.findByType('AWS::Lambda::Function')) {
      const from = this.nodes.find(fn.arn);
      if (!from) continue;
      for (const { arn, kind, sources } of this.accessesOf(fn)) {
        const to = this.nodes.find(arn);
        if (!to || to.id === from.id) continue;
        // Who may receive from a queue without a mapping looks at it himself.
        if (kind === 'reads' && this.edges.has(keyOf(to.id, from.id, 'consumes'))) continue;
        this.add({ from: from.id, to: to.id, kind, ...(sources && { sources }) });
      }
    }
  }

  /** Reads them once: neither roles nor variables of an assembly change. */
  private accessesOf(fn: Resource): readonly MapAccess[] {
    const accesses = KNOWN.get(fn) ?? accessesOf(this.cloud.deployment.assembly, fn, this.nodes);
    KNOWN.set(fn, accesses);
    return accesses;
  }

  /** Hosts outside that a variable of a function names, and those that functions have called. */
  private addProviders(): void {
    const { functions, thirdParties } = this.cloud;
    const named = new Map<string, Set<string>>();
    const add = (host: string, fn: string): unknown => named.set(host, (named.get(host) ?? new Set()).add(fn));
    for (const { resource } of functions.values()) {
      const { Variables = {} } = (resource.properties.Environment ?? {}) as { Variables?: Record<string, string> };
      for (const value of Object.values(Variables)) {
        const host = /^https?:\/\//.test(value) && URL.canParse(value) ? new URL(value).host : undefined;
        if (host !== undefined && !/\.amazonaws\.com(\.cn)?$/.test(host)) add(host, labelOf(resource));
      }
    }
    for (const [host, callers] of thirdParties.callers) for (const caller of callers) add(host, caller);
    for (const [host, labels] of named) {
      const id = `provider:${host}`;
      this.nodes.add(undefined, { id, kind: 'provider', name: host, label: host });
      for (const label of labels) this.add({ from: `function:${label}`, to: id, kind: 'calls' });
    }
  }

  private addByArn(from: MapNode, arn: string, kind: EdgeKind): void {
    const to = this.nodes.find(arn);
    if (to) this.add({ from: from.id, to: to.id, kind });
  }

  /** Adds an edge, or its rules and sources to the one that is there. Who writes reads, too. */
  private add(edge: MapEdge): void {
    const { from, to, kind } = edge;
    if (kind === 'reads' && this.edges.has(keyOf(from, to, 'writes'))) return;
    if (kind === 'writes') this.edges.delete(keyOf(from, to, 'reads'));
    const key = keyOf(from, to, kind);
    const known = this.edges.get(key);
    const rules: readonly MapRule[] = [...(known?.rules ?? []), ...(edge.rules ?? [])];
    const any = known !== undefined && known.sources === undefined;
    const sources = edge.sources && !any && [...new Set([...(known?.sources ?? []), ...edge.sources])];
    this.edges.set(key, { from, to, kind, ...(rules.length > 0 && { rules }), ...(sources && { sources }) });
  }
}

const keyOf = (from: string, to: string, kind: EdgeKind): string => `${from}\n${to}\n${kind}`;

/** Returns the sources and types that a pattern names literally; none where it describes them in any other way. */
export function namesIn(pattern: Readonly<Record<string, unknown>> | undefined): Omit<MapRule, 'label'> {
  const texts = (values: unknown): readonly string[] =>
    Array.isArray(values) && values.every((value) => typeof value === 'string') ? values : [];
  return { sources: texts(pattern?.source), types: texts(pattern?.['detail-type']) };
}
