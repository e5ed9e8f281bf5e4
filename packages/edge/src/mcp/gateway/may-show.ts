import type { Guard } from '../../guard/guard.ts'

/** Returns whether a text of a tool server may stand in an error or in the log. */
export type MayShow = (text: string) => boolean

/**
 * Returns a function that finds out whether content rules match nothing in a short text of a tool server, such as an address. A text may be
 * written with percent codes, or with other characters in place of spaces.
 */
export function mayShowOf(guard: Pick<Guard, 'maskLine'>): MayShow {
  return (text) => {
    const decoded = decode(text)
    return [text, decoded, decoded.replace(/[/+_.-]+/g, ' ')].every((one) => guard.maskLine(one) === one)
  }
}

function decode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'))
}
