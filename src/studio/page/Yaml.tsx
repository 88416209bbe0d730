import { autocompletion, completionKeymap } from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap, redo, undo } from "@codemirror/commands"
import { yaml } from "@codemirror/lang-yaml"
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language"
import { setDiagnostics } from "@codemirror/lint"
import { EditorState } from "@codemirror/state"
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view"
import { tags } from "@lezer/highlight"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import type { DraftState } from "../../domain/draft.ts"
import { call } from "./call.ts"
import { completionsOf } from "./completions.ts"
import { act } from "./controls.tsx"
import type { Bench, Draft } from "./draft.ts"
import { map as t } from "./strings.ts"

const colours = syntaxHighlighting(HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--series-a)" },
  { tag: [tags.string, tags.content], color: "var(--ink)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.meta, tags.keyword], color: "var(--calm)" },
]))

const look = EditorView.theme({
  "&": { backgroundColor: "var(--paper)", color: "var(--ink)", height: "100%", fontSize: "13px" },
  ".cm-scroller": { fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--card)", color: "var(--soft)", borderRight: "1px solid var(--line)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  // The usual marks are images in the style sheet, which the content security policy forbids.
  ".cm-lintRange": { backgroundImage: "none !important" },
  ".cm-lintRange-error": { textDecoration: "underline wavy var(--bad)" },
  ".cm-lintRange-warning": { textDecoration: "underline wavy var(--warn)" },
  ".cm-tooltip": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--edge)" },
})

/** Returns the smallest change that turns one text into another, so that the cursor and the history stay. */
const changeBetween = (before: string, after: string) => {
  let from = 0
  while (from < Math.min(before.length, after.length) && before[from] === after[from]) from++
  let end = 0
  while (end < Math.min(before.length, after.length) - from && before.at(-1 - end) === after.at(-1 - end)) end++
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) }
}

type Yaml = Readonly<{
  editing: Bench["editing"]
  draft: Draft
  diagnostics: DraftState["diagnostics"]
  /** The first line of the chosen question's entry. */
  line: number | undefined
  /** The line to which someone wants to move. */
  jump: { readonly at: number } | undefined
}>

/** The pipeline's text, with its mistakes in place. */
export const Yaml = ({ diagnostics, draft: { file, text }, editing, jump, line }: Yaml) => {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | undefined>(undefined)
  useEffect(() => {
    const host = place.current
    if (host === null) return
    // In a shadow root, CodeMirror adds its styles as objects, which a strict content security policy allows.
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" })
    let schema: Promise<unknown> | undefined
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightSpecialChars(),
          yaml(),
          colours,
          look,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": t.yamlOf(file), tabindex: "0" }),
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
          autocompletion({
            override: [(context) => {
              // The text is often incomplete while someone types, so the schema is that of the text as it was opened.
              schema ??= call("draft", "schema", { pipeline: editing.pipeline, text })
              return schema.then((known) => completionsOf(known, context), () => (schema = undefined, null))
            }],
          }),
          EditorView.updateListener.of((update) => update.docChanged && editing.change(update.state.doc.toString())),
        ],
      }),
    })
    view.current = made
    return () => made.destroy()
  }, [])
  useLayoutEffect(() => {
    // Someone may have typed since this text was drawn. The next key press must not bring back a discarded text.
    const [before, now = ""] = [view.current?.state.doc.toString(), editing.current()?.text]
    if (before !== undefined && before !== now) view.current?.dispatch({ changes: changeBetween(before, now) })
  }, [text])
  useEffect(() => {
    const made = view.current
    if (made === undefined) return
    const { state } = made
    const found = diagnostics.map(({ column, line, message, severity, suggestion = "" }) => {
      const { from, to } = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines))
      return { from: Math.min(from + column - 1, to), to, severity, message: `${message} ${suggestion}`.trim() }
    })
    made.dispatch(setDiagnostics(state, found))
    // The list of mistakes makes the editor smaller, which may hide the line in which someone is typing.
    if (made.hasFocus) made.dispatch({ effects: EditorView.scrollIntoView(state.selection.main) })
  }, [diagnostics.map(({ column, line, message }) => `${line} ${column} ${message}`).join("\n")])
  const goTo = (line = Infinity) => {
    const made = view.current
    if (made === undefined || line > made.state.doc.lines) return
    const { from } = made.state.doc.line(line)
    made.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) })
  }
  useEffect(() => goTo(line), [line])
  useEffect(() => {
    goTo(jump?.at)
    if (jump !== undefined) view.current?.focus()
  }, [jump])
  return (
    <>
      <div class="editor" ref={place} />
      <p class="acts">
        {act(t.undo, () => view.current !== undefined && undo(view.current), { repeats: true })}
        {act(t.redo, () => view.current !== undefined && redo(view.current), { repeats: true })}
      </p>
    </>
  )
}
