// What we use of autocannon, which brings no types.
declare module 'autocannon' {
  function autocannon(options: autocannon.Options): Promise<autocannon.Result>;

  namespace autocannon {
    export interface Request {
      method?: string;
      path?: string;
      headers?: Record<string, string>;
      body?: string;
      /** Called before each request. */
      setupRequest?(request: Request): Request;
    }

    export interface Options {
      url: string;
      connections: number;
      /** Seconds. */
      duration: number;
      requests: Request[];
      /** Requests a second over all connections; as many as are answered when not given. */
      overallRate?: number;
    }

    export interface Result {
      /** Seconds. */
      duration: number;
      errors: number;
      timeouts: number;
      non2xx: number;
      '2xx': number;
      /** Milliseconds. */
      latency: { p50: number; p99: number };
    }
  }

  export = autocannon;
}
