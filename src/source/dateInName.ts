/** A day, and maybe a time, as programs write them into names: `2026-11-20`, `20261120`, `2026_11_20T0200`, `2026-11-20 02.00.15`. */
const dated =
  /(?<!\d)((?:19|20)\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?:[-_.T ]{0,2}([01]\d|2[0-3])[-_.:h]?([0-5]\d)(?:[-_.:m]?([0-5]\d))?)?(?!\d)/

/** The date in a file's name, the last one where there are several, as digits that sort; undefined when there is none. */
export const dateInName = (path: string): string | undefined => {
  const name = path.replace(/^.*[\\/]/, "")
  const [year = "", , month = "", day = "", hour = "00", minute = "00", second = "00"] = [
    ...name.matchAll(new RegExp(dated, "g")),
  ].at(-1)?.slice(1) ?? []
  return year === "" ? undefined : year + month + day + hour + minute + second
}
