// The part of undici that src/service stands on, for the bundle: the whole would be 730 KB that every run loads.
export { default as errors } from "undici/lib/core/errors.js"
export { default as Pool } from "undici/lib/dispatcher/pool.js"
