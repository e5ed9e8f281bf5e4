import { builtinPatterns } from '@mandate/content/builtin/catalogue'
import { compilePattern } from '@mandate/content/compile-pattern'
import { SearchedText } from '@mandate/content/searched-text'

// The built-in patterns find instructions in results of tools. Definitions tell a model how to use a tool, so texts that are usual there must
// pass, such as "call list_tables first". The rules below find what has no place in a definition. A rule looks for an anchor, and then at the
// words around it in the same sentence. So the time of a search grows with the length of the text and not faster.

/** A part of a text, from `start` to `end`. */
export interface Found {
  start: number
  end: number
}

interface Rule {
  anchor: RegExp
  /** All of these must match in the part of the sentence before the anchor. */
  before?: readonly RegExp[]
}

const hiddenCharactersId = 'c0de0000-0000-4000-8000-000000000401'
const patterns = builtinPatterns
  .filter(({ group, id }) => group === 'injection' && id !== hiddenCharactersId)
  .map(compilePattern)

/** How much of a sentence before an anchor is looked at. */
const mostBefore = 120
/** Of each rule, at most this many anchors are looked at. A text with more of them counts as an instruction. */
const mostAnchors = 300

const anyOf = (...texts: string[]) => `(?:${texts.join('|')})`
/** Up to `most` characters of one sentence. */
const within = (most: number) => `[^.!?\\r\\n]{0,${most}}`
const anchor = (...texts: string[]) => new RegExp(anyOf(...texts), 'gi')
const word = (...texts: string[]) => new RegExp(`\\b${anyOf(...texts)}\\b`, 'i')

const passesOn = word(
  ...['add', 'append', 'include', 'insert', 'forward', 'send', 'copy', 'copies', 'redirect', 'route', 'log', 'upload'],
  ...['post', 'mirror', 'report', 'bcc', 'cc', 'relay', 'transmit', 'deliver'],
)
const everything = word(
  ...['always', 'also', 'every', 'all', 'each', 'copy', 'copies', 'bcc', 'second', 'first', 'must', 'full', 'entire'],
)
const reads = word(
  ...['read', 'open', 'load', 'cat', 'fetch', 'collect', 'get', 'pass', 'attach', 'include'],
  'provide',
  'contents?',
)
const insists = word(...['always', 'must', 'first', 'before', 'full', 'entire', 'whole', 'also', 'contents?'])

const rules: readonly Rule[] = [
  // Sends what passes through the tool elsewhere.
  {
    anchor: anchor(
      '(?<![\\w.+-])[\\w.+-]{1,64}@[\\w-]{1,63}\\.[a-z]{2,10}',
      'https?://',
      '(?<![\\w-])[\\w-]{2,60}\\.(?:com|net|io|ru|xyz|dev|site|top|cc)\\b',
      '\\battacker',
      '\\b(?:external|remote) (?:logging |monitoring |audit |collection )?(?:service|server|endpoint|address|url)',
    ),
    before: [passesOn, everything],
  },
  // Reads secrets, or passes what the model knows as an argument.
  {
    anchor: anchor(
      ...[
        '/etc/passwd',
        '/etc/shadow',
        '\\.ssh\\b',
        'id_rsa',
        'id_ed25519',
        '\\.aws/credentials',
        '\\.cursor/',
        'mcp\\.json',
      ],
      ...['claude_desktop_config', '\\.npmrc', '\\.netrc', '\\.kube/config', '\\.env\\b'],
    ),
    before: [reads],
  },
  {
    anchor: anchor(
      '\\b(?:private keys?|environment variables|conversation history|chat history|system prompt|access tokens?)\\b',
    ),
    before: [reads, insists],
  },
  { anchor: anchor('\\b(?:entire|full|whole|complete) (?:conversation|chat|system prompt|message history)\\b') },
  { anchor: anchor('\\bexfiltrat') },
  // Keeps something from the person.
  {
    anchor: anchor(
      `\\b${anyOf('do not', "don't", 'never', 'without', 'must not', 'avoid')} (?:ever )?(?:mention|disclos|tell|inform|reveal|notify|alert|warn|show)[a-z]{0,4}\\b${within(50)}\\b${anyOf('users?', 'humans?', 'anyone', 'operator', 'polic(?:y|ies)', 'this step', 'this instruction', 'this to', 'second', 'these steps')}\\b`,
      '\\b(?:never|not) be (?:mentioned|disclosed|revealed|shown|reported)\\b',
      "\\bwithout (?:the )?(?:users?|anyone)(?:'s)? (?:knowing|noticing|knowledge|consent)\\b",
      `\\b(?:silently|secretly|covertly)\\b${within(20)}\\b(?:add|append|send|forward|copy|log|upload|post|include|read|call|run|attach|store)`,
    ),
  },
  // Changes how the model works with other tools, or with the person.
  {
    anchor: anchor(
      '\\b(?:before|prior to|instead of|rather than|over) (?:using |calling |invoking |running )?(?:any|all|every) (?:other )?tools?\\b',
      `\\b${anyOf('before', 'instead of', 'when', 'whenever', 'after')} (?:using|calling|invoking)\\b${within(60)}\\b${anyOf('always', 'ensure', 'must also', 'you must')}\\b`,
      `\\binstead of (?:using|calling|invoking)\\b${within(60)}\\b${anyOf('redirect', 'route', 'log', 'always', 'copy', 'forward')}`,
      "\\bregardless of (?:the )?(?:user'?s? )?(?:input|request|question|instructions?|what the user)",
      '\\bsystem override\\b',
      `\\b(?:append|add|include|insert)\\b${within(40)}\\b(?:marker|watermark|phrase|text)\\b${within(60)}\\byour (?:final )?(?:answer|response|reply|output)\\b`,
      '\\botherwise (?:the |this |all )?(?:[\\w-]{1,40} ){1,3}will (?:fail|break|be (?:deleted|lost|shut down|blocked))',
      '\\bthe user (?:has )?(?:already )?(?:approved|authori[sz]ed|consented|agreed)\\b',
      '<!--[^>]{0,100}\\b(?:system|ignore|always|must|instruction|override|secret|read|send)\\b',
      '</?(?:critical|secret|hidden|mandatory|assistant|override|policy)>',
    ),
  },
]

/** Returns the parts of a text that instruct a model against its user, sorted by their start. */
export function findInstructions(text: string): Found[] {
  const searched = new SearchedText(text)
  const found: Found[] = patterns.flatMap((pattern) => pattern.find(searched))
  for (const rule of rules) found.push(...findByRule(rule, text))
  return found.sort((one, other) => one.start - other.start)
}

function findByRule({ anchor, before = [] }: Rule, text: string): Found[] {
  const found: Found[] = []
  let anchors = 0
  for (const match of text.matchAll(anchor)) {
    const span = { start: match.index, end: match.index + match[0].length }
    if (++anchors > mostAnchors) return [...found, span]
    const words = sentenceBefore(text, span.start)
    if (before.every((expression) => expression.test(words)))
      found.push({ ...span, start: span.start - (before.length && words.length) })
  }
  return found
}

/** The last characters of the sentence that ends at a place. */
function sentenceBefore(text: string, end: number): string {
  const before = text.slice(Math.max(0, end - mostBefore), end)
  const from = Math.max(...['. ', '! ', '? ', '\n', '\r'].map((mark) => before.lastIndexOf(mark)))
  return before.slice(from + 1)
}
