/** pg's client without its pool and its native variant. pg's types describe only the whole package. */
declare module "pg/lib/client.js" {
  import type { Client } from "pg"
  const client: typeof Client
  export default client
}
