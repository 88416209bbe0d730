// undici's client without its `fetch`, whose modules would make Node load its own copy of undici (35 ms before the first request).
export { default as buildConnector } from "undici/lib/core/connect.js"
export { default as errors } from "undici/lib/core/errors.js"
export { default as Pool } from "undici/lib/dispatcher/pool.js"
