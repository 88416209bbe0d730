import { BadSheet, xmlScanner } from "./xmlScan.ts"

const nothing = () => undefined

/**
 * Whether each element of an XML document ends where it should, and the document with its root. A reader that looks for rows by their signs does not
 * notice when what is behind them is gone.
 */
export const endsWell = (xml: Buffer): boolean => {
  const scanner = xmlScanner({ open: nothing, text: nothing, close: nothing })
  try {
    scanner.write(xml)
    scanner.end()
    return true
  } catch (error) {
    if (error instanceof BadSheet) return false
    throw error
  }
}
