import type { Draws } from "../faults/Draws.ts"
import { drawInstant, two, utc, wallIn } from "./clocks.ts"
import { emptyCells } from "./questions.ts"

/** The parts of a submission other than questions: the values expected in the service, and the cells for them. */
export interface Rest {
  readonly urlParameters: Readonly<Record<string, string | null>>
  readonly submissionTime: string
  readonly lastUpdatedAt: string
  readonly login: { readonly email: string } | undefined
  readonly scheduling: Readonly<Record<string, string | number>> | null
  readonly payment: Readonly<Record<string, string | number>> | null
  readonly cells: Readonly<Record<string, string>>
}

const zone = "Australia/Sydney"

/** 17.03.2024 09:05 */
const written = (instant: number, where = zone) => {
  const { day, hour, minute, month, year } = wallIn(where, instant)
  return `${two(day)}.${two(month)}.${year} ${two(hour)}:${two(minute)}`
}

/** The mapping without its questions. */
export const restOfMapping = {
  urlParameters: [
    { name: "row", from: "No" },
    { name: "campaign", from: "Campaign" },
    { name: "source", value: "migration" },
  ],
  submissionTime: { from: "Created", format: "dd.MM.yyyy HH:mm", zone },
  lastUpdatedAt: { from: "Changed" },
  login: { from: "Account" },
  scheduling: [{
    name: "Booking",
    from: {
      fullName: "Guest",
      email: "Guest mail",
      timezone: { value: zone },
      eventStartTime: { from: "Starts", format: "dd.MM.yyyy HH:mm", zone },
      eventEndTime: { from: "Ends", format: "dd.MM.yyyy HH:mm", zone },
      userId: "User",
      meetingNotes: "Notes",
    },
  }],
  payments: [{
    name: "Fee",
    from: {
      paymentId: "Txn",
      totalAmount: { from: "Paid", decimal: "," },
      currency: { value: "EUR" },
      gatewayCustomerId: "Payer",
      status: "State",
    },
  }],
}

const empty = (draws: Draws, columns: ReadonlyArray<string>) =>
  Object.fromEntries(columns.map((column) => [column, draws.pick(emptyCells)]))

const scheduling = (draws: Draws): Pick<Rest, "scheduling" | "cells"> => {
  if (draws.chance(0.4)) {
    return { scheduling: null, cells: empty(draws, ["Guest", "Guest mail", "Starts", "Ends", "User", "Notes"]) }
  }
  const starts = drawInstant(draws, zone, "minute")
  const ends = drawInstant(draws, zone, "minute")
  const userId = draws.int(1, 9999)
  const notes = draws.chance(0.5) ? { meetingNotes: 'Bringt "alles" mit;\ndann los' } : {}
  const email = `guest${userId}@example.org`
  return {
    scheduling: {
      fullName: "Zoë Öz",
      email,
      timezone: zone,
      eventStartTime: utc(starts),
      eventEndTime: utc(ends),
      userId,
      ...notes,
    },
    cells: {
      Guest: "Zoë Öz",
      "Guest mail": email,
      Starts: written(starts),
      Ends: written(ends),
      User: String(userId),
      Notes: notes.meetingNotes ?? "",
    },
  }
}

const payment = (draws: Draws): Pick<Rest, "payment" | "cells"> => {
  if (draws.chance(0.4)) return { payment: null, cells: empty(draws, ["Txn", "Paid", "Payer", "State"]) }
  const paymentId = `tx_${draws.int(1, 1_000_000)}`
  const [euros, cents] = [draws.int(0, 9_999), two(draws.int(0, 99))]
  const payer = draws.chance(0.5) ? { gatewayCustomerId: `cus_${draws.int(1, 99)}` } : {}
  const status = draws.pick(["succeeded", "canceled"])
  return {
    payment: { paymentId, totalAmount: Number(`${euros}.${cents}`), currency: "EUR", ...payer, status },
    cells: { Txn: paymentId, Paid: `${euros},${cents}`, Payer: payer.gatewayCustomerId ?? "-", State: status },
  }
}

/** Draws all parts of row `no` except its questions. */
export const drawRest = (draws: Draws, no: string): Rest => {
  const created = drawInstant(draws, zone, "minute")
  const changed = drawInstant(draws, "UTC")
  const isChanged = draws.chance(0.7)
  const account = draws.chance(0.7) ? `user${draws.int(1, 99)}@example.net` : undefined
  const campaign = draws.chance(0.7) ? draws.pick(["Frühling", "a=b&c", "007"]) : null
  const booked = scheduling(draws)
  const paid = payment(draws)
  return {
    urlParameters: { row: no, campaign, source: "migration" },
    submissionTime: utc(created),
    // Without a time of change, the service uses the submission time.
    lastUpdatedAt: utc(isChanged ? changed : created),
    login: account === undefined ? undefined : { email: account },
    scheduling: booked.scheduling,
    payment: paid.payment,
    cells: {
      No: no,
      Campaign: campaign ?? "k. A.",
      Created: written(created),
      Changed: isChanged ? utc(changed).replace(".000Z", "Z") : "",
      Account: account ?? "",
      ...booked.cells,
      ...paid.cells,
    },
  }
}
