import { Cause, Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { accountForLines } from "../../src/source/lineCount.ts"
import { learnRecords } from "../../src/source/text/quoteRule.ts"
import { config, csv, file, read, refusal, run, taken } from "./opening.ts"

const header = "id,name,note\n"
const rows = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `C-${from + at},Ada,fine\n`).join("")

describe("a stray quote at the start of a cell", () => {
  const stray = 'C-900,"Native" interactive graphics,fine\n'

  it("no line is lost after a stray quote near the start of the file or far from it, wherever blocks end", async () => {
    for (const count of [3, 8000]) {
      const text = `${header}${rows(1, count)}${stray}${rows(901, 920)}C-921,"Smith, John",fine\n${rows(922, 930)}`
      for (const blockSize of [997, 65_536, 1 << 20]) {
        const all = await csv(text, {}, { blockSize })
        expect(all.rows).toHaveLength(count + 31)
        expect(all.rows[count]).toEqual(["C-900", '"Native" interactive graphics', "fine"])
        expect(all.rows[count + 21]).toEqual(["C-921", "Smith, John", "fine"])
        expect(all.faults.size).toBe(0)
        expect(taken(all)["stray quotes"]).toBe(`kept as characters on line ${count + 2}`)
      }
    }
  })

  it("a stray quote counts as a character if it is never closed and every line is a record", async () => {
    const text = `${header}${rows(1, 3)}C-4,"Native,fine\n${rows(5, 900)}`
    for (const blockSize of [100, 1 << 20]) {
      const all = await csv(text, {}, { blockSize })
      expect(all.rows).toHaveLength(900)
      expect(all.rows[3]).toEqual(["C-4", '"Native', "fine"])
      expect(taken(all)["stray quotes"]).toBe("kept as characters on line 5")
    }
  })

  it("a stray quote does not affect well-quoted records after it", async () => {
    const all = await csv('a,b,c\n1,"2,3\n4,5,6\n7,"8, 9",10\n1,2,3\n')
    expect(all.rows).toEqual([["1", '"2', "3"], ["4", "5", "6"], ["7", "8, 9", "10"], ["1", "2", "3"]])
  })

  it("a quote that may be stray stops the reading if a later quote closes it, and the message names the lines", async () => {
    const text = `${header}${rows(1, 3)}C-4,"Native,fine\nC-5,Ada,fine\nC-6,Bob",fine\n${rows(7, 9)}`
    for (const blockSize of [50, 1 << 20]) {
      const message = await refusal(config(file(text)), { blockSize })
      expect(message).toContain("Quotes can be read in two ways on lines 5 to 7")
      expect(message).toContain("`quoteChar: none`")
    }
    const literal = await csv(text, { quoteChar: "none" })
    expect(literal.rows).toHaveLength(9)
    expect(literal.rows[5]).toEqual(["C-6", 'Bob"', "fine"])
    const quoted = await csv(text, { quoteChar: '"' })
    expect(quoted.rows[3]).toEqual(["C-4", "Native,fine\nC-5,Ada,fine\nC-6,Bob", "fine"])
  })

  it("a stray quote stops the reading if the rows that it encloses resemble all others except for spaces, blank lines, keys or width", async () => {
    const four = "id;name;mail;note\n"
    const few = Array.from({ length: 7 }, (_, at) => `${100 + at};Ann;p@x;fine\n`).join("")
    const named =
      "Ann;a@x;fine;1\nBob;b@x;fine;2\nCarl;c@x;fine;3\nDora;d@x;fine;4\nEve;e@x;fine;5\nFay;f@x;fine;6\nGil;g@x;fine;7\n"
    const swallowing = {
      "a cell that begins with a space": [four, '100;Ann;p@x;"Great\n101; Bob;p@x;course"\n'],
      "the same below other records": [four, few, '200;Ann;p@x;"Great\n201; Bob;p@x;course"\n'],
      "only cells that begin with a space": ['id;note\n1;fine\n2;fine\n3;"Great\n4; course"\n'],
      "blank lines": [four, few, '200;Ann;p@x;"Great\n\n\n201;Bob;p@x;course"\n'],
      "names of any shape": [
        "name;mail;note;no\n",
        named,
        'Jean-Luc;j@x;"Great;8\nO\'Neil;o@x;;9\nDr. No;n@x;a course";10\n',
      ],
      "names of any shape in two columns": [
        'name;note\nAnn;fine\nBob;fine\nJean-Luc;"Great\nDr. No;\nO\'Neil;a course"\n',
      ],
      "a paragraph above it in the record": [four, few, '200;"Ann,\n\nyes";p@x;"Great\n201;Bob;p@x;course"\n'],
      "an empty cell beyond the header": [four, '1;Ann;p@x;fine;\n2;Ann;p@x;"Great;\n3;Bob;p@x;course";\n'],
      "a stray quote before the key": ['note;id\nfine;1\n"Great;2\ncourse";3\n'],
    }
    for (const [what, parts] of Object.entries(swallowing)) {
      const text = parts.join("")
      for (const blockSize of [37, 1 << 20]) {
        const message = await refusal(config(file(text), { delimiter: ";" }), { blockSize })
        expect({ what, message }).toEqual({
          what,
          message: expect.stringContaining("can be read in two ways on lines"),
        })
      }
      const literal = await csv(text, { delimiter: ";", quoteChar: "none" })
      const lines = text.trimEnd().split("\n").filter((line) => line !== "")
      expect({ what, rows: literal.rows.length }).toEqual({ what, rows: lines.length - 1 })
    }
  })

  it("a stray quote stops the reading if it would swallow 51 rows of 300", async () => {
    const lines = Array.from({ length: 300 }, (_, at) => {
      const row = at + 1
      const [cell, note] = row === 200
        ? ["Ann", '"Native']
        : row === 251
        ? ["Ann", 'graphics"']
        : [row > 200 ? " " : "Ann", "fine"]
      return `${row};${cell};p@x;${note}\n`
    })
    expect(await refusal(config(file(`id;name;mail;note\n${lines.join("")}`)))).toContain("on lines 201 to 252")
  })

  it("the refusal names each place with a stray quote, at most ten", async () => {
    const pair = (id: number) => `C-${id},"a,x\nC-${id + 1},b",x\n`
    const text = header + rows(1, 2) + Array.from({ length: 12 }, (_, at) => pair(100 + 2 * at)).join("")
    expect(await refusal(config(file(text)))).toMatch(/lines 4 to 5, lines 6 to 7, .*lines 22 to 23 and 2 more/)
  })

  it("a file with a stray quote in each line takes linear time", async () => {
    const time = async (lines: number) => {
      const text = header + Array.from({ length: lines }, (_, at) => `C-${at},"N" x,fine\n`).join("")
      const path = file(text)
      const began = performance.now()
      const all = await run(read(config(path)))
      expect(all.rows).toHaveLength(lines)
      return performance.now() - began
    }
    await time(2000)
    const few = await time(10_000)
    expect(await time(80_000)).toBeLessThan(8 * 4 * few + 500)
  })
})

describe("a well-formed quoted record", () => {
  it("a quoted record stays one record with paragraphs, delimiters and doubled quotes, however its lines look", async () => {
    const note = 'He said ""hi"", and left.\n\nThen, after lunch,\nhe came, ""again"", back'
    const text = `${header}${rows(1, 3)}C-4,Ada,"${note}"\n${rows(5, 9)}`
    for (let blockSize = 1; blockSize < 60; blockSize += 7) {
      const all = await csv(text, {}, { blockSize })
      expect(all.rows).toHaveLength(9)
      expect(all.rows[3]![2]).toBe(note.replaceAll('""', '"'))
      expect(taken(all)).not.toHaveProperty("stray quotes")
    }
  })

  it("a quoted record stays one record if its lines have enough delimiters, but no key that resembles the other keys", async () => {
    const all = await csv(`${header}${rows(1, 3)}C-4,"one,two\nthree,four,five\nsix",fine\n${rows(5, 6)}`)
    expect(all.rows[3]).toEqual(["C-4", "one,two\nthree,four,five\nsix", "fine"])
  })
})

describe("a paragraph in a quoted cell", () => {
  it("a paragraph stays one cell if most of its delimiters are followed by spaces, and no key resembles the others", async () => {
    const four = "id,name,mail,note\n1,Ann,a@x,fine\n2,Bob,b@x,fine\n"
    for (
      const note of [
        "Colours:\nred, green, blue, yellow",
        "Dear all,\nthanks, and bye, Ann\n\nyes, 1,000 times",
        "a\nb,c,d,e\nf\ng",
      ]
    ) {
      const all = await csv(`${four}3,Carl,c@x,"${note}"\n4,Dora,d@x,fine\n`)
      expect(all.rows.map((row) => row[3])).toEqual(["fine", "fine", note, "fine"])
    }
  })

  it("a paragraph stays one cell if keys are names", async () => {
    const note = "Dear all,\nI was there, yes\nand, well, liked it\nBye"
    const all = await csv(`name,note\nAnn,fine\nJean-Luc,fine\nO'Neil,"${note}"\nDr. No,fine\n`)
    expect(all.rows[2]).toEqual(["O'Neil", note])
  })

  it("the cells after a paragraph don't make its lines count as records", async () => {
    const all = await csv('note,id\nfine,1\n"well, 2, but\nno, not 3",2\nfine,3\n', { delimiter: "," })
    expect(all.rows[1]).toEqual(["well, 2, but\nno, not 3", "2"])
  })
})

describe("a record with wrong quotes", () => {
  it("a record with wrong quotes is reported with its lines if it is certain where the next record starts", async () => {
    const all = await csv(`${header}${rows(1, 2)}C-3,"says "hi" and\nleaves, at once",fine\n${rows(4, 5)}`)
    expect([...all.faults]).toEqual([[3, expect.stringContaining("Row 3 (lines 4 to 5) has a quoted cell")]])
    expect(all.rows).toHaveLength(5)
  })

  it("a record with wrong quotes stops the reading if the following text may belong to it", async () => {
    const text = `${header}${rows(1, 2)}C-3,"says "hi", and\nso, he, left",fine\n${rows(4, 5)}`
    expect(await refusal(config(file(text)))).toContain(
      "Quotes are wrong on line 4: it is uncertain where the record ends",
    )
  })

  it("a record with wrong quotes is reported if the file ends inside its last line", async () => {
    const all = await csv(`${header}${rows(1, 3)}C-4,"Ada,cut sh`)
    expect([...all.faults.keys()]).toEqual([4])
  })
})

describe("the text after a doubtful record", () => {
  const stops = async (text: string, lines: string) => {
    for (const blockSize of [20, 1 << 20]) {
      expect(await refusal(config(file(text)), { blockSize })).toContain(lines)
    }
  }

  it("the text after a short quoted record must be a record, or else the reading stops", async () => {
    const short = (next: string) => `${header}${rows(1, 3)}C-4,"Ada\nand more"\n${next}${rows(6, 8)}`
    const all = await csv(short("C-5,Bob,fine\n"))
    expect([...all.faults.keys()]).toEqual([4])
    expect(all.rows).toHaveLength(8)
    await stops(short("the rest of it\n"), "on lines 5 to 6")
    // A line of the same width follows, so both records are too short.
    expect([...(await csv(short("C-5,Bob\n"))).faults.keys()]).toEqual([4, 5])
  })

  it("the text after a quoted record must have the expected width if the quoted record contains a line with a quote and a key", async () => {
    const taken = (next: string) => `${header}${rows(1, 3)}C-4,"Ada,x\nC-5,Bob",fine\n${next}${rows(7, 8)}`
    await stops(taken("one,more\n"), "on lines 5 to 6")
    // Without a key on that line, the cell is a paragraph, whatever follows.
    const prose = await csv(`${header}${rows(1, 3)}C-4,"Ada,x\nand Bob",fine\none,more\n${rows(7, 8)}`)
    expect(prose.rows[3]).toEqual(["C-4", "Ada,x\nand Bob", "fine"])
    expect([...prose.faults.keys()]).toEqual([5])
  })

  it("the text after a quoted record is not a record if it contains a closing quote without an opening quote", async () => {
    const torn = (next: string) => `${header}${rows(1, 2)}C-3,"says "hi" and\nleaves",fine\n${next}${rows(5, 6)}`
    expect([...(await csv(torn("C-4,Ada,fine\n"))).faults.keys()]).toEqual([3])
    await stops(torn('C-4,again",fine\n'), "Quotes are wrong on lines 4 to 5")
  })
})

describe("the expected shape of records", () => {
  it("the shape of records is learnt above the first torn record, and below it only from common shapes", async () => {
    // `x/1` is the key of a single record below a torn one, and has a different shape from its neighbours.
    const rule = (records: ReadonlyArray<ReadonlyArray<string>>) =>
      learnRecords(records, { width: { header: 3, titled: 3, pad: false }, open: true, key: [0] }).shapes
    const plain = Array.from({ length: 20 }, (_, at) => [`C-${at}`, "Ada", "fine"])
    const ragged = ["C-99", "a\nb"]
    expect(rule([...plain, ragged, ["x/1", "a", "b"]])).toEqual(new Set(["w-w9"]))
    expect(rule([["x/1", "a", "b"], ...plain, ragged])).toEqual(new Set(["w/w9", "w-w9"]))
    const common = Array.from({ length: 5 }, (_, at) => [`x/${at}`, "a", "b"])
    expect(rule([...plain, ragged, ...common])).toEqual(new Set(["w-w9", "w/w9"]))
    const all = await csv(`${header}${rows(1, 3)}C-4,"Ada\nx/1,a,b",fine\n${rows(20, 60)}`)
    expect(all.rows[3]).toEqual(["C-4", "Ada\nx/1,a,b", "fine"])
  })

  it("the shape of records includes a line with a similar key, whether or not its cells begin with a space", async () => {
    const inside = (record: string) =>
      `${header}${record}${record}${record}C-4,"Ada\nC-5, and, so\nend",fine\n${rows(6, 8)}`
    for (const record of ["C-1,Ada,fine\n", "C-1, Ada, fine\n"]) {
      expect(await refusal(config(file(inside(record))))).toContain("lines 5 to 7")
    }
  })

  it("the shape of records excludes prose if keys are words without digits", async () => {
    const letters = 'Name,Note\nAnn,"Dear all\nThanks, Bob"\nCarl,hi\n'
    expect((await csv(letters)).rows[0]).toEqual(["Ann", "Dear all\nThanks, Bob"])
    const wide = 'Name,Note,C,D\nAnn,"Hello\nThanks, Bob, and, so",1,2\nCarl,hi,3,4\n'
    expect((await csv(wide)).rows[0]).toEqual(["Ann", "Hello\nThanks, Bob, and, so", "1", "2"])
  })
})

describe("lines counted independently of the parser", () => {
  it("lines are all accounted for: above the data, as records, inside cells, or as blank lines", async () => {
    const text = `Results\n\nid,name,note\r\n1,a,b\r\r\n2,"x\ny\r\nz\r",c\n\n,,\n3,"${"long ".repeat(9)}",d`
    for (let blockSize = 1; blockSize < 40; blockSize++) {
      const all = await csv(text, { headerRow: 3 }, { blockSize })
      expect(all.files[0]!.file.lines).toEqual({ physical: 12, above: 3, records: 3, inside: 3, blank: 3, open: true })
      expect(all.files[0]!.file.longest).toEqual({ column: "name", row: 3, length: 45 })
    }
  })

  it("lines that don't add up end the reading with an internal error before any row is used", async () => {
    const lines = { physical: 12, above: 1, records: 9, inside: 0, blank: 1 }
    const counted = (physical: number) =>
      run(Effect.exit(accountForLines([{
        file: { file: "a.csv", format: "csv", bytes: 1, sha256: "", rows: 9, taken: [], lines: { ...lines, physical } },
      }])))
    expect(Exit.isSuccess(await counted(11))).toBe(true)
    const wrong = await counted(12)
    expect(Exit.isFailure(wrong) && Cause.pretty(wrong.cause)).toContain("The lines of a.csv don't add up: it has 12")
  })
})

describe("damaged text", () => {
  const damaged = (text: string) => Buffer.from(text.replaceAll("?", "\u00e4"), "latin1")
  const sound = Buffer.from("a,b\n1,schön größer für\n")

  it("a file with a few damaged bytes is still read as UTF-8, and its damaged rows are reported, wherever blocks end", async () => {
    const bytes = Buffer.concat([sound, damaged("2,M?ller\n3,ok\n4,x?"), Buffer.from("\n5,süß\n"), damaged("6,?")])
    for (const said of [{}, { encoding: "utf-8" }]) {
      for (const blockSize of [1, 2, 3, 7, 4096]) {
        const all = await csv(bytes, said, { blockSize })
        expect([...all.faults.keys()]).toEqual([2, 4, 6])
        expect(all.faults.get(2)).toContain('Row 2 (line 3) has damaged text in the column "b"')
        expect(all.rows[1]).toEqual(["2", "M\ufffdller"])
        expect(all.rows[4]).toEqual(["5", "süß"])
      }
    }
  })

  it("an emoji that a program encoded as two halves is damaged text, and not a reason to assume a different encoding", async () => {
    const halves = Buffer.from([0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80])
    const text = Buffer.concat([Buffer.from("id,note\n1,"), halves, Buffer.from("\n2,plain\n")])
    const all = await run(read(config(file(text))))
    expect(all.source.taken.find(({ what }) => what === "encoding")?.value).toMatch(/^UTF-8/)
    expect([...all.faults]).toEqual([[1, expect.stringContaining("are not valid UTF-8")]])
  })

  it("damaged text in the header is an error", async () => {
    const message = await refusal(config(file(Buffer.concat([damaged("a,M?ller\n"), sound])), { encoding: "utf-8" }))
    expect(message).toContain("has a damaged header")
  })

  it("damaged text is not a reason to read ASCII as a multi-byte encoding", async () => {
    for (const stray of ["\x8c\xe6", "\x93\xfa\x96\x7b", "\xc4\xe3\xba\xc3", "\xa4\xa4\xa4", "\x81\x40", "\xe9"]) {
      const bytes = Buffer.from(`id,text\n${"1,plain words here\n".repeat(300)}2,odd ${stray} bytes\n`, "latin1")
      const all = await csv(bytes)
      expect(taken(all).encoding).not.toMatch(/Shift_JIS|GB18030|Big5|EUC/)
    }
  })
})

describe("records without their last cells", () => {
  const text = 'a,b,c\n1,2,3\n4,5\n6\n7,8,9,10\n11,"x, y"\n'

  it("short records are accepted with raggedRows: pad, but longer records are not", async () => {
    const all = await csv(text, { raggedRows: "pad" })
    expect(all.rows).toEqual([["1", "2", "3"], ["4", "5"], ["6"], ["7", "8", "9", "10"], ["11", "x, y"]])
    expect([...all.faults]).toEqual([
      [4, expect.stringContaining("Row 4 (line 5) has 4 cells")],
      [5, expect.stringContaining("if its quotes enclose cells, but 3 if they are characters")],
    ])
  })

  it("short records are reported by default", async () => {
    const all = await csv(text)
    expect([...all.faults.keys()]).toEqual([2, 3, 4, 5])
  })
})
