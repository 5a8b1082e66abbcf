// The smallest subject that fits a JSON Schema document: the required members, and the first of every choice.

type Node = Record<string, unknown>;

const FORMATS: Readonly<Record<string, string>> = {
  date: '2020-02-29',
  'date-time': '2020-02-29T12:00:00Z',
  uri: 'https://example.org/a',
  email: 'ada@example.org',
};

/** Texts that match the patterns of published documents. */
const TEXTS = [
  'x',
  'did:web:example.org',
  'https://example.org/a',
  'US',
  'USA',
  '2020-02-29',
  '0x00',
  '1',
  'a'.repeat(64),
];

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : []);

/** The node with its references and `allOf` resolved, and the first of its alternatives. */
function merged(document: Node, node: Node): Node {
  const reference = typeof node.$ref === 'string' ? [at(document, node.$ref)] : [];
  const parts = [...reference, ...list(node.allOf), ...list(node.anyOf).slice(0, 1), ...list(node.oneOf).slice(0, 1)];
  return parts.map((part) => merged(document, part)).reduce(both, node);
}

function both(a: Node, b: Node): Node {
  const properties = { ...(a.properties as Node), ...(b.properties as Node) };
  const required = [...((a.required as string[]) ?? []), ...((b.required as string[]) ?? [])];
  return { ...b, ...a, properties, required };
}

function at(document: Node, reference: string): Node {
  const path = reference
    .replace(/^[^#]*#\/?/, '')
    .split('/')
    .filter(Boolean);
  return path.reduce<unknown>((node, key) => (node as Node)[key], document) as Node;
}

function exampleOf(document: Node, unmerged: Node): unknown {
  const node = merged(document, unmerged);
  if (node.const !== undefined) return node.const;
  if (Array.isArray(node.enum)) return node.enum[0];
  const [type = isNode(node.properties) && Object.keys(node.properties).length > 0 ? 'object' : 'string'] = [
    node.type,
  ].flat();
  if (type === 'object') return objectOf(document, node);
  if (type === 'array')
    return Array.from({ length: Number(node.minItems ?? 1) }, () =>
      exampleOf(document, isNode(node.items) ? node.items : {}),
    );
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return Number(node.minimum ?? node.exclusiveMinimum ?? 0) + 1;
  const format = FORMATS[String(node.format)];
  const pattern = new RegExp(String(node.pattern ?? ''));
  return format ?? TEXTS.find((text) => pattern.test(text) && text.length >= Number(node.minLength ?? 0)) ?? 'x';
}

function objectOf(document: Node, { properties = {}, required = [] }: Node): Node {
  const names = required as string[];
  return Object.fromEntries(
    names.map((name) => [name, exampleOf(document, ((properties as Node)[name] as Node) ?? {})]),
  );
}

/**
 * The subject, without its `id`.
 * @param name a data point that the subject has if none is required
 */
export function subjectOf(document: Node, name: string): Node {
  const root = merged(document, document);
  const said = (root.properties as Node).credentialSubject as Node | undefined;
  const node = said ? merged(document, said) : root;
  const subject = (node.type === 'array' ? merged(document, node.items as Node) : node) as Node;
  const { id: _, ...fields } = objectOf(document, subject);
  if (Object.keys(fields).length > 0) return fields;
  const [first = ''] = name.split('.');
  return { [first]: exampleOf(document, (subject.properties as Node)[first] as Node) };
}
