import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
/** Normalizes quotation marks and apostrophes, because documents use different characters for them. */
const plain = (text: string) => text.replaceAll(/[‘’]/g, "'").replaceAll("\\'", "'")
const pathOf = (named: string) => (/^(packages|test)\//.test(named) ? named : `packages/server/src/${named}`)

/** Returns the files that a page names in back quotes. Each comes with the titles that are quoted directly after it. */
function namedIn(page: string) {
  const named = /`([\w./-]+\.ts)`((?::\s*|;\s*)"[^"]+"(?:;\s*"[^"]+")*)?/g
  return [...read(page).matchAll(named)].map(([, file = '', titles = '']) => ({
    file: pathOf(file),
    titles: [...titles.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? ''),
  }))
}

/** The sections of OWASP ASVS 5.0.0 with their requirements of levels 1 and 2. */
const requirements = `
  1.1:1,2 1.2:1,2,3,4,5,6,7,8,9 1.3:1,2,3,4,5,6,7,8,9,10,11 1.4:1,2,3 1.5:1,2 2.1:1,2,3 2.2:1,2,3 2.3:1,2,3,4 2.4:1
  3.2:1,2 3.3:1,2,3,4 3.4:1,2,3,4,5,6 3.5:1,2,3,4,5 3.7:1,2 4.1:1,2,3 4.2:1 4.3:1,2 4.4:1,2,3,4 5.1:1 5.2:1,2,3 5.3:1,2
  5.4:1,2,3 6.1:1,2,3 6.2:1,2,3,4,5,6,7,8,9,10,11,12 6.3:1,2,3,4 6.4:1,2,3,4 6.5:1,2,3,4,5 6.6:1,2,3 6.8:1,2,3,4 7.1:1,2,3
  7.2:1,2,3,4 7.3:1,2 7.4:1,2,3,4,5 7.5:1,2 7.6:1,2 8.1:1,2 8.2:1,2,3 8.3:1 8.4:1 9.1:1,2,3 9.2:1,2,3,4 10.1:1,2 10.2:1,2
  10.3:1,2,3,4 10.4:1,2,3,4,5,6,7,8,9,10,11 10.5:1,2,3,4,5 10.6:1,2 10.7:1,2,3 11.1:1,2 11.2:1,2,3 11.3:1,2,3 11.4:1,2,3,4
  11.5:1 11.6:1 12.1:1,2,3 12.2:1,2 12.3:1,2,3,4 13.1:1 13.2:1,2,3,4,5 13.3:1,2 13.4:1,2,3,4,5 14.1:1,2 14.2:1,2,3,4
  14.3:1,2,3 15.1:1,2,3 15.2:1,2,3 15.3:1,2,3,4,5,6,7 16.1:1 16.2:1,2,3,4,5 16.3:1,2,3,4 16.4:1,2,3 16.5:1,2,3 17.1:1
  17.2:1,2,3,4 17.3:1,2`
  .trim()
  .split(/\s+/)
  .flatMap((section) => {
    const [number = '', list = ''] = section.split(':')
    return list.split(',').map((each) => `${number}.${each}`)
  })

describe.each(['docs/security.md', 'docs/asvs.md'])('%s', (page) => {
  it('names files and titles that exist', () => {
    const named = namedIn(page)
    expect(named.length).toBeGreaterThan(50)
    const wrong = named.flatMap(({ file, titles }) => {
      if (!existsSync(join(root, file))) return [file]
      const text = plain(read(file))
      return titles.filter((title) => !text.includes(plain(title))).map((title) => `${file}: ${title}`)
    })
    expect(wrong).toEqual([])
  })

  it('links to pages that exist', () => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] ?? '')
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([])
  })
})

it('docs/asvs.md has each requirement of levels 1 and 2 in exactly one row', () => {
  const rows = [...read('docs/asvs.md').matchAll(/^\| ((?:\d+\.\d+\.\d+(?:, )?)+) \|/gm)]
  const listed = rows.flatMap((match) => (match[1] ?? '').split(', '))
  expect(listed.toSorted()).toEqual(requirements.toSorted())
  expect(requirements).toHaveLength(253)
})
