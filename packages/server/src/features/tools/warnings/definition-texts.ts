import type { DeclaredTool } from '@mandate/contract/tools'
import { cutText } from '../../../text/cut-text.ts'

/** A text in a definition. `where` is its place, such as `input_schema/properties/path/description`. */
export interface PlacedText {
  where: string
  text: string
  /** True for the name of a field. */
  isKey: boolean
}

const mostWhere = 200

/** Returns all texts of a definition: name, title, description, and every key and string of its schemas and annotations. */
export function textsOf(declared: DeclaredTool): PlacedText[] {
  const texts: PlacedText[] = []
  for (const field of ['name', 'title', 'description'] as const) {
    const text = declared[field]
    if (text !== undefined) texts.push({ where: field, text, isKey: false })
  }
  for (const field of ['input_schema', 'output_schema', 'annotations'] as const)
    if (declared[field] !== undefined) addTexts(texts, field, declared[field])
  return texts
}

// The contract limits the number of levels, so the recursion is short.
function addTexts(texts: PlacedText[], where: string, value: unknown): void {
  if (typeof value === 'string') texts.push({ where, text: value, isKey: false })
  if (typeof value !== 'object' || value === null) return
  for (const [key, held] of Object.entries(value)) {
    const place = cutText(`${where}/${key}`, mostWhere)
    if (!Array.isArray(value)) texts.push({ where: place, text: key, isKey: true })
    addTexts(texts, place, held)
  }
}
