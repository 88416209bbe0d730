const letters: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", ø: "o", œ: "oe", ł: "l", đ: "d", ı: "i" }

/**
 * Numbers as they are written out in English, German, French, Spanish and Portuguese. Those that are another word too are left out: one (an article in most), sept and neuf,
 * dos, once.
 */
const numerals: ReadonlyMap<string, string> = new Map(
  ([
    ["2", "two zwei deux dois duas"],
    ["3", "three drei trois tres"],
    ["4", "four vier quatre cuatro quatro"],
    ["5", "five funf fuenf cinq cinco"],
    ["6", "six sechs seis"],
    ["7", "seven sieben siete sete"],
    ["8", "eight acht huit ocho oito"],
    ["9", "nine neun nueve nove"],
    ["10", "ten zehn dix diez dez"],
    ["12", "twelve zwolf zwoelf douze doce doze"],
  ] as const).flatMap(([digits, words]) => words.split(" ").map((word) => [word, digits] as const)),
)

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
 * their own, in digits also where they are written out.
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
    .map((word) => numerals.get(word) ?? word)

/** A text as it is compared for being the same title: its words, in their order. */
export const sameText = (text: string): string => wordsOf(text).join(" ")
