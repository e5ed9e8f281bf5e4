/** A folder of texts in memory, for a person who tries out an edge. The texts are gone when the process ends. */

type Values = { readonly [key: string]: unknown }

/** The result of a tool, as MCP has it. */
export interface ToolResult {
  content: [{ type: 'text'; text: string }]
  isError?: true
}

interface Tool {
  readonly description: string
  /** The arguments of the tool and their descriptions. All of them are texts. */
  readonly args: Readonly<Record<string, string>>
  readonly annotations: { readOnlyHint: boolean; destructiveHint?: boolean }
  run(folder: DemoFolder, args: Record<string, string>): ToolResult
}

const longestPath = 200
const longestText = 10_000
const mostFiles = 100

const firstFiles = {
  'draft.txt': 'The release notes are not finished.',
  'shopping.txt': 'Bread, milk and two lemons.',
  'welcome.txt': 'This folder is in the memory of the demonstration server. Nothing here is a file of your machine.',
}

/** The files, by their paths. */
export class DemoFolder {
  readonly files = new Map<string, string>(Object.entries(firstFiles))

  /** Runs a tool. Undefined if there is no such tool. Arguments that the tool does not have are ignored. */
  call(name: string, given: Values): ToolResult | undefined {
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
    if (!tool) return undefined
    const args: Record<string, string> = {}
    for (const arg of Object.keys(tool.args)) {
      const value = Object.hasOwn(given, arg) ? given[arg] : undefined
      const longest = arg === 'path' ? longestPath : longestText
      if (typeof value !== 'string' || value === '') return failed(`The argument ${arg} must be a text.`)
      if (value.length > longest) return failed(`The argument ${arg} must have at most ${longest} characters.`)
      args[arg] = value
    }
    return tool.run(this, args)
  }
}

const path = 'The name of a file, such as draft.txt.'

const tools: Readonly<Record<string, Tool>> = {
  list: {
    description: 'Lists the files of the demonstration folder.',
    args: {},
    annotations: { readOnlyHint: true },
    run: ({ files }) => done([...files.keys()].sort().join('\n') || 'The folder is empty.'),
  },
  read: {
    description: 'Reads a file of the demonstration folder.',
    args: { path },
    annotations: { readOnlyHint: true },
    run: ({ files }, { path = '' }) => {
      const text = files.get(path)
      return text === undefined ? absent(path) : done(text)
    },
  },
  write: {
    description: 'Writes a file of the demonstration folder, in memory.',
    args: { path, text: 'The text of the file.' },
    annotations: { readOnlyHint: false, destructiveHint: true },
    run: ({ files }, { path = '', text = '' }) => {
      if (!files.has(path) && files.size >= mostFiles) return failed(`The folder has ${mostFiles} files already.`)
      files.set(path, text)
      return done(`Wrote ${path} in memory.`)
    },
  },
  delete: {
    description: 'Deletes a file of the demonstration folder, in memory.',
    args: { path },
    annotations: { readOnlyHint: false, destructiveHint: true },
    run: ({ files }, { path = '' }) => (files.delete(path) ? done(`Deleted ${path} in memory.`) : absent(path)),
  },
}

/** The definitions of the tools, as `tools/list` has them. */
export const definitions = Object.entries(tools).map(([name, { description, args, annotations }]) => ({
  name,
  description,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(args).map(([arg, text]) => [arg, { type: 'string', description: text }]),
    ),
    required: Object.keys(args),
    additionalProperties: false,
  },
  annotations: { ...annotations, openWorldHint: false },
}))

const done = (text: string): ToolResult => ({ content: [{ type: 'text', text }] })
const failed = (text: string): ToolResult => ({ ...done(text), isError: true })
const absent = (path: string) => failed(`There is no file ${path}.`)
