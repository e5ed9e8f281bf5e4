import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { anchorsOf, linksOf } from './read-links.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root })
const read = (page: string) => readFileSync(join(root, page), 'utf8')

/** What is wrong with a link of a page; null if it leads somewhere. */
function faultOf(page: string, link: string): string | null {
  if (/^[a-z]+:/.test(link)) return null
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : normalize(join(dirname(page), path))
  if (!existsSync(join(root, target))) return `${page}: ${link}: there is no ${target}`
  if (anchor === undefined) return null
  if (!target.endsWith('.md') || statSync(join(root, target)).isDirectory())
    return `${page}: ${link}: no page has the anchor`
  return anchorsOf(read(target)).has(anchor) ? null : `${page}: ${link}: ${target} has no such anchor`
}

test('every link between pages leads to a file and to an anchor that exist', () => {
  const faults = pages.flatMap((page) => linksOf(read(page)).flatMap((link) => faultOf(page, link) ?? []))
  expect(faults).toEqual([])
})

test('a link to a missing file, and one to a missing anchor, are found', () => {
  expect(faultOf('docs/edge.md', 'nowhere.md')).toContain('there is no docs/nowhere.md')
  expect(faultOf('docs/edge.md', 'mcp.md#nowhere')).toContain('docs/mcp.md has no such anchor')
  expect(faultOf('docs/edge.md', '../README.md#start')).toBeNull()
})

test('anchors are those that GitHub makes of headings, and those of <a id>', () => {
  const page =
    '# The `api` of it: all\n## GET /healthz\n## Same\n## Same\n```\n# not one\n```\n| <a id="term"></a>**Term** |'
  expect([...anchorsOf(page)]).toEqual(['the-api-of-it-all', 'get-healthz', 'same', 'same-1', 'term'])
})

test('README.md lists every page of docs/', () => {
  const listed = new Set(linksOf(read('README.md')).map((link) => link.split('#')[0]))
  const guides = pages.filter((page) => /^docs\/[^/]+\.md$/.test(page))
  expect(guides.filter((page) => !listed.has(page))).toEqual([])
})
