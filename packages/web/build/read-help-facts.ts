import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Who may do something: everyone who signs in, or people with at least this role. */
export type Floor = 'learner' | 'viewer' | 'member' | 'manager' | 'owner'

/** What people with a role may do. */
export interface Ability {
  floor: Floor
  /** The group of operations in the description of the API. */
  area: string
  summary: string
  /** True if the person also needs access to the whole organization. */
  needsAll?: true
}

/** One entry of the glossary. Its texts have `**` around bold words and backticks around code. */
export interface Word {
  id: string
  term: string
  meaning: string
  /** The page of the documentation that says more. */
  more?: string
}

export interface HelpFacts {
  abilities: Ability[]
  words: { group: string; words: Word[] }[]
  pages: { path: string; content: string }[]
}

interface Operation {
  summary: string
  tags: string[]
}

const floors: readonly Floor[] = ['learner', 'viewer', 'member', 'manager', 'owner']
/** Words that only the code uses are of no use on a screen. */
const ofTheCode = 'Words of the code'

/** Reads the facts of the page *Help* from the files that define them. @param root the folder of the repository */
export function readHelpFacts(root: string): HelpFacts {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  return {
    abilities: readAbilities(read('docs/access-matrix.md'), JSON.parse(read('packages/contract/openapi.json'))),
    words: readWords(read('docs/glossary.md')),
    pages: readPages(read('README.md')),
  }
}

/** The files that `readHelpFacts` reads. */
export const sourcesOfHelp = [
  'docs/access-matrix.md',
  'packages/contract/openapi.json',
  'docs/glossary.md',
  'README.md',
]

const cellsOf = (line: string) => line.replace(/^\|\s*|\s*\|\s*$/g, '').split(/\s*\|\s*/)
const rowsOf = (text: string) => text.split('\n').filter((line) => /^\| (?!---)/.test(line))
const isRefused = (status: string | undefined) => status === '401' || status === '403'

/** What each role may do, by the statuses that the server gave in the tests of its access rights. */
function readAbilities(
  matrix: string,
  { paths }: { paths: Record<string, Record<string, Operation | undefined>> },
): Ability[] {
  const [head = [], ...rows] = rowsOf(matrix.split('\n## ')[0] ?? '').map(cellsOf)
  return rows.flatMap((cells): Ability[] => {
    const status = (who: string) => cells[head.indexOf(who)]
    const [method = '', path = ''] = cells[0]?.split(' ') ?? []
    const operation = paths[path]?.[method.toLowerCase()]
    const floor = floors.find((one) => !isRefused(status(one)))
    // Everyone may call what is public, and only edges may call what every person is refused.
    if (!operation || !floor || !isRefused(status('nothing'))) return []
    const { summary, tags } = operation
    const ability = { floor, area: tags[0] ?? '', summary }
    return [isRefused(status(`scoped ${floor}`)) ? { ...ability, needsAll: true } : ability]
  })
}

function readWords(glossary: string): HelpFacts['words'] {
  const [, ...sections] = glossary.split('\n## ')
  return sections
    .map((section) => ({
      group: section.slice(0, section.indexOf('\n')).trim(),
      words: section.split('\n').flatMap((line): Word[] => {
        const [, id, term, text] = /^\| <a id="([^"]+)"><\/a>(.+?) \| (.+) \|$/.exec(line) ?? []
        if (id === undefined || term === undefined || text === undefined) return []
        const [, meaning = text, more] = /^(.*?)\s*More: \[([\w-]+\.md)\]\([^)]*\)\.$/.exec(text) ?? []
        return [{ id, term, meaning: withoutLinks(meaning), ...(more && { more: `docs/${more}` }) }]
      }),
    }))
    .filter(({ group }) => group !== ofTheCode)
}

/** The pages of the documentation, as the table of the README lists them. */
function readPages(readme: string): HelpFacts['pages'] {
  const section = readme.split('\n## Where next\n')[1]?.split('\n## ')[0] ?? ''
  return rowsOf(section)
    .map(cellsOf)
    .flatMap(([link = '', content = '']) => {
      const path = /^\[(docs\/[\w-]+\.md)\]/.exec(link)?.[1]
      return path === undefined ? [] : [{ path, content: withoutLinks(content) }]
    })
}

const withoutLinks = (text: string) => text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
