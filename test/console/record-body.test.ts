// What the forms of operators send: all that was read, except what the gateway computes.
import { readFileSync } from 'node:fs';
import { buildSchema, isInputObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { bodyOf, COMPUTED, type FormKind } from '../../src/console/operator/editor/body.js';

const KINDS = Object.keys(COMPUTED) as FormKind[];
const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  components: { schemas: Record<string, { properties: Record<string, unknown> }> };
};
const typeOf = (kind: FormKind): string => `${kind[0]?.toUpperCase()}${kind.slice(1, -1)}`;

describe('What a form sends', () => {
  it.each(KINDS)('of %s, the members that it leaves out are those that the gateway computes', (kind) => {
    const input = schema.getType(`Put${typeOf(kind)}Input`);
    if (!isInputObjectType(input)) throw new Error(`there is no input of ${kind}`);
    const written = Object.keys(input.getFields()).filter((name) => name !== `${kind.slice(0, -1)}Id`);
    const read = Object.keys(components.schemas[`${typeOf(kind)}Record`]?.properties ?? {});
    expect([...COMPUTED[kind]].sort()).toEqual(read.filter((name) => !written.includes(name)).sort());
  });

  it.each(KINDS)('of %s, a member that no form knows is sent back as it was read', (kind) => {
    const entry = {
      name: 'Name',
      scopes: ['issue'],
      title: 'Title',
      unknownToForms: ['kept'],
      etag: 'e',
      updatedAt: 't',
    };
    const body = bodyOf(kind, entry);
    expect(body.unknownToForms).toEqual(['kept']);
    expect([body.etag, body.updatedAt]).toEqual([undefined, undefined]);
  });
});
