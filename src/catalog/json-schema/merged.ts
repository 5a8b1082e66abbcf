// Merges one node of a JSON Schema with its `$ref`, `allOf` and alternatives into the shape of a data point.
import { badInput } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json/json-object.js';
import { type Allowed, allowedByItself, both, oneOf } from './allowed.js';
import { own, type ResolveReference } from './references.js';

/** A node's shape, merged from all branches. */
export interface Shape {
  title?: string;
  description?: string;
  /** The values that it allows at most. */
  allowed: Allowed;
  properties: Map<string, Described>;
  required: Set<string>;
}

/**
 * How strongly a part of a node constrains a value: it applies, it may apply, or it is the condition of an `if`.
 * Strongest first.
 */
const WEIGHTS = ['certain', 'possible', 'asked'] as const;
type Weight = (typeof WEIGHTS)[number];

/** The schemas that describe one property. */
export class Described {
  readonly certain: JsonObject[] = [];
  readonly possible: JsonObject[] = [];
  readonly asked: JsonObject[] = [];
}

/** References and branches that are followed for one node, so that the work for one document is bounded. */
const MAX_BRANCHES = 1_000;

const ALTERNATIVES = ['anyOf', 'oneOf'] as const;

const texts = (value: unknown): string[] => [value].flat().filter((item) => typeof item === 'string');
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
const nodes = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

/** Merges a node. `seen` are the references above it: a reference that is already there adds no fields, so cycles end. */
export function shapeOf(
  resolve: ResolveReference,
  node: JsonObject | Described,
  seen: ReadonlySet<string> = new Set(),
): { shape: Shape; seen: Set<string> } {
  const merge = new Merge(resolve, seen);
  const { certain, possible, asked } = node instanceof Described ? node : { certain: [node], possible: [], asked: [] };
  const sure = certain.map((part) => merge.part(part, 'certain')).reduce(both, {});
  const maybe = possible.map((part) => merge.part(part, 'possible'));
  for (const part of asked) merge.part(part, 'asked');
  // A branch that describes a property may not apply, so its types narrow nothing; they are used only if no others are
  // known.
  merge.shape.allowed = sure.types || maybe.length === 0 ? sure : both(sure, oneOf(maybe));
  return { shape: merge.shape, seen: new Set([...seen, ...merge.followed.keys()]) };
}

class Merge {
  readonly shape: Shape = { allowed: {}, properties: new Map(), required: new Set() };
  /** What each reference allows, and the weight with which it was followed. */
  readonly followed = new Map<string, { weight: Weight; allowed: Allowed }>();
  #branches = 0;

  constructor(
    private readonly resolve: ResolveReference,
    private readonly seen: ReadonlySet<string>,
  ) {}

  /** Adds a part to the shape. Returns what it allows. */
  part(node: JsonObject, weight: Weight): Allowed {
    this.#branches += 1;
    if (this.#branches > MAX_BRANCHES)
      throw badInput('The document has too many branches (allOf, anyOf, oneOf, $ref) around one data point.');
    this.#addOwn(node, weight);
    const maybe = weight === 'certain' ? 'possible' : weight;
    const parts = [allowedByItself(node)];
    for (const reference of texts(own(node, '$ref'))) parts.push(this.#reference(reference, weight));
    for (const branch of nodes(own(node, 'allOf'))) parts.push(this.part(branch, weight));
    for (const keyword of ALTERNATIVES) {
      const branches = own(node, keyword);
      if (!Array.isArray(branches) || branches.length === 0) continue;
      const possible = branches.filter((branch) => branch !== false);
      parts.push(oneOf(possible.map((branch) => (isJsonObject(branch) ? this.part(branch, maybe) : {}))));
    }
    // The schema of an `if` describes fields and does not narrow values.
    for (const condition of nodes([own(node, 'if')])) this.part(condition, 'asked');
    for (const branch of conditional(node)) this.part(branch, maybe);
    return parts.reduce(both);
  }

  #reference(reference: string, weight: Weight): Allowed {
    if (this.seen.has(reference)) return this.#typesOf(reference);
    const before = this.followed.get(reference);
    if (before && WEIGHTS.indexOf(before.weight) <= WEIGHTS.indexOf(weight)) return before.allowed;
    this.followed.set(reference, { weight, allowed: {} });
    const allowed = this.part(this.resolve(reference), weight);
    this.followed.set(reference, { weight, allowed });
    return allowed;
  }

  /** What a reference inside its own target allows. It is described no further. */
  #typesOf(reference: string): Allowed {
    const inside = new Merge(this.resolve, new Set()).part(this.resolve(reference), 'asked');
    return {
      types: inside.types ?? new Set(['object']),
      ...(inside.format !== undefined && { format: inside.format }),
    };
  }

  #addOwn(node: JsonObject, weight: Weight): void {
    this.shape.title ??= text(own(node, 'title'));
    this.shape.description ??= text(own(node, 'description'));
    const properties = own(node, 'properties');
    if (isJsonObject(properties))
      for (const [name, property] of Object.entries(properties)) {
        const described = this.shape.properties.get(name) ?? new Described();
        described[weight].push(isJsonObject(property) ? property : {});
        this.shape.properties.set(name, described);
      }
    if (weight === 'certain') for (const name of texts(own(node, 'required'))) this.shape.required.add(name);
  }
}

function conditional(node: JsonObject): JsonObject[] {
  const dependent = ['dependentSchemas', 'dependencies'].flatMap((keyword) => {
    const schemas = own(node, keyword);
    return isJsonObject(schemas) ? Object.values(schemas) : [];
  });
  return nodes([own(node, 'then'), own(node, 'else'), ...dependent]);
}
