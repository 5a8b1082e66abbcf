// Results that are already JSON text, or consist of one error.
import { type ExecutionResult, type FormattedExecutionResult, GraphQLError } from 'graphql';
import { type DomainError, ERRORS } from '../../base/errors.js';

/** The data of a response as JSON text. */
export class WrittenData {
  constructor(readonly text: string) {}

  /** Called by code that writes the data as part of a larger text. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** A text as the data of a result. */
export function writtenData(text: string): ExecutionResult['data'] {
  return new WrittenData(text) as unknown as ExecutionResult['data'];
}

/** A response as JSON text. */
export function textOf(result: ExecutionResult | FormattedExecutionResult): string {
  const { data, ...others } = result;
  if (!(data instanceof WrittenData)) return JSON.stringify(result);
  const rest = JSON.stringify(others);
  return rest === '{}' ? `{"data":${data.text}}` : `{"data":${data.text},${rest.slice(1)}`;
}

/**
 * The length of a response's text. If its data is already text, only the data counts: the other members would have to
 * be written just for this.
 */
export const lengthOf = (result: ExecutionResult): number =>
  result.data instanceof WrittenData ? result.data.text.length : textOf(result).length;

/** A response that consists of one error. */
export function refusedWith(error: DomainError): ExecutionResult {
  const { status } = ERRORS[error.code];
  return { errors: [new GraphQLError(error.message, { originalError: error, extensions: { http: { status } } })] };
}
