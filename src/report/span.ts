export { lasting, span } from "../domain/words.ts"
