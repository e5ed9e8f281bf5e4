import type { DeclaredTool, ToolWarning } from '@mandate/contract/tools'
import type { ToolWarningType } from '@mandate/contract/words/tool-words'
import { shortenText } from '../../../text/cut-text.ts'
import { type PlacedText, textsOf } from './definition-texts.ts'
import { findHiddenCharacter, readingsOf } from './hidden-characters.ts'
import { findInstructions } from './instructions.ts'
import { findLookAlikeTool, findOtherTool, type OtherTools } from './other-tools.ts'

/** Maximum number of warnings of a definition. */
const mostWarnings = 20
const mostDetail = 200

/** Places where an address is no link: identifiers of schemas. */
const schemaNames = /\/\$(?:schema|id|ref|anchor|comment)$/
const url = /\b(?:https?|ftp):\/\/[^\s"'<>)\]]{1,120}/i

/**
 * Returns what a person should look at in a definition. Looks at every text: name, title, description, and the keys and strings of schemas
 * and annotations. `others` are the tools of other servers in the environment.
 */
export function inspectDefinition(declared: DeclaredTool, others: OtherTools): ToolWarning[] {
  const warnings = new Map<string, ToolWarning>()
  const add = (type: ToolWarningType, where: string, detail: string) => {
    const key = `${type} ${where}`
    if (warnings.size < mostWarnings && !warnings.has(key))
      warnings.set(key, { type, where: where.toWellFormed(), detail: shortenText(detail, mostDetail).toWellFormed() })
  }
  const texts = textsOf(declared)
  for (const { where, text } of texts) {
    const hidden = findHiddenCharacter(text)
    if (hidden !== null) add('hidden_characters', where, `has the hidden character ${hidden}`)
  }
  addInstructions(texts, add)
  const shadowed = findLookAlikeTool(declared.name, others)
  if (shadowed)
    add(
      'shadows',
      'name',
      shadowed.name === declared.name
        ? `the server ${shadowed.server} has a tool of this name too`
        : `looks like ${visible(shadowed.name)}, a tool of the server ${shadowed.server}`,
    )
  if (declared.annotations === undefined) add('unannotated', 'annotations', 'the server declares no annotations')
  for (const { where, text, isKey } of texts) {
    if (isKey || where === 'name') continue
    const other = findOtherTool(text, others)
    if (other) add('names_other_tool', where, `names ${other.name}, a tool of the server ${other.server}`)
    const links = schemaNames.test(where) ? [] : readingsOf(text).map((reading) => url.exec(reading))
    const link = links.find((found) => found !== null)
    if (link) add('contains_url', where, `has the address ${visible(link[0])}`)
  }
  return [...warnings.values()]
}

/** Between two texts, so that nothing is found across them. */
const separator = '\n\n\n\n'

/** Searches all texts at once, because a schema may have thousands of short ones. */
function addInstructions(
  texts: readonly PlacedText[],
  add: (type: ToolWarningType, where: string, detail: string) => void,
) {
  const searched = texts.flatMap(({ where, text }) => readingsOf(text).map((reading) => ({ where, text: reading })))
  const joined = searched.map(({ text }) => text).join(separator)
  let [at, end] = [0, searched[0]?.text.length ?? 0]
  for (const found of findInstructions(joined)) {
    while (found.start > end && at + 1 < searched.length) {
      at++
      end += separator.length + searched[at]!.text.length
    }
    add(
      'instruction_like',
      searched[at]!.where,
      `reads like an instruction: ${visible(joined.slice(found.start, found.end))}`,
    )
  }
}

const visible = (text: string) => text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
