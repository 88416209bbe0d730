/** One level of a path and no more: a name can't lead out of the reports. */
export const isFolderName = (name: string): boolean => name !== "" && !/^\.+$/.test(name) && !/[/\\\p{Cc}]/u.test(name)
