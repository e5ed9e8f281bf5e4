import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

/**
 * Part of `npm run lint`: inside a package, folders must not import one another in a circle. Type imports count. Tests and their
 * fixtures do not. A file directly in `src/` counts as a folder of its own; so does `routes.ts`, which lists a feature's endpoints.
 * Takes the folder that contains the packages; `packages/` by default. Exits with 1 if there is a circle.
 */

/** Known circles, by package: the imports without which there would be no circle. */
const tolerated: Readonly<Record<string, readonly string[]>> = {
  server: [
    'features/auth → features/auth/device',
    'features/auth/device → features/auth/password',
    'features/auth/federated → features/auth/saml',
    'features/platforms/github → features/platforms',
  ],
}

/** From folder to imported folder, to one line for each import. */
type Graph = Map<string, Map<string, string[]>>

const isLive = (file: string) => !/\.test\.ts$|\.d\.ts$|(^|\/)(testing|fixtures|sweeps)\//.test(file)
const specifiers = /(?:\bfrom|\bimport|\bimport\()\s*'([^']+)'/g
const root = resolve(process.argv[2] ?? join(import.meta.dirname, '../packages'))
let faults = 0

for (const source of globSync('*/src', { cwd: root }).sort()) {
  const name = dirname(source)
  const graph = readGraph(join(root, source), name)
  const known = (tolerated[name] ?? []).map((edge) => edge.split(' → ') as [string, string])
  const removed = known.map(([from, to]) => removeEdge(graph, from, to))
  for (const [index, [from, to]] of known.entries()) {
    const imports = removed[index]
    if (imports && pathBetween(graph, to, from)) continue
    report(`${name}: no circle needs ${from} → ${to}. Remove it from the list in scripts/check-folder-circles.ts.`, [])
    if (imports) graph.get(from)?.set(to, imports)
  }
  for (let circle = findCircle(graph); circle; circle = findCircle(graph)) {
    const edges = circle.map((from, index) => [from, circle?.[(index + 1) % circle.length] as string] as const)
    const imports = edges.flatMap(([from, to]) => graph.get(from)?.get(to) ?? [])
    report(`${name}: ${[...circle, circle[0]].join(' → ')}`, imports)
    const [from, to] = edges.at(-1) as readonly [string, string]
    removeEdge(graph, from, to)
  }
}
if (faults > 0) {
  console.error('\nMove what both folders need to a folder that both may import.')
  process.exitCode = 1
}

function report(sentence: string, imports: readonly string[]): void {
  faults++
  console.error([sentence, ...imports].join('\n    '))
}

function readGraph(source: string, name: string): Graph {
  const graph: Graph = new Map()
  for (const file of globSync('**/*.ts', { cwd: source }).filter(isLive).sort()) {
    const text = readFileSync(join(source, file), 'utf8')
    for (const [, specifier = ''] of text.matchAll(specifiers)) {
      const target = resolveImport(source, file, specifier, name)
      if (target === null || folderOf(target) === folderOf(file)) continue
      const imports = graph.get(folderOf(file)) ?? new Map<string, string[]>()
      graph.set(folderOf(file), imports)
      imports.set(folderOf(target), [...(imports.get(folderOf(target)) ?? []), `${file} imports ${target}`])
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

function removeEdge(graph: Graph, from: string, to: string): string[] | undefined {
  const imports = graph.get(from)?.get(to)
  graph.get(from)?.delete(to)
  return imports
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
