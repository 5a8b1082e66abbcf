// Modules of src for benchmarks that call single functions: compiled each by itself, since what starts is a bundle.

// biome-ignore lint/suspicious/noExplicitAny: loaded by its address, so its types are not known here.
type Module = any;

/** A module by its path in src, without its ending. `npm run bench` compiles them into `.modules`. */
export const moduleOf = (path: string): Promise<Module> =>
  import(new URL(`../../.modules/${path}.js`, import.meta.url).href);
