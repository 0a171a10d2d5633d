import { describe, expect, test } from 'vitest';
import { parseMappingTemplate } from './mapping-template.js';

const play = (template: string, headers: Readonly<Record<string, string>> = {}) =>
  parseMappingTemplate('Mock', template)((name) => headers[name], { requestId: 'r1' });

const ORIGIN = '$input.params().header.get("Origin")';
const ALLOW = '$context.responseOverride.header.Access-Control-Allow-Origin';

describe('a template of an answer', () => {
  test('a template is its text, with values of the context', () =>
    expect(play('{"id":"$context.requestId"}')).toEqual({ body: '{"id":"r1"}', headers: {} }));

  test('adds a header by a condition on the headers of the request', () => {
    const template = `#if(${ORIGIN} == "https://a.example" || ${ORIGIN} == "https://b.example")
#set(${ALLOW} = ${ORIGIN})
#end
{"id":1}`;
    const allowed = (origin: string) => play(template, { Origin: origin }).headers;
    expect(allowed('https://a.example')).toEqual({ 'access-control-allow-origin': 'https://a.example' });
    expect(allowed('https://b.example')).toEqual({ 'access-control-allow-origin': 'https://b.example' });
    for (const other of ['https://a.example.org', 'https://a.exampl', '', 'HTTPS://A.EXAMPLE'])
      expect(allowed(other)).toEqual({});
    expect(play(template).headers).toEqual({});
    expect(play(template, { origin: 'https://a.example' }).headers).toEqual({});
    expect(JSON.parse(play(template).body)).toEqual({ id: 1 });
  });

  test('reads variables, also inside of blocks, and texts in either quotes', () => {
    const template = `#set($o = ${ORIGIN})#if($o == 'x')#set($o = "y")#if($o == "y")#set(${ALLOW} = $o)#end#end$context.requestId`;
    expect(play(template, { Origin: 'x' })).toEqual({ body: 'r1', headers: { 'access-control-allow-origin': 'y' } });
    expect(play(template)).toEqual({ body: 'r1', headers: {} });
  });

  test('overrides a header only once, as AWS answers 5XX', () =>
    expect(() => play(`#set(${ALLOW} = "a")#set(${ALLOW} = "b")`)).toThrow(
      'a second override of access-control-allow-origin',
    ));

  test.each([
    ['a loop', '#foreach($x in $y)#end'],
    ['an else', '#if("a" == "b")a#{else}b#end'],
    ['another else', '#if("a" == "b")a#else b#end'],
    ['a comment', '## nothing'],
    ['a block without an end', '#if("a" == "b")'],
    ['an end without a block', 'a#end'],
    ['a parenthesis without an end', '#if("a" == "b"'],
    ['a comparison by another operator', '#if("a" != "b")#end'],
    ['an and', '#if("a" == "b" && "a" == "a")#end'],
    ['a call', '#set($x = $input.path("$.a"))'],
    ['a call in the text', '{"a":$input.json("$")}'],
    ['a variable in the text', '#set($x = "a")$x'],
    ['a text with a variable', '#set($x = "a$y")'],
    ['another status', '#set($context.responseOverride.status = 400)'],
    ['a parameter of any place', '#set($x = $input.params("Origin"))'],
  ])('a template with %s is refused', (_, template) => {
    expect(() => parseMappingTemplate('Mock', template)).toThrow(/^Mock: .*(isn't modelled|too many)/);
  });
});
