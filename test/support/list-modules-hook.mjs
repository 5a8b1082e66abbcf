// The hook of list-modules.mjs.
import { appendFileSync } from 'node:fs';

let file;

export const initialize = (data) => {
  file = data.file;
};

export const load = (url, context, next) => {
  appendFileSync(file, `${url}\n`);
  return next(url, context);
};
