import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

/**
 * Part of `npm run lint`: inside a package, folders must not import one another in a circle. Type imports count. Tests and their
 * fixtures do not. A file directly in `src/` counts as a folder of its own; so does `routes.ts`, which lists a feature's endpoints. Features must
 * not import one another in a circle either, whichever of their folders the files are in.
 * No folder of the repository has more than 25 files in git. Files of sub-folders do not count.
 * Takes the folder that contains the packages; `packages/` by default. Exits with 1 if there is a circle or a folder with too many files.
 */

/** From folder to imported folder, to one line for each import. */
type Graph = Map<string, Map<string, string[]>>

const isLive = (file: string) => !/\.test\.ts$|\.d\.ts$|(^|\/)(testing|fixtures|sweeps)\//.test(file)
const specifiers = /(?:\bfrom|\bimport|\bimport\()\s*'([^']+)'/g
const root = resolve(process.argv[2] ?? join(import.meta.dirname, '../packages'))
const mostFiles = 25
const mayHaveMore = [
  // The path of a page is its address.
  'docs',
  // The names of the files are one ordered list.
  'packages/server/src/db/migrations',
]

for (const source of globSync('*/src', { cwd: root }).sort()) {
  for (const placeOf of [folderOf, featureOf])
    reportCircles(dirname(source), readGraph(join(root, source), dirname(source), placeOf))
}
if (process.exitCode === 1) console.error('\nMove what both folders need to a folder that both may import.')
reportLargeFolders()

/** Reads the list of files from git, which leaves out what it ignores. */
function reportLargeFolders(): void {
  const files = execFileSync('git', ['ls-files', '-z', '--full-name', ':/'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)
  const folders = Map.groupBy(files, dirname)
  for (const [folder, { length }] of folders) {
    if (length <= mostFiles || mayHaveMore.includes(folder)) continue
    console.error(
      `${folder} has ${length} files, more than ${mostFiles}: move some to sub-folders named by what they do`,
    )
    process.exitCode = 1
  }
}

function reportCircles(name: string, graph: Graph): void {
  for (let circle = findCircle(graph); circle; circle = findCircle(graph)) {
    const next = [...circle.slice(1), circle[0] as string]
    const imports = circle.flatMap((from, index) => graph.get(from)?.get(next[index] as string) ?? [])
    console.error([`${name}: ${[...circle, circle[0]].join(' → ')}`, ...imports].join('\n    '))
    process.exitCode = 1
    graph.get(circle.at(-1) as string)?.delete(circle[0] as string)
  }
}

function readGraph(source: string, name: string, placeOf: (file: string) => string): Graph {
  const graph: Graph = new Map()
  for (const file of globSync('**/*.ts', { cwd: source }).filter(isLive).sort()) {
    const text = readFileSync(join(source, file), 'utf8')
    for (const [, specifier = ''] of text.matchAll(specifiers)) {
      const target = resolveImport(source, file, specifier, name)
      if (target === null || placeOf(target) === placeOf(file)) continue
      const imports = graph.get(placeOf(file)) ?? new Map<string, string[]>()
      graph.set(placeOf(file), imports)
      imports.set(placeOf(target), [...(imports.get(placeOf(target)) ?? []), `${file} imports ${target}`])
    }
  }
  return graph
}

/** The imported file, as a path in the same `src/`. Null if the file is elsewhere. */
function resolveImport(source: string, file: string, specifier: string, name: string): string | null {
  const own = `@mandate/${name}/`
  if (specifier.startsWith(own)) return `${specifier.slice(own.length)}.ts`
  if (!specifier.startsWith('.')) return null
  const target = relative(source, join(source, dirname(file), specifier))
  return target.startsWith('..') ? null : target
}

function folderOf(file: string): string {
  return file.includes('/') && basename(file) !== 'routes.ts' ? dirname(file) : file
}

/** The feature of a file, such as `features/auth` for `features/auth/totp/enrol-totp.ts`. The folder of other files. */
function featureOf(file: string): string {
  return basename(file) === 'routes.ts' ? file : (/^features\/[^/]+(?=\/)/.exec(file)?.[0] ?? folderOf(file))
}

/** The shortest circle, as its folders in order. */
function findCircle(graph: Graph): string[] | null {
  let shortest: string[] | null = null
  for (const [from, imports] of graph) {
    for (const to of imports.keys()) {
      const path = pathBetween(graph, to, from)
      if (path && (!shortest || path.length < shortest.length)) shortest = path
    }
  }
  return shortest
}

/** The shortest path, with both ends. */
function pathBetween(graph: Graph, from: string, to: string): string[] | null {
  const cameFrom = new Map<string, string | null>([[from, null]])
  for (const folder of cameFrom.keys()) {
    if (folder === to) {
      const path: string[] = []
      for (let at: string | null = folder; at !== null; at = cameFrom.get(at) ?? null) path.unshift(at)
      return path
    }
    for (const next of graph.get(folder)?.keys() ?? []) if (!cameFrom.has(next)) cameFrom.set(next, folder)
  }
  return null
}
