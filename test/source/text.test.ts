import iconv from "iconv-lite"
import { describe, expect, it } from "vitest"
import { readerVersion } from "../../src/source/Source.ts"
import { config, csv, file, refusal, taken } from "./opening.ts"

/** Short texts as people write them, and the usual encodings of files in these languages. */
const writings: ReadonlyArray<readonly [string, ReadonlyArray<string>, string]> = [
  [
    "German",
    ["windows-1252", "macroman", "iso-8859-15"],
    "Name;Ort;Preis\nJürgen Müller;Köln;5 €\nUlrike Weiß;Lübeck;schöne Grüße\n",
  ],
  // Excel's "CSV (MS-DOS)".
  ["German (DOS)", ["cp850"], "Name;Straße;Größe\nJürgen;Müllerstraße;groß\nUlrike Weiß;Lübecker Weg;klein\n"],
  ["French (DOS)", ["cp850"], "Nom;Ville;Avis\nRené Lefèvre;Besançon;très bien, déjà répondu\n"],
  ["Spanish (DOS)", ["cp850"], "Nombre;Ciudad;Año\nJosé Núñez;Málaga;¿Qué opina?\nMaría;Córdoba;mañana\n"],
  ["Portuguese (DOS)", ["cp850"], "Nome;Cidade\nJoão Gonçalves;São Paulo\nAntónio;Évora\n"],
  ["Swedish (DOS)", ["cp850"], "Namn;Ort\nÅsa Öberg;Malmö\nBjörn;Göteborg\n"],
  ["French", ["windows-1252", "macroman"], "Nom;Ville;Avis\nRené Lefèvre;Besançon;très à l’aise, déjà répondu\n"],
  ["Spanish", ["windows-1252", "macroman"], "Nombre;Ciudad;Año\nJosé Núñez;Málaga;¿Qué opina?\nMaría;Córdoba;mañana\n"],
  ["Portuguese", ["windows-1252"], "Nome;Cidade\nJoão Gonçalves;São Paulo\nAntónio;Évora\n"],
  ["Swedish", ["windows-1252", "macroman"], "Namn;Ort\nÅsa Öberg;Malmö\nBjörn;Göteborg\n"],
  ["English", ["windows-1252", "macroman"], "Name;Note\nAda;It isn’t “done” – yet…\nBob;don’t know\n"],
  [
    "Polish",
    ["windows-1250", "iso-8859-2", "cp852"],
    "Imię;Miasto\nŁukasz Wiśniewski;Łódź\nMałgorzata;Gdańsk\nżółw;Kraków\n",
  ],
  [
    "Czech",
    ["windows-1250", "iso-8859-2", "cp852", "maccenteuro"],
    "Jméno;Město\nJiří Dvořák;Plzeň\nŽofie Černá;Brno\npříliš žluťoučký kůň;x\n",
  ],
  [
    "Hungarian",
    ["windows-1250", "iso-8859-2", "cp852"],
    "Név;Város\nGyőző Szűcs;Székesfehérvár\nárvíztűrő tükörfúrógép;Győr\n",
  ],
  ["Russian", ["windows-1251", "koi8-r", "iso-8859-5", "cp866"], "Имя;Город\nИван Петров;Москва\nМария;Казань\n"],
  ["Ukrainian", ["windows-1251", "koi8-u"], "Назва;Місто\nЄвген Їжак;Київ\nІрина;Чернігів\n"],
  ["Hebrew", ["windows-1255", "iso-8859-8"], "שם;עיר\nדוד כהן;תל אביב\nשרה לוי;ירושלים\n"],
  ["Arabic", ["windows-1256", "iso-8859-6"], "الاسم;المدينة\nمحمد علي;القاهرة\nفاطمة الزهراء;دمشق\n"],
  ["Thai", ["windows-874"], "ชื่อ;เมือง\nสมชาย ใจดี;กรุงเทพ\nมาลี สุขใจ;เชียงใหม่\n"],
  ["Estonian", ["windows-1257"], "Nimi;Linn\nÕnne Pärn;Põltsamaa\nÜlle Žukov;Tõrva\nKätlin Sõber;Võru\n"],
  ["Greek", ["windows-1253", "iso-8859-7", "cp737"], "Όνομα;Πόλη\nΓιώργος;Αθήνα\n"],
  ["Turkish", ["windows-1254", "macturkish", "cp857"], "Ad;Şehir\nAyşe Yılmaz;İzmir\nGökhan;Muğla\n"],
  ["Japanese", ["shift_jis", "euc-jp"], "名前;都市\n山田太郎;東京\nアンケートの回答です;大阪\n"],
  ["Chinese (simplified)", ["gbk", "gb18030"], "姓名;城市\n张伟;北京\n非常满意这次服务;上海\n"],
  ["Chinese (traditional)", ["big5"], "姓名;城市\n陳小明;臺北\n非常滿意這次服務;高雄\n"],
  ["Korean", ["euc-kr"], "이름;도시\n김철수;서울\n매우 만족합니다;부산\n"],
]

/** The header of 538's copy of a SurveyMonkey export up to its two non-ASCII bytes, and two of its rows. */
const starWars = Buffer.from(
  "RespondentID,Do you consider yourself to be a fan of the Expanded Universe?\x8c\xe6,Do you consider yourself to be a fan of the Star Trek franchise?\n"
    + "3292879998,No,No\n3292879538,,Yes\n",
  "latin1",
)

const encode = (text: string, encoding: string) =>
  iconv.encode(encoding === "macroman" ? text.replaceAll("€", "¤") : text, encoding)

const cells = (text: string) => text.trim().split("\n").map((line) => line.split(";"))

describe("a long text", () => {
  it.each([
    ["CR", "UTF-8", "\r"],
    ["CRLF", "UTF-8", "\r\n"],
    ["LF", "UTF-16LE", "\n"],
    ["LF", "windows-1252", "\n"],
  ])("is read whole with %s in %s, also a line that is longer than a piece", async (_, encoding, lineEnd) => {
    // U+010A has the byte of a line feed in UTF-16.
    const sign = encoding === "windows-1252" ? "ä" : "Ċ"
    const rows = Array.from({ length: 3_000 }, (_, at) => [String(at), sign.repeat(at === 1_500 ? 150_000 : at % 90)])
    const text = [["No", "Text"], ...rows].map((row) => row.join(";") + lineEnd).join("")
    const all = await csv(iconv.encode(text, encoding), { encoding })
    expect(all.rows.map((row) => row.map((cell) => cell ?? ""))).toEqual(rows)
  })
})

describe("the encoding of a source, if none is given", () => {
  it.each(writings.flatMap(([language, encodings, text]) => encodings.map((encoding) => [language, encoding, text])))(
    "the encoding of a short %s text in %s is detected and reported",
    async (_, encoding = "", text = "") => {
      const all = await csv(encode(text, encoding))
      const [header, ...rows] = cells(text)
      expect(all.source.columns.map((column) => column.title)).toEqual(header)
      expect(all.rows).toEqual(rows)
      expect(taken(all).encoding).toContain("(detected: it is not UTF-8)")
    },
  )

  it.each(["utf-16le", "utf-16be"])(
    "the encoding may be %s without a byte order mark, even for scripts without Latin letters",
    async (encoding) => {
      for (const [, , text] of writings) {
        const all = await csv(iconv.encode(text, encoding, { addBOM: false }))
        expect(all.rows).toEqual(cells(text).slice(1))
      }
    },
  )

  it.each([
    ["A,B\nx\0y,2\n\0,3\n", [["x\0y", "2"], ["\0", "3"]]],
    ["A,B\n\0,3\n", [["\0", "3"]]],
    ["A;B\r\n1;\0\r\n2;\0\r\n3;\0\r\n", [["1", "\0"], ["2", "\0"], ["3", "\0"]]],
    ["AB,C\n\0,\0,\n", [["\0", "\0"]]],
    ["id,t\n1,a\0b\0c\0d\0e\0f\0\n", [["1", "a\0b\0c\0d\0e\0f\0"]]],
  ])("the encoding is not UTF-16 because of a few zero bytes in cells: %j", async (text, rows) => {
    const all = await csv(text)
    expect(taken(all).encoding).toBe("UTF-8 (checked byte by byte)")
    expect(all.rows).toEqual(rows)
  })

  it("the encoding is found even if the first characteristic byte is far into the file", async () => {
    const text = `a;b\n${"1;plain\n".repeat(200_000)}2;Müller\n3;schön und größer\n`
    const all = await csv(iconv.encode(text, "windows-1252"))
    expect(taken(all).encoding).toBe("Windows-1252 (detected: it is not UTF-8)")
    expect(all.rows.at(-1)).toEqual(["3", "schön und größer"])
    expect(all.source.warnings).toEqual([])
  })

  it.each(["shift_jis", "gb18030", "big5", "euc-kr"])(
    "the encoding %s is detected whatever the length of a line that contains no ASCII",
    async (encoding) => {
      const word = encoding === "euc-kr"
        ? "김철수서울도시이름"
        : encoding === "big5"
        ? "非常滿意服務"
        : "東京都大阪市北海道"
      for (const length of [1_023, 2_048, 4_095, 4_096, 40_000]) {
        const text = `id;${word}\n1;${"x".repeat(length % 2)}${
          word.repeat(Math.ceil(length / word.length))
        }\n2;${word}\n`
        const all = await csv(encode(text, encoding))
        expect(all.rows).toEqual(cells(text).slice(1))
      }
    },
  )

  it.each(["windows-1251", "macroman"])(
    "the encoding %s is detected with CR as line end and an ASCII beginning",
    async (encoding) => {
      const text = `id;text\n${"1;plain\n".repeat(1_000)}${
        encoding === "macroman" ? "2;Müller\n3;schön und größer\n" : "2;Мария\n3;очень хорошо, спасибо\n"
      }`
      const all = await csv(encode(text.replaceAll("\n", "\r"), encoding))
      expect(all.rows).toEqual(cells(text).slice(1))
      expect(all.source.warnings).toEqual([])
    },
  )

  it("the encoding of European names that could be Windows-1252 or Windows-1250 is reported as a guess", async () => {
    const names = ["Jürgen Groß", "François Lefèvre", "Zoë Ärmel", "Søren Ødegård", "José Gómez"]
    const text = names.map((name) => `${name};Größe très élevé\n`).join("")
    const all = await csv(encode(`name;comment\n${text.repeat(10)}`, "windows-1252"))
    expect(all.source.warnings).toEqual([
      expect.stringMatching(/was read as Windows-1250, .* but Windows-1252 is about as likely/),
    ])
  })

  it.each([
    ["Croatian", [
      "Ivan Horvatić;Zadovoljan sam, ali često čekam",
      "Željka Jurić;Očekivala sam više",
      "Đuro Šarić;mogućnosti",
    ]],
    ["Serbian", ["Đorđe Petrović;Niš", "Nađa Živković;Čačak", "Miloš Obrenović;Šabac"]],
    ["Slovene", [
      "Žiga Kovač;Včasih moram čakati",
      "Špela Božič;Več časa za vprašanja",
      "Čedomir Pirc;preveč papirjev",
    ]],
  ])("the encoding of a short %s text in Windows-1250 is certain", async (_, rows) => {
    const all = await csv(encode(`name;comment\n${rows.join("\n")}\n`, "windows-1250"))
    expect(all.rows).toEqual(rows.map((row) => row.split(";")))
    expect(all.source.warnings).toEqual([])
  })

  it("the encoding of a German word next to a single letter is not MacRoman", async () => {
    const text = "no,name,mail,reason\n6,Größe ä,b,not-an-email: expected an email address\n"
    const all = await csv(iconv.encode(text, "windows-1252"))
    expect(all.rows[0]?.[1]).toBe("Größe ä")
  })

  it("the encoding of a text with the ligatures of a Mac is MacRoman", async () => {
    const text = "no,name,note\n1,Ann,of\ufb01ce\n2,Bob,\ufb02at and \ufb01ne\n"
    const all = await csv(iconv.encode(text, "macroman"))
    expect(all.rows.map((row) => row[2])).toEqual(["of\ufb01ce", "\ufb02at and \ufb01ne"])
  })

  it("the encoding of Spanish texts is Windows-1252, although most of their letters are the same in Windows-1250", async () => {
    const rows = [["Básico", "Inglés"], ["básico", "Español"], ["Básico", "Japonés"], ["JAPONÉS", "SEÑAS"]]
    const text = `${rows.map((row) => row.join(";")).join("\n")}\n`
    const all = await csv(encode(`nivel;idioma\n${text.repeat(20)}`, "windows-1252"))
    expect(all.rows.slice(0, 4)).toEqual(rows)
    expect(taken(all).encoding).toContain("Windows-1252")
  })

  it("the encoding of Latin words that end like Croatian ones is reported as a guess", async () => {
    const all = await csv(encode("a;b\nAcademiæ Scientiarum;Historiæ ecclesiæ\nMariæ;Sanctæ Mariæ\n", "windows-1252"))
    expect(all.source.warnings).toEqual([expect.stringContaining("about as likely")])
  })

  it("the encoding of a few kanji, which are also valid Chinese, is reported as a guess", async () => {
    const all = await csv(iconv.encode("id;name\n1;表示\n2;山田太郎\n3;表示\n4;鈴木一郎\n", "euc-jp"))
    expect(all.source.warnings).toEqual([expect.stringContaining("EUC-JP")])
  })

  it("an encoding is reported as a guess if only a few bytes determine it, as in 538's Star Wars survey", async () => {
    const all = await csv(starWars)
    expect(taken(all).encoding).toContain("Windows-1252 (detected")
    expect(all.source.warnings).toEqual([
      expect.stringMatching(/is not UTF-8\. It was read as Windows-1252, .* about as likely/),
    ])
    expect(all.source.columns.some((column) => column.title.endsWith("Expanded Universe?Œæ"))).toBe(true)
    expect(all.faults.size).toBe(0)
  })
})

describe("a text that is ASCII except for damaged UTF-8", () => {
  const plain = `a,b\n${"1,plain\n".repeat(200)}`
  const bytes = (text: string) => Buffer.from(text, "latin1")

  it.each([
    ["an emoji without its last byte, at the end of the file", "9,\xf0\x9f\x98"],
    ["an emoji without its last two bytes", "9,so \xf0\x9f far\n"],
    ["a euro sign without its last byte, at the end of the file", "9,5 \xe2\x82"],
    ["a euro sign without its last two bytes, at the end of the file", "9,5 \xe2"],
    ["an apostrophe without its last byte", "9,don\xe2\x80t\n"],
    ["a letter without its last byte, at the end of the file", "9,\xc3"],
    ["a letter without its last byte, after a letter and at the end of a cell", "9,Gr\xc3\n"],
    ["a letter without its last byte, next to one that is whole", "9,\xc3\xb6 M\xc3ller\n"],
    [
      "several characters without their last bytes, next to one that is whole",
      "9,\xc3\xb6 \xe2\x80 \xe2\x82 \xf0\x9f\x98\n",
    ],
  ])("a text with %s is UTF-8, and the row is named", async (_, last) => {
    for (const blockSize of [1024 * 1024, 7]) {
      const all = await csv(bytes(plain + last), {}, { blockSize })
      expect(taken(all).encoding).toBe("UTF-8 (checked byte by byte)")
      expect(all.rows.slice(0, 200)).toEqual(Array.from({ length: 200 }, () => ["1", "plain"]))
      expect([...all.faults]).toEqual([[201, expect.stringContaining('damaged text in the column "b"')]])
    }
  })

  it.each([
    "caf\xe9\x92s",
    "un \xe9t\xe9\xa0!",
    "Ol\xe9\x85",
    "S\xc3O PAULO",
    "AMANH\xc3\n8,x",
    "c\x9cur",
    "\x84Caf\xe9\x93",
    "caf\xe9",
  ])("a text with %j is not UTF-8 but has one byte for each letter", async (cell) => {
    const all = await csv(bytes(`${plain}9,${cell}`))
    expect(taken(all).encoding).toContain("(detected: it is not UTF-8)")
    expect(all.faults.size).toBe(0)
    expect(all.rows[200]?.[1]).toBe(iconv.decode(bytes(cell.split("\n")[0] ?? ""), "windows-1252"))
  })

  it("a text with German quotes in MacRoman is not UTF-8", async () => {
    const all = await csv(iconv.encode(`${plain}9,„Äpfel“ und ‚Ähren‘\n`, "macroman"))
    expect(all.rows[200]?.[1]).toBe("„Äpfel“ und ‚Ähren‘")
    expect(all.faults.size).toBe(0)
  })
})

describe("a damaged text in UTF-16", () => {
  const encoded = (text: string, encoding: string, addBOM: boolean) => {
    const bytes = Buffer.from(`${addBOM ? "\ufeff" : ""}${text}`, "utf16le")
    return encoding === "utf-16be" ? bytes.swap16() : bytes
  }

  it.each(["utf-16le", "utf-16be"])(
    "each row with half of a surrogate pair in %s is named, and the others are read, wherever blocks end",
    async (encoding) => {
      const text = `a,b\n1,😁\n2,\ud801x\n3,y\n4,😁\udc01\n5,"\ufffd"\n6,\ud83d`
      for (const blockSize of [1, 2, 3, 7, 4096]) {
        for (const [isMarked, said] of [[true, {}], [false, {}], [false, { encoding }]] as const) {
          const all = await csv(encoded(text, encoding, isMarked), said, { blockSize })
          expect(all.rows).toEqual([["1", "😁"], ["2", "\ufffdx"], ["3", "y"], ["4", "😁\ufffd"], ["5", "\ufffd"], [
            "6",
            "\ufffd",
          ]])
          expect([...all.faults.keys()]).toEqual([2, 4, 6])
          expect(all.faults.get(2)?.toUpperCase()).toContain(`NOT VALID ${encoding.toUpperCase()}`)
        }
      }
    },
  )

  it("half of an emoji and half of a code unit at the end of the file are damaged text, and no other emoji", async () => {
    for (const encoding of ["utf-16le", "utf-16be"]) {
      const all = await csv(encoded("a,b\n1,x\n2,👍", encoding, true).subarray(0, -1))
      expect(all.rows).toEqual([["1", "x"], ["2", "\ufffd\ufffd"]])
      expect([...all.faults.keys()]).toEqual([2])
    }
  })

  it("half of a code unit at the end of the file is damaged text", async () => {
    const all = await csv(Buffer.concat([encoded("a,b\n1,x\n2,y", "utf-16be", true), Buffer.of(0)]))
    expect(all.rows).toEqual([["1", "x"], ["2", "y\ufffd"]])
    expect([...all.faults.keys()]).toEqual([2])
  })

  it.each([
    ["UTF-8", Buffer.from("a,b\xc3", "latin1")],
    ["UTF-16", Buffer.concat([encoded("a,b", "utf-16le", true), Buffer.of(0)])],
  ])("a header in %s that ends the file in the middle of a character is an error", async (name, content) => {
    expect(await refusal(config(file(content)))).toContain(`some bytes of the title "b\ufffd" are not valid ${name}`)
  })

  it("half of a surrogate pair in the header is an error", async () => {
    expect(await refusal(config(file(encoded("a,\udc00b\n1,2\n", "utf-16le", true)))))
      .toContain('has a damaged header: some bytes of the title "\ufffdb" are not valid UTF-16LE')
  })
})

describe("a text with tabs", () => {
  it("a text with tabs may have literal quotes, even at the start of cells", async () => {
    const text = 'name\tsays\nAda\t"Hello\nBob\t"Good" morning\nCid\t5" pipe\nDan\tnothing\n'
    for (const blockSize of [1, 7, 4096]) {
      const all = await csv(text, {}, { blockSize })
      expect(all.rows).toEqual([["Ada", '"Hello'], ["Bob", '"Good" morning'], ["Cid", '5" pipe'], ["Dan", "nothing"]])
      expect(all.faults.size).toBe(0)
      expect(taken(all)["stray quotes"]).toBe("kept as characters on 2 lines: 2 and 3")
    }
  })

  it("a text with tabs has quoted cells if they are well quoted, as Excel writes them", async () => {
    const all = await csv(
      iconv.encode('name\tsays\r\nAda\t"a\tb\nc ""d"""\r\nBob\tx\r\n', "utf-16le", { addBOM: true }),
    )
    expect(all.rows).toEqual([["Ada", 'a\tb\nc "d"'], ["Bob", "x"]])
    expect(taken(all).quotes).toBeUndefined()
  })
})

describe("the delimiter of a text", () => {
  it("the delimiter is detected after a first line with a different delimiter", async () => {
    const all = await csv("Name, first and last;Amount, net\nAda, B.;1,5\nBob, C.;2,5\n")
    expect(all.rows).toEqual([["Ada, B.", "1,5"], ["Bob, C.", "2,5"]])
    const title = await csv("Results, all; of 2024\nid|name|city\n1|Ada|Köln\n2|Bob|Ulm\n")
    expect(taken(title)).toMatchObject({ delimiter: "pipe (detected)", header: "line 2 (detected)" })
  })

  it("the delimiter may be named by a sep= line in quotes, or by one with tabs", async () => {
    expect((await csv('"sep=;"\r\na;b\r\n1;2\r\n')).rows).toEqual([["1", "2"]])
    expect((await csv("sep=\t\na\tb\n1\t2,3\n")).rows).toEqual([["1", "2,3"]])
  })
})

describe("the header of a text", () => {
  it.each([
    ["a title above", "Results of 2024\nid,name,city\n1,Ada,Ulm\n2,Bob,Bonn\n", 2],
    ["a padded title and an empty line", "Results,,\n,,\nid,name,city\n1,Ada,Ulm\n2,Bob,Bonn\n", 3],
    [
      "names and values",
      "Survey,Customers,,\nDate,2024-01-01,,\n,,,\nid,name,city,zip\n1,Ada,Ulm,1\n2,Bob,Bonn,2\n",
      4,
    ],
    ["a title above columns with empty ones between", "Customers,,,,\nid,,name,,city\n1,,Ada,,Ulm\n2,,Bob,,Bonn\n", 2],
    ["names of groups", "Person,,Home,\nid,name,city,zip\n1,Ada,Ulm,1\n2,Bob,Bonn,2\n", 2],
    [
      "a title and names of groups in which titles are repeated",
      "Members,,,,\nPerson,,,Partner,\nid,name,city,name,city\n1,Ada,Ulm,Eve,Ulm\n2,Bob,Bonn,Zoe,Ulm\n",
      3,
    ],
  ])("the header is found and reported below %s", async (_, text, line) => {
    const all = await csv(text)
    const titles = all.source.columns.flatMap(({ title }) => title === "" ? [] : title)
    expect(titles.slice(0, 3)).toEqual(["id", "name", "city"])
    expect(all.rows).toHaveLength(2)
    expect(taken(all).header).toBe(`line ${line} (detected)`)
    expect(all.source.warnings).toEqual([expect.stringContaining(`seems to have its header on line ${line}:`)])
  })

  it.each([
    ["has one title only", "id,,\n1,2,3\n4,5,6\n"],
    ["is followed by a row of text", "id,,\nAda,1,x\nBob,2,y\n"],
    ["names one of two columns", "id,\nAda,x\nBob,y\n"],
    ["has gaps, and a row of text follows", "id,,City,\nAda,x,Ulm,y\nBob,z,Bonn,u\n"],
    ["is followed by a second header row", "RespondentID,Which films?,,\n,A,B,C\n1,,B,\n2,A,,C\n"],
  ])("the first record is the header if it %s", async (_, text) => {
    const all = await csv(text)
    expect(all.source.columns[0]?.title).toMatch(/id/i)
    expect(taken(all).header).toBe("line 1")
  })

  it("a warning says that the row below a header without some titles may contain them, unless the pipeline says where the header is", async () => {
    const text = "Person,,Home,\nname,code,city,zip\nAda,a1,Ulm,N1\nBob,b2,Bonn,N2\n"
    expect((await csv(text)).source.warnings).toEqual([
      expect.stringMatching(
        / has 2 columns without titles in row 1\. If row 2 contains the titles, write `headerRow: 2`/,
      ),
    ])
    expect((await csv(text, { headerRow: 1 })).source.warnings).toEqual([])
    const repeated = ",Systems,,,,Colours,\n#,Linux,Mac,Other,Other,Red,Other\nk1,Linux,,,,Red,\nk2,,Mac,BSD,,,Blue\n"
    expect((await csv(repeated)).source.warnings).toEqual([
      expect.stringMatching(/ has 5 columns without titles in row 1\. If row 2 contains the titles/),
    ])
  })

  it("the header may have bare quotes inside its quotes", async () => {
    const all = await csv('\ufeff"Submission ID","Say "yes" please","Url"\n"a1","yes","x"\n"a2","no","y"\n')
    expect(all.source.columns.map((column) => column.name)).toEqual(["Submission ID", 'Say "yes" please', "Url"])
    expect(all.rows).toEqual([["a1", "yes", "x"], ["a2", "no", "y"]])
    expect(all.faults.size).toBe(0)
  })
})

describe("empty cells at the end of a row", () => {
  it("empty cells at the end don't count as extra cells, and cells under empty titles don't count as missing", async () => {
    const all = await csv("a,b,c\n1,2,3,\n1,2,3,,,\n1,2\n1,2,3,4\n,,,,\n")
    expect(all.rows).toEqual([["1", "2", "3"], ["1", "2", "3"], ["1", "2"], ["1", "2", "3", "4"]])
    expect([...all.faults.keys()]).toEqual([3, 4])
    const trailing = await csv("a,b,,\n1,2\n1,2,,\n1,2,x,\n1\n")
    expect(trailing.rows).toEqual([["1", "2"], ["1", "2", null, null], ["1", "2", "x", null], ["1"]])
    expect([...trailing.faults.keys()]).toEqual([4])
  })

  it("an empty cell beyond the header is reported unless many rows have one, because a cell before it may contain a delimiter", async () => {
    const unquoted = await csv("Name,Code,Remark\nAda,a1,new\nLove, jr,b2,\nCy,c3,\nDi,d4,x\n")
    expect([...unquoted.faults]).toEqual([[
      2,
      expect.stringContaining("Row 2 (line 3) has 4 cells, but the header has 3."),
    ]])
    const decimals = await csv("Name,Amount,Remark\nAda,12,50,\nBob,13,20,new\nCy,14,00,\nDi,15,10,x\nEve,1,70,y\n")
    expect(decimals.faults.size).toBe(5)
    const delimited = await csv("Name,Code,City\nAda,a1,Rome,\nBob,b2,Paris,\nCy,c3,Oslo\n")
    expect(delimited.faults.size).toBe(0)
  })
})

describe("a given encoding", () => {
  it("a given encoding takes precedence over detection", async () => {
    const all = await csv(starWars, { encoding: "macroman" })
    expect(all.source.columns.some((column) => column.title.endsWith("Universe?åÊ"))).toBe(true)
    expect(all.source.warnings).toEqual([])
  })
})

describe("the dialect of a source", () => {
  const dialect = async (text: string | Uint8Array, said = {}) => (await csv(text, said)).source.dialect

  it("the dialect describes how the text is read, regardless of its rows", async () => {
    expect(await dialect("a;b\n1;ä\n")).toEqual({
      format: "csv",
      encoding: "utf8",
      delimiter: ";",
      quotes: '"',
      reader: readerVersion,
    })
    expect(await dialect("a;b\n1;ä\n", { quoteChar: "none", encoding: "UTF_8" })).toMatchObject({
      encoding: "utf8",
      quotes: "none",
    })
  })

  it("the dialect has no encoding for ASCII and no delimiter for one column, so that a night without new rows changes nothing", async () => {
    expect(await dialect("a,b\n1,2\n")).not.toHaveProperty("encoding")
    expect(await dialect("a\n1\n")).not.toHaveProperty("delimiter")
  })
})

describe("quotes with `quoteChar: none`", () => {
  it("quotes are ordinary characters with `quoteChar: none`, whatever they surround", async () => {
    const all = await csv('a,b\n"1",x\n2,"y\n3,z"\n', { quoteChar: "none" })
    expect(all.rows).toEqual([['"1"', "x"], ["2", '"y'], ["3", 'z"']])
    expect(taken(all).quotes).toBe("ordinary characters")
  })
})
