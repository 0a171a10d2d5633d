import type { ComponentType } from 'preact';
import { BreakItView } from '../break-it/break-it-view.js';
import { DataBrowser } from '../data/data-browser.js';
import { MapView } from '../map/map-view.js';
import { OrderView } from '../order/order-view.js';
import { ReferenceView } from '../reference/reference-view.js';
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
}

/** Every view. A new one is a folder beside `order/` and a line here. */
export const VIEWS: readonly View[] = [
  { name: 'now', title: 'Now', Component: NowView, isInNavigation: true },
  { name: 'break-it', title: 'Break it', Component: BreakItView, isInNavigation: true },
  { name: 'counted', title: 'What a number counts', Component: CountedView, isInNavigation: false },
  { name: 'order', title: 'One order', Component: OrderView, isInNavigation: false },
  { name: 'map', title: 'Map', Component: MapView, isInNavigation: true },
  { name: 'data', title: 'Data', Component: DataBrowser, isInNavigation: true },
  { name: 'reference', title: 'API and events', Component: ReferenceView, isInNavigation: true },
];
