/** The segments of an absolute path. The list is empty for the root. */
export type FilePath = readonly string[]

// Maximum length of a path. Windows allows this length, and Linux allows an eighth of it. The limit bounds the time to parse a
// path and to fold it (to remove differences of letter case and Unicode form).
const maxLength = 32_768
const fileUrl = /^file:(?:\/\/([^/?#]*))?(\/[^?#]*)$/i
const drive = /^[A-Za-z][:|]$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const isAscii = /^[\x00-\x7f]*$/
const ignorable = /\p{Default_Ignorable_Code_Point}/gu

/**
 * Parses an absolute POSIX path or a `file:` URL, and resolves `.`, `..` and repeated separators. Does not access the file system, so it
 * does not resolve symbolic links. Returns null for text that programs could read as different paths: a relative path, a leading `~`, more
 * than 32,768 characters, NUL, a backslash, a drive letter, a broken percent code, another host, a query or a fragment, or a space or a
 * quote at the end.
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

/** Like `readFilePath`, for the path in a rule. Also returns null if the path has `..`. */
export function readBasePath(value: unknown): FilePath | null {
  return namesOf(value)?.includes('..') ? null : readFilePath(value)
}

/** Whether `path` equals `base` or is below it. Segments are compared exactly. */
export function isBelow(path: FilePath, base: FilePath): boolean {
  return base.length <= path.length && base.every((name, index) => name === path[index])
}

/**
 * Maps all spellings that a file system may treat as the same name to one path. Removes differences of letter case and Unicode
 * normalization, and removes invisible characters.
 */
export function foldPath(path: FilePath): FilePath {
  return path.map(foldName)
}

// Converts the name to lower case, then to upper case, then to lower case again. One conversion is not enough: "ẞ" has no
// separate upper case, and "ß" becomes "SS".
function foldName(name: string): string {
  if (isAscii.test(name)) return name.toLowerCase()
  const plain = name.normalize('NFD').replace(ignorable, '')
  return plain.toLowerCase().toUpperCase().toLowerCase().normalize('NFD')
}

function namesOf(value: unknown): string[] | null {
  if (typeof value !== 'string' || value.length > maxLength || !value.isWellFormed()) return null
  const path = /^file:/i.test(value) ? pathOfUrl(value) : value
  if (path === null || !path.startsWith('/') || path.includes('\0') || path.includes('\\')) return null
  // Some servers remove white space and quotes at the end of a path before they use it.
  if (/[\s"']$/.test(path)) return null
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

// URL parsers remove line breaks and tabs, and treat a backslash as a slash.
function pathOfUrl(url: string): string | null {
  const [, host = '', path = ''] = fileUrl.exec(url) ?? []
  // biome-ignore lint/suspicious/noControlCharactersInRegex: rejects these characters
  if (/[\u0000-\u001f\u007f\\]/.test(url) || !/^(?:localhost)?$/i.test(host)) return null
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}
