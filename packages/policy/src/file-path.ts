/** The names that lead from the root to a file. Empty for the root itself. */
export type FilePath = readonly string[]

// As long as Windows takes, and eight times what Linux takes. Reading and folding a path takes time for each of its characters.
const maxLength = 32_768
const fileUrl = /^file:(?:\/\/([^/?#]*))?(\/[^?#]*)$/i
const drive = /^[A-Za-z][:|]$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const isAscii = /^[\x00-\x7f]*$/
const ignorable = /\p{Default_Ignorable_Code_Point}/gu

/**
 * Reads an absolute POSIX path, or a `file:` URL, and resolves `.`, `..` and repeated separators. It does not look at the file
 * system, so it knows no symlinks. Null for a text that programs could read as different paths: a relative path, a leading
 * `~`, more than 32,768 characters, NUL, a backslash, a drive letter, a broken percent code, another host, a query or a fragment, spaces or a quote at the end.
 */
export function readFilePath(value: unknown): FilePath | null {
  const names = namesOf(value)
  if (names === null) return null
  const path: string[] = []
  for (const name of names) {
    if (name === '..') path.pop()
    else path.push(name)
  }
  return path.length > 0 && drive.test(path[0]!) ? null : path
}

/** As `readFilePath`, for the value of a rule: null also where the path has `..`. */
export function readBasePath(value: unknown): FilePath | null {
  return namesOf(value)?.includes('..') ? null : readFilePath(value)
}

/** Whether `path` is `base` or is below it. Names are compared exactly. */
export function isBelow(path: FilePath, base: FilePath): boolean {
  return base.length <= path.length && base.every((name, index) => name === path[index])
}

/**
 * The same path for all spellings that a file system may take for one name: without letter case, Unicode normalization form
 * and characters that show nothing.
 */
export function foldPath(path: FilePath): FilePath {
  return path.map(foldName)
}

// Lower case first and last: "ẞ" has no upper case of its own and "ß" has "SS", so neither one alone makes them equal.
function foldName(name: string): string {
  if (isAscii.test(name)) return name.toLowerCase()
  const plain = name.normalize('NFD').replace(ignorable, '')
  return plain.toLowerCase().toUpperCase().toLowerCase().normalize('NFD')
}

function namesOf(value: unknown): string[] | null {
  if (typeof value !== 'string' || value.length > maxLength || !value.isWellFormed()) return null
  const path = /^file:/i.test(value) ? pathOfUrl(value) : value
  if (path === null || !path.startsWith('/') || path.includes('\0') || path.includes('\\')) return null
  // Some servers cut white space and quotes off a path before they use it.
  if (/[\s"']$/.test(path)) return null
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

// Parsers of URLs drop line breaks and tabs, and take a backslash for a slash.
function pathOfUrl(url: string): string | null {
  const [, host = '', path = ''] = fileUrl.exec(url) ?? []
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
  if (/[\u0000-\u001f\u007f\\]/.test(url) || !/^(?:localhost)?$/i.test(host)) return null
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}
