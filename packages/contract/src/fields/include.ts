import { oneOrMore } from './one-or-more.ts'

/**
 * The query parameter `include`, which asks for additional parts of a response. It may be repeated, and a value may list several
 * parts, separated by commas. The result has no duplicates. `text` describes the parts for the API document.
 */
export const include = oneOrMore
