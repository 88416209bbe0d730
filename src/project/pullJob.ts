import * as Schema from "effect/Schema"
import { Name, Pointer, PositiveTime, RequestPath } from "./fields.ts"
import { expecting, needed, oneOfThese, optional, section } from "./section.ts"

/** A path that contains the id of a job or a file. */
const pathWith = (name: string) =>
  RequestPath.pipe(Schema.filter((path) => path.includes(`{${name}}`), { jsonSchema: { pattern: `\\{${name}\\}` } }))
    .annotations(expecting(`a path that contains \`{${name}}\``))

const States = Schema.NonEmptyArray(oneOfThese(Name, Schema.Number).annotations(expecting("a state")))
  .annotations(expecting("a list of states"))

const Status = section({
  at: needed(Pointer, { description: "The place of the state", examples: ["/result/status"] }),
  running: needed(States, {
    description: "The states in which the file isn't complete yet",
    examples: [["inProgress"]],
  }),
  completed: needed(States, { description: "The states in which the file is complete", examples: [["complete"]] }),
  failed: needed(States, { description: "The states in which the tool creates no file", examples: [["failed"]] }),
}).annotations(expecting("{ at: /status, running: […], completed: […], failed: […] }"))

/** A tool's job that creates a file. `request` starts it. */
export const Job = section({
  id: needed(Pointer, {
    description: "The place of the job's id in the answer to `request`",
    examples: ["/result/progressId"],
  }),
  poll: needed(pathWith("job"), {
    description: "The path of the request for the job's state, with the id as `{job}`",
    examples: ["/surveys/SV_1/export-responses/{job}"],
  }),
  status: needed(Status, {
    description: "The job's state in the answer to `poll`. A state that isn't listed is an error",
  }),
  file: needed(Pointer, {
    description: "The place of the file's id or address in the answer to `poll`, once the job is complete",
    examples: ["/result/fileId"],
  }),
  download: optional(pathWith("file"), {
    description:
      "The path of the request for the file, with its id as `{file}`. If omitted, the place in `file` must contain an address",
    examples: ["/surveys/SV_1/export-responses/{file}/file"],
  }),
  every: optional(PositiveTime, { description: "The time between two requests for the state", default: "5 seconds" }),
  within: optional(PositiveTime, { description: "How long the job may take", default: "30 minutes" }),
}).annotations({
  ...expecting("{ id: …, poll: …, status: …, file: … }"),
  identifier: "Job",
  description: "A tool's job that creates a file: how to find its state and the file",
})
