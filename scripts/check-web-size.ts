import { join, relative } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build, type Rollup } from 'vite'

// Builds the dashboard in memory and prints how much JavaScript each page loads, compressed with brotli, as the server sends it.
// Exit code 1 if the JavaScript before the first page, or a page's own part, is too large. Code that a page loads later, when it is
// needed, does not count.

const firstLimitKb = 180
const ownLimitKb = 80

const root = join(import.meta.dirname, '../packages/web')
const { output } = (await build({ root, logLevel: 'error', build: { write: false } })) as Rollup.RollupOutput
const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])))

/** Returns a chunk and everything that it imports before it runs. */
function loadedWith(fileName: string, found = new Set<string>()): Set<string> {
  if (found.has(fileName)) return found
  found.add(fileName)
  for (const name of chunks.get(fileName)?.imports ?? []) loadedWith(name, found)
  return found
}

/** The compressed size of chunks in KB (1,000 bytes). */
const sizeOf = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + brotliCompressSync(chunks.get(name)?.code ?? '').length, 0) / 1000

const entry = [...chunks.values()].find(({ isEntry }) => isEntry)
if (!entry) throw new Error('the build has no entry')
const frame = loadedWith(entry.fileName)
const frameKb = sizeOf(frame)
const pages = [...chunks.values()]
  .filter(({ facadeModuleId }) => facadeModuleId?.endsWith('/page.tsx') && facadeModuleId.includes('/src/pages/'))
  .map(({ fileName, facadeModuleId }) => {
    const own = sizeOf([...loadedWith(fileName)].filter((name) => !frame.has(name)))
    return { page: relative(join(root, 'src/pages'), facadeModuleId ?? '').replace('/page.tsx', ''), own }
  })
  .sort((a, b) => b.own - a.own)

let isTooLarge = pages.length === 0
const line = (name: string, kb: number, limitKb: number) => {
  isTooLarge ||= kb > limitKb
  console.log(`${name.padEnd(28)} ${kb.toFixed(1).padStart(6)} KB of ${limitKb}${kb > limitKb ? '  TOO LARGE' : ''}`)
}
// The pages that people open first.
for (const first of ['sign-in', 'overview']) {
  const own = pages.find(({ page }) => page === first)?.own
  if (own === undefined) throw new Error(`the build has no page ${first}`)
  line(`frame and ${first}`, frameKb + own, firstLimitKb)
}
for (const { page, own } of pages) line(page, own, ownLimitKb)
process.exitCode = isTooLarge ? 1 : 0
