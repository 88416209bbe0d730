const letters: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", ø: "o", œ: "oe", ł: "l", đ: "d", ı: "i" }

/** A text without markup that form tools leak into titles: tags, entities, piped fields, emphasis. */
const withoutMarkup = (text: string): string =>
  text.replaceAll(/<\/?[a-z][^<>]*>/gi, " ").replaceAll(/&(?:nbsp|amp|quot|#\d+);/gi, " ").replaceAll(
    /\{\{[^{}]*\}\}/g,
    " ",
  )

/** Lower case, without accents. */
const folded = (text: string): string =>
  text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll(
    /[ßæøœłđı]/g,
    (letter) => letters[letter] ?? letter,
  )

/**
 * The words of a title, as far as they tell anything: lower case, without accents and punctuation; `FirstName`, `first_name` and `first-name` are two words, numbers are words of
 * their own.
 */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  folded(
    withoutMarkup(text)
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
      .replaceAll(/(\p{L})(\d)|(\d)(\p{L})/gu, "$1$3 $2$4")
      .replaceAll(/['’`´]/g, "'"),
  )
    .replaceAll(/(\p{L})'(\p{L})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}#]+/u)
    .filter((word) => word !== "")

/** A text as it is compared for being the same title: its words, in their order. */
export const sameText = (text: string): string => wordsOf(text).join(" ")
