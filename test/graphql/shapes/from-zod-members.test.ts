// Members that a GraphQL type has beside those of its zod schema, and the constraints that an input shows beside its
// types.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { choice, count, defaulted, id, implementing, input, record } from '../../../src/base/record.js';
import { inputType, interfaceType, objectType } from '../../../src/graphql/shapes/from-zod.js';
import { returned } from '../../../src/http/openapi/json-schema.js';
import { sdlOf } from './sdl-of.js';

const shape = choice('Shape', 'A shape.', { ROUND: 'Like a ball.', FLAT: 'Like a page.' });

describe('A record', () => {
  it('a record has the members of an interface that it implements, and its own', () => {
    const thing = record('Thing', 'Anything.', { thingId: id.describe('Its id.') });
    const lamp = implementing(thing, 'Lamp', 'A light.', { watts: count.describe('Its power.') });
    interfaceType(thing);
    expect(sdlOf(objectType(lamp))).toContain(`"""A light."""
type Lamp implements Thing {
  """Its id."""
  thingId: ID!

  """Its power."""
  watts: Int!
}`);
    expect(Object.keys(returned(lamp).schema.properties ?? {})).toEqual(['thingId', 'watts']);
  });
});

describe('An input', () => {
  it('an input shows a default in GraphQL if the schema says so', () => {
    const lamps = input('LampsInput', 'Lamps.', {
      watts: z.int().default(5).describe('Their power.'),
      shape: defaulted(shape.default('FLAT')).describe('Their shape.'),
      isRare: defaulted(z.boolean().default(false)).describe('Whether there are few.'),
      note: defaulted(z.string().max(9).default('')).describe('A note.'),
    });
    const sdl = sdlOf(String, inputType(lamps));
    for (const line of ['shape: Shape! = FLAT', 'isRare: Boolean! = false', 'note: String! = ""', 'watts: Int\n'])
      expect(sdl).toContain(line);
  });
});
