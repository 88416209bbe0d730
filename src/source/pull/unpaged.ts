/** The pages are not as the pipeline says. The message is the end of a sentence. */
export class Unpaged extends Error {}

/** Records were deleted, arrived or were edited while the pages were read, so one may have been skipped. The message is the end of a sentence. */
export class Moved extends Unpaged {}
