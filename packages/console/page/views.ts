import type { ComponentType } from 'preact';
import { AuditView } from '../audit/audit-view.js';
import { BreakItView } from '../break-it/break-it-view.js';
import { DataBrowser } from '../data/data-browser.js';
import { FailuresView } from '../failures/failures-view.js';
import { HealthView } from '../health/health-view.js';
import { ListView } from '../lists/list-view.js';
import { MapView } from '../map/map-view.js';
import { OrderView } from '../order/order-view.js';
import { ProofView } from '../proof/proof-view.js';
import { ReferenceView } from '../reference/reference-view.js';
import type { ConsoleFacts } from '../server/contract.js';
import { StartView } from '../start/start-view.js';
import { CountedView } from './counted-view.js';
import { NowView } from './now-view.js';

/** A page of the console, at `#/<name>` or `#/<name>/<id>`. */
export interface View {
  readonly name: string;
  readonly title: string;
  /** Gets the id of the address; empty where the address has none. */
  readonly Component: ComponentType<{ readonly id: string }>;
  /** Whether the navigation shows it. A view of one thing is reached by its links and by the search. */
  readonly isInNavigation: boolean;
  /**
   * Its needs: a local cloud, whose events it shows, or an app whose command line the page runs. A view of another server is not
   * there. @default nothing
   */
  readonly needs?: 'local cloud' | 'commands';
}

/** Every view. A new one is a folder beside `order/` and a line here. */
export const VIEWS: readonly View[] = [
  { name: 'start', title: 'Start', Component: StartView, isInNavigation: true, needs: 'local cloud' },
  { name: 'now', title: 'Now', Component: NowView, isInNavigation: true, needs: 'local cloud' },
  { name: 'break-it', title: 'Break it', Component: BreakItView, isInNavigation: true, needs: 'local cloud' },
  {
    name: 'counted',
    title: 'Counted things',
    Component: CountedView,
    isInNavigation: false,
    needs: 'local cloud',
  },
  { name: 'order', title: 'One order', Component: OrderView, isInNavigation: false },
  { name: 'health', title: 'Health', Component: HealthView, isInNavigation: true, needs: 'commands' },
  { name: 'failures', title: 'Failures', Component: FailuresView, isInNavigation: true, needs: 'commands' },
  { name: 'audit', title: 'Lost or twice?', Component: AuditView, isInNavigation: true, needs: 'commands' },
  { name: 'proof', title: 'Proof', Component: ProofView, isInNavigation: true, needs: 'local cloud' },
  { name: 'map', title: 'Map', Component: MapView, isInNavigation: true, needs: 'local cloud' },
  { name: 'data', title: 'Data', Component: DataBrowser, isInNavigation: true, needs: 'local cloud' },
  { name: 'reference', title: 'API and events', Component: ReferenceView, isInNavigation: true, needs: 'local cloud' },
];

/** Returns the views that a server has, with the lists of its app. */
export function viewsOf({ local, runsCommands = false, lists = [] }: ConsoleFacts): readonly View[] {
  const own = VIEWS.filter(({ needs }) => needs === undefined || (needs === 'local cloud' ? local : runsCommands));
  const listed = lists.map((list) => ({
    name: list.name,
    title: list.title,
    Component: () => ListView({ list }),
    isInNavigation: true,
  }));
  return runsCommands ? [...own, ...listed] : own;
}
