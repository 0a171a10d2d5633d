import type { ComponentChildren } from 'preact';
import { linkTo } from '../page/route.js';
import { linkedIds } from './linked-ids.js';

/** A value as JSON, in which ids of orders and conversations are links. */
export function Json({ value }: { readonly value: unknown }) {
  const text = JSON.stringify(value, null, 2) ?? 'undefined';
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const { from, to, id } of linkedIds(text)) {
    parts.push(text.slice(at, from), <a href={linkTo('order', id)}>{id}</a>);
    at = to;
  }
  return (
    <pre class="data-json">
      {parts}
      {text.slice(at)}
    </pre>
  );
}
