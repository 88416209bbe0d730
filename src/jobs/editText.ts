import * as Effect from "effect/Effect"
import type { Element } from "../domain/form.ts"
import type { DraftEntry } from "../project/PipelineDraft.ts"
import {
  ignore,
  keepsOthers,
  leaveUnanswered,
  markReviewed,
  proposedSourceKey,
  putEntry,
  removeEntry,
  removeProposal,
  setChoice,
  setSourceKey,
} from "../project/pipelineEdits.ts"
import type { TextEdit } from "./draftEdit.ts"
import { initRefused } from "./suggestMapping.ts"

const elementOf = (edit: { readonly question: string; readonly name?: string | undefined }): Element => ({
  id: edit.question,
  name: edit.name ?? "",
})

/** A change of a pipeline's text. Some are made from the form and the source. */
export type AnyEdit =
  | TextEdit
  | { readonly _tag: "LeaveUnanswered"; readonly question: Element }
  | { readonly _tag: "PutEntry"; readonly list: "questions" | "own"; readonly entry: DraftEntry }

/**
 * Changes a pipeline's text. Fails with JobRefused if the text's layout doesn't allow its lines to be changed, if anything else would change, or if it lacks what is changed.
 *
 * @param file the file's name for messages
 */
export const editText = (text: string, edit: AnyEdit, file = "The file") => {
  const changed = (edited: string | undefined) =>
    edited === undefined || !keepsOthers(text, edited)
      ? initRefused(
        `${file} can't be changed automatically as it is written. Edit its text: each entry of \`mapping\` and its lists must be on a line of its own, and each question and time must have one entry.`,
      )
      : Effect.succeed({ text: edited, entry: undefined })
  switch (edit._tag) {
    case "Accept":
      return changed(markReviewed(text, elementOf(edit)))
    case "Unmap": {
      const left = removeEntry(text, elementOf(edit))
      return left === text
        ? initRefused(`No entry for the question ${edit.question} was found. Remove it in the text.`)
        : changed(left)
    }
    case "SetChoice":
      return changed(setChoice(text, elementOf(edit), edit.choice, edit.option, edit.as))
    case "SetRowKey":
      return changed(setSourceKey(text, "rowKey", edit.columns.length === 0 ? "content" : edit.columns))
    case "AcceptProposal": {
      const value = proposedSourceKey(text, edit.key)
      return value === undefined
        ? initRefused(`The file proposes no \`${edit.key}\`.`)
        : changed(setSourceKey(text, edit.key, value))
    }
    case "RejectProposal":
      return changed(removeProposal(text, edit.key))
    case "IgnoreColumn":
      return changed(ignore(text, "ignore", edit.column))
    case "LeaveUnanswered":
      return changed(leaveUnanswered(text, edit.question))
    case "PutEntry":
      return changed(putEntry(text, edit.list, edit.entry))
  }
}
