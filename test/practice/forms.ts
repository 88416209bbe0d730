import { formWith } from "../fakeForms.ts"

export const form = formWith({
  id: "f1",
  name: "Contacts",
  questions: [
    { id: "q1", name: "Name", type: "ShortAnswer", options: undefined },
    { id: "q2", name: "Colour", type: "Dropdown", options: [{ value: "r", label: "Red" }] },
  ],
  calculations: [{ id: "c1", name: "Sum" }],
  urlParameters: [{ id: "u1", name: "legacy_id" }],
  scheduling: [{ id: "s1", name: "Booking" }],
  payments: [{ id: "p1", name: "Fee" }],
})
