import { Effect, type Scope } from "effect"
import { execFile, execFileSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { delimiter, dirname, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"

const run = promisify(execFile)

/** The folder of PostgreSQL's programs, and its main version. */
interface Programs {
  readonly folder: string
  readonly version: number
}

const oldest = 15

const debian = "/usr/lib/postgresql"

const programsIn = (folder: string): ReadonlyArray<Programs> => {
  if (!existsSync(join(folder, "initdb"))) return []
  const version = Number(/ (\d+)/.exec(execFileSync(join(folder, "initdb"), ["--version"], { encoding: "utf8" }))?.[1])
  // The PATH may have links to only some of the programs.
  return version >= oldest ? [{ folder: dirname(realpathSync(join(folder, "initdb"))), version }] : []
}

/** The newest PostgreSQL on this machine. CI requires one, which .ci/run installs. */
const programs = [
  ...(process.env["PATH"] ?? "").split(delimiter),
  ...(existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, "bin")) : []),
].flatMap(programsIn).toSorted((a, b) => b.version - a.version)[0]

const inCi = process.env["CI"] !== undefined && process.env["CI"] !== "" && process.env["CI"] !== "false"

/** Whether the tests are skipped because no PostgreSQL was found outside CI. */
export const withoutPostgres = programs === undefined && !inCi

if (withoutPostgres) {
  process.stderr.write(
    `No PostgreSQL ${oldest} or newer was found: the tests of ledgers in PostgreSQL are skipped. Install Debian's package postgresql to run them.\n`,
  )
}

/** Runs a program of PostgreSQL as an unprivileged user, because the server refuses to run as root. */
const asUnprivileged = (folder: string) => {
  if (process.getuid?.() !== 0) return {}
  const user = readFileSync("/etc/passwd", "utf8").split("\n").map((line) => line.split(":"))
    .find(([name]) => name === "nobody")
  const [uid, gid] = [Number(user?.[2]), Number(user?.[3])]
  chownSync(folder, uid, gid)
  return { uid, gid, cwd: folder, env: { LC_ALL: "C", PATH: process.env["PATH"] } }
}

/** A database server. */
export interface TestServer {
  /**
   * The server's folder, with its Unix socket, and its certificate for `localhost` (`server.crt`). The name and the
   * password of its user are `formferry`.
   */
  readonly folder: string
  readonly port: number
}

const folderOf = (temporary: string): string => join(temporary, "postgres")
const stateOf = (folder: string): string => join(folder, "state.json")

/** Returns a port on which nothing listens. */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const required = (): Programs => {
  if (programs === undefined) throw new Error(`No PostgreSQL ${oldest} or newer was found, and CI requires one.`)
  return programs
}

/** Creates a server's files. Only this step is not made durable. The server flushes each commit, as it does by default. */
const initialise = async (folder: string, data: string): Promise<void> => {
  const password = `--pwfile=${join(folder, "password")}`
  const options = ["--no-sync", "--no-locale", "--encoding=UTF8", "--username=formferry", password]
  const files = ["-D", data, ...options, "--auth=scram-sha-256"]
  await run(join(required().folder, "initdb"), files, asUnprivileged(folder))
  // Only a server in a network namespace listens to other machines.
  appendFileSync(join(data, "pg_hba.conf"), "host all all samenet scram-sha-256\n")
}

/** Creates the files and the certificate that all servers use. */
const create = async (folder: string): Promise<void> => {
  const as = asUnprivileged(folder)
  const password = join(folder, "password")
  writeFileSync(password, "formferry")
  chmodSync(password, 0o644)
  const certificate = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "server.key"]
  const made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -out server.crt".split(" ")
  await Promise.all([
    initialise(folder, join(folder, "created")),
    run("openssl", [...made, ...certificate], { ...as, cwd: folder }),
  ])
}

/** Makes the files of a server in a folder. */
type Files = (folder: string, data: string) => Promise<unknown>

/** Copies the created files. So these servers have the same system identifier. */
const copied: Files = (folder, data) => run("cp", ["-r", join(folder, "created"), data], asUnprivileged(folder))

/** Makes a standby: a copy of a running server, which receives the server's log. */
export const standbyOf = (primary: TestServer): Files => (folder, data) => {
  const address = `host=${folder} port=${primary.port} user=formferry password=formferry`
  const options = ["-D", data, "-d", address, "-R", "-X", "stream", "-c", "fast", "--no-sync"]
  return run(join(required().folder, "pg_basebackup"), options, asUnprivileged(folder))
}

/** Creates files of a server's own, with a system identifier of its own. */
export const initialised: Files = initialise

/** Runs `pg_ctl`, in a network namespace if it has a name. Only root can do that, so the program then gives up its rights itself. */
const control = (folder: string, args: ReadonlyArray<string>, namespace: string | undefined) => {
  const program = join(required().folder, "pg_ctl")
  const { uid, gid, ...as } = { uid: 0, gid: 0, ...asUnprivileged(folder) }
  if (namespace === undefined) return run(program, [...args], asUnprivileged(folder))
  const user = ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"]
  return run("ip", ["netns", "exec", namespace, ...user, program, ...args], as)
}

/** Starts a server. */
const serve = async (
  folder: string,
  name: string,
  more: ReadonlyArray<string>,
  files: Files = copied,
  namespace?: string,
): Promise<TestServer> => {
  const data = join(folder, name)
  await files(folder, data)
  const port = await freePort()
  const settings = [
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    `listen_addresses=${namespace === undefined ? "127.0.0.1" : "0.0.0.0"}`,
    "ssl=on",
    `ssl_cert_file=${folder}/server.crt`,
    `ssl_key_file=${folder}/server.key`,
    "shared_buffers=32MB",
    "max_connections=100",
    ...more,
  ].map((setting) => `-c ${setting}`).join(" ")
  const log = join(folder, `${name}.log`)
  await control(folder, ["-D", data, "-w", "-l", log, "-o", settings, "start"], namespace)
  return { folder, port }
}

/**
 * Returns the database server of this test run. The first test that needs it starts it, in the folder of all temporary
 * files, and the global teardown stops it. So a run without such tests needs no server.
 */
export const testServer = async (): Promise<TestServer> => {
  const folder = folderOf(process.env["TMPDIR"] ?? "")
  const state = stateOf(folder)
  try {
    mkdirSync(folder)
  } catch {
    // A different worker starts the server.
    while (!existsSync(state)) await setTimeout(20)
    const found = JSON.parse(readFileSync(state, "utf8")) as TestServer | { readonly failed: string }
    if ("failed" in found) throw new Error(found.failed)
    return found
  }
  const write = (content: unknown) => {
    writeFileSync(`${state}.draft`, JSON.stringify(content))
    renameSync(`${state}.draft`, state)
  }
  try {
    await create(folder)
    const server = await serve(folder, "shared", [])
    write(server)
    return server
  } catch (cause) {
    write({ failed: String(cause) })
    throw cause
  }
}

const stop = (folder: string, name: string): void => {
  try {
    execFileSync(join(required().folder, "pg_ctl"), ["-D", join(folder, name), "-m", "immediate", "stop"], {
      ...asUnprivileged(folder),
      stdio: "ignore",
    })
  } catch {
    // It was not running.
  }
}

/** A server of one test's own. */
interface OwnServer extends TestServer {
  /** Stops the server as a crash does. */
  readonly crash: () => void
  /** Starts the server again at the same port. If it is running, it crashes first. */
  readonly restart: () => Promise<unknown>
}

/**
 * A server of one test's own, with these settings, for the scope.
 *
 * @param namespace the network namespace in which it listens, instead of on 127.0.0.1
 */
export const ownServer = (
  name: string,
  settings: ReadonlyArray<string>,
  files?: Files,
  namespace?: string,
): Effect.Effect<OwnServer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = await serve((await testServer()).folder, name, settings, files, namespace)
      const { folder } = server
      const again = ["-D", join(folder, name), "-w", "-m", "immediate", "-l", join(folder, `${name}.log`), "restart"]
      return {
        ...server,
        crash: () => stop(folder, name),
        restart: () => control(folder, again, namespace),
      }
    }),
    ({ crash }) => Effect.sync(crash),
  )

/** Runs a client program of PostgreSQL, such as `pg_dump`, on a server. */
export const client = (
  program: string,
  { folder, port }: TestServer,
  options: ReadonlyArray<string>,
): Effect.Effect<void> =>
  Effect.promise(() =>
    run(
      join(required().folder, program),
      ["-d", `host=${folder} port=${port} user=formferry password=formferry dbname=postgres`, ...options],
      asUnprivileged(folder),
    )
  )

/** Stops the server of this test run, if a test started it. */
export const stopTestServer = (temporary: string): void => {
  const folder = folderOf(temporary)
  if (existsSync(stateOf(folder))) stop(folder, "shared")
}
