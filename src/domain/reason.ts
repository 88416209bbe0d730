/** Stands for the reason in a suggested command. A person replaces it. */
export const reasonPlaceholder = "TEXT"

/** Returns the reason that a person gives, without spaces around it. Undefined if the text has no word, or only the placeholder. */
export const reasonIn = (text: string): string | undefined => {
  const words = text.replaceAll(/[^\p{L}\p{N}]+/gu, "")
  return words === "" || words === reasonPlaceholder ? undefined : text.trim()
}

/** What to give instead of a text without a reason. */
export const reasonWanted = "a reason in your own words"
