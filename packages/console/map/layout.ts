import { Graph, layout } from '@dagrejs/dagre';
import type { Picture } from './picture.js';

/** Place of a box: its upper left corner, and its size. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A point of a line. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where everything of a picture is. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** By the ids of the boxes. */
  readonly boxes: ReadonlyMap<string, Place>;
  /** Points of each line, in the order of the picture's lines. */
  readonly lines: readonly (readonly Point[])[];
}

/** Height of a box, and the widths of a character of its title and of its second line. */
const [HEIGHT, CHARACTER, SMALL_CHARACTER] = [52, 8.4, 6.6];
/** Widths that a box has at least and at most, and what is left of its title beside its text. */
const [NARROW, WIDE, PADDING] = [116, 280, 24];
/** Characters of a title that fit into the widest box. */
const FITTING = Math.floor((WIDE - PADDING) / CHARACTER);

/** Lays a picture out in layers, from left to right: a line leads to the right, unless it closes a circle. */
export function layOut({ boxes, lines }: Picture): Layout {
  const graph = new Graph({ multigraph: false });
  graph.setGraph({ rankdir: 'LR', nodesep: 10, ranksep: 56, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, title, detail } of boxes) graph.setNode(id, { width: widthOf(title, detail), height: HEIGHT });
  for (const { from, to } of lines) graph.setEdge(from, to, {});
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const places = boxes.map(({ id }) => {
    const { x, y, width: wide, height: high } = graph.node(id) as Place;
    return [id, { x: x - wide / 2, y: y - high / 2, width: wide, height: high }] as const;
  });
  return {
    width: Number.isFinite(width) ? width : 0,
    height: Number.isFinite(height) ? height : 0,
    boxes: new Map(places),
    lines: lines.map(({ from, to }) => (graph.edge(from, to) as { points?: readonly Point[] }).points ?? []),
  };
}

const widthOf = (title: string, detail: string): number =>
  Math.min(WIDE, Math.max(NARROW, Math.max(title.length * CHARACTER, detail.length * SMALL_CHARACTER) + PADDING));

/** Cuts a text off that fits into no box. Its whole text is the box's name. */
export const fit = (text: string): string => (text.length <= FITTING ? text : `${text.slice(0, FITTING - 1)}…`);

/** Returns the path of a line for SVG: straight at its ends, and round in the middle. */
export function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const parts = rest.map(({ x, y }, at) => {
    const next = rest[at + 1];
    // The curve bends at a point and ends in the middle between it and the next one.
    return next
      ? `Q${round(x)} ${round(y)} ${round((x + next.x) / 2)} ${round((y + next.y) / 2)}`
      : `L${round(x)} ${round(y)}`;
  });
  return `M${round(first.x)} ${round(first.y)}${parts.join('')}`;
}

/** Returns the middle of a line, for its number. */
export function middleOf(points: readonly Point[]): Point {
  const one = points[Math.floor((points.length - 1) / 2)] ?? { x: 0, y: 0 };
  const other = points[Math.ceil((points.length - 1) / 2)] ?? one;
  return { x: round((one.x + other.x) / 2), y: round((one.y + other.y) / 2) };
}

const round = (value: number): number => Math.round(value * 10) / 10;
