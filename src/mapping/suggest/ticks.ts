/** Words for yes and no in the languages that suggestions know, and what form tools write for ticked and unticked. Folded. */
const yes = new Set([
  "yes",
  "y",
  "true",
  "1",
  "x",
  "on",
  "checked",
  "selected",
  "ticked",
  "✓",
  "✔",
  "☑",
  "ja",
  "j",
  "wahr",
  "oui",
  "o",
  "vrai",
  "si",
  "s",
  "verdadero",
  "sim",
  "verdadeiro",
  "agree",
  "accepted",
  "i agree",
])
const no = new Set([
  "no",
  "n",
  "false",
  "0",
  "off",
  "unchecked",
  "not selected",
  "not checked",
  "☐",
  "✗",
  "nein",
  "falsch",
  "non",
  "faux",
  "nao",
  "falso",
  "no response",
])

const folded = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").trim().toLowerCase()

/** Whether a cell says yes. */
export const saysYes = (text: string): boolean => yes.has(folded(text))

/** Whether a cell says no. */
export const saysNo = (text: string): boolean => no.has(folded(text))

/** Whether a cell says yes or no. */
export const isTick = (text: string): boolean => text.length <= 12 && (saysYes(text) || saysNo(text))
