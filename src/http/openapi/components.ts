// Shapes as they are in the document: a named shape is in its components once, and everywhere else is a reference.
import { z } from 'zod';
import { NAME, type Shape } from '../routes/shapes.js';
import { returned } from './json-schema.js';

/** Collects named shapes, and records with an id. */
export class Components {
  readonly #schemas = new Map<string, unknown>();

  /** The schema, in which named parts are replaced by references. */
  put(shape: Shape | z.ZodType): unknown {
    if (shape instanceof z.ZodType) return this.#record(shape);
    const name = shape[NAME];
    if (name === undefined) return this.#inside(shape);
    if (!this.#schemas.has(name)) this.#schemas.set(name, this.#inside(shape));
    return { $ref: `#/components/schemas/${name}` };
  }

  /** All named shapes, by name. */
  get schemas(): Record<string, unknown> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #record(record: z.ZodType): unknown {
    const { schema, components } = returned(record);
    for (const [name, component] of Object.entries(components)) this.#schemas.set(name, component);
    return schema;
  }

  #inside(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#member(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.#member(member)]));
  }

  #member(value: unknown): unknown {
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? this.put(value as Shape | z.ZodType)
      : this.#inside(value);
  }
}
