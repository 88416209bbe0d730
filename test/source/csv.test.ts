import { Effect, Either } from "effect"
import fc from "fast-check"
import iconv from "iconv-lite"
import { appendFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { eachChunk } from "../../src/source/chunks.ts"
import { limits } from "../../src/source/limits.ts"
import { openSource } from "../../src/source/openSource.ts"
import { normaliseLineEnds } from "../../src/source/text/quotes.ts"
import { seeds } from "../long.ts"
import { config, csv, file, open, read, refusal, run, taken } from "./opening.ts"

describe("rows of a CSV file", () => {
  it("rows are separated by LF, CRLF or CR, and keep line ends inside quoted cells unchanged", async () => {
    const text = 'a,b\r\n1,x\n2,"y\r\nz"\r3,"w\r"\n4,"v\r"\r\n"5",u\r\r\n6,"t\n"\r'
    const rows = [["1", "x"], ["2", "y\r\nz"], ["3", "w\r"], ["4", "v\r"], ["5", "u"], ["6", "t\n"]]
    for (let blockSize = 1; blockSize < text.length + 2; blockSize += seeds(4, 1)) {
      const all = await csv(text, {}, { blockSize })
      expect(all.rows).toEqual(rows)
      expect(all.faults.size).toBe(0)
    }
  })

  it("rows are numbered as records, and empty lines and records are counted, but not as rows", async () => {
    const all = await csv('\n\na,b\n\n1,2\n\n,\n"",""\n3,4\n\n')
    expect(all.rows).toEqual([["1", "2"], ["3", "4"]])
    expect(taken(all)).toMatchObject({ header: "line 3", "empty lines": "5 omitted, first above row 2" })
  })

  it("records that contain only white space count as empty, so they don't make the rows next to them doubtful", async () => {
    const all = await csv("a,b\n1,2\n   \n , \n3,4\n\u00a0\n\t")
    expect(all.rows).toEqual([["1", "2"], ["3", "4"]])
    expect(all.faults.size).toBe(0)
    expect(all.files[0]?.file.lines).toEqual({ physical: 7, above: 1, records: 2, inside: 0, blank: 4, open: true })
  })

  it("the sign that DOS programs write after the last line is not a record, but it is a character elsewhere", async () => {
    const text = "id,name\r\n1,A\u001a\r\n\u001a2,B\r\n"
    const rows = [["1", "A\u001a"], ["\u001a2", "B"]]
    for (const end of ["\u001a", ""]) {
      for (let blockSize = 1; blockSize < text.length + 2; blockSize++) {
        const all = await csv(text + end, {}, { blockSize })
        expect(all.rows).toEqual(rows)
        expect(all.faults.size).toBe(0)
        expect(all.files[0]?.file.lines).toEqual({ physical: 3, above: 1, records: 2, inside: 0, blank: 0 })
        expect(all.source.head?.records).toHaveLength(3)
      }
    }
    expect((await csv("id,name\n1,A\u001a")).rows).toEqual([["1", "A\u001a"]])
    expect((await csv("id,name\n1,A\n\u001a\u001a")).faults.size).toBe(2)
    expect((await csv("id,name\n\u001a")).rows).toEqual([])
  })

  it("rows keep their own width, and a row that is shorter or longer than the header is reported", async () => {
    const all = await csv("a,b,c\n1,2,3\n1,2\n1,2,3,4\n1,2,\n")
    expect(all.rows).toEqual([["1", "2", "3"], ["1", "2"], ["1", "2", "3", "4"], ["1", "2", null]])
    expect([...all.faults]).toEqual([
      [2, expect.stringContaining("Row 2 (line 3) has 2 cells, but the header has 3.")],
      [3, expect.stringContaining("Row 3 (line 4) has 4 cells, but the header has 3.")],
    ])
  })

  it("a row that repeats the header is reported, unless there is only one column", async () => {
    const faults = async (text: string) => [...(await csv(text)).faults]
    const problem = expect.stringContaining("repeats the header, as if two exports had been joined")
    expect(await faults("a,,c\n1,2,3\na,,c\na,,d\n4,5,6\n")).toEqual([[2, problem]])
    expect(await faults("a,B\n1,2\n\ufeffa,B\nA , b\n")).toEqual([[2, problem], [3, problem]])
    expect(await faults("Name\nAda\nName\n")).toEqual([])
  })

  it("a header in a different order is reported, and so are the rows below it until the first header is repeated", async () => {
    const { faults } = await csv(
      "Id;Name;Code;City\n1;Ada;a1;Rome\nID;City;Name;Street\n2;Oslo;Bob;Gate\nId;Name;Code;City\n3;Cy;c3;Bern\n",
    )
    expect([...faults]).toEqual([
      [2, expect.stringContaining("Row 2 (line 3) contains the header's titles in a different order")],
      [3, expect.stringContaining("Row 3 (line 4) is below a different header (Row 2 (line 3))")],
      [4, expect.stringContaining("repeats the header")],
    ])
  })

  it.each([
    ["ticked options", "Id;Red;Blue;Green\n1;Red;Blue;\n2;;Blue;Green\n"],
    ["a row with one title", "Name;City\nName;Rome\nAda;City\n"],
    ["titles directly below the header, which may be a second header", "Id;Name;City\nId;Full name;City\n1;Ada;Rome\n"],
    ["a row without dashes in each cell", "Name;City\n--;Rome\n;--\n"],
  ])("%s are not reported as another header or a separator line", async (_, text) => {
    expect((await csv(text, { headerRow: 1 })).faults.size).toBe(0)
  })

  it("a separator line among the rows is reported", async () => {
    const { faults } = await csv("Name|City\n----|------\nAda|Rome\n========|\nBob|Paris\n")
    const problem = expect.stringContaining("is a separator line, not a record. Remove it from the file, or skip it")
    expect([...faults]).toEqual([[1, problem], [3, problem]])
  })

  const orders = "No;Name;Paid;Note\n1;Ada;10;\n2;Bob;20;x\n3;Cid;30;\n4;Dan;40;\n5;Eve;50;\n"

  it("a second table below an empty row is reported with its rows, until the header is repeated", async () => {
    const faults = async (below: string) => [...(await csv(orders + below)).faults].map(([row]) => row)
    const { faults: [[, first] = [], [, second] = []] } = await csv(`${orders}\nCity;Land;Size;Note\nRom;IT;2;\n`)
      .then((read) => ({ faults: [...read.faults] }))
    expect(first).toContain("Row 6 (line 8) seems to begin a second table")
    expect(second).toContain("Row 7 (line 9) is below a different header (Row 6 (line 8))")
    // Its rows are like those of the first table.
    expect(await faults(";;;\nId;Item;Price;\n6;Fig;60;\nNo;Name;Paid;Note\n6;Fay;60;\n")).toEqual([6, 7, 8])
    // It has no cells in a column of the first table, so a row with such a cell is a record.
    expect(await faults(";;;\nItem;Shelf;;\nFig;A1;;\n;;;\nNuts;B2;;\n6;Fay;60;\n")).toEqual([6, 7, 8])
  })

  it("a legend below an empty row is reported if it has a title of a single cell", async () => {
    const { faults } = await csv(`${orders}\nTotal;;150;\n\nLegend;;;\nyellow;unpaid;;\nx;newsletter;;\n`)
    expect([...faults.keys()]).toEqual([8, 9])
    expect(faults.get(8)).toContain(
      "Row 8 (line 11) seems to begin a second table: it is below an empty row and what may be a title",
    )
  })

  it.each([
    ["a record below an empty row", "\n6;Fay;60;\n7;Gil;;\n"],
    ["a record that lacks one usual value", "\n;Fay;60;\n\nx;Gil;70;\n\n8;Hal;unknown;\n"],
    ["totals and notes", "\nTotal;;150;\n\nPage two;;;\n"],
    ["a record below a title", "\nNew;;;\n6;Fay;60;\nx;Gil;;\n"],
    ["titles without an empty row above them", "City;Land;Size;Note\n"],
  ])("%s is not reported as a second table", async (_, below) => {
    expect((await csv(orders + below)).faults.size).toBe(0)
  })

  it("a row below an empty one is not compared with fewer than five rows above it", async () => {
    expect((await csv("No;Name;Paid\n1;Ada;10\n2;Bob;20\n\nCity;Land;Size\n")).faults.size).toBe(0)
  })

  it("a quoted record after a byte order mark inside a file is reported, whether or not it repeats the header", async () => {
    const one = '\ufeff"Name","City"\n"A","B"\n'
    expect([...(await csv(one + one)).faults]).toEqual([
      [2, expect.stringContaining("repeats the header, as if two exports had been joined")],
    ])
    for (const [first, second] of [[one, '\ufeff"Bob","X"\n'], ["Name\nAda\n", '\ufeff"Name"\nBob\n']] as const) {
      expect([...(await csv(first + second)).faults]).toEqual([
        [2, expect.stringContaining("starts with a byte order mark and a quote, as if two files had been joined")],
      ])
    }
  })

  it("a row next to a line of a single cell is reported, because a line break inside a cell may have split it", async () => {
    const partial = (side: string) =>
      expect.stringContaining(`may be only part of a record, because the line ${side} it`)
    const single = expect.stringContaining("has 1 cell, but the header has 2.")
    const faults = async (text: string, said = {}) => [...(await csv(text, said)).faults]
    expect(await faults("a,b\n1,x\n2,first\nsecond\n\nthird\n3,y\n4,z\n")).toEqual([
      [2, partial("after")],
      [3, single],
      [4, single],
      [5, partial("before")],
    ])
    expect(await faults("a,b\n1\rx,2\n3,4\n")).toEqual([[1, single], [2, partial("before")]])
    // Neither cell can continue on the line between them.
    expect(await faults("a,b\n1,\n# note\n,2\n")).toEqual([[2, single]])
    expect(await faults("a,b\n1,x\n2\n3,y\n", { raggedRows: "pad" })).toEqual([])
    const many = `a,b\n${"1,2\n".repeat(10_000)}end\n`
    expect((await faults(many)).map(([row]) => row)).toEqual([10_000, 10_001])
  })

  it("a row is reported if a quote inside a quoted cell is not doubled", async () => {
    const all = await csv('a,b,c\n1,2,3\n4,"says "hi" to all",6\n7,8,9\n')
    expect([...all.faults.keys()]).toEqual([2])
    expect(all.faults.get(2)).toContain(
      "Row 2 (line 3) has a quoted cell that is not closed, or with a quote inside that is not doubled",
    )
    expect(all.rows.at(-1)).toEqual(["7", "8", "9"])
  })

  it("rows may contain quotes inside a cell, spaces after a closing quote, NUL characters, and a column called __proto__", async () => {
    const all = await csv('__proto__,b,constructor\n5" pipe,"x" ,y\0z\n')
    expect(all.rows).toEqual([['5" pipe', "x", "y\0z"]])
    expect(all.source.columns.map((column) => column.name)).toEqual(["__proto__", "b", "constructor"])
  })

  it("a file whose first line contains several NUL characters is refused, although it is ASCII", async () => {
    const base = Buffer.concat([Buffer.from([3, 120, 1, 1, 2, 0, 0, 0, 65, 0]), Buffer.from("NAME\0\0C\r Ada  Bob ")])
    expect(await refusal(config(file(base, "dbf")))).toContain("is neither text nor a known kind of workbook")
    expect((await csv("id,n\0\r1,a\0\0\0\r")).rows).toEqual([["1", "a\0\0\0"]])
  })

  it("rows are returned in chunks of at most 4,096 with continuing numbers", async () => {
    const text = `a\n${Array.from({ length: 30_000 }, (_, at) => at).join("\n")}`
    const lengths: Array<number> = []
    await run(Effect.gen(function*() {
      const source = yield* openSource(config(file(text)))
      yield* eachChunk(source.read(), (chunk) => Effect.sync(() => lengths.push(chunk.rows.length)))
    }))
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(30_000)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(4096)
    expect(lengths.length).toBeGreaterThan(5)
  })
})

describe("a lone carriage return in CSV", () => {
  const text = fc.stringOf(fc.constantFrom("a", ",", '"', "\r", "\n", " ", '""'), { maxLength: 20 })

  it("a lone carriage return is normalised to a line feed, and a second normalisation changes nothing", () =>
    fc.assert(
      fc.property(text, (written) => {
        const normalised = normaliseLineEnds(written, ",")
        expect(normaliseLineEnds(normalised, ",")).toBe(normalised)
        expect(normalised.replaceAll(/[\r\n]/g, "")).toBe(written.replaceAll(/[\r\n]/g, ""))
      }),
      { seed: 7, numRuns: 500 },
    ))
})

describe("the delimiter of a CSV file", () => {
  it.each([
    ["semicolon", "Name;Wert\nA;1,5\nB;2,5\nC;3,5\n"],
    ["comma", 'Name,Text\nA,"x; y; z"\nB,"u; v; w"\n'],
    ["tab", "Name\tText, long\nA\tx, y\nB\tz\n"],
    ["pipe", 'Name|Text\n"A;|;|"|x\nB|y;z\n'],
  ])(
    "the delimiter is detected as %s from the first records, and quoted delimiters don't count",
    async (name, text) => {
      const all = await csv(text)
      expect(taken(all).delimiter).toBe(`${name} (detected)`)
      expect(all.source.columns).toHaveLength(2)
      expect(all.faults.size).toBe(0)
    },
  )

  it("the delimiter may be given, named by a sep= line, or missing in a file with one column", async () => {
    expect((await csv("a,b;c\n1,2;3\n", { delimiter: ";" })).rows).toEqual([["1,2", "3"]])
    const told = await csv("sep=;\r\na;b,c\r\n1;2,3\r\n")
    expect(told.rows).toEqual([["1", "2,3"]])
    expect(taken(told)).toMatchObject({ delimiter: "semicolon (by the file's sep= line)", header: "line 2" })
    const one = await csv("only\n1\n2\n")
    expect(one.rows).toEqual([["1"], ["2"]])
    expect(taken(one).delimiter).toBe("none: one column")
  })
})

describe("the header of a CSV file", () => {
  it.each<readonly [string, ReadonlyArray<string>]>([
    ['"Say "yes", please","Say "hi"",c', ['Say "yes", please', 'Say "hi"', "c"]],
    ['id,"Do you "agree", or not?","Why?"', ["id", 'Do you "agree", or not?', "Why?"]],
    ['"id","Size 5", in inches","He said ""no"", and left"', ["id", 'Size 5", in inches', 'He said "no", and left']],
  ])(
    "the header may have bare quotes before delimiters if the rows show what was intended: %s",
    async (line, titles) => {
      for (const blockSize of [1, 7, 30, 4096]) {
        const all = await csv(`\ufeff${line}\r\n1,2,3\r\n4,"5, ""x""",6\r\n`, {}, { blockSize })
        expect(all.source.columns.map(({ title }) => title)).toEqual(titles)
        expect(all.rows).toEqual([["1", "2", "3"], ["4", '5, "x"', "6"]])
        expect(taken(all).header).toBe("line 1, with bare quotes in its titles")
      }
    },
  )

  it.each<readonly [string, ReadonlyArray<string>]>([
    ['id,name,"Other" comments', ["id", "name", '"Other" comments']],
    ['"id","name","Other" comments', ["id", "name", '"Other" comments']],
    ['id,"Other" comments,"name"', ["id", '"Other" comments', "name"]],
  ])("the header may have a title that begins with a bare quote, and no row is lost: %s", async (line, titles) => {
    for (const blockSize of [1, 30, 4096]) {
      const all = await csv(`${line}\n1,Anna,fine\n2,Cara,"not, so good"\n3,Dora,ok\n`, {}, { blockSize })
      expect(all.source.columns.map(({ title }) => title)).toEqual(titles)
      expect(all.rows).toEqual([["1", "Anna", "fine"], ["2", "Cara", "not, so good"], ["3", "Dora", "ok"]])
    }
  })

  it("quoted cells with spaces between them are refused, unless the pipeline names the space", async () => {
    const text = '"No" "Full name"\n"1" "Ada Lovelace"\n"2" NA\n'
    for (const one of [text, text.replaceAll('" ', '"   ')]) {
      expect(await refusal(config(file(one)))).toContain(
        "has spaces between its cells. Save it with commas",
      )
    }
    expect((await run(read(config(file(text), { delimiter: " " })))).rows).toEqual([["1", "Ada Lovelace"], ["2", "NA"]])
    expect((await run(read(config(file('"Full name"\n"Ada Lovelace"\n'))))).rows).toEqual([["Ada Lovelace"]])
  })

  it.each([
    ["mysql", "+----+------+\n| id | name |\n+----+------+\n|  1 | Ada  |\n+----+------+\n1 row in set (0.00 sec)\n"],
    ["psql", " id | name \n----+------\n  1 | Ada\n(1 row)\n\n"],
    ["sqlplus", "ID         NAME\n---------- ----------\n1          Ada\n\n1 row selected.\n"],
  ])(
    "a table that %s has printed for people is refused, unless the pipeline says that it is delimited text",
    async (_, text) => {
      const path = file(text, "txt")
      expect(await refusal(config(path))).toContain("is a table as a database client prints it for people.")
      expect((await run(read(config(path, { format: "csv" })))).rows.length).toBeGreaterThan(0)
    },
  )

  it("a row is rejected if a space comes before a quote that should enclose a cell", async () => {
    const text = 'No, Name, Comment\n1, Ada, "Fine"\n2, Bob, no "quotes"\n3, "Cat", "Bad, really"\n4,Dan,Ok\n'
    const all = await csv(text)
    expect([...all.faults]).toEqual([
      [
        1,
        "Row 1 (line 2) has a space before a quote, so the quote does not enclose a cell. Remove the space, or export the file without spaces after its delimiters.",
      ],
      [3, expect.stringContaining("Row 3 (line 4) has 4 cells")],
    ])
    expect((await csv(text, { quoteChar: "none" })).faults.size).toBe(1)
    const lines = await csv(
      'No,Name,Note,Comment\n1,Ada,"a\nb", "c"\n2,Bob, "Lovelace, Ada"\n3,Cat,a,b\n4,Dan,"c\nd",e\n',
    )
    expect([...lines.faults.keys()]).toEqual([1, 2])
    const quoted = await csv('No,Name,Comment\n1,Ada," ""Fine"" "\n2,"Bob", "a ""b"" c"\n')
    expect([quoted.rows[0], ...quoted.faults.keys()]).toEqual([["1", "Ada", ' "Fine" '], 2])
  })

  it("the header is refused if a quote in it encloses rows, and the rows don't show what was intended", async () => {
    const text = 'id,name,"Other" comments\n1,Anna,fine\n2,Ben\n3,Cara,"not, so good"\n4,Dora,ok\n'
    for (const blockSize of [1, 4096]) {
      expect(await refusal(config(file(text)), { blockSize })).toMatch(
        /has no header\. Its quotes are wrong: a title on line 1 starts with a quote that is closed only on a later line/,
      )
    }
  })

  it("the header is not guessed if bare quotes allow two readings or none", async () => {
    for (const line of ['"a","b",c","d"', '"a" b","c']) {
      const all = await run(Effect.either(read(config(file(`${line}\n1,2,3\n4,5,6\n`)))))
      if (Either.isRight(all)) {
        expect(all.right.files[0]?.file.taken).not.toContainEqual(
          expect.objectContaining({ value: expect.stringContaining("bare") }),
        )
      }
    }
  })

  it("the header may follow lines that are counted as skipped, including empty lines", async () => {
    const all = await csv("Results of 2024\n\nid,name,city\n1,Ada,Ulm\n2,Bob,Bonn\n")
    expect(all.source.warnings).toEqual([expect.stringContaining("on line 3: 2 lines above are not read")])
  })

  it("the header is in the line that headerRow names, and may be longer than the first part read", async () => {
    const all = await csv('Report\n\n"a\nb";c\n1;2\n', { headerRow: 3 })
    expect(all.source.columns.map((column) => column.name)).toEqual(["a b", "c"])
    expect(all.rows).toEqual([["1", "2"]])
    const wide = Array.from({ length: 12_000 }, (_, at) => `column number ${at}`)
    expect((await csv(`${wide.join(",")}\n`)).source.columns).toHaveLength(12_000)
  })

  it("a missing header is reported", async () => {
    expect(await refusal(config(file("a,b\n1,2\n"), { headerRow: 9 }))).toContain(
      "fewer than 9 lines, but `headerRow: 9`",
    )
    expect(await refusal(config(file("a,b\n\n1,2\n"), { headerRow: 2 }))).toContain("Line 2 is empty")
    expect(await refusal(config(file("\n\r\n\n")))).toContain("only empty lines")
  })

  it("a file without a header has numbered columns, as many as most records have cells", async () => {
    const all = await csv("sep=;\n\n1;Ada\n2;Bob\n3;Cy;x\n4;Dan", { headerRow: "none" })
    expect(all.source.columns.map((column) => column.name)).toEqual(["column 1", "column 2"])
    expect(all.rows).toEqual([["1", "Ada"], ["2", "Bob"], ["3", "Cy", "x"], ["4", "Dan"]])
    expect([...all.faults.keys()]).toEqual([3])
  })

  it.each([
    ["an email address", "Ada,ada@example.org\nBob,bob@example.org\nCy,\n"],
    ["a web address", "Ada;https://example.org/1\nBob;https://example.org/2\n"],
    ["a phone number", "Ada,+49 30 1234567\nBob,+49 30 1234568\n"],
    ["a date", "Ada,3.2.2001 10:15,x\nBob,4.2.2001 11:00,x\n"],
    ["a number", "1,Ada\n2,Bob\n3,Cy\n"],
    ["a number", "399.1989,74.37\n401.1274,73.73\n"],
    ["a number", "22,19,20\n27,19,16\n"],
    ["a number", "0,0\n0.01,0\n"],
    ["a text that is also in a row below", "Ada;female;Rome\nBob;male;Oslo\nEve;female;Rome\n"],
  ])("a row at the place of the header is refused, unless the pipeline says what it is (%s)", async (what, text) => {
    const refused = await refusal(config(file(text)))
    expect(refused).toMatch(/seems to have no header: in row 1, column [12] contains /)
    expect(refused).toContain(`contains ${what}`)
    expect(refused).not.toContain("ada@example.org")
    const lines = text.trim().split("\n").length
    expect((await csv(text, { headerRow: "none" })).rows).toHaveLength(lines)
    expect((await csv(text, { headerRow: 1 })).rows).toHaveLength(lines - 1)
  })

  it.each([
    "ada@example.org,bob@example.org\n1,2\n",
    "name,2024-01-01,2024-01-02\nAda,x,\n",
    "2019,2020\n2,3\n5,7\n",
    "1,2,3\n4,5,1\n2,2,2\n",
    "0.25,0.50\n2,3\n5,7\n",
    "1,2,3\nx,,x\n",
    "Red,Blue,Other\nRed,Blue,\n,Blue,Other\n",
    "name,city\nAda,Ulm\nname,city\nBob,Bonn\n",
  ])("titles that look like answers are titles if the cells below them don't (%j)", async (text) => {
    expect((await csv(text)).rows.length).toBeGreaterThan(0)
  })
})

describe("the encoding of a CSV file", () => {
  it.each(["windows-1252", "iso-8859-15", "windows-1251", "shift_jis", "gb18030", "utf-16be", "macroman"])(
    "an encoding named in the pipeline is used (%s), and characters stay whole wherever blocks end",
    async (encoding) => {
      const word = encoding === "windows-1251"
        ? "Привет"
        : encoding === "shift_jis" || encoding === "gb18030"
        ? "日本語"
        : "äöüß"
      const bytes = iconv.encode(`a;b\n${word};"${word}\n"\n`, encoding)
      for (let blockSize = 1; blockSize < 9; blockSize += seeds(2, 1)) {
        const all = await csv(bytes, { encoding }, { blockSize })
        expect(all.rows).toEqual([[word, `${word}\n`]])
        expect(taken(all).encoding).toBe(`${encoding} (as given)`)
      }
    },
  )

  it.each([["gb18030", "😀é中"], ["big5-hkscs", "Ê̄中"]])(
    "characters of several code units in %s stay whole wherever blocks end",
    async (encoding, word) => {
      const bytes = iconv.encode(`a;b\n${word};125\nx;${word}0`, encoding)
      for (let blockSize = 1; blockSize < 9; blockSize++) {
        expect((await csv(bytes, { encoding }, { blockSize })).rows).toEqual([[word, "125"], ["x", `${word}0`]])
      }
    },
  )

  it("UTF-16 without a byte order mark is detected by its zero bytes", async () => {
    const all = await csv(iconv.encode("name,city\nAda,London\n", "utf-16le"))
    expect(all.rows).toEqual([["Ada", "London"]])
    expect(taken(all).encoding).toBe("UTF-16LE (by its zero bytes)")
  })

  it("a wrong encoding in the pipeline is reported", async () => {
    expect(await refusal(config(file(Buffer.from("a\nx\x81\n", "latin1")), { encoding: "windows-1252" })))
      .toContain("It is not windows-1252, the encoding in `source.encoding`: a byte near line 2")
    const marked = await csv("\ufeffa\nä\n", { encoding: "windows-1252" })
    expect(marked.rows).toEqual([["ä"]])
    expect(marked.source.warnings).toEqual([expect.stringContaining("byte order mark of UTF-8")])
    expect((await csv("\ufeffa\nä\n", { encoding: "utf8" })).source.warnings).toEqual([])
  })
})

describe("a file that can't be read as CSV", () => {
  it("a quote that is never closed is refused, and the message names its line", async () => {
    const text = 'a,b\n1,2\n"x\ny",4\n5,"6\nseven\n9,10\n'
    for (let blockSize = 1; blockSize < text.length; blockSize += 3) {
      expect(await refusal(config(file(text)), { blockSize })).toContain("A quote that opens on line 5 is never closed")
    }
  })

  it("a quote that is never closed is refused once the record is too long, not at the end of the file", async () => {
    const path = file(`a,b\n1,2\n3,"4\n${"five to six\n".repeat(limits.record / 12 + 20_000)}`)
    expect(await refusal(config(path))).toContain(
      "The record that begins at line 3 is longer than 16,000,000 characters",
    )
  })

  it("a cell that is too long is refused", async () => {
    const message = await refusal(config(file(`a,b\n1,2\n1,${"x".repeat(limits.cell + 1)}\n`)))
    expect(message).toContain('The cell of row 2 (line 3) in the column "b" is longer than 4,000,000 characters')
  })

  it("a text is not an archive because a word such as mustard is at the position of an archive's signature", async () => {
    const text = `id,note\n1,${"x".repeat(246)}mustard\n`
    expect(text.indexOf("ustar")).toBe(257)
    expect((await csv(text)).rows).toHaveLength(1)
  })

  it("a pattern instead of a file's path is refused with the setting for patterns", async () => {
    expect(await refusal(config(file("a\n1\n").replace(/[^/\\]*$/, "*.csv")))).toMatch(
      /There is no file \S+\. Name the file itself\. In a pipeline, `file: \{ glob: PATTERN \}` under `source` reads all files that match a pattern\.$/,
    )
  })

  it("an empty file, a missing file, a folder, a PDF, a pointer of Git LFS, an XML document and an archive are refused", async () => {
    const path = file("")
    expect(await refusal(config(path))).toContain("is empty. Name a file that contains rows")
    expect(await refusal(config(`${path}x`))).toContain(
      `x. Did you mean \`${path.slice(path.lastIndexOf("/") + 1)}\`?`,
    )
    expect(await refusal(config(path.slice(0, path.lastIndexOf("/"))))).toContain("is a folder")
    expect(await refusal(config(file("%PDF-1.7\n")))).toContain("is a PDF document, not a file with rows")
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 12345\n`
    expect(await refusal(config(file(pointer)))).toContain("is a pointer of Git LFS, not the file itself")
    expect(await refusal(config(file(pointer, "xlsx")))).toContain("git lfs pull")
    const spreadsheet = '<?xml version="1.0"?>\n<Workbook><Row/></Workbook>\n'
    for (const extension of ["fods", "xls", "csv"]) {
      expect(await refusal(config(file(spreadsheet, extension)))).toContain("is an XML document, which can't be read.")
    }
    expect(await refusal(config(file(Buffer.from([0x1f, 0x8b, 8, 0]))))).toContain(
      "is damaged or cut short: it can't be unpacked",
    )
    expect(await refusal(config(file(Buffer.from("7z\xbc\xaf\x27\x1c", "latin1"))))).toContain(
      "is a 7z archive. Unpack it",
    )
    expect(await refusal(config(file("a\n1"), { format: "excel" }))).toContain("Write `format: csv`")
  })
})

describe("a file that is being written", () => {
  it("a file that is being written is refused at the end of the first reading, whatever was read", async () => {
    const path = file(`a\n${"1\n".repeat(100_000)}`)
    await run(Effect.gen(function*() {
      const source = yield* openSource(config(path), { blockSize: 4096 })
      let appended = false
      const reading = eachChunk(source.read(), () =>
        Effect.sync(() => {
          if (!appended) appendFileSync(path, "2\n")
          appended = true
        }))
      const result = yield* Effect.either(reading)
      expect(Either.isLeft(result) && result.left._tag).toBe("SourceChanged")
      expect(yield* source.files).toEqual([])
    }))
  })

  it("a file is not read ahead of its consumer", async () => {
    const path = file(`a\n${"1\n".repeat(20_000)}`)
    await run(Effect.gen(function*() {
      const source = yield* openSource(config(path), { blockSize: 1024 })
      const before = open.reads
      let chunks = 0
      yield* eachChunk(
        source.read(),
        () => Effect.sync(() => expect(open.reads - before).toBeLessThanOrEqual(++chunks + 1)),
      )
      expect(chunks).toBe(40)
    }))
  })
})

describe("a fixed rejected.csv", () => {
  const id = `r${"0".repeat(32)}`
  const text = `Name,Name,_id,_row,_key,_code,_column,_message\nAda,1,${id},17,k1,not-a-date,Born,"Say, ""when"""\n`
  const other = { format: "excel", encoding: "utf-16", delimiter: ";", headerRow: 4, sheet: "Responses" }

  it("a fixed rejected.csv is recognised, whatever the pipeline says about its own source", async () => {
    for (const options of [{}, { isFixed: true }]) {
      const all = await csv(text, other, options)
      expect(all.rows).toEqual([["Ada", "1", id, "17", "k1", "not-a-date", "Born", 'Say, "when"']])
      expect(all.source.columns.map((column) => column.name))
        .toEqual([undefined, undefined, "_id", "_row", "_key", "_code", "_column", "_message"])
      expect(taken(all).format).toBe("csv (rejected rows of an earlier run)")
    }
  })

  it("a fixed rejected.csv keeps a cell whose lines look like rejected rows", async () => {
    const row = (cell: string) => `${cell},r0,17,k1,not-a-date,Born,wrong\n`
    const inside = `note\n${row("Ada")}${row("Bob")}end`
    const all = await csv(`Name,_id,_row,_key,_code,_column,_message\n${row("Ada")}${row(`"${inside}"`)}`, other)
    expect(all.rows.map(([name]) => name)).toEqual(["Ada", inside])
  })

  it("a fixed rejected.csv may have a different delimiter after a spreadsheet program saved it", async () => {
    expect((await csv(text.replaceAll(",", ";"), other)).rows[0]).toHaveLength(8)
  })

  it("a fixed rejected.csv is recognised with more columns after its own, and rows with a cell in one of them are rejected", async () => {
    const padded = text.replace("_message\n", "_message,,todo\n").replace(/\n$/, ",,\n")
    const all = await csv(`${padded}Bob,2,${id},18,k2,required,Name,Missing,beyond,\n`, other)
    expect([...all.faults]).toEqual([[2, expect.stringContaining("has cells after the column _message")]])
  })

  it("a file that is not a rejected.csv is refused if one is required", async () => {
    expect(await refusal(config(file("a,b\n1,2\n")), { isFixed: true })).toContain("is not a rejected.csv")
  })
})
