/** Returns the folder of a ledger in a file that contains its marks. It is next to the file. */
export const marksFolder = (ledger: string): string => `${ledger}.marks`
