/** Shorter parts of a secret are not hidden, because they would hide ordinary text. */
const fewestCharacters = 6
const mask = '[hidden]'

/** Replaces secrets in the log lines of a tool server. A server could write its environment to its log. */
export class HiddenSecrets {
  /** The lines of the secrets, and their written forms, the longest first. */
  private readonly parts: readonly string[]

  constructor(secrets: readonly string[]) {
    const parts = new Set(secrets.flatMap((secret) => [...secret.split(/\r?\n/), ...writtenForms(secret)]))
    this.parts = [...parts].filter(({ length }) => length >= fewestCharacters).sort((a, b) => b.length - a.length)
  }

  /** Returns the line without secrets. `isCut` is true if the line was longer, so that it may end within a secret. */
  in(line: string, isCut: boolean): string {
    const text = this.parts.reduce((shown, part) => shown.replaceAll(part, mask), line)
    const length = isCut ? this.partAtEnd(text) : 0
    return length === 0 ? text : `${text.slice(0, -length)}${mask}`
  }

  /** Returns how many characters at the end of a text are the beginning of a secret. */
  private partAtEnd(text: string): number {
    const lengths = this.parts.map((part) => {
      let length = Math.min(part.length - 1, text.length)
      while (length > 0 && !text.endsWith(part.slice(0, length))) length--
      return length
    })
    return Math.max(0, ...lengths)
  }
}

/** Returns the forms in which a program usually prints its environment: as JSON, as an object of JavaScript or Python, in base64 and in a URL. */
function writtenForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const bytes = Buffer.from(secret)
  return [
    json,
    JSON.stringify(json).slice(1, -1),
    // Within single quotes, double quotes stay as they are.
    json.replaceAll('\\"', '"'),
    json.replaceAll('\\"', '"').replaceAll("'", "\\'"),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    encodeURIComponent(secret.toWellFormed()),
  ]
}
