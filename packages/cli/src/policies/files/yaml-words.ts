import type { ErrorCode, YAMLParseError } from 'yaml'

/** Words for an error of the YAML parser, or a function that finds them by the parser's message. */
type Words = string | ((message: string) => string)

const indentation = 'the indentation does not match the lines above'
const unclosed = (bracket: string) => `the closing ${bracket} is missing before this place`

const words: Record<ErrorCode, Words> = {
  ALIAS_PROPS: 'an alias, which starts with *, can have no anchor and no tag; put the value in quotes',
  BAD_ALIAS: (message) =>
    message.startsWith('Alias')
      ? 'the value starts with *, which YAML reads as an alias; put the value in quotes'
      : 'the value starts with &, which YAML reads as an anchor; put the value in quotes',
  BAD_COLLECTION_TYPE: 'the tag, which starts with !, is for another kind of value; put the value in quotes',
  BAD_DIRECTIVE: 'the line starts with %, which is only for directives of YAML; put the value in quotes',
  BAD_DQ_ESCAPE:
    'the text in double quotes has an unknown escape sequence; use single quotes, or write \\\\ for one backslash',
  BAD_INDENT: (message) => {
    const bracket = /end with a (.)/.exec(message)?.[1]
    return bracket === undefined ? indentation : unclosed(bracket)
  },
  BAD_PROP_ORDER: 'an anchor or a tag is at the wrong place; put a value that starts with & or ! in quotes',
  BAD_SCALAR_START: 'the value starts with a reserved character; put the value in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'the line has a second field or list; put it on a line of its own, or put the whole value in quotes',
  BLOCK_IN_FLOW:
    'between brackets, commas separate the values: a comma or a closing bracket is missing before this place',
  DUPLICATE_KEY: 'the field is in this place twice',
  IMPOSSIBLE: 'the YAML is invalid at this place',
  KEY_OVER_1024_CHARS: 'the name of a field is longer than 1024 characters',
  MISSING_CHAR: (message) => {
    const closing = /closing (["'])|end with a (.)/.exec(message)
    if (closing) return unclosed((closing[1] ?? closing[2])!)
    if (message.startsWith('Comments')) return 'a comment needs a space before #; put a value with # in quotes'
    if (message.includes(' , ')) return 'a comma is missing before this place'
    if (message.startsWith('Sequence item')) return 'an item of the list has no - at its start'
    return 'a colon and a space are missing after the name of a field'
  },
  MULTILINE_IMPLICIT_KEY: 'the line is not a field: a field has a colon and a space after its name',
  MULTIPLE_ANCHORS: 'the value has two anchors; put a value that starts with & in quotes',
  MULTIPLE_DOCS: 'the file contains a second document after ---; put each policy into a file of its own',
  MULTIPLE_TAGS: 'the value has two tags; put a value that starts with ! in quotes',
  NON_STRING_KEY: 'the name of a field must be a text; put it in quotes',
  RESOURCE_EXHAUSTION: 'lists and fields are nested too deeply',
  TAB_AS_INDENT: 'a tab indents the line; use spaces',
  TAG_RESOLVE_FAILED: 'the value does not fit its tag, which starts with !; put the value in quotes',
  UNEXPECTED_TOKEN: (message) => {
    if (message.includes('Unexpected , ')) return 'a comma is at a place where no value ends'
    const character = /token in YAML stream: "([^"]{1,20})"/.exec(message)?.[1]
    if (character !== undefined) return `${character} is at a place where YAML does not allow it`
    if (message.includes('block-seq-ind')) return 'the list starts on the line of its field; put it on the next line'
    return 'there is more text after the end of the value; put the whole value in quotes'
  },
}

/** Describes an error of the YAML parser in the words of a policy file. */
export function describeYamlError({ code, message }: Pick<YAMLParseError, 'code' | 'message'>): string {
  const found = words[code] ?? words.IMPOSSIBLE
  return typeof found === 'string' ? found : found(message)
}
