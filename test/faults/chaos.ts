import { Array as Arr, Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as after } from "node:timers/promises"
import { ask, type ChaosOptions, type Host, lease, openWorld, type World } from "./chaosWorld.ts"
import { Draws } from "./Draws.ts"
import { formferry, reportOf } from "./killLoop.ts"

const faultKinds = ["stop", "freeze", "kill"] as const

/** What happened to the hosts. */
export interface ChaosFigures {
  readonly runs: number
  /** How often each exit code occurred. A killed command has none. */
  readonly exits: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<(typeof faultKinds)[number] | "restart" | "promote", number>>
  /** For each lock that was taken over: the milliseconds since its holder's last heartbeat. */
  readonly takeovers: ReadonlyArray<number>
  readonly inDoubt: number
  /** The broken promises. There are none if every row is in its form exactly once, and no run sent anything after it had lost its lock. */
  readonly broken: ReadonlyArray<string>
}

/** A lock as the ledger had it. Times are the database's, in milliseconds. Database and service share a clock here. */
interface Held {
  readonly epoch: number
  readonly since: number
  readonly beat: number
  readonly isHeld: boolean
}

const recordLocks = [
  "CREATE SCHEMA chaos",
  "CREATE TABLE chaos.lock (at bigserial, pipeline text, epoch bigint, held bigint, since bigint, beat bigint)",
  `CREATE FUNCTION chaos.record() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO chaos.lock (pipeline, epoch, held, since, beat) VALUES (NEW.pipeline, NEW.epoch, NEW.held, NEW.since, NEW.beat);
     RETURN NULL;
   END $$`,
  "CREATE TRIGGER record AFTER INSERT OR UPDATE ON lock FOR EACH ROW EXECUTE FUNCTION chaos.record()",
]

/** Returns every recorded change of each pipeline's lock, in order. */
const locksOf = async (server: World["primary"]): Promise<ReadonlyMap<string, ReadonlyArray<Held>>> => {
  const found = await ask(server, "SELECT pipeline, epoch, held, since, beat FROM chaos.lock ORDER BY at") ?? []
  return new Map(Object.entries(Arr.groupBy(
    found.map(([pipeline, epoch, held, since, beat]) => ({
      pipeline: String(pipeline),
      epoch: Number(epoch),
      since: Number(since),
      beat: Number(beat),
      isHeld: Number(held) === 1,
    })),
    ({ pipeline }) => pipeline,
  )))
}

/** Returns each holder as it was last recorded. */
const holdersIn = (changes: ReadonlyArray<Held>): ReadonlyArray<Held> =>
  changes.filter(({ epoch }, at) => changes[at + 1]?.epoch !== epoch)

/**
 * Imports many pipelines from three hosts that share a ledger in PostgreSQL, while their processes are killed or stopped, their networks freeze, the
 * database crashes, and a standby that lacks commits is promoted. Then the imports finish, and a person settles the rows in doubt.
 */
export const chaos = (options: ChaosOptions): Promise<ChaosFigures> =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(openWorld(options), (world) => Effect.promise(() => play(options, world)))),
  )

const play = async (options: ChaosOptions, world: World): Promise<ChaosFigures> => {
  const { main, rows, seconds, seed, tell } = options
  const { all, arrivals, env: recording, hosts, now: database, primary, sends, service, standby } = world
  const began = Date.now()
  const exits: Record<string, number> = {}
  const faults = { stop: 0, freeze: 0, kill: 0, restart: 0, promote: 0 }
  const broken: Array<string> = []
  const fault = (what: string) => {
    broken.push(what)
    tell(`BROKEN ${what}`)
  }
  const happened = (what: string) => tell(`${((Date.now() - began) / 1_000).toFixed(1)} s: ${what}`)
  const open = new Set(all)
  let runs = 0
  /** When runs were refused because another run was in progress. */
  const waits: Array<{ readonly pipeline: string; readonly from: number; readonly to: number }> = []
  /** `refused`: the hosts of which a run was refused, while the database lacks commits. */
  const now: { isOver: boolean; refused: Set<Host> | undefined } = { isOver: false, refused: undefined }

  const command = (
    { folder, network }: Host,
    args: ReadonlyArray<string>,
    note: (host: NonNullable<Host["running"]>["signal"]) => void = () => {},
  ) => {
    const url = `postgresql://formferry:formferry@${network.address()}/postgres`
    const env = { ...recording, DATABASE_URL: url, LEDGER_KEY: "0123456789abcdef".repeat(4) }
    return formferry({ main, env }, folder, args, (_, signal) => {
      note(signal)
      return new Promise(() => {})
    })
  }

  /** Runs pipelines that are not finished, one after another, until none is left. */
  const loop = async (host: Host, draws: Draws) => {
    while (open.size > 0 && !now.isOver) {
      const [first = "", ...others] = open
      const pipeline = draws.pick([first, ...others])
      const before = now.refused
      const from = Date.now()
      const { status, stderr } = await command(host, ["run", pipeline], (signal) => {
        host.running = { pipeline, signal }
      })
      host.running = undefined
      const refused = before ?? now.refused
      runs++
      exits[status ?? "killed"] = (exits[status ?? "killed"] ?? 0) + 1
      if (status === 0 || status === 4) {
        const report = reportOf(host.folder, pipeline)
        if (report.rows.pending === 0) open.delete(pipeline)
      } else if (status === 6) {
        waits.push({ pipeline, from, to: Date.now() })
        await after(draws.int(100, 400))
      } else if (status === 70 && /Nothing\s+more\s+is\s+sent\s+without\s+it/.test(stderr)) await after(200)
      else if (status === 2 && refused !== undefined && /lacks|older copy|is a standby/.test(stderr)) {
        if (!stderr.includes("is a standby")) refused.add(host)
        await after(200)
      } else if (status !== undefined) fault(`run ${pipeline} of ${host.name} ended with ${status}: ${stderr.trim()}`)
    }
  }

  /** Waits until a host is sending. */
  const sending = async (host: Host) => {
    const until = Date.now() + 15_000
    const isSending = () => {
      const last = arrivals.findLast(({ pipeline }) => pipeline === host.running?.pipeline)
      return last !== undefined && Date.now() - last.at < 300
    }
    while (!isSending() && Date.now() < until) await after(20)
  }

  const disturb = async (host: Host, number: number, draws: Draws) => {
    for (let times = 0; Date.now() - began < seconds * 1_000 && open.size > 0; times++) {
      await after(draws.int(0, 3_000))
      await sending(host)
      const kind = times === 0 ? faultKinds[number] ?? "kill" : draws.pick(faultKinds)
      const { pipeline = "nothing", signal } = host.running ?? {}
      happened(`${kind} ${host.name}, which runs ${pipeline}`)
      faults[kind]++
      if (kind === "kill") signal?.("SIGKILL")
      else if (kind === "stop") {
        signal?.("SIGSTOP")
        await after(2.5 * lease)
        signal?.("SIGCONT")
      } else {
        host.network.freeze()
        await after(draws.int(2_000, 1.5 * lease))
        host.network.thaw()
      }
    }
  }

  /** Lets the database crash repeatedly. Once, replaces it by a standby that lacks commits. */
  const restart = async (draws: Draws) => {
    while (Date.now() - began < seconds * 1_000 && open.size > 0) {
      await after(draws.int(4_000, 15_000))
      happened("the database crashes")
      faults.restart++
      await primary.restart()
      if (faults.promote === 0) await promote()
    }
  }

  /** Every run is refused until the server is back. Runs that were in progress send nothing more, except what they had recorded before. */
  const promote = async () => {
    await ask(standby, "ALTER SYSTEM SET primary_conninfo = ''")
    await ask(standby, "SELECT pg_reload_conf()")
    const commits = "SELECT sum(upTo) FROM holder"
    const [had] = await ask(standby, commits) ?? []
    const until = Date.now() + 30_000
    while (Number((await ask(primary, commits))?.[0]?.[0]) < Number(had?.[0]) + 20 && Date.now() < until) {
      await after(50)
    }
    const written = () => ask(standby, "SELECT (SELECT count(*) FROM batch), (SELECT sum(upTo) FROM holder)")
    const before = await written()
    const inProgress = hosts.filter(({ running }) => running !== undefined).length
    primary.crash()
    database.server = standby
    await ask(standby, "SELECT pg_promote()")
    happened(`a standby that lacks commits is promoted, with ${inProgress} runs in progress`)
    faults.promote++
    const refused = new Set<Host>()
    now.refused = refused
    const latest = Date.now() + 60_000
    // One of the hosts may be stopped.
    while (refused.size < 2 && Date.now() < latest) await after(50)
    if (refused.size < 2) fault("runs were not refused although the database lacks commits")
    if (String(await written()) !== String(before)) fault("a run wrote to a database that lacks commits")
    database.server = primary
    now.refused = undefined
    await primary.restart()
    happened("the database is back")
  }

  const drawsOf = (number: number) => new Draws(seed * 100 + number)
  // The database records each change of a lock. A look at the tables from time to time would miss a release.
  const migrated = await command(hosts[0]!, ["ledger", "migrate"])
  if (migrated.status !== 0) fault(`ledger migrate ended with ${migrated.status}: ${migrated.stderr.trim()}`)
  for (const sql of recordLocks) if (await ask(primary, sql) === undefined) fault(`the database refused: ${sql}`)
  const loops = hosts.map((host, at) => loop(host, drawsOf(at)))
  await Promise.all([
    ...hosts.map((host, at) => disturb(host, at, drawsOf(10 + at))),
    restart(drawsOf(20)),
  ])
  await Promise.race([Promise.all(loops), after(180_000, undefined, { ref: false })])
  if (open.size > 0) fault(`${[...open].join(", ")} did not finish`)
  now.isOver = true
  await Promise.all(loops)

  const doubtful = [
    ...await ask(
      primary,
      "SELECT p.pipeline, count(*), count(*) FILTER (WHERE d.reason <> '') FROM row r JOIN place p ON p.id = r.place LEFT JOIN doubt d ON d.row = r.id WHERE r.state IN (0, 1) GROUP BY 1",
    ) ?? [],
  ]
  const inDoubt = doubtful.reduce((sum, [, count]) => sum + Number(count), 0)
  const settle = async (host: Host, [name, count, reasons]: ReadonlyArray<unknown>) => {
    const pipeline = String(name)
    if (count !== reasons) fault(`rows of ${pipeline} are in doubt without a reason`)
    const file = join(host.folder, `${pipeline}.csv`)
    writeFileSync(file, Buffer.from(await (await fetch(`${service.results}/${pipeline}/csv`)).arrayBuffer()))
    const person = async (expected: ReadonlyArray<number>, ...args: ReadonlyArray<string>) => {
      const { status = 0, stderr } = await command(host, args)
      if (!expected.includes(status)) fault(`${args[0]} ${pipeline} ended with ${status}: ${stderr.trim()}`)
    }
    await person([0, 4], "settle", pipeline, "--results", file)
    // Nothing shows this ledger that a process of a different host has ended. So a person must say that nothing arrives any more.
    const left = await ask(
      primary,
      `SELECT r.key FROM row r JOIN place p ON p.id = r.place WHERE p.pipeline = '${pipeline}' AND r.state = 1`,
    ) ?? []
    const lacking = left.map(([key]) => String(key))
    if (lacking.length > 0) {
      await person([0], "settle", pipeline, "--as", "not-landed", "--because", "absent", "--rows", ...lacking)
    }
    await person([0], "run", pipeline)
  }
  await Promise.all(hosts.map(async (host) => {
    for (let next = doubtful.pop(); next !== undefined; next = doubtful.pop()) await settle(host, next)
  }))
  for (const pipeline of all) {
    const keys = service.submissions(pipeline).map(({ urlParameters: [first] }) => first?.value ?? "")
    const there = new Set(keys)
    if (there.size < keys.length) fault(`${pipeline}: ${keys.length - there.size} submissions too many`)
    if (there.size !== rows) fault(`${pipeline}: ${rows - there.size} rows are not at the service`)
  }

  const batches = await ask(
    primary,
    "SELECT DISTINCT u.name, p.pipeline, b.epoch FROM batch b JOIN run u ON u.id = b.run JOIN place p ON p.id = u.place",
  ) ?? []
  const held = new Map(
    batches.map(([run, pipeline, epoch]) => [String(run), { pipeline: String(pipeline), epoch: Number(epoch) }]),
  )
  const locks = await locksOf(primary)
  const sent = sends()
  const senders = new Set(sent.map(({ run }) => run))
  for (const { run } of arrivals) {
    if (!senders.has(run)) fault(`a submission of the run ${run} was not seen when it was sent`)
  }
  for (const { at, run } of sent) {
    const { epoch, pipeline = "" } = held.get(run) ?? {}
    const seen = holdersIn(locks.get(pipeline) ?? [])
    const own = seen.find((lock) => lock.epoch === epoch)
    const next = seen.find((lock) => lock.epoch > (epoch ?? 0))
    if (own === undefined) fault(`the run ${run} of ${pipeline} sent a request, but it had no lock`)
    if (next !== undefined && at > next.since) {
      fault(`run ${run} of ${pipeline} sent ${at - next.since} ms after it was overtaken`)
    }
    // A holder trusts its lock for half the time. It counts from before the heartbeat that the database recorded.
    if (own !== undefined && at > own.beat + lease / 2) {
      fault(`run ${run} of ${pipeline} sent ${at - own.beat} ms after its last heartbeat`)
    }
  }
  for (const { from, pipeline, to } of waits) {
    const isLeased = locks.get(pipeline)?.some(({ beat, isHeld }) => isHeld && beat <= to && beat + lease > from)
    if (isLeased !== true) fault(`a run of ${pipeline} was refused, although no lease lasted any more`)
  }
  const takeovers = [...locks.values()].flatMap((changes) => {
    const seen = holdersIn(changes)
    return seen.flatMap(({ since }, at) => {
      const before = seen[at - 1]
      return before?.isHeld === true ? [since - before.beat] : []
    })
  })
  for (const time of takeovers) if (time < lease) fault(`a lock was taken over ${time} ms after a heartbeat`)
  return { runs, exits, faults, takeovers: takeovers.toSorted((a, b) => a - b), inDoubt, broken }
}
