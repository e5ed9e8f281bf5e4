/** Commands that a page shows, with the output that it shows under them, if any. */
export interface Command {
  line: number
  text: string
  shown?: string
}

export type Step =
  | { kind: 'commands'; line: number; commands: Command[]; exitCode: number; readyText?: string }
  | { kind: 'setup'; line: number; text: string }
  | { kind: 'file'; line: number; path: string; text: string }
  | { kind: 'skipped'; line: number; text: string; reason: string }
  | { kind: 'elsewhere'; line: number; text: string; test: string }

/**
 * What the HTML comments right before a block say of it:
 * - `not run: <reason>`: the block cannot run in a test.
 * - `run by <file>`: another test runs the block.
 * - `file: <path>`: the block is the content of a file that later commands read.
 * - `keeps running until: <text>`: the block runs in the background; the next step waits for the text in its output.
 * - `ends with: <code>`: the exit code of the block's last command.
 * - `setup` and lines of commands: run at this place and not shown to readers.
 */
const notePattern = /^<!-- (not run|run by|file|keeps running until|ends with|setup):?\s+([\s\S]*?)\s*-->$/

interface Part {
  line: number
  /** Of a fenced block; null of a comment. */
  language: string | null
  text: string
}

const shellLanguages = new Set(['sh', 'console'])

// Blocks of commands under another name would escape the test.
const otherShells = new Set(['bash', 'shell', 'shellsession', 'zsh'])

/** The steps of a Markdown page, in order. */
export function readSteps(markdown: string): Step[] {
  const parts = partsOf(markdown)
  const steps: Step[] = []
  let notes = new Map<string, string>()
  parts.forEach((part, index) => {
    if (part.language === null) {
      const [, name = '', value = ''] = notePattern.exec(part.text) ?? []
      if (name === 'setup') steps.push({ kind: 'setup', line: part.line, text: value })
      else if (name !== '') notes.set(name, value)
      return
    }
    const step = stepOf(part, notes, parts[index + 1])
    if (step) steps.push(step)
    else if (notes.size > 0) throw new Error(`line ${part.line}: a block of ${part.language} takes no such comment`)
    notes = new Map()
  })
  return steps
}

function stepOf({ line, language, text }: Part, notes: Map<string, string>, next: Part | undefined): Step | null {
  if (otherShells.has(language ?? '') || (language === '' && /^\$ /m.test(text))) {
    throw new Error(`line ${line}: name a block of commands sh or console`)
  }
  const path = notes.get('file')
  if (path !== undefined) return { kind: 'file', line, path, text }
  if (!shellLanguages.has(language ?? '')) return null
  const reason = notes.get('not run')
  if (reason !== undefined) return { kind: 'skipped', line, text, reason }
  const test = notes.get('run by')
  if (test !== undefined) return { kind: 'elsewhere', line, text, test }
  const readyText = notes.get('keeps running until')
  const shown = next?.language === 'output' ? { shown: next.text } : {}
  return {
    kind: 'commands',
    line,
    commands: language === 'sh' ? [{ line, text, ...shown }] : commandsOf(text, line),
    exitCode: Number(notes.get('ends with') ?? 0),
    ...(readyText !== undefined && { readyText }),
  }
}

/** The commands of a block of `console`: lines after `$ ` and `> `, each with the output up to the next. */
function commandsOf(text: string, firstLine: number): Command[] {
  const commands: Command[] = []
  text.split('\n').forEach((line, index) => {
    const command = commands.at(-1)
    if (line.startsWith('$ ')) commands.push({ line: firstLine + 1 + index, text: line.slice(2), shown: '' })
    else if (!command) throw new Error(`line ${firstLine}: a block of console begins with "$ "`)
    else if (line.startsWith('> ') && command.shown === '') command.text += `\n${line.slice(2)}`
    else command.shown = command.shown === '' ? line : `${command.shown}\n${line}`
  })
  return commands
}

/** The fenced blocks and the comments of a page. */
function partsOf(markdown: string): Part[] {
  const parts: Part[] = []
  const pattern = /^```(\w*)\n([\s\S]*?)^```$|^<!--[\s\S]*?-->$/gm
  for (const match of markdown.matchAll(pattern)) {
    const line = markdown.slice(0, match.index).split('\n').length
    const fenced = match[0].startsWith('```')
    parts.push(
      fenced
        ? { line, language: match[1] ?? '', text: (match[2] ?? '').replace(/\n$/, '') }
        : { line, language: null, text: match[0] },
    )
  }
  return parts
}
