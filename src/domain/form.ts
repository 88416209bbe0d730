/** An option of a choice question. `value` is stored, and `label` is shown. */
export interface Option {
  readonly value: string
  readonly label: string
}

/**
 * Returns a function that names an option so that only this option is meant: by its label, or by its value if other options have the label as a name.
 */
export const optionNamer = (options: ReadonlyArray<Option>): (option: Option) => string => {
  const owners = new Map<string, string | undefined>()
  for (const { label, value } of options) {
    for (const name of [label.trim(), value.trim()]) {
      owners.set(name, owners.has(name) && owners.get(name) !== value ? undefined : value)
    }
  }
  return ({ label, value }) => owners.get(label.trim()) === value ? label : value
}

/** Returns an option's label. If its name is different, adds the name. */
export const optionTitle = ({ label }: Option, name: string): string => label === name ? label : `${label} (${name})`

/** A part of a form with an id and a name: a URL parameter, a scheduling or payment field, a calculation. */
export interface Element {
  readonly id: string
  readonly name: string
}

/** Returns a name in the form in which names are compared. */
export const plainName = (name: string): string => name.normalize("NFC").trim()

/** Returns how an element is called for people: by its name, or by its id if it has none. */
export const calledName = ({ id, name }: Element): string => name.trim() === "" ? id : name

/** Whether an entry identifies an element: by its id, otherwise by its name. */
export const names = (
  { id, name }: { readonly id?: string | undefined; readonly name?: string | undefined },
  element: Element,
): boolean => id === undefined ? name !== undefined && plainName(name) === plainName(element.name) : id === element.id

/** A question of a form. Its type and options are undefined if the service does not return them. */
export interface Question extends Element {
  readonly type: string | undefined
  readonly options: ReadonlyArray<Option> | undefined
}

/** A form as its metadata describes it (service interface, "Form metadata"). */
export interface Form {
  readonly id: string
  readonly name: string
  readonly questions: ReadonlyArray<Question>
  readonly calculations: ReadonlyArray<Element>
  readonly urlParameters: ReadonlyArray<Element>
  readonly scheduling: ReadonlyArray<Element>
  readonly payments: ReadonlyArray<Element>
  /** Defined only if quiz mode is enabled. */
  readonly quiz: { readonly enabled: boolean } | undefined
}

/** The lists of a form that a pipeline can fill, with the names of their members in messages. */
export const formLists = {
  questions: { one: "question", many: "questions" },
  urlParameters: { one: "URL parameter", many: "URL parameters" },
  scheduling: { one: "scheduling field", many: "scheduling fields" },
  payments: { one: "payment field", many: "payment fields" },
} as const

export type FormList = keyof typeof formLists
