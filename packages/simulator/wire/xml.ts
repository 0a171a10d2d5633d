/** A value of an answer in XML; `undefined` is left out. */
export type XmlValue = string | number | boolean | undefined | readonly XmlValue[] | XmlObject;
export type XmlObject = { readonly [name: string]: XmlValue };

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/**
 * Writes an element.
 * @param member name of a list's members; without one, a list is its elements one after the other (Smithy, "xmlFlattened")
 */
export function element(name: string, value: XmlValue, member?: string): string {
  if (value === undefined) return '';
  if (isList(value)) {
    if (member === undefined) return value.map((one) => element(name, one)).join('');
    return `<${name}>${value.map((one) => element(member, one, member)).join('')}</${name}>`;
  }
  if (typeof value === 'object') return `<${name}>${elements(value, member)}</${name}>`;
  return `<${name}>${String(value).replace(/[&<>"\r]/g, (special) => ENTITIES[special] ?? special)}</${name}>`;
}

/** Writes the members of an object, one element each. */
export const elements = (value: XmlObject, member?: string): string =>
  Object.entries(value)
    .map(([name, one]) => element(name, one, member))
    .join('');

/** Writes a document. @param namespace of its root */
export const document = (root: string, namespace: string | undefined, content: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${namespace === undefined ? '' : ` xmlns="${namespace}"`}>${content}</${root}>`;

const isList = (value: XmlValue): value is readonly XmlValue[] => Array.isArray(value);
