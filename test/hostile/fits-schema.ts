// Whether the data of a GraphQL response has exactly the requested members, each with a value of its type.
import {
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getOperationAST,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

type Members = Readonly<Record<string, unknown>>;

const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: (value) => Number.isInteger(value),
  SafeInt: (value) => Number.isSafeInteger(value),
  Float: (value) => typeof value === 'number',
  Boolean: (value) => typeof value === 'boolean',
  String: (value) => typeof value === 'string',
  ID: (value) => typeof value === 'string',
  DateTime: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
};

/**
 * What is wrong with a response's data, in sentences; empty if nothing is wrong. Operations must not have named
 * fragments.
 */
export function faultsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  data: unknown,
  onValue: OnValue = () => {},
): string[] {
  const operation = getOperationAST(document);
  const root = operation && schema.getRootType(operation.operation);
  if (!root) return ['the document has no operation'];
  const place = { schema, onValue, selections: operation.selectionSet, path: 'data' };
  return data === null ? [] : faultsOfObject(root, data, place);
}

/** Called with the name of each field that has a value: `Credential.name`. */
export type OnValue = (field: string) => void;

interface Place {
  schema: GraphQLSchema;
  onValue: OnValue;
  selections: SelectionSetNode | undefined;
  path: string;
}

function faultsOfValue(type: GraphQLOutputType, value: unknown, place: Place): string[] {
  const { schema, selections, path } = place;
  if (isNonNullType(type)) return value === null ? [`${path} is null`] : faultsOfValue(type.ofType, value, place);
  if (value === null) return [];
  if (isListType(type)) {
    if (!Array.isArray(value)) return [`${path} is no list`];
    return value.flatMap((item, at) => faultsOfValue(type.ofType, item, { ...place, path: `${path}[${at}]` }));
  }
  if (isLeafType(type)) return isOf(type, value) ? [] : [`${path} is no ${type.name}: ${JSON.stringify(value)}`];
  const actual = isObjectType(type) ? type : schema.getType(String((value as Members).__typename));
  if (!isObjectType(actual)) return [`${path} does not name its type`];
  return selections ? faultsOfObject(actual, value, place) : [`${path} was not asked for`];
}

function isOf(type: GraphQLNamedType, value: unknown): boolean {
  if (isEnumType(type)) return type.getValue(String(value)) !== undefined;
  return SCALARS[type.name]?.(value) ?? true;
}

function faultsOfObject(type: GraphQLObjectType, value: unknown, place: Place): string[] {
  const { schema, onValue, selections, path } = place;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no object`];
  const fields = selections ? fieldsOf(schema, type, selections) : new Map<string, AskedField>();
  const members = value as Members;
  const others = Object.keys(members).filter((name) => !fields.has(name));
  const inside = [...fields].flatMap(([name, field]) => {
    if (!(name in members)) return [`${path}.${name} is missing`];
    if (field.name === '__typename') return members[name] === type.name ? [] : [`${path} is a ${type.name}`];
    const definition = type.getFields()[field.name];
    if (members[name] !== null) onValue(`${type.name}.${field.name}`);
    const inner = { ...place, selections: field.selections, path: `${path}.${name}` };
    return definition ? faultsOfValue(definition.type, members[name], inner) : [`${path}.${name} has no definition`];
  });
  return [...others.map((name) => `${path}.${name} was not asked for`), ...inside];
}

interface AskedField {
  name: string;
  selections: SelectionSetNode | undefined;
}

/** The requested fields of an object of this type, by their names in the response. */
function fieldsOf(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  { selections }: SelectionSetNode,
): Map<string, AskedField> {
  const entries = selections.flatMap((selection): [string, AskedField][] => {
    if (selection.kind === Kind.FIELD) {
      const { alias, name, selectionSet } = selection;
      return [[(alias ?? name).value, { name: name.value, selections: selectionSet }]];
    }
    if (selection.kind !== Kind.INLINE_FRAGMENT) throw new Error('named fragments are not expected here');
    const condition = selection.typeCondition?.name.value;
    const isMeant = condition === undefined || condition === type.name || isMember(schema, condition, type);
    return isMeant ? [...fieldsOf(schema, type, selection.selectionSet)] : [];
  });
  return new Map(entries);
}

function isMember(schema: GraphQLSchema, condition: string, type: GraphQLObjectType): boolean {
  const named = schema.getType(condition);
  return named !== undefined && 'resolveType' in named && schema.isSubType(named, type);
}
