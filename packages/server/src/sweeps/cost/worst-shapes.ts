import { withValue } from '../bad-values.ts'

/**
 * Values with a size of `bytes` bytes. They are of the kinds that take the most time to read, to check or to describe in an
 * error.
 */
export const fills = {
  numbers: (bytes: number) => list('1', bytes),
  objects: (bytes: number) => list('{}', bytes),
  strings: (bytes: number) => list('""', bytes),
  lists: (bytes: number) => list('[]', bytes),
  'wide record': (bytes: number) => record(bytes, (n) => `"k${n}":1`),
  'numbered record': (bytes: number) => record(bytes, (n) => `"${n * 4001}":1`),
  'one key many times': (bytes: number) => record(bytes, () => '"a":1'),
  'long string': (bytes: number) => `"${'x'.repeat(bytes - 2)}"`,
  'escaped string': (bytes: number) => `"${'\\u0000'.repeat(bytes / 6 - 1)}"`,
  'long number': (bytes: number) => '9'.repeat(bytes),
  'deep lists': (bytes: number) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'deep records': (bytes: number) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
} satisfies Record<string, (bytes: number) => string>
export type Fill = keyof typeof fills

/** Values of various shapes, each with about `bytes` bytes. */
export const forms = {
  'a&a&a': (bytes: number) => 'a&'.repeat(bytes / 2),
  '&&&': (bytes: number) => '&'.repeat(bytes),
  'a=1&b=2': (bytes: number) => Array.from({ length: bytes / 9 }, (_, n) => `k${n}=1`).join('&'),
  '%': (bytes: number) => `token=${'%'.repeat(bytes - 6)}`,
  '%41': (bytes: number) => `SAMLResponse=${'%41'.repeat(bytes / 3 - 5)}`,
  '+': (bytes: number) => `outcome=${'+'.repeat(bytes - 8)}`,
} satisfies Record<string, (bytes: number) => string>
export type FormName = keyof typeof forms

/**
 * Describes how to build a request body. Another process builds the body, so that the process of the server does not spend time
 * on it.
 */
export type BodyPlan =
  | { kind: 'json'; fill: Fill; bytes: number }
  /** The example with the value at `path` replaced. */
  | { kind: 'field'; example: unknown; path: PropertyKey[]; fill: Fill; bytes: number }
  | { kind: 'form'; form: FormName; bytes: number }
  | { kind: 'invalid UTF-8'; bytes: number }
  | { kind: 'given'; body: unknown }

export function buildBody(plan: BodyPlan): Buffer {
  switch (plan.kind) {
    case 'json':
      return Buffer.from(fills[plan.fill](plan.bytes))
    case 'field': {
      const mark = 'the value goes here'
      const text = JSON.stringify(withValue(plan.example, plan.path, mark))
      // A function, because `$` in a replacement string would have a special meaning.
      return Buffer.from(text.replace(`"${mark}"`, () => fills[plan.fill](plan.bytes - text.length)))
    }
    case 'form':
      return Buffer.from(forms[plan.form](plan.bytes))
    case 'invalid UTF-8':
      return Buffer.alloc(plan.bytes, 0xff)
    case 'given':
      return Buffer.from(JSON.stringify(plan.body))
  }
}

function list(item: string, bytes: number): string {
  return `[${Array(Math.floor(bytes / (item.length + 1)) - 1).fill(item)}]`
}

function record(bytes: number, entry: (n: number) => string): string {
  const entries: string[] = []
  for (let n = 0, length = 2; length < bytes - 20; n++) {
    const text = entry(n)
    entries.push(text)
    length += text.length + 1
  }
  return `{${entries.join(',')}}`
}
