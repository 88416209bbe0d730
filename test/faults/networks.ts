import { Effect, type Scope } from "effect"
import { execFileSync } from "node:child_process"
import { openLink } from "../ledger/postgres/link.ts"

/** A machine's network to the database. */
export interface Network {
  /** Returns the database's host and port. */
  readonly address: () => string
  /** Loses everything in both directions until the network continues. */
  readonly freeze: () => void
  readonly thaw: () => void
}

/** Opens networks that are proxies, for the scope. They hold back what they receive. */
export const proxies = (
  count: number,
  portNow: () => number,
): Effect.Effect<ReadonlyArray<Network>, never, Scope.Scope> =>
  Effect.replicateEffect(openLink(portNow, false), count).pipe(
    Effect.map((links) =>
      links.map(({ allow, port }) => ({
        address: () => `127.0.0.1:${port}`,
        freeze: () => allow(0),
        thaw: () => allow(Infinity),
      }))
    ),
  )

const ip = (words: string): void => void execFileSync("ip", words.split(" "))

/** A network address that no machine has. */
const nowhere = "02:00:00:00:00:01"

/**
 * Opens a network namespace for the database, and a link from this machine to it for each network, for the scope. A frozen link delivers no packet:
 * both ends send again what the other one has not acknowledged, and new connections wait. Needs Linux and root.
 *
 * @returns the name of the namespace, and the networks
 */
export const namespaced = (count: number, portNow: () => number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const name = "formferry-database"
      ip(`netns add ${name}`)
      ip(`-n ${name} link set lo up`)
      const networks = Array.from({ length: count }, (_, at): Network => {
        const [near, far] = [`10.213.${at}.1`, `10.213.${at}.2`]
        const [here, there] = [`ffhost${at}`, `ffdata${at}`]
        ip(`link add name ${here} type veth peer name ${there} netns ${name}`)
        for (const [where, address, device] of [["", near, here], [`-n ${name} `, far, there]]) {
          ip(`${where}addr add ${address}/30 dev ${device}`)
          ip(`${where}link set ${device} up`)
        }
        return {
          address: () => `${far}:${portNow()}`,
          freeze: () => {
            ip(`neigh replace ${far} lladdr ${nowhere} dev ${here} nud permanent`)
            ip(`-n ${name} neigh replace ${near} lladdr ${nowhere} dev ${there} nud permanent`)
          },
          thaw: () => {
            ip(`neigh del ${far} dev ${here}`)
            ip(`-n ${name} neigh del ${near} dev ${there}`)
          },
        }
      })
      return { name, networks }
    }),
    ({ name, networks }) =>
      Effect.sync(() => {
        for (const at of networks.keys()) ip(`link del ffhost${at}`)
        ip(`netns del ${name}`)
      }),
  )
