import type { Form } from "../../src/domain/form.ts"
import type { Item } from "../../src/domain/item.ts"
import type { Submission } from "../../src/domain/submission.ts"
import { question } from "../fakeForms.ts"

/** The meaning of the literal exchanges as domain values, written manually. */

export const form: Form = {
  id: "vso9PzRfHQus",
  name: "Customer contacts",
  questions: [
    question("4KC3", "Full name", "ShortAnswer"),
    question("aB9dE2fGh1", "Born", "DatePicker"),
    {
      ...question("plan1", "Plan", "Dropdown"),
      options: [{ value: "basic", label: "Basic plan" }, { value: "pro", label: "Pro plan" }],
    },
    {
      ...question("news", "Interests", "Checkboxes"),
      options: [{ value: "a", label: "A" }, { value: "b", label: "B" }],
    },
    question("num1", "Staff", "NumberInput"),
    question("yes1", "Agreed", "Switch"),
    question("addr", "Address", "Address"),
    question("file", "Contract", "FileUpload"),
    question("new1", "Something new", "HologramPicker"),
    question("note", "Note", undefined),
  ],
  calculations: [{ id: "cal1", name: "Total" }],
  urlParameters: [{ id: "legacy_id", name: "legacy_id" }, { id: "source", name: "source" }],
  scheduling: [{ id: "sch1", name: "Booking" }],
  payments: [{ id: "pay1", name: "Fee" }],
  quiz: { enabled: true },
}

const booking = {
  fullName: "Ada Lovelace",
  email: "ada@example.org",
  timezone: "Europe/London",
  eventStartTime: "2020-03-01T10:00:00.000Z",
  eventEndTime: "2020-03-01T10:30:00.000Z",
  eventId: "ev1",
  eventUrl: "https://example.org/ev1",
  rescheduleOrCancelUrl: "https://example.org/ev1/c",
  userId: 7,
  scheduledUserEmail: "bob@example.org",
  meetingNotes: "none",
}

const fee = {
  paymentId: "pi_1",
  totalAmount: 99.9,
  currency: "EUR",
  email: "ada@example.org",
  status: "succeeded",
  gatewayCustomerId: "cus_1",
  gatewayCustomerUrl: "https://acme.example/cus_1",
  gatewayPaymentUrl: "https://acme.example/pi_1",
  gatewaySubscriptionId: "sub_1",
}

const answers = [
  { id: "4KC3", value: "Ada Lovelace" },
  { id: "aB9dE2fGh1", value: "1815-12-10" },
  { id: "plan1", value: "pro" },
  { id: "news", value: ["a", "b"] },
  { id: "num1", value: 12.5 },
  { id: "yes1", value: true },
  { id: "addr", value: { address: "1 Main St", city: "London", zipCode: "N1" } },
  { id: "file", value: [{ url: "https://example.org/c.pdf", filename: "c.pdf" }] },
  { id: "note", value: "Zeile 1\nZeile 2 – äöü 😀" },
]

export const items: ReadonlyArray<Item> = [
  {
    questions: answers,
    urlParameters: [{ id: "legacy_id", name: "legacy_id", value: "007" }],
    submissionTime: "2020-02-03T02:05:06.000Z",
    lastUpdatedAt: "2021-01-01T00:00:00.000Z",
    scheduling: [{ id: "sch1", value: booking }],
    payments: [{ id: "pay1", value: fee }],
    login: { email: "ada@example.org" },
  },
  { questions: [{ id: "4KC3", value: "Charles Babbage" }] },
]

export const full: Submission = {
  submissionId: "5f1c7f36-6f6b-4b9c-8c7e-3f0e6c1f2a11",
  submissionTime: "2020-02-03T02:05:06.000Z",
  lastUpdatedAt: "2021-01-01T00:00:00.000Z",
  questions: form.questions.map(({ id, name, type }) => ({
    id,
    name,
    type,
    known: id !== "new1",
    value: answers.find((answer) => answer.id === id)?.value ?? null,
  })),
  calculations: [{ id: "cal1", name: "Total", type: "number", value: "112.4" }],
  urlParameters: [
    { id: "legacy_id", name: "legacy_id", value: "007" },
    { id: "source", name: "source", value: null },
  ],
  scheduling: [{ id: "sch1", name: "Booking", value: booking }],
  payments: [{ id: "pay1", name: "Fee", value: { ...fee, discountCode: "SPRING" } }],
  quiz: { score: 3, maxScore: 5 },
  login: { email: "ada@example.org" },
  editLink: undefined,
}

export const sparse: Submission = {
  submissionId: "9a0b",
  submissionTime: "2024-05-06T07:08:09.123Z",
  lastUpdatedAt: "2024-05-06T07:08:09.123Z",
  questions: [
    { id: "4KC3", name: "Full name", type: "ShortAnswer", known: true, value: "Charles Babbage" },
    { id: "num1", name: "Staff", type: "NumberInput", known: true, value: null },
  ],
  calculations: [{ id: "cal1", name: "Total", type: "number", value: null }],
  urlParameters: [],
  scheduling: [{ id: "sch1", name: "Booking", value: null }],
  payments: [{ id: "pay1", name: "Fee", value: null }],
  quiz: { score: undefined, maxScore: undefined },
  login: undefined,
  editLink: undefined,
}

/** The meaning of the metadata and submission of a service with more operations. */
export const siblingForm: Form = {
  id: "sib1",
  name: "Bookings",
  questions: [{
    ...question("s1", "Plan", "Dropdown"),
    options: [{ value: "Basic", label: "Basic plan" }, { value: "Pro", label: "Pro plan" }],
  }],
  calculations: [{ id: "c1", name: "Summary" }, { id: "c2", name: "Total" }, { id: "c3", name: "Length" }],
  urlParameters: [{ id: "ref", name: "ref" }],
  scheduling: [{ id: "b1", name: "Visit" }],
  payments: [],
  quiz: undefined,
}

export const sibling: Submission = {
  submissionId: "5b2d",
  submissionTime: "2026-01-31T08:00:00.000Z",
  lastUpdatedAt: "2026-01-31T08:00:00.000Z",
  questions: [{ id: "s1", name: "Plan", type: "Dropdown", known: true, value: "Pro" }],
  calculations: [
    { id: "c1", name: "Summary", type: "text", value: "Pro, 1 h" },
    { id: "c2", name: "Total", type: "number", value: 12.5 },
    { id: "c3", name: "Length", type: "duration", value: null },
  ],
  urlParameters: [{ id: "ref", name: "ref", value: null }],
  scheduling: [{
    id: "b1",
    name: "Visit",
    value: {
      fullName: "Ada Lovelace",
      email: "ada@example.org",
      timezone: "Europe/London",
      eventStartTime: "2026-02-01T10:00:00.000Z",
      eventEndTime: "2026-02-01T11:00:00.000Z",
      eventId: "ev2",
      eventUrl: "https://calendar.example/ev2",
    },
  }],
  payments: [],
  quiz: { score: undefined, maxScore: undefined },
  login: undefined,
  editLink: undefined,
}
