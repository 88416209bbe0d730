import { cellText, isFilled } from "../domain/cell.ts"
import type { Cells } from "../domain/row.ts"
import { slashedBlocks } from "./blocks.ts"
import type { FormTool, MetaColumn, RecordTool, Sample } from "./FormTool.ts"
import { evidence, has, metaOf, type MetaTitles, positionOf } from "./sample.ts"

const ownTitles: MetaTitles = {
  start: { role: "started", format: "iso" },
  end: { role: "note", format: "iso" },
  _id: "id",
  _uuid: "id",
  _submission_time: { role: "submitted", format: "iso", zone: "UTC" },
  _validation_status: "note",
  _notes: "note",
  _status: "status",
  _submitted_by: "name",
  __version__: "note",
  _tags: "note",
  _index: "note",
  _parent_index: "note",
  _parent_table_name: "note",
  "meta/instanceid": "note",
}

/** Returns the position of the column that identifies a response. An edit in KoboToolbox keeps `_id`, but changes `_uuid` (kobotoolbox/kpi, pull request 5435). */
const keyOf = (sample: Pick<Sample, "plain">): ReadonlyArray<number> =>
  ["_id", "_uuid"].map((name) => positionOf(sample, name)).filter((position) => position >= 0).slice(0, 1)

const uuidNote = "An edit in KoboToolbox changes `_uuid`. With `_id` as the row key, edited responses are recognised."

const hxlTag = /^#[a-z][\w-]*(?:\s*\+\s*[a-z][\w-]*)*$/i

/** Whether a record contains only HXL tags, such as `#loc+name`. */
const isHxl = (cells: Cells): boolean =>
  cells.some(isFilled) && cells.every((cell) => !isFilled(cell) || hxlTag.test(cellText(cell).trim()))

/** KoboToolbox's API: the records in `results`. Their members are the questions' names, with those of groups. */
const koboData: RecordTool = {
  recognise: (members) => {
    const id = members.has("_uuid") || members.has("_id")
    if (!id || !members.has("_submission_time")) return undefined
    return evidence(
      [0.5, `records have "_submission_time" and "_id" or "_uuid"`],
      members.has("_xform_id_string") && [0.4, `and "_xform_id_string"`],
    )
  },
  learn: (columns) => {
    const titles = columns.map(({ title }) => title)
    const sample = { plain: titles.map((title) => title.toLowerCase()) }
    const known = metaOf(sample, ownTitles)
    const own = titles.flatMap((title, position): ReadonlyArray<MetaColumn> =>
      /^(?:_|meta\/|formhub\/)/.test(title) && known.every((column) => column.position !== position)
        ? [{ position, role: "note" }]
        : []
    )
    return {
      add: () => {},
      layout: () => ({
        variant: "API",
        titles,
        meta: [...known, ...own],
        key: keyOf(sample),
        notes: [
          uuidNote,
          "Columns have the names of questions and groups, and cells the names of options. Several choices are in one cell: the columns of individual options, which exports also have, are missing.",
        ],
        cells: (row) => row,
      }),
    }
  },
}

/** KoboToolbox: CSV and workbook, with names or labels as header. */
export const kobo: FormTool = {
  name: "kobo",
  title: "KoboToolbox",
  records: koboData,
  recognise: (sample) => {
    const time = has(sample, "_submission_time")
    const id = has(sample, "_id") || has(sample, "_uuid")
    const repeat = has(sample, "_parent_index") && has(sample, "_parent_table_name")
    const rest = ["_validation_status", "_submitted_by", "_index"].filter((name) => has(sample, name)).length
    if (!(time && id) && !repeat && !(id && rest >= 2)) return undefined
    return evidence(
      time && [0.5, `there is a column "_submission_time"`],
      id && [0.4, `there is a column "_id" or "_uuid"`],
      repeat && [0.8, `there are columns "_parent_index" and "_parent_table_name"`],
      rest > 0 && [0.1 * rest, `there are more of the tool's columns (_validation_status, _submitted_by, _index)`],
    )
  },
  layout: (sample) => {
    const headerRows = isHxl(sample.records[1] ?? []) ? 2 : 1
    const own = metaOf(sample, ownTitles)
    const repeat = has(sample, "_parent_index")
    return {
      variant: repeat ? "a repeat group's sheet" : headerRows === 2 ? "with HXL tags" : undefined,
      headerRows,
      meta: own,
      blocks: slashedBlocks(sample, headerRows, own),
      key: repeat ? [] : keyOf(sample),
      isHeader: isHxl,
      notes: [
        ...(repeat ? [] : [uuidNote]),
        "A column with all choices in one cell can be split if it contains the options' names. If it contains their labels, use the columns of the individual options.",
        ...(repeat
          ? ["Rows of a repeat group belong to a row of another sheet. Join them with `source.combine.with`."]
          : []),
      ],
    }
  },
}
