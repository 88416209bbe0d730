// Lists phrases that a native reader stumbles over, and what to write instead. A phrase is listed only if it has no
// good use.
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, it } from "vitest"

const house = resolve(import.meta.dirname, "../..")

const avoided: ReadonlyArray<readonly [phrase: RegExp, instead: string]> = [
  [/\bfor ever\b/i, "permanently, can't be undone"],
  [/\bby hand\b/i, "manually"],
  [/\bcan't be told\b|\bcan't be had\b/i, "is unknown"],
  [/\bheld against\b/i, "compared with"],
  [/\bwhoever\b/i, "the person who"],
  [/\bgravest\b/i, "most severe"],
  [/\bthrown away\b|\bthrow-away\b/i, "deleted, temporary"],
  [/\banew\b/i, "restarted, rewritten"],
  [/\bnobody knows\b/i, "is unknown"],
  [/\bsomebody's word\b|\bby a person's word\b/i, "a person said"],
  [/\bwhat it came to\b|\bcame of it\b/i, "the result"],
  [/\bgo(es)? out once more\b|\bsent once more\b/i, "resent"],
  [/\bgo(es)? in again\b|\bwent in again\b|\bgo in a second time\b/i, "imported again"],
  [/\bleft out for good\b/i, "skipped permanently"],
  [/\bstood still\b/i, "was suspended"],
  [/\bin its stead\b/i, "instead"],
  [/\bthat is none\b|\bthat are none\b/i, "that is not one"],
  [/\bsays nothing of\b|\btells nothing of\b/i, "says nothing about"],
  [/\btake the # away\b/i, "remove the #"],
  [/\blikewise\b/i, "also"],
  [/\bwhat (became|becomes) of\b/i, "what happened to, the state of"],
  [/\btaken for\b/i, "treated as, read as"],
  [/\b(is|are|was|were|be|been|people|person) told\b/i, "is reported, is notified"],
  [/\btold apart\b|\btells? apart\b/i, "distinguished"],
  [/\bwhen left out\b/i, "by default"],
  [/\bneeds? a person\b(?! before)/i, "needs review"],
  [/\b(un)?mend(s|ed|ing)?\b|Mended/, "fixed"],
  [/\bfor good\b/i, "permanently"],
  [/\bsomebody (else )?(changed|deleted|removed|edited|made|wrote|looks?|asked|starts?|exports?)\b/i, "someone"],
  [/(?<!\bthere )\bis no (country|option|format|field|character|text|list|file|workbook)\b/i, "is not a"],
  [/\bexit status\b/i, "exit code"],
  [/\bas it stands\b|\bas they stand\b/i, "unchanged"],
  [/\bnow and then\b/i, "sometimes"],
  [/\bgoes on (as|where|with|from)\b|\bgo on where\b/i, "continues"],
  [/\bwithout a word\b/i, "silently"],
  [/\bto blame\b/i, "the cause"],
  [/\bbut for\b(?! which)/i, "except"],
  [/, be it\b/i, "even if it is"],
  [/\binside of\b|\bout of a\b/i, "inside, from a"],
  [/\bget lost\b|\bgets lost\b/i, "is lost"],
  [/\bin which nothing of\b|\bnothing of [a-z]+ takes part\b/i, "without"],
  [/\bshall not\b/i, "must not"],
]

const written = /\.(?:tsx?|css|mjs|py|sh|md|yml|yaml|service|timer)$|^\.ci.run$|\b(?:crontab|Dockerfile)$/

const folders = ["src", "test", "docs", ".ci", ".github", "pipelines", "config", "samples"]

const files = [
  ...readdirSync(house).filter((file) => written.test(file)),
  ...folders.flatMap((folder) =>
    readdirSync(join(house, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file))
  ).filter((file) => written.test(file)),
].filter((file) => join(house, file) !== import.meta.filename)

it("comments, messages, test titles and pages contain no phrase that the glossary avoids", () => {
  const found = files.flatMap((file) =>
    readFileSync(join(house, file), "utf8").split("\n").flatMap((line, at) =>
      avoided.filter(([phrase]) => phrase.test(line)).map(([, instead]) =>
        `${file}:${at + 1}: write "${instead}": ${line.trim()}`
      )
    )
  )
  expect(found).toEqual([])
})
