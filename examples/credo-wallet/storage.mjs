// Where credo keeps its records: in memory, until the program ends. Credo's own storages need a native library.
import { JsonTransformer, RecordDuplicateError, RecordNotFoundError } from '@credo-ts/core';

const isEqual = (value, wanted) =>
  Array.isArray(wanted) ? wanted.every((one) => value?.includes(one)) : (value ?? null) === (wanted ?? null);

/** Whether a record's tags match a query of credo's: equal tags, and its `$and`, `$or`, `$not`. */
function matches(tags, { $and = [], $or, $not, ...equal }) {
  return (
    Object.entries(equal).every(([name, wanted]) => wanted === undefined || isEqual(tags[name], wanted)) &&
    $and.every((part) => matches(tags, part)) &&
    ($or === undefined || $or.some((part) => matches(tags, part))) &&
    ($not === undefined || !matches(tags, $not))
  );
}

export class MemoryStorage {
  supportsCursorPagination = false;
  #rows = new Map();

  #row(type, id) {
    const row = this.#rows.get(`${type} ${id}`);
    if (row === undefined) throw new RecordNotFoundError(`No record has the id ${id}.`, { recordType: type });
    return row;
  }

  #write(record) {
    const row = { type: record.type, json: JsonTransformer.serialize(record), tags: record.getTags() };
    this.#rows.set(`${record.type} ${record.id}`, row);
  }

  #read(recordClass, { json, tags }) {
    const record = JsonTransformer.deserialize(json, recordClass);
    record.replaceTags(tags);
    return record;
  }

  async save(_context, record) {
    if (this.#rows.has(`${record.type} ${record.id}`))
      throw new RecordDuplicateError(`A record has the id ${record.id} already.`, { recordType: record.type });
    this.#write(record);
  }

  async update(_context, record) {
    this.#row(record.type, record.id);
    this.#write(record);
  }

  delete = (context, record) => this.deleteById(context, record, record.id);

  async deleteById(_context, { type }, id) {
    this.#row(type, id);
    this.#rows.delete(`${type} ${id}`);
  }

  getById = async (_context, recordClass, id) => this.#read(recordClass, this.#row(recordClass.type, id));

  getAll = (context, recordClass) => this.findByQuery(context, recordClass, {});

  async findByQuery(_context, recordClass, query, { limit, offset = 0 } = {}) {
    const rows = [...this.#rows.values()].filter(({ type, tags }) => type === recordClass.type && matches(tags, query));
    return rows
      .slice(offset, limit === undefined ? undefined : offset + limit)
      .map((row) => this.#read(recordClass, row));
  }
}
