import { BadSheet } from "./xmlScan.ts"
import { xmlNumber, xmlText } from "./xmlText.ts"

const signs = { equals: 0x3d, quote: 0x22, apostrophe: 0x27 }

/** Goes through the attributes of a tag, one after the other. One is made for many tags. */
export class XmlAttributes {
  private xml: Buffer = Buffer.alloc(0)
  private at = 0
  private to = 0
  private nameFrom = 0
  private nameTo = 0
  /** Where the present one's value stands. */
  from = 0
  end = 0

  /** Begins with those of another tag. */
  over(xml: Buffer, from: number, to: number): void {
    this.xml = xml
    this.at = from
    this.to = to
  }

  /** Goes to the next one; false when there is none. */
  next(): boolean {
    const { to, xml } = this
    let at = this.at
    while (at < to && xml[at]! <= 0x20) at++
    if (at >= to) return false
    this.nameFrom = at
    while (at < to && xml[at] !== signs.equals && xml[at]! > 0x20) at++
    this.nameTo = at
    while (at < to && xml[at]! <= 0x20) at++
    const equals = xml[at++] === signs.equals
    while (at < to && xml[at]! <= 0x20) at++
    const quote = xml[at++]
    this.from = at
    while (at < to && xml[at] !== quote) at++
    if (!equals || at >= to || (quote !== signs.quote && quote !== signs.apostrophe)) {
      throw new BadSheet("an attribute without a value")
    }
    this.end = at
    this.at = at + 1
    return true
  }

  /** The character of a name that is but one; else 0. */
  get letter(): number {
    return this.nameTo - this.nameFrom === 1 ? this.xml[this.nameFrom]! : 0
  }

  get name(): string {
    return this.xml.toString("utf8", this.nameFrom, this.nameTo)
  }

  get text(): string {
    return xmlText(this.xml, this.from, this.end)
  }

  /** As `Number` reads it. */
  get number(): number {
    return xmlNumber(this.xml, this.from, this.end)
  }
}
